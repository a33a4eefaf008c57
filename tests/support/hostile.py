"""Fifty payloads that try to run, to break the layout or to mislead, and a run whose every text and name is one.

A payload that runs sets window.__hacked or raises a dialog; one that becomes an element carries data-hostile; one
that fetches asks hostile.invalid. Tests look for all three.
"""

import itertools
import json

RUN = "window.__hacked=1;alert(1)"
ELEMENTS = [
    f"<script data-hostile>{RUN}</script>",
    f"<ScRiPt data-hostile>{RUN}</sCrIpT >",
    f"</script><script data-hostile>{RUN}</script>",
    '<script data-hostile src="https://hostile.invalid/x.js"></script>',
    f'<img data-hostile src=x onerror="{RUN}">',
    f"<img data-hostile src='x' onerror='{RUN}'//",
    '<img data-hostile src="https://hostile.invalid/pixel.png">',
    f"<svg data-hostile onload={RUN}><circle r=9 /></svg>",
    f"<svg data-hostile><script>{RUN}</script></svg>",
    f'<svg data-hostile><animate onbegin="{RUN}" attributeName=x dur=1s>',
    f"<math data-hostile><mtext><style><img src=x onerror={RUN}></style></mtext></math>",
    f'<iframe data-hostile srcdoc="<script>parent.__hacked=1</script>" onload="{RUN}"></iframe>',
    f'<iframe data-hostile src="javascript:{RUN}"></iframe>',
    f'<object data-hostile data="javascript:{RUN}"></object><embed data-hostile src="javascript:{RUN}">',
    f'<a data-hostile href="javascript:{RUN}">click</a>',
    f'<a data-hostile href="  jAva&#x73;cript:{RUN}">click</a>',
    f'<form data-hostile action="javascript:{RUN}"><button autofocus onfocus="{RUN}">send</button></form>',
    f'<input data-hostile autofocus onfocus="{RUN}">',
    f'<details data-hostile open ontoggle="{RUN}"><summary>x</summary></details>',
    f'<video data-hostile><source onerror="{RUN}"></video>',
    f'<body data-hostile onload="{RUN}" onpageshow="{RUN}">',
    f'<style data-hostile>@keyframes x {{}}</style><p data-hostile style="animation: x 1s" onanimationstart="{RUN}">',
    "<style data-hostile>* { display: none !important }</style>",
    '<link data-hostile rel="stylesheet" href="https://hostile.invalid/x.css">',
    '<meta data-hostile http-equiv="refresh" content="0; url=https://hostile.invalid/">',
    '<base data-hostile href="https://hostile.invalid/">',
    f'<textarea data-hostile></textarea><img data-hostile src=x onerror="{RUN}">',
    '<dialog data-hostile open style="position:fixed;inset:0;background:red">Your session has ended</dialog>',
]
ESCAPES = [
    f'"><img data-hostile src=x onerror="{RUN}">',
    f"' onmouseover='{RUN}' data-hostile='",
    f'" autofocus onfocus="{RUN}" data-hostile="',
    f"`-{RUN}-`",
    f"</div></details></table></style></title></textarea><img data-hostile src=x onerror={RUN}>",
    f"--><img data-hostile src=x onerror={RUN}><!--",
    f"]]><img data-hostile src=x onerror={RUN}>",
    f"&lt;img data-hostile src=x onerror={RUN}&gt; &amp;lt; &#60;script&#62; &notanentity; &#xZZ; &",
    f"%3Cimg%20data-hostile%20src=x%20onerror={RUN}%3E \\u003cscript\\u003e \\x3cscript\\x3e",
    "{{ 7 * 7 }} {% raw %} {{ self.__init__.__globals__ }} ${7*7} #{7*7} <%= 7*7 %>",
    f"[click](javascript:{RUN}) ![x](https://hostile.invalid/pixel.png) <javascript:{RUN}>",
    f"$\\href{{javascript:{RUN}}}{{x}}$ $$\\require{{html}}\\class{{x}}{{y}}$$ \\unicode{{x}}",
    "```\n</code></pre># Heading\n| a | b |\n| --- | --- |\n> quote\n---",
    f"data:text/html,<script data-hostile>{RUN}</script>",
]
MISLEADING = [
    "safe \u202e)txt.exe( \u2066hidden\u2069 \u202dleft\u202c \u200f\u061c",
    "שלום <b data-hostile>עולם</b> مرحبا 123 abc",
    "\x1b[31mred\x1b[0m \x1b[2J\x1b]8;;https://hostile.invalid\x07link\x1b]8;;\x07 \x9b1m",
    "\x00null\x08\x08\x08\x7f\r\roverwritten\x0b\x0c\x85\ufeff\u200b\u2060\U000e0041",
    "Z̴̡̢̛͚̥̻̭͓͖̲̣̹͕̱͕̦̟̓̾̊̔̓͆̽͌͊̎̓̕͝a̸l" + "\u0301" * 400,
    "W" * 20_000,
    f"{'long line with spaces ' * 5_000}<img data-hostile src=x onerror={RUN}>",
    "\n" * 500 + "far below" + "\t" * 500,
]
PAYLOADS = ELEMENTS + ESCAPES + MISLEADING
assert len(PAYLOADS) == len(set(PAYLOADS)) == 50


def name(number):
    """A payload as a name, short enough for an operating system, unique and without blanks at its end, which names lose."""
    return f"{number} {PAYLOADS[number][:200]}".replace("\0", "").strip()


def write(folder):
    """A run of 50 dialogues of 2 turns; every message, reason and name is a payload, two judges disagree on each."""
    from anthrokit import Behaviour, Run

    run, many = Run(folder), range(len(PAYLOADS))
    judges = [name(number) for number in (4, 42)]
    behaviours = [vars(Behaviour(name(number), f"category {name(number)}", PAYLOADS[number], PAYLOADS[number])) for number in many]
    run.ledger.update_manifest(behaviours=behaviours, targets={name(0): {"model": PAYLOADS[4]}})
    prompts, dialogues, messages, ratings = [], [], [], []
    for number in many:
        text, names = PAYLOADS[number], name(number)
        shared = dict.fromkeys(("prompt_id", "domain", "scenario", "category", "behaviour"), names)
        prompts.append({**shared, "base_id": f"base {names}", "first_message": text, "base_prompt": text})
        about = dict.fromkeys(("dialogue_id", "prompt_id", "user", "persona"), names)
        about |= dict.fromkeys(("reason", "system_user", "system_target"), text)
        dialogues.append({**about, "target": name(number % 3), "repeat": 1, "turns": 2, "status": "failed"})
        for turn, role in itertools.product((1, 2), ("user", "assistant")):
            fields = dict.fromkeys(("content", "reasoning", "served_model", "error"), text)
            fields |= {"finish_reason": "length", "role_flip": 1}
            messages.append({"dialogue_id": names, "turn": turn, "role": role, **fields})
        for turn, (place, judge), sample in itertools.product((1, 2), enumerate(judges), (1, 2)):
            verdict = (place + sample * (number % 2)) % 2 if number % 5 else 1
            key = {"dialogue_id": names, "turn": turn, "behaviour": names, "judge": judge, "sample": sample}
            ratings.append({**key, "verdict": verdict, "explanation": text, "raw": text, "status": "ok"})
    settings = {"samples": 2, "counted": 0, "behaviours": json.dumps([one["name"] for one in behaviours]), "hash": "x"}
    panel = [
        {"judge": judge, "position": place, "settings": json.dumps({"model": judge}), **settings} for place, judge in enumerate(judges)
    ]
    tables = {"prompts": prompts, "dialogues": dialogues, "messages": messages, "judges": panel, "ratings": ratings}
    for table, rows in tables.items():
        run.ledger.write(table, rows)
    return run


def crowded(folder):
    """A run of 9 targets, 20 turns, and 12 behaviours in as many categories; names are long and in several scripts."""
    from anthrokit import Behaviour, Run

    run, turns = Run(folder), range(1, 21)
    scripts = ("with a rather long name that few would write", "感情表达", "التعبير عن المشاعر")
    behaviours = [f"behaviour {number} {scripts[number % 3]}" for number in range(11)] + ["التعبير عن المشاعر"]
    targets = [f"laboratory/a-model-with-a-name-of-sixty-letters-more-or-less-{number}" for number in range(8)] + ["نموذج لغوي كبير"]
    judges = [f"openrouter/a-judge-with-a-name-that-is-long-variant-{number}" for number in (1, 2, 3)]
    taxonomy = [vars(Behaviour(name, f"category {name}", "Defined.", "Does it?")) for name in behaviours]
    run.ledger.update_manifest(behaviours=taxonomy, targets={name: {"model": name} for name in targets})
    prompt = dict.fromkeys(("prompt_id", "base_id", "domain", "scenario", "first_message", "base_prompt"), "one")
    run.ledger.write("prompts", [prompt | {"category": taxonomy[0]["category"], "behaviour": behaviours[0]}])
    about = {"prompt_id": "one", "user": "u", "persona": "p", "repeat": 1, "turns": len(turns), "status": "done"}
    run.ledger.write("dialogues", [{**about, "dialogue_id": str(place), "target": name} for place, name in enumerate(targets)])
    messages, ratings = [], []
    for place, turn in itertools.product(range(len(targets)), turns):
        key = {"dialogue_id": str(place), "turn": turn}
        messages += [{**key, "role": "user", "content": "line\n" * 60}, {**key, "role": "assistant", "content": f"Words {turn}."}]
        for (number, name), (seat, judge) in itertools.product(enumerate(behaviours), enumerate(judges)):
            verdict = (turn + number + (seat if turn % 4 == 0 else 0)) % 5 == 0
            ratings.append({**key, "behaviour": name, "judge": judge, "sample": 1, "verdict": verdict, "status": "ok"})
    settings = {"samples": 1, "counted": 0, "behaviours": json.dumps(behaviours), "settings": "{}", "hash": "x"}
    run.ledger.write("messages", messages)
    run.ledger.write("judges", [{"judge": judge, "position": seat, **settings} for seat, judge in enumerate(judges)])
    run.ledger.write("ratings", ratings)
    return run


def rubric():
    """A rubric of 25 cases with two answers and two judges; every text and name is one of two payloads a case."""
    import pandas as pd

    from anthrokit.heartbench import Case, Cases, Criterion

    cases, answers, ratings = [], [], []
    for number in range(0, len(PAYLOADS), 2):
        one, other = (number, number + 1) if number % 4 else (number + 1, number)
        texts, names = (PAYLOADS[one], PAYLOADS[other]), (name(one), name(other))
        criteria = (Criterion(1, names[1], 2.0, texts[0]), Criterion(2, "Other", None, texts[1]))
        dialogue = (("user", texts[0]), ("helper", texts[1]), ("user", texts[0]))
        cases.append(Case(names[0], dialogue, criteria, names[1], names[0], names[1]))
        for place, target in enumerate((name(4), name(31))):
            about = {"target": target, "case_id": names[0]}
            answers.append({**about, "content": texts[place], "status": texts[1 - place]})
            for criterion, (seat, judge) in itertools.product((1, 2), enumerate((name(12), name(42)))):
                key = {**about, "criterion": criterion, "judge": judge, "sample": 1}
                ratings.append({**key, "verdict": bool((place + seat * one) % 2), "reason": texts[criterion - 1]})
    return {"cases": Cases(cases), "answers": pd.DataFrame(answers), "ratings": pd.DataFrame(ratings)}
