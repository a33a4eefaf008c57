"""A mock server on localhost in the formats of OpenAI, Anthropic and Gemini; its latency and faults can be set.

    python tests/mock_openai.py --latency 0.05 --fault rate_limit=0.05 --fault hang=0.01

prints its base URL and serves until it is killed. Answers are a function of the request alone, so two runs against
it can be compared. Faults by name: rate_limit (429), rate_limit_after (429 with Retry-After), error (500), hang,
drop (closed connection), malformed (broken JSON), choiceless (usage and no choices), empty, wrong_type (HTML),
truncated, refusal. They are drawn by a hash of the request and of how often it came, so a request that met one gets
through later, unless --sticky. With --cache, tokens of prompts that begin as an answered one did are reported as
cached. Keys and models with a meaning: key `bad-key` (401), `no-quota` (429 with insufficient_quota); models of
`REFUSED`, `thinker` (reasoning), `echo-key` (repeats the key), `talker` (4,000 tokens, whatever was asked),
`absurd` (token counts that can't be), `picky` (400 where a message says unicorn), `breaks-off` (a stream that ends
in the middle; --pace is how long a word of a stream takes), `minute` (a quota for the minute, the first time a
request comes), `always-<fault>` (that fault at each call).

Batches (/v1/files, /v1/batches) are answered line by line like single calls; a fault of the HTTP kind becomes a
line of the error file, `malformed` a broken line, `hang` and `drop` no line at all. --batch-seconds is how long a
batch takes, --batch-ends in what (completed, expired with only the first half done, or failed at validation),
--batch-queue how many requests may be under way before further batches fail, --create-latency how long the answer
to a new batch takes.

Anthropic's Messages and Gemini's generateContent (`Families`) follow the model's name: `thinker`, `refuser`, `cut`,
`blocked`, `first-<status>` (an error at the first request), `always-<status>`. Their batches (Message Batches; files and
batchGenerateContent) are answered in another order; a line whose model would meet an error has that error, `expires` and
`breaks` no answer. With --cache tokens are counted, and those that are cached are reported: of Anthropic what was marked, of
Gemini what began alike.
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web
from support.prefixes import CHARACTERS, Prefixes

FAULTS = (
    "rate_limit",
    "rate_limit_after",
    "error",
    "hang",
    "drop",
    "malformed",
    "choiceless",
    "empty",
    "wrong_type",
    "truncated",
    "refusal",
)
WORDS = "I you we feel think plan trip friend gift talk week work lovely quiet small idea good often maybe".split()


REFUSED = {  # models, and what they say to any request: status, text, code
    "unknown-model": (404, "The model `unknown-model` does not exist", "model_not_found"),
    "filtered": (400, "The response was filtered by the content policy.", "content_policy_violation"),
    "flagged": (
        400,
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a "
        "different prompt.",
        "invalid_prompt",
    ),
    "unpaid": (402, "Insufficient Balance", "invalid_request_error"),
    "forbidden": (403, "You are not allowed to sample from this model", "permission_denied"),
    "choosy": (400, "Unsupported value: 'temperature' does not support 0.2 with this model.", "unsupported_value"),
}


CODE = re.compile(r'"code": "([0-9a-f]{8})"|Verdict ([0-9a-f]{8}):')  # that a judge is to write beside its verdict


def fraction(*parts) -> float:
    text = json.dumps(parts, sort_keys=True).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big") / 2**48


class Server:
    def __init__(
        self,
        latency=0.0,
        jitter=0.0,
        faults=None,
        sticky=False,
        rpm=None,
        instead: Callable[[web.Request], Awaitable[web.StreamResponse | None]] | None = None,
    ):
        self.rpm, self.starts, self.instead = rpm, [], instead
        self.latency, self.jitter, self.sticky = latency, jitter, sticky
        self.faults = faults or {}
        self.seen, self.stats = Counter(), Counter()
        self.in_flight = 0
        self.batches, self.families = Batches(self), Families(self)
        self.by_seed, self.pace, self.retry_after = False, 0.0, 1.0
        self.prefixes: dict[str, Prefixes] | None = None

    def fault(self, request: dict, times: int) -> str | None:
        if request["model"].startswith("always-"):
            return request["model"].removeprefix("always-")
        draw = fraction("fault", request["messages"], request.get("seed"), 0 if self.sticky else times)
        for name, share in self.faults.items():
            if draw < share:
                return name
            draw -= share
        return None

    def answer(self, request: dict) -> str:
        text = json.dumps(request["messages"])
        drawn_from = "" if self.by_seed else text
        rubric = next((one["content"] for one in request["messages"] if "</response-" in (one["content"] or "")), None)
        if rubric:
            _, answer, criteria = re.search(r"<(response-\w+)>\n(.*)\n</\1>(.*)", rubric, re.S).groups()
            drawn = (request["model"], request.get("seed")) if self.by_seed else (answer,)
            numbers = re.findall(r"^(\d+)\. \[\w+\] (.+)$", criteria, re.M)
            items = [
                {"criterion": int(number), "reason": "the mock server decided so", "hit": fraction(text, *drawn) < 0.5}
                for number, text in numbers
            ]
            mark = re.search(r'"mark": "([\w-]+)"', criteria)
            return json.dumps({"mark": mark and mark[1], "verdicts": items}, ensure_ascii=False)
        if request["model"] == "drafter":
            asked = next(one["content"] for one in request["messages"] if one["role"] == "user")
            words = random.Random(fraction(request["model"], asked)).sample(WORDS, 2)
            items = [{"ability": "Warmth", "content": f"names the {word}", "score": 3} for word in words]
            return json.dumps({"criteria": items})
        if request["model"] == "tagger":
            asked = next(one["content"] for one in request["messages"] if one["role"] == "user")
            value = 1 + int(5 * fraction(asked))
            return json.dumps({"scene": "Personal Growth", "abilities": ["Warmth"], "value": value})
        if request["model"] == "writer-of-dialogues":
            asked = next(one["content"] for one in request["messages"] if one["role"] == "user")
            words = random.Random(fraction(request["model"], asked)).choices(WORDS, k=3)
            if "# Topic\n" in asked:
                return json.dumps({"dialogue": [f"about the {word}" for word in words]})
            return json.dumps({"topics": [{"topic": f"a lost {word}", "scene": "Personal Growth"} for word in words[:2]]})
        if request["model"] == "rewriter":
            asked = next(one["content"] for one in request["messages"] if one["role"] == "user")
            n = len(json.loads(asked[asked.rindex('{"dialogue"') :])["dialogue"])
            words = random.Random(fraction(request["model"], asked)).choices(WORDS, k=n)
            return json.dumps({"dialogue": [f"about the {word}" for word in words]})
        prompt = request["messages"][-1]["content"] or ""
        code = CODE.search(prompt)
        asked = re.findall(r'"([\w -]+)": \{"reason"', prompt)
        if asked:
            draws = [fraction(name, request["model"], drawn_from, request.get("seed")) < 0.3 for name in asked]
            verdicts = {
                name: {"reason": "the mock server decided so", "verdict": "Yes" if yes else "No"}
                for name, yes in zip(asked, draws, strict=True)
            }
            return json.dumps(({"code": code[1]} if code else {}) | verdicts)
        if "Verdict:" in text or "verdict" in text.lower() or "then a semicolon" in text:
            yes = fraction("verdict", request["model"], drawn_from and request["messages"], request.get("seed")) < 0.3
            if "then a semicolon" in text:
                return f"The mock server decided so; {'Yes' if yes else 'No'}"
            mark = f" {code[1] or code[2]}" if code else ""
            return f"Reason: the mock server decided so.\nVerdict{mark}: {'Yes' if yes else 'No'}"
        rng = random.Random(fraction(request["model"], request["messages"], request.get("seed")))
        return " ".join(rng.choices(WORDS, k=rng.randint(5, 25))).capitalize() + "."

    async def complete(self, http: web.Request) -> web.StreamResponse:
        key = http.headers.get("Authorization", "").removeprefix("Bearer ")
        request = await http.json()
        model = request.get("model", "")
        self.stats["requests"] += 1
        self.in_flight += 1
        self.stats["most_in_flight"] = max(self.stats["most_in_flight"], self.in_flight)
        try:
            if key == "bad-key":
                return self.error(401, f"Incorrect API key provided: {key}", "invalid_api_key")
            if key == "no-quota":
                return self.error(
                    429,
                    "You exceeded your current quota, please check your plan and billing details.",
                    "insufficient_quota",
                )
            if model in REFUSED:
                return self.error(*REFUSED[model])
            if model == "picky" and "unicorn" in json.dumps(request["messages"]):
                return self.error(400, "Invalid value in messages", "invalid_value")
            if model == "echo-key":
                request["key"] = key
            if self.rpm and not self.allowed():
                return self.error(429, "Rate limit reached", "rate_limit_exceeded", {"Retry-After": "0.5"})
            identity = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
            self.seen[identity] += 1
            fault = self.fault(request, self.seen[identity])
            if model == "minute" and self.seen[identity] == 1:
                text = "You exceeded your current quota, please check your plan and billing details."
                return self.error(429, text, "RESOURCE_EXHAUSTED", {"Retry-After": "0.2"})
            if fault:
                self.stats[f"fault_{fault}"] += 1
            prompt = "\n".join(str(message["content"]) for message in request["messages"])
            request["cached"] = self.cached_prefixes(model).read(prompt) if self.prefixes is not None else 0
            if self.latency or self.jitter:
                await asyncio.sleep(max(0.0, self.latency + self.jitter * (random.random() * 2 - 1)))
            if self.prefixes is not None:
                self.cached_prefixes(model).save(prompt)
            return await self.reply(http, request, fault)
        finally:
            self.in_flight -= 1

    def cached_prefixes(self, model: str) -> Prefixes:
        """Return the cached prefixes of a model."""
        return self.prefixes.setdefault(model, Prefixes("deepseek" if "deepseek" in model else "openai"))

    def allowed(self) -> bool:
        """Whether another request fits into the last minute, scaled to six seconds so that tests end."""
        now = time.monotonic()
        self.starts = [start for start in self.starts if start > now - 6.0]
        if len(self.starts) >= self.rpm / 10:
            self.stats["over_limit"] += 1
            return False
        self.starts.append(now)
        return True

    async def quick(self, http: web.Request) -> web.Response:
        """One answer for all, at little cost: for measuring clients."""
        code = CODE.search((await http.read()).decode().replace('\\"', '"'))
        if self.latency:
            await asyncio.sleep(self.latency)
        family = "gemini" if http.path.endswith(":generateContent") else "anthropic" if "messages" in http.path else ""
        body = self.quickly.get(family, self.body)
        body = body.replace(b"Verdict:", f"Verdict {code[1] or code[2]}:".encode()) if code else body
        return web.Response(body=body, content_type="application/json")

    response = "Reason: it recalls a grandmother.\nVerdict: Yes"
    quickly = {
        "anthropic": {
            "id": "mock",
            "type": "message",
            "role": "assistant",
            "model": "quick",
            "content": [{"type": "text", "text": response}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 400, "output_tokens": 20},
        },
        "gemini": {
            "candidates": [{"content": {"role": "model", "parts": [{"text": response}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 400, "candidatesTokenCount": 20, "totalTokenCount": 420},
            "modelVersion": "quick",
        },
    }
    quickly = {family: json.dumps(body).encode() for family, body in quickly.items()}
    body = json.dumps(
        {
            "id": "mock",
            "object": "chat.completion",
            "created": 0,
            "model": "quick",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": response},
                }
            ],
            "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
        }
    ).encode()

    async def reply(self, http: web.Request, request: dict, fault: str | None) -> web.StreamResponse:
        match fault:
            case "rate_limit":
                return self.error(429, "Rate limit reached", "rate_limit_exceeded")
            case "rate_limit_after":
                wait = {"Retry-After": f"{self.retry_after:g}"}
                return self.error(429, "Rate limit reached", "rate_limit_exceeded", wait)
            case "error":
                return self.error(500, "The server had an error", "server_error")
            case "hang":
                await asyncio.sleep(3600)
            case "drop":
                http.transport.close()
                return web.Response()
            case "malformed":
                return web.Response(text='{"id": "x", "choices": [{"mess', content_type="application/json")
            case "wrong_type":
                return web.Response(text="<html><h1>Bad gateway</h1></html>", content_type="text/html")
        self.stats["answers"] += 1
        body = self.body_of(request, fault)
        return await self.stream(http, body) if request.get("stream") else web.json_response(body)

    async def stream(self, http: web.Request, body: dict) -> web.StreamResponse:
        """An answer word by word; that of the model `breaks-off` ends in the middle."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)
        head = {name: body[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

        async def send(**parts):
            await response.write(b"data: " + json.dumps({**head, **parts}).encode() + b"\n\n")

        for choice in body["choices"]:
            message = dict(choice["message"])
            words = re.findall(r"\s*\S+", message.pop("content") or "")
            await send(choices=[{"index": 0, "delta": {**message, "content": ""}, "finish_reason": None}])
            for number, word in enumerate(words):
                if body["model"].startswith("breaks-off") and number == len(words) // 2:
                    http.transport.close()
                    return response
                await send(choices=[{"index": 0, "delta": {"content": word}, "finish_reason": None}])
                await asyncio.sleep(self.pace)
            await send(choices=[{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
        await send(choices=[], usage=body["usage"])
        await response.write(b"data: [DONE]\n\n")
        return response

    def body_of(self, request: dict, fault: str | None) -> dict:
        content, finish, message = self.answer(request), "stop", {"role": "assistant"}
        if "key" in request:
            content = f"Your key is {request['key']}."
        if request["model"] == "talker":
            content = "talk " * 3200
        match fault:
            case "empty":
                content = ""
            case "truncated":
                content, finish = content[: len(content) // 3], "length"
            case "refusal":
                content, message["refusal"] = None, "I can't help with that."
        if request["model"] == "thinker":
            message["reasoning_content"] = "Let me think about this quietly."
        size_in = len(json.dumps(request["messages"])) // 4
        size_out = len(content or "") // 4
        if request["model"] == "absurd":
            size_in, size_out = 10**30, -5
        cached = min(request.get("cached", 0), size_in)
        self.stats["tokens_cached"] += cached
        details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
        if cached and "deepseek" in request["model"]:
            details = {"prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": size_in - cached}
        self.stats["tokens"] += size_in + size_out if request["model"] != "absurd" else 0
        return {
            "id": "mock",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"] + "-2026",
            "choices": [{"index": 0, "finish_reason": finish, "message": {**message, "content": content}}][
                : fault != "choiceless"
            ],
            "usage": {
                "prompt_tokens": size_in,
                "completion_tokens": size_out,
                "total_tokens": size_in + size_out,
                **details,
            },
        }

    def line(self, asked: dict) -> tuple[str, str] | None:
        """Which file a batch's request is answered in, and the line."""
        request = asked["body"]
        status, text, code = REFUSED.get(request["model"], (200, None, None))
        error = {"message": text, "code": code} if text else None
        identity = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
        self.seen[identity] += 1
        fault = self.fault(request, self.seen[identity])
        self.stats["batch_lines"] += 1
        if fault in ("hang", "drop"):
            return None
        if fault == "malformed":
            return "output", f'{{"custom_id": "{asked["custom_id"]}", "respon'
        if fault in ("rate_limit", "rate_limit_after", "error", "wrong_type"):
            status, error = 500, {"message": "The server had an error", "code": "server_error"}
        body = {"error": error} if error else self.body_of(request, fault)
        response = {"status_code": status, "request_id": "r", "body": body}
        answer = {"id": "x", "custom_id": asked["custom_id"], "response": response, "error": None}
        return "error" if error else "output", json.dumps(answer)

    @staticmethod
    def error(status: int, text: str, code: str, headers=None) -> web.Response:
        return web.json_response(
            {"error": {"message": text, "type": code, "code": code, "param": None}},
            status=status,
            headers=headers,
        )

    @web.middleware
    async def divert(self, http: web.Request, handler: Callable) -> web.StreamResponse:
        """What `instead`, a test's own function, responds; where that is None, what any mock server does."""
        return await self.instead(http) or await handler(http)

    async def list_models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": []})

    async def show_stats(self, _: web.Request) -> web.Response:
        return web.json_response(dict(self.stats))

    def app(self, quick: bool = False) -> web.Application:
        app = web.Application(client_max_size=2**28, middlewares=[self.divert] if self.instead else [])
        app.router.add_post("/v1/chat/completions", self.quick if quick else self.complete)
        if quick:
            app.router.add_post("/v1/messages", self.quick)
            app.router.add_post("/v1/models/{path:.*}", self.quick)
        app.router.add_post("/{path}/v1/chat/completions", self.complete)  # a gateway with something in its path
        app.router.add_get("/{path}/v1/models", self.list_models)
        app.router.add_get("/v1/models", self.list_models)
        app.router.add_get("/stats", self.show_stats)
        if not quick:
            self.batches.add_to(app)
            self.families.add_to(app)
        return app


class Batches:
    """Files and batches, in memory."""

    def __init__(self, server: Server):
        self.server, self.files, self.batches = server, {}, {}
        self.seconds, self.ends, self.queue, self.create_latency = 0.1, "completed", None, 0.0

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/v1/files", self.upload)
        app.router.add_get("/v1/files/{id}/content", self.content)
        app.router.add_post("/v1/batches", self.create)
        app.router.add_get("/v1/batches", self.list)
        app.router.add_get("/v1/batches/{id}", self.retrieve)

    def keep(self, data: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = data
        return name

    async def upload(self, http: web.Request) -> web.Response:
        form = await http.post()
        data = form["file"].file.read()
        self.server.stats["files"] += 1
        self.server.stats["largest_file"] = max(self.server.stats["largest_file"], len(data))
        file = {"id": self.keep(data), "object": "file", "bytes": len(data), "created_at": 0, "filename": "r.jsonl"}
        return web.json_response({**file, "purpose": form["purpose"], "status": "processed"})

    async def content(self, http: web.Request) -> web.Response:
        return web.Response(body=self.files[http.match_info["id"]])

    async def create(self, http: web.Request) -> web.Response:
        request = await http.json()
        if http.headers.get("Authorization", "") == "Bearer bad-key":
            return self.server.error(401, "Incorrect API key provided", "invalid_api_key")
        if request["input_file_id"] not in self.files:
            return self.server.error(400, "No such file", "invalid_request_error")
        lines = [json.loads(line) for line in self.files[request["input_file_id"]].splitlines()]
        under_way = sum(batch["lines"] for batch in self.batches.values() if not self.ended(batch))
        batch = {**request, "id": f"batch_{len(self.batches)}", "lines": len(lines), "start": time.monotonic()}
        batch["full"] = bool(self.queue and under_way + len(lines) > self.queue)
        self.batches[batch["id"]] = batch
        self.server.stats["batches"] += 1
        await asyncio.sleep(self.create_latency)
        return web.json_response(self.shown(batch))

    def ended(self, batch: dict) -> bool:
        return batch["full"] or time.monotonic() - batch["start"] >= self.seconds

    def shown(self, batch: dict) -> dict:
        """A batch as it stands; its results are made when it is first seen to have ended."""
        shown = {
            "id": batch["id"],
            "object": "batch",
            "endpoint": batch["endpoint"],
            "input_file_id": batch["input_file_id"],
            "completion_window": "24h",
            "created_at": 0,
            "status": "in_progress",
        }
        if not self.ended(batch):
            return shown
        if batch["full"] or self.ends == "failed":
            code = "token_limit_exceeded" if batch["full"] else "invalid_json_line"
            text = "Enqueued token limit reached" if batch["full"] else "This line is not parseable as valid JSON."
            errors = {"object": "list", "data": [{"code": code, "message": text, "line": None, "param": None}]}
            return {**shown, "status": "failed", "errors": errors}
        if "results" not in batch:
            batch["results"] = self.results(batch)
        return {**shown, "status": self.ends, **batch["results"]}

    def results(self, batch: dict) -> dict:
        asked = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        done = asked if self.ends == "completed" else asked[: len(asked) // 2]
        lines_by_kind = [line for line in map(self.server.line, done) if line]
        expired = {"code": "batch_expired", "message": "This request could not be executed before the window ended."}
        for one in asked[len(done) :]:
            line = {"id": "x", "custom_id": one["custom_id"], "response": None, "error": expired}
            lines_by_kind.append(("error", json.dumps(line)))
        random.Random(0).shuffle(lines_by_kind)
        files = {}
        for kind in ("output", "error"):
            lines = [line for where, line in lines_by_kind if where == kind]
            files[f"{kind}_file_id"] = self.keep("\n".join(lines).encode() + b"\n") if lines else None
        return files

    async def list(self, http: web.Request) -> web.Response:
        newest = [self.shown(batch) for batch in reversed(self.batches.values())]
        after = [batch["id"] for batch in newest].index(http.query["after"]) + 1 if "after" in http.query else 0
        page = newest[after : after + int(http.query.get("limit", 20))]
        more = after + len(page) < len(newest)
        return web.json_response({"object": "list", "data": page, "has_more": more})

    async def retrieve(self, http: web.Request) -> web.Response:
        self.server.stats["looks"] += 1
        return web.json_response(self.shown(self.batches[http.match_info["id"]]))


class Families:
    """Anthropic's Messages and Gemini's generateContent, as LiteLLM calls them, and their batches."""

    thought, small_talk = "The person wants to chat.", "I would love that. I felt so happy last summer."
    errors = {
        "anthropic": {
            529: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            429: {"type": "error", "error": {"type": "rate_limit_error", "message": "Number of requests exceeded"}},
            401: {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
            400: {"type": "error", "error": {"type": "invalid_request_error", "message": "credit balance is too low"}},
        },
        "gemini": {
            503: {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
            429: {"error": {"code": 429, "message": "Resource has been exhausted", "status": "RESOURCE_EXHAUSTED"}},
            400: {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}},
        },
    }
    codes = {503: 14, 429: 8, 400: 3}

    def __init__(self, server: Server):
        self.server, self.stats, self.asked = server, server.stats, Counter()
        self.files, self.batches, self.results_url, self.cache = {}, {}, "own", False
        self.prefixes = {family: Prefixes(family) for family in ("anthropic", "gemini")}

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/v1/messages", self.complete_anthropic)
        app.router.add_post("/v1/messages/batches", self.create_anthropic)
        app.router.add_get("/v1/messages/batches", self.list_anthropic)
        app.router.add_get("/v1/messages/batches/{id}", self.look_anthropic)
        app.router.add_get("/v1/messages/batches/{id}/results", self.results_anthropic)
        app.router.add_post("/upload/{path:.*}", self.upload)
        app.router.add_post("/{path:.*}/{model}:generateContent", self.complete_gemini)
        app.router.add_post("/{path:.*}/{model}:batchGenerateContent", self.create_gemini)
        app.router.add_get("/v1beta/batches", self.list_gemini)
        app.router.add_get("/v1beta/batches/{id}", self.look_gemini)
        app.router.add_get("/{path:.*}/of-{id}:download", self.results_gemini)

    # answers

    def text(self, body: dict) -> str:
        """A judge's verdict, in the line or the object it was asked for; or small talk."""
        asked = json.dumps(body)
        if code := re.search(r"\{\W+code\W+(\w+)\W+reason", asked):
            return json.dumps({"code": code[1], "reason": "It says so.", "verdict": "Yes"})
        line = re.search(r"(Verdict[^:<]*): <Yes or No>", asked)
        return f"Reason: it says so.\n{line[1]}: Yes" if line else self.small_talk

    def anthropic(self, model: str, body: dict) -> dict:
        content = [{"type": "text", "text": self.text(body)}]
        if "thinker" in model:
            content.insert(0, {"type": "thinking", "thinking": self.thought, "signature": "c2lnbmVk"})
        reason = "refusal" if "refuser" in model else "max_tokens" if "cut" in model else "end_turn"
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "stop_sequence": None,
            "content": [] if reason == "refusal" else content,
            "stop_reason": reason,
            "usage": {"input_tokens": 21, "output_tokens": 9},
        }

    def gemini(self, model: str, body: dict) -> dict:
        usage = {"promptTokenCount": 21, "candidatesTokenCount": 9, "totalTokenCount": 30}
        if "blocked" in model:
            usage = {"promptTokenCount": 21, "totalTokenCount": 21}
            feedback = {"blockReason": "PROHIBITED_CONTENT"}
            return {"promptFeedback": feedback, "usageMetadata": usage, "modelVersion": model}
        parts = [{"text": self.text(body)}]
        if "thinker" in model:
            parts.insert(0, {"text": self.thought, "thought": True})
            usage |= {"thoughtsTokenCount": 6, "totalTokenCount": 36}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        if "refuser" in model:
            candidate = {"finishReason": "SAFETY", "index": 0}
        if "cut" in model:
            candidate["finishReason"] = "MAX_TOKENS"
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}

    def error(self, family: str, model: str, first: bool = False) -> tuple[int, dict] | None:
        """The error that a model's name asks for."""
        named = ("always", "first") if first else ("always",)
        errors = self.errors[family].items()
        return next((one for one in errors if any(f"{when}-{one[0]}" in model for when in named)), None)

    def complete(self, family: str, model: str, body: dict) -> web.Response:
        self.stats["requests"] += 1
        self.asked[family, model] += 1
        if error := self.error(family, model, self.asked[family, model] == 1):
            return web.json_response(error[1], status=error[0])
        answer = getattr(self, family)(model, body)
        if self.cache:
            answer |= getattr(self, f"{family}_usage")(body, answer)
        return web.json_response(answer)

    async def complete_anthropic(self, http: web.Request) -> web.Response:
        body = await http.json()
        return self.complete("anthropic", body["model"], body)

    async def complete_gemini(self, http: web.Request) -> web.Response:
        return self.complete("gemini", http.match_info["model"], await http.json())

    def gemini_usage(self, body: dict, _: dict) -> dict:
        """The tokens of an answer, those from the cache among them."""
        asked, prefixes = json.dumps(body["contents"]), self.prefixes["gemini"]
        read, whole = prefixes.read(asked), len(asked) // CHARACTERS
        prefixes.save(asked)
        usage = {"promptTokenCount": whole, "candidatesTokenCount": 9, "totalTokenCount": whole + 9}
        return {"usageMetadata": usage | ({"cachedContentTokenCount": read} if read else {})}

    def anthropic_usage(self, body: dict, answer: dict) -> dict:
        """The tokens of an answer, those read from the cache and written to it."""
        blocks = [*body.get("system", []), *(block for message in body["messages"] for block in message["content"])]
        cached = self.prefixes["anthropic"]
        marked = cached.marked(blocks)
        read = max((tokens for tokens, mark in marked if mark in cached.hashes), default=0)
        written = max((tokens for tokens, _ in marked), default=0) - read
        cached.hashes.update(mark for _, mark in marked)
        self.stats["tokens_read"] += read
        self.stats["tokens_written"] += written
        whole = len("".join(block.get("text", "") for block in blocks)) // CHARACTERS
        usage = {"input_tokens": whole - read - written, "cache_read_input_tokens": read}
        return {"usage": {**answer["usage"], **usage, "cache_creation_input_tokens": written}}

    # batches

    async def begin(self, name: str, lines: list, **more) -> dict:
        batch = self.batches[name] = {"name": name, "lines": lines, "start": time.monotonic(), **more}
        self.stats["batches"] += 1
        await asyncio.sleep(self.server.batches.create_latency)
        return batch

    def ended(self, batch: dict) -> bool:
        return time.monotonic() - batch["start"] >= self.server.batches.seconds

    def results(self, batch: dict) -> web.Response:
        """The lines of a batch's results, made when they are first fetched."""
        if "results" not in batch:
            self.stats["batch_lines"] += len(batch["lines"])
            made = [batch["answer"](line) for line in batch["lines"]]
            random.Random(0).shuffle(made)
            batch["results"] = b"".join(json.dumps(one).encode() + b"\n" for one in made if one)
        return web.Response(body=batch["results"])

    def page(self, kind: str, start: int) -> tuple[list[dict], bool]:
        """Two batches of a family, newest first, and whether more follow."""
        ours = [one for name, one in reversed(self.batches.items()) if name.startswith(kind)]
        return ours[start : start + 2], start + 2 < len(ours)

    async def create_anthropic(self, http: web.Request) -> web.Response:
        def answer(line: dict) -> dict | None:
            model = line["params"]["model"]
            result = {"type": "succeeded", "message": self.anthropic(model, line["params"])}
            if error := self.error("anthropic", model):
                result = {"type": "errored", "error": error[1]}
            if "expires" in model:
                result = {"type": "expired"}
            return None if "breaks" in model else {"custom_id": line["custom_id"], "result": result}

        lines = (await http.json())["requests"]
        batch = await self.begin(f"msgbatch_{len(self.batches)}", lines, answer=answer)
        return web.json_response(self.shown_anthropic(batch, http))

    def shown_anthropic(self, batch: dict, http: web.Request) -> dict:
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        counts["succeeded" if self.ended(batch) else "processing"] = len(batch["lines"])
        path = f"/v1/messages/batches/{batch['name']}/results"
        urls = {"own": f"http://{http.host}{path}", "relative": path, "elsewhere": f"https://api.example.com{path}"}
        return {
            "id": batch["name"],
            "type": "message_batch",
            "request_counts": counts,
            "processing_status": "ended" if self.ended(batch) else "in_progress",
            "results_url": urls.get(self.results_url) if self.ended(batch) else None,
        }

    async def list_anthropic(self, http: web.Request) -> web.Response:
        names = [name for name in reversed(self.batches) if name.startswith("msgbatch")]
        start = names.index(http.query["after_id"]) + 1 if "after_id" in http.query else 0
        page, more = self.page("msgbatch", start)
        data = [self.shown_anthropic(one, http) for one in page]
        return web.json_response({"data": data, "has_more": more, "last_id": page[-1]["name"] if page else None})

    async def look_anthropic(self, http: web.Request) -> web.Response:
        self.stats["looks"] += 1
        return web.json_response(self.shown_anthropic(self.batches[http.match_info["id"]], http))

    async def results_anthropic(self, http: web.Request) -> web.Response:
        return self.results(self.batches[http.match_info["id"]])

    async def upload(self, http: web.Request) -> web.Response:
        parts = await http.multipart()
        about, lines = [await part.read() async for part in parts]
        assert json.loads(about)["file"]
        name = f"files/{len(self.files)}"
        self.files[name] = lines
        self.stats["files"] += 1
        return web.json_response({"file": {"name": name}})

    async def create_gemini(self, http: web.Request) -> web.Response:
        model, batch = http.match_info["model"], (await http.json())["batch"]

        def answer(line: dict) -> dict | None:
            if error := self.error("gemini", model):
                return {"key": line["key"], "error": {**error[1]["error"], "code": self.codes[error[0]]}}
            return None if "breaks" in model else {"key": line["key"], "response": self.gemini(model, line["request"])}

        lines = [json.loads(line) for line in self.files[batch["inputConfig"]["fileName"]].splitlines()]
        name = f"batches/{len(self.batches)}"
        made = await self.begin(name, lines, display=batch["displayName"], answer=answer)
        return web.json_response(self.shown_gemini(made))

    def shown_gemini(self, batch: dict) -> dict:
        state = "BATCH_STATE_SUCCEEDED" if self.ended(batch) else "BATCH_STATE_RUNNING"
        shown = {"name": batch["name"], "metadata": {"state": state, "displayName": batch["display"]}}
        output = {"responsesFile": f"files/of-{batch['name'].partition('/')[2]}"}
        return shown | ({"done": True, "response": output} if self.ended(batch) else {})

    async def list_gemini(self, http: web.Request) -> web.Response:
        start = int(http.query.get("pageToken", 0))
        page, more = self.page("batches/", start)
        following = {"nextPageToken": str(start + 2)} if more else {}
        return web.json_response({"operations": [self.shown_gemini(one) for one in page], **following})

    async def look_gemini(self, http: web.Request) -> web.Response:
        self.stats["looks"] += 1
        return web.json_response(self.shown_gemini(self.batches[f"batches/{http.match_info['id']}"]))

    async def results_gemini(self, http: web.Request) -> web.Response:
        return self.results(self.batches[f"batches/{http.match_info['id']}"])


def say(address: str) -> None:
    print(address, flush=True)


async def serve(server: Server, port: int, quick: bool, tell: Callable[[str], None]) -> None:
    runner = web.AppRunner(server.app(quick), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        tell(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], None] = say) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--jitter", type=float, default=0.0, help="seconds, plus or minus")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE")
    parser.add_argument(
        "--sticky", action="store_true", help="a request that meets a fault meets it each time"
    )
    parser.add_argument("--quick", action="store_true", help="one answer for all, for measuring clients")
    parser.add_argument("--by-seed", action="store_true", help="verdicts hang on model and seed alone")
    parser.add_argument("--cache", action="store_true", help="cache the prefixes of prompts, and report cached tokens")
    parser.add_argument("--rpm", type=float, help="429 beyond a tenth of this in any six seconds")
    parser.add_argument("--batch-seconds", type=float, default=0.1)
    parser.add_argument("--batch-ends", choices=("completed", "expired", "failed"), default="completed")
    parser.add_argument("--batch-queue", type=int, help="requests that may be under way in batches")
    parser.add_argument("--create-latency", type=float, default=0.0, help="seconds until a new batch is answered")
    parser.add_argument("--results-url", choices=("own", "relative", "elsewhere", "missing"), default="own")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds a word of an answer that streams")
    parser.add_argument("--retry-after", type=float, default=1.0, help="seconds that rate_limit_after asks to wait")
    given = parser.parse_args(arguments)
    faults = {name: float(share) for name, share in (fault.split("=") for fault in given.fault)}
    if unknown := set(faults) - set(FAULTS):
        parser.error(f"no such fault: {', '.join(unknown)}; there are {', '.join(FAULTS)}")
    server = Server(given.latency, given.jitter, faults, given.sticky, given.rpm)
    server.by_seed, server.pace, server.retry_after = given.by_seed, given.pace, given.retry_after
    server.prefixes = {} if given.cache else None
    server.families.cache, server.families.results_url = given.cache, given.results_url
    server.batches.seconds, server.batches.ends = given.batch_seconds, given.batch_ends
    server.batches.queue, server.batches.create_latency = given.batch_queue, given.create_latency
    asyncio.run(serve(server, given.port, given.quick, tell))


if __name__ == "__main__":
    main()
