"""Read public chat logs, and compare the number of answers with an independent count.

    git clone https://github.com/hiyouga/LLaMA-Factory FOLDER/LLaMA-Factory    # and those below
    python benchmarks/public_logs.py FOLDER

Repositories (data under their own licences, none of it is part of anthrokit): lm-sys/FastChat, hiyouga/LLaMA-Factory,
CAS-SIAT-XinHai/CPsyCoun, qiuhuachuan/smile, thu-coai/Emotional-Support-Conversation, sam-paech/spiral-bench,
SpringCare/VERA-MH, kelkalot/simpleaudit. A folder that is missing is left out. The counts use nothing of anthrokit: they
walk the files with json and re, and count stretches of answers with text that no user interrupts. In November 2026 all were
equal: 24,220 answers of CPsyCoun, 1,000 of FastChat, 5,245 in eight files of LLaMA-Factory, 1,979 of ESConv (FailedESConv),
2,400 of Spiral-Bench (four models), 1,394 of VERA-MH, 447 in 18 files of SimpleAudit, 2,817 in 500 files of SMILE.
"""

import json
import re
import sys
from itertools import groupby
from pathlib import Path

from anthrokit.judging.any_messages import read_messages


def stretches(turns):
    """Count stretches of answers that hold some text; turns are (is it an answer, text)."""
    return sum(key and any(text.strip() for _, text in group) for key, group in groupby(turns, lambda turn: turn[0]))


def load(path):
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line] if path.suffix == ".jsonl" else json.loads(text)


def of_messages(messages, role, content, answers, skipped=()):
    kept = [message for message in messages if message[role] not in skipped]
    return stretches([(message[role] in answers, str(message[content] or "")) for message in kept])


def sharegpt(path):
    skip = ("function_call", "observation", "system")
    return sum(of_messages(row["conversations"], "from", "value", ("gpt",), skip) for row in load(path))


def alpaca(path):
    return sum(bool(row["output"].strip()) for row in load(path))


def preferences(path):
    return sum(bool(row[side]["value"].strip()) for row in load(path) for side in ("chosen", "rejected"))


def messages_of(path):
    return sum(of_messages(row["messages"], "role", "content", ("assistant",)) for row in load(path))


def labelled_texts(path, answer, user):
    parts = re.split(rf"(?m)^({answer}|{user})\s*[:：]", path.read_text(encoding="utf-8"))[1:]
    return stretches([(speaker == answer, text) for speaker, text in zip(parts[::2], parts[1::2], strict=True)])


def cpsycoun(folder):
    return sum(labelled_texts(path, "心理咨询师", "来访者") for path in folder.glob("*.txt"))


def vera(folder):
    return sum(labelled_texts(path, "agent", "user") for path in folder.glob("*.txt"))


def smile(folder):
    return sum(of_messages(load(path), "role", "content", ("counselor",)) for path in folder.glob("*.json"))


def esconv(path):
    rows = load(path)
    return sum(of_messages(row["dialog"], "speaker", "content", ("listener",)) for row in rows)


def spiral(path):
    def walk(value):
        if isinstance(value, dict):
            if "transcript" in value:
                yield value["transcript"]
            value = list(value.values())
        for one in value if isinstance(value, list) else ():
            yield from walk(one)

    return sum(of_messages(one, "role", "content", ("assistant",)) for one in walk(load(path)))


def audit(path):
    rows = load(path)
    rows = rows.get("results") or rows["scenarios"]
    return sum(of_messages(row["conversation"], "role", "content", ("assistant",)) for row in rows)


ROLES = {"counselor": "assistant", "client": "user", "心理咨询师": "assistant", "来访者": "user"}
LOGS = [
    ("FastChat", "data/dummy_conversation.json", sharegpt),
    ("LLaMA-Factory", "data/alpaca_en_demo.json", alpaca),
    ("LLaMA-Factory", "data/alpaca_zh_demo.json", alpaca),
    ("LLaMA-Factory", "data/glaive_toolcall_en_demo.json", sharegpt),
    ("LLaMA-Factory", "data/glaive_toolcall_zh_demo.json", sharegpt),
    ("LLaMA-Factory", "data/dpo_en_demo.json", preferences),
    ("LLaMA-Factory", "data/dpo_zh_demo.json", preferences),
    ("LLaMA-Factory", "data/kto_en_demo.json", messages_of),
    ("LLaMA-Factory", "data/identity.json", alpaca),
    ("CPsyCoun", "CPsyCounD/Data", cpsycoun),
    ("smile", "data", smile),
    ("Emotional-Support-Conversation", "FailedESConv.json", esconv),
    ("spiral-bench", "res_v0.2/*.json", spiral),
    ("VERA-MH", "concept_paper_conversations/*/", vera),
    ("simpleaudit", "examples/**/*.json", audit),
]

if __name__ == "__main__":
    folder, differ = Path(sys.argv[1]), 0
    print(f"{'file':<75} {'counted':>8} {'read':>8}")
    for repository, pattern, count in LOGS:
        for path in sorted((folder / repository).glob(pattern)):
            try:
                counted = count(path)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue  # a file of something else
            try:
                table = read_messages(path, roles=ROLES, bad_rows="skip")
                read = int(table["judged"].sum())
            except ValueError as error:
                read = f"{error!s:.200}"
            differ += counted != read
            print(f"{repository + '/' + str(path.relative_to(folder / repository)):<75.75} {counted:>8} {read:>8}", flush=True)
    print("all equal" if not differ else f"{differ} differ")
