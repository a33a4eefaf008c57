"""A server that speaks Anthropic's Messages and Gemini's generateContent, as LiteLLM calls them.

Run it by itself: it prints its address. What it does follows from the model's name: a refusal, a cut, a first answer
with an error, a wrong key; judges are answered in the form they ask for.

Batches of both (Message Batches; files and batchGenerateContent) are answered line by line like single calls, in
another order; a line whose model would meet an error has that error, `expires` and `breaks` no answer. --batch-seconds
is how long a batch takes, --create-latency how long the answer to a new batch takes. /stats counts. With --cache
tokens are counted, and those that are at hand are told: of Anthropic what was marked, of Gemini what began alike.
"""

import argparse
import json
import random
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.prefixes import CHARACTERS, Prefixes

ASKED: dict[tuple[str, str], int] = {}
GUARD = threading.Lock()
THOUGHT, SAID = "The person wants to chat.", "I would love that. I felt so happy last summer."
ERRORS = {
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


def answer_text(body: dict) -> str:
    """A judge's verdict, in the line or the object it was asked for; or small talk."""
    asked = json.dumps(body)
    if code := re.search(r'\{\W+code\W+(\w+)\W+reason', asked):
        return json.dumps({"code": code[1], "reason": "It says so.", "verdict": "Yes"})
    line = re.search(r"(Verdict[^:<]*): <Yes or No>", asked)
    return f"Reason: it says so.\n{line[1]}: Yes" if line else SAID


def anthropic(model: str, body: dict) -> dict:
    content = [{"type": "text", "text": answer_text(body)}]
    if "thinker" in model:
        content.insert(0, {"type": "thinking", "thinking": THOUGHT, "signature": "c2lnbmVk"})
    reason = "refusal" if "refuser" in model else "max_tokens" if "cut" in model else "end_turn"
    usage = {"input_tokens": 21, "output_tokens": 9}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_sequence": None,
        "content": [] if reason == "refusal" else content, "stop_reason": reason, "usage": usage,
    }  # fmt: skip


def gemini(model: str, body: dict) -> dict:
    usage = {"promptTokenCount": 21, "candidatesTokenCount": 9, "totalTokenCount": 30}
    if "blocked" in model:
        usage = {"promptTokenCount": 21, "totalTokenCount": 21}
        return {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage, "modelVersion": model}
    parts = [{"text": answer_text(body)}]
    if "thinker" in model:
        parts.insert(0, {"text": THOUGHT, "thought": True})
        usage |= {"thoughtsTokenCount": 6, "totalTokenCount": 36}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    if "refuser" in model:
        candidate = {"finishReason": "SAFETY", "index": 0}
    if "cut" in model:
        candidate["finishReason"] = "MAX_TOKENS"
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}


STATS, FILES, BATCHES = Counter(), {}, {}
HOW = argparse.Namespace(batch_seconds=0.1, create_latency=0.0, cache=False, results_url="own")
AT_HAND = {family: Prefixes(family) for family in ("anthropic", "gemini")}


def from_cache(family: str, body: dict, told: dict) -> dict:
    """The same answer with its tokens counted, and those told that were at hand or are from now on."""
    known = AT_HAND[family]
    if family == "gemini":
        said = json.dumps(body["contents"])
        with GUARD:
            read = known.read(said)
            known.keep(said)
        whole = len(said) // CHARACTERS
        usage = {"promptTokenCount": whole, "candidatesTokenCount": 9, "totalTokenCount": whole + 9}
        return {**told, "usageMetadata": usage | ({"cachedContentTokenCount": read} if read else {})}
    blocks = [*body.get("system", []), *(block for message in body["messages"] for block in message["content"])]
    with GUARD:
        marked = known.marked(blocks)
        read = max((tokens for tokens, mark in marked if mark in known.there), default=0)
        written = max((tokens for tokens, _ in marked), default=0) - read
        known.there.update(mark for _, mark in marked)
    STATS["tokens_read"] += read
    STATS["tokens_written"] += written
    whole = len("".join(block.get("text", "") for block in blocks)) // CHARACTERS
    usage = {"input_tokens": whole - read - written, "cache_read_input_tokens": read}
    return {**told, "usage": {**told["usage"], **usage, "cache_creation_input_tokens": written}}
CODES = {503: 14, 429: 8, 400: 3}


def ended(batch: dict) -> bool:
    return time.monotonic() - batch["start"] >= HOW.batch_seconds


def begin(name: str, lines: list[dict], **more) -> dict:
    batch = BATCHES[name] = {"name": name, "lines": lines, "start": time.monotonic(), **more}
    STATS["batches"] += 1
    time.sleep(HOW.create_latency)
    return batch


def fault(model: str, family: str) -> dict | None:
    return next((error for status, error in ERRORS[family].items() if f"always-{status}" in model), None)


def results(batch: dict) -> bytes:
    """The lines of a batch's results, made when they are first fetched."""
    if "results" not in batch:
        STATS["batch_lines"] += len(batch["lines"])
        made = [batch["answer"](line) for line in batch["lines"]]
        random.Random(0).shuffle(made)
        batch["results"] = b"".join(json.dumps(one).encode() + b"\n" for one in made if one)
    return batch["results"]


def anthropic_line(line: dict) -> dict | None:
    body = line["params"]
    result = {"type": "succeeded", "message": anthropic(body["model"], body)}
    if (error := fault(body["model"], "anthropic")) is not None:
        result = {"type": "errored", "error": error}
    if "expires" in body["model"]:
        result = {"type": "expired"}
    return None if "breaks" in body["model"] else {"custom_id": line["custom_id"], "result": result}


def anthropic_batch(batch: dict, address: str) -> dict:
    counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
    counts["succeeded" if ended(batch) else "processing"] = len(batch["lines"])
    told = {"id": batch["name"], "type": "message_batch", "request_counts": counts}
    path = f"/v1/messages/batches/{batch['name']}/results"
    urls = {"own": f"{address}{path}", "relative": path, "elsewhere": f"https://api.example.com{path}", "missing": None}
    results_url = urls[HOW.results_url] if ended(batch) else None
    return told | {"processing_status": "ended" if ended(batch) else "in_progress", "results_url": results_url}


def gemini_line(line: dict, model: str) -> dict | None:
    if (error := fault(model, "gemini")) is not None:
        error = error["error"]
        return {"key": line["key"], "error": {**error, "code": CODES[error["code"]]}}
    return None if "breaks" in model else {"key": line["key"], "response": gemini(model, line["request"])}


def gemini_batch(batch: dict) -> dict:
    state = "BATCH_STATE_SUCCEEDED" if ended(batch) else "BATCH_STATE_RUNNING"
    told = {"name": batch["name"], "metadata": {"state": state, "displayName": batch["display"]}}
    output = {"responsesFile": f"files/of-{batch['name'].partition('/')[2]}"}
    return told | ({"done": True, "response": output} if ended(batch) else {})


class Families(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status: int, answer: dict) -> None:
        self.send_bytes(status, json.dumps(answer).encode())

    def send_bytes(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        last = path.rsplit("/", 1)[1]
        known = list(BATCHES.values())[::-1]
        if path == "/stats":
            return self.send(200, dict(STATS))
        if path == "/v1/messages/batches":
            ours = [anthropic_batch(one, self.address) for one in known if one["name"].startswith("msgbatch")]
            after = re.search("after_id=([^&]+)", query)
            start = [one["id"] for one in ours].index(after[1]) + 1 if after else 0
            page = ours[start : start + 2]
            more = {"has_more": start + 2 < len(ours), "last_id": page[-1]["id"] if page else None}
            return self.send(200, {"data": page, **more})
        if path.endswith("/results"):
            return self.send_bytes(200, results(BATCHES[path.rsplit("/", 2)[1]]))
        if path.startswith("/v1/messages/batches/"):
            STATS["looks"] += 1
            return self.send(200, anthropic_batch(BATCHES[last], self.address))
        if path.endswith(":download"):
            return self.send_bytes(200, results(BATCHES["batches/" + last.removeprefix("of-").partition(":")[0]]))
        if path.endswith("/v1beta/batches"):
            ours = [gemini_batch(one) for one in known if one["name"].startswith("batches/")]
            after = re.search("pageToken=([^&]+)", query)
            start = int(after[1]) if after else 0
            more = {"nextPageToken": str(start + 2)} if start + 2 < len(ours) else {}
            return self.send(200, {"operations": ours[start : start + 2], **more})
        if "/batches/" in path:
            STATS["looks"] += 1
            return self.send(200, gemini_batch(BATCHES[f"batches/{last}"]))
        self.send(200, {"data": []})

    def make_batch(self, path: str, data: bytes) -> None:
        number = len(BATCHES)
        if path.startswith("/upload/"):
            mark = self.headers["Content-Type"].partition("boundary=")[2].encode()
            parts = data.split(b"--" + mark)[1:3]
            about, lines = (part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for part in parts)
            name = f"files/{len(FILES)}"
            FILES[name], _ = lines, json.loads(about)["file"]
            STATS["files"] += 1
            return self.send(200, {"file": {"name": name}})
        body = json.loads(data)
        if path == "/v1/messages/batches":
            batch = begin(f"msgbatch_{number}", body["requests"], answer=anthropic_line)
            return self.send(200, anthropic_batch(batch, self.address))
        model, batch = path.rsplit("/", 1)[1].partition(":")[0], body["batch"]
        lines = [json.loads(line) for line in FILES[batch["inputConfig"]["fileName"]].splitlines()]
        about = {"display": batch["displayName"], "answer": lambda line: gemini_line(line, model)}
        self.send(200, gemini_batch(begin(f"batches/{number}", lines, **about)))

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.split("?")[0]
        if path.startswith("/upload/") or path.endswith((":batchGenerateContent", "/batches")):
            return self.make_batch(path, data)
        body = json.loads(data)
        STATS["requests"] += 1
        family = "gemini" if path.endswith(":generateContent") else "anthropic"
        model = body["model"] if family == "anthropic" else path.rsplit("/", 1)[1].partition(":")[0]
        with GUARD:
            ASKED[path, model] = ASKED.get((path, model), 0) + 1
            first = ASKED[path, model] == 1
        for status, error in ERRORS[family].items():
            if f"always-{status}" in model or (first and f"first-{status}" in model):
                return self.send(status, error)
        told = {"anthropic": anthropic, "gemini": gemini}[family](model, body)
        self.send(200, from_cache(family, body, told) if HOW.cache else told)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-seconds", type=float, default=HOW.batch_seconds)
    parser.add_argument("--create-latency", type=float, default=HOW.create_latency)
    parser.add_argument("--results-url", choices=("own", "relative", "elsewhere", "missing"), default="own")
    parser.add_argument("--cache", action="store_true")
    parser.parse_args(namespace=HOW)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Families)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
