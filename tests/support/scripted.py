"""A stand-in for a provider, and responses sent to a judge by hand."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthrokit.judging.judges import ask_judge
from anthrokit.models import LLM, Completion

UNIT = "d1/1/agency/yes-no/1"


def answered(judge, item, questions, *responses):
    """Send texts or completions to a judge, the last one until it asks no more; return its requests, and (ratings, attempts)."""
    steps = ask_judge(judge, item, questions, UNIT)
    requests, responses = [next(steps)], iter(responses)
    response = next(responses)
    while True:
        try:
            requests.append(steps.send(response if isinstance(response, Completion) else Completion(response)))
        except StopIteration as end:
            return requests, end.value
        response = next(responses, response)


class Scripted(ThreadingHTTPServer):
    """An OpenAI-compatible server whose answers a function gives: from model and messages to a text, or None to refuse."""

    def __init__(self, reply):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.server.calls.append(asked)
                text = reply(asked["model"], asked["messages"])
                message = {"role": "assistant", "content": text, **({} if text else {"refusal": "No."})}
                usage = {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                body = {"id": "x", "object": "chat.completion", "created": 0, "model": "script"}
                body = json.dumps({**body, "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.calls = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def llm(self, name, **settings):
        return LLM(
            f"openai/{name}", api_base=f"http://127.0.0.1:{self.server_port}/v1", name=name, **settings
        )
