"""A server that speaks Anthropic's Messages and Gemini's generateContent, as LiteLLM calls them.

Run it by itself: it prints its address. What it does follows from the model's name: a refusal, a cut, a first answer
with an error, a wrong key; judges are answered in the form they ask for.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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
    "A judge's verdict, in the line it was asked for; or small talk."
    line = re.search(r"(Verdict[^:<]*): <Yes or No>", json.dumps(body))
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


class Families(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status: int, answer: dict) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send(200, {"data": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.split("?")[0]
        family = "gemini" if path.endswith(":generateContent") else "anthropic"
        model = body["model"] if family == "anthropic" else path.rsplit("/", 1)[1].partition(":")[0]
        with GUARD:
            ASKED[path, model] = ASKED.get((path, model), 0) + 1
            first = ASKED[path, model] == 1
        for status, error in ERRORS[family].items():
            if f"always-{status}" in model or (first and f"first-{status}" in model):
                return self.send(status, error)
        self.send(200, {"anthropic": anthropic, "gemini": gemini}[family](model, body))


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Families)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
