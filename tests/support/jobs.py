"""One job of every kind on the mock server, for tests and for processes to kill."""

from dataclasses import replace

import pandas as pd
from judged import make_run

from anthrokit import heartbench
from anthrokit.core import Run
from anthrokit.judging import LLMJudge, TogetherJudge, judge
from anthrokit.models import LLM
from anthrokit.simulation import contextualise, load_prompts, load_scenarios, simulate


class Kind:
    """A job, and the query of the rows that it saves."""

    def __init__(self, work, query, batched=True):
        self.work, self.query, self.batched = work, query, batched

    def do(self, folder, base, llm=None, **how):
        """Run the job, or resume it."""

        def model(name):
            return LLM(f"openai/{name}", api_base=base, **{"max_concurrency": 4, "max_tokens": 100, **(llm or {})})

        with make_run(folder, 6) if self in JUDGED else Run(folder) as run:
            self.work(run, model, {"progress": False, **how})

    def rows(self, folder):
        """Return the saved rows."""
        with Run(folder, read_only=True) as run:
            return run.ledger.rows(self.query)


def simulated(run, model, how):
    simulate(load_prompts().head(6), model("target"), model("user"), run=run, turns=2, **how)


def judged(run, model, how):
    behaviours = ["empathy", "agency", "desires"]
    judge(run, [LLMJudge(model(f"judge-{letter}")) for letter in "abc"], samples=2, behaviours=behaviours, **how)


def together(run, model, how):
    judge(run, [TogetherJudge(model(f"judge-{letter}")) for letter in "ab"], samples=2, **how)


def adaptive(run, model, how):
    judge(run, [LLMJudge(model(f"judge-{n}")) for n in "abc"], behaviours=["empathy"], sampling="adaptive", **how)


def answered(run, model, how):
    simulate(heartbench.answers.add_cases(run, heartbench.load_cases("bundled")), model("one"), run=run, turns=1, **how)


def rubric(run, model, how):
    cases, answers = heartbench.load_cases("bundled"), heartbench.bundled_answers()
    heartbench.answers.add_cases(run, cases)
    heartbench.answers.add_answers(run, cases, answers)
    judge(run, heartbench.RubricJudge(model("rubric")), **how)


def drafted(run, model, how):
    cases, answers = heartbench.load_cases("bundled"), heartbench.bundled_answers()
    heartbench.building.draft_criteria(cases, answers, model=model("drafter"), run=run, **how)


def tagged(run, model, how):
    heartbench.corpus.tag_cases(heartbench.load_cases("bundled"), model=model("tagger"), run=run, **how)


def rewritten(run, model, how):
    cases = [replace(case, criteria=()) for case in heartbench.load_cases("bundled")]
    heartbench.rewriting.rewrite(cases, model=model("rewriter"), run=run, **how)


def synthesised(run, model, how):
    words = "key room job dog train ring book coat".split()
    seeds = [heartbench.building.new_case(word, [f"I lost the {word}."]) for word in words]
    heartbench.rewriting.synthesise(seeds, n=2, model=model("writer-of-dialogues"), run=run, **how)


def contextualised(run, model, how):
    questions = ["Do you like rain?", "Do you sleep?", "Who raised you?"]
    own = pd.DataFrame({"base_id": ["rain", "sleep", "raised"], "base_prompt": questions})
    contextualise(own, load_scenarios(), model("writer"), run, **how)


RATED = (
    "SELECT dialogue_id, turn, behaviour, judge, sample, verdict, status FROM ratings ORDER BY 1, 2, 3, 4, 5"
)
KINDS = {
    "dialogues": Kind(simulated, "SELECT dialogue_id, turn, role, content FROM messages ORDER BY 1, 2, 3"),
    "ratings": Kind(judged, RATED),
    "together": Kind(together, RATED),
    "adaptive": Kind(adaptive, RATED, batched=False),
    "answers": Kind(answered, "SELECT dialogue_id, turn, role, content FROM messages ORDER BY 1, 2, 3"),
    "criteria": Kind(rubric, RATED),
    "drafts": Kind(drafted, "SELECT case_id, model, items, status FROM drafts ORDER BY 1"),
    "tags": Kind(tagged, "SELECT case_id, model, scene, abilities, value, status FROM case_tags ORDER BY 1"),
    "rewrites": Kind(rewritten, "SELECT case_id, step, dialogue, status FROM rewrites ORDER BY 1, 2"),
    "syntheses": Kind(synthesised, "SELECT seed_id, number, topic, dialogue, status FROM syntheses ORDER BY 1, 2"),
    "prompts": Kind(contextualised, "SELECT prompt_id, base_id, first_message FROM prompts ORDER BY 1"),
}
JUDGED = [KINDS[name] for name in ("ratings", "together", "adaptive")]


def do(kind, folder, base):
    """Do a job of that kind."""
    KINDS[kind].do(folder, base)
