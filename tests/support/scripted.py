"""A stand-in for a provider, and responses sent to a judge by hand."""

import contextlib

from servers import mock_openai, served

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


class Scripted(mock_openai.Server):
    """A mock server whose answers a function gives: from model and messages to a text, or None to refuse."""

    def __init__(self, respond):
        super().__init__()
        self.respond, self.calls, self._running = respond, [], contextlib.ExitStack()
        self.url = self._running.enter_context(served(self))

    def answer(self, request):
        return self.respond(request["model"], request["messages"])

    def body_of(self, request, fault):
        self.calls.append(request)
        body = super().body_of(request, fault)
        message = body["choices"][0]["message"]
        message |= {} if message["content"] else {"refusal": "No."}
        return body | {"usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}}

    def llm(self, name, **settings):
        return LLM(f"openai/{name}", api_base=self.url, name=name, **settings)

    def shutdown(self):
        self._running.close()
