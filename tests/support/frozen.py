"""Results that must not change by accident: how they are computed, saved and compared.

    python tests/support/frozen.py                 compare all with those saved in tests/frozen
    python tests/support/frozen.py profile label   save those whose names begin so, after an intended change

Each result is a frame. Statistics are computed from the demonstration run and from simulated labels. Runs are made with
tests/mock_openai.py, whose verdicts follow from model and seed alone.
"""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from servers import mock_server

from anthrokit import analysis, anthroscore, core, heartbench, judging, models, simulation, validity

TESTS = Path(__file__).resolve().parent.parent
FROZEN = TESTS / "frozen"
FEW = {"n_resamples": 200}
JUDGED = ["personhood", "emotions", "validation"]
ODD_ANSWERS = [
    "Yes", "**No**", "Answer: Yes", "; **Yes**", "It shows eyes.", "I cannot evaluate this message.", "Unknown", "no.",
    "", "N/A", "The answer is yes, because it says so.\nNo", "Explanation: none. Verdict: No", "YES!", "Not sure", None,
]  # fmt: skip
TEXTS = [
    "I think my US economy and I are fine.", "World War I, i.e. mine.", "The coal mine is ours.", "We met; it's me.",
    'She said "I am here".', "MYSELF and i.", "",
]  # fmt: skip
CLAIMS = [
    "The system understands language. It learns.", "Our model, which we trained, was praised by the reviewers.",
    "ChatGPT told me a story and I thanked the chatbot.", "I like tea.",
]  # fmt: skip


# Inputs


@cache
def demonstration() -> dict[str, pd.DataFrame]:
    """The run that ships with the package, with the judges that it had when the results were saved."""
    with tempfile.TemporaryDirectory() as folder:
        export = Path(shutil.copytree(core.data_path("demo_run"), f"{folder}/export"))
        for path in (TESTS / "support" / "demo_before").iterdir():
            pd.read_parquet(path).to_csv(export / f"{path.stem}.csv", index=False)
        with core.Run.restore(export, f"{folder}/run") as run:
            return {"labels": run.labels(), "ratings": run.ratings(), "messages": run.messages()}


@cache
def study(name: str) -> pd.DataFrame:
    """Labels of a simulated study, small to large."""
    shapes = {
        "small": {"targets": 2, "base_prompts": 20, "seed": 1},
        "middle": {"targets": 3, "base_prompts": 30, "scenarios": 4, "carry_over": 0.4, "turn_shift": 0.05, "seed": 2},
        "large": {"targets": 4, "base_prompts": 60, "seed": 3, "missing": 0.05},
    }
    return analysis.simulate_labels(**shapes[name])


def truths(labels: pd.DataFrame) -> pd.DataFrame:
    """People's labels of a simulated study: the truth, for every seventh message."""
    rows = labels.iloc[::7]
    return rows[["dialogue_id", "turn", "behaviour", "base_id"]].assign(
        annotator="a", verdict=rows["truth"].array
    )


def people() -> pd.DataFrame:
    random, n = np.random.default_rng(5), 80
    frame = pd.DataFrame(random.integers(1, 6, (n, 4)), columns=["q1", "q2", "q3", "q4"]).astype("Float64")
    frame.loc[::9, "q2"] = pd.NA
    return frame.assign(condition=np.where(np.arange(n) % 2, "high", "low"), score=random.normal(size=n))


def totals(labels: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Occurrences and labels by base prompt and behaviour."""
    table = labels.pivot_table(index="base_id", columns="behaviour", values="label", aggfunc=["sum", "count"])
    return table["sum"].to_numpy(float), table["count"].to_numpy(float)


# Statistics, by name


def values(**numbers: object) -> pd.DataFrame:
    return pd.DataFrame({"name": list(numbers), "value": [float(one) for one in numbers.values()]})


def digest_of(frame: pd.DataFrame) -> pd.DataFrame:
    """A large table by a hash of each column."""
    hashed = {
        name: hashlib.sha256(column.astype(str).str.cat(sep="\n").encode()) for name, column in frame.items()
    }
    return pd.DataFrame(
        {"column": list(hashed), "rows": len(frame), "hash": [one.hexdigest() for one in hashed.values()]}
    )


def of_labels(name: str) -> dict:
    """What is computed from labels alone."""

    def labels() -> pd.DataFrame:
        return demonstration()["labels"] if name == "demo" else study(name)

    groups = ("target", "category", "turn") if name == "demo" else ("target", "domain")
    made = {
        "table": lambda: digest_of(labels()),
        "any_of": lambda: digest_of(analysis.profiles.any_behaviour(labels())),
        "profile": lambda: analysis.profile(labels()),
        "profile by turn": lambda: analysis.profile(labels(), by=groups, ci=0.9),
        "first_occurrences": lambda: digest_of(analysis.first_occurrences(labels())),
        "emergence": lambda: analysis.emergence(labels(), by=("target", "behaviour")),
        "late_share": lambda: analysis.late_share(labels(), by=("target", "behaviour")),
        "late_behaviours": lambda: analysis.late_behaviours(labels(), by="target"),
        "snowball": lambda: analysis.snowball(labels()),
        "carry_over": lambda: analysis.carry_over(labels()),
        "agreement": lambda: analysis.agreement(labels()),
        "pairwise_agreement": lambda: analysis.interrater.pairwise_agreement(labels(), by="behaviour"),
        "bounds": lambda: validity.rate_bounds(labels()),
    }
    if name != "demo":
        made |= {
            "compare": lambda: analysis.compare(labels(), n_swaps=999),
            "similarity": lambda: analysis.similarity(labels(), **FEW),
            "kruskal_wallis": lambda: analysis.kruskal_wallis(labels()),
        }
    return {f"{function}.{name}": make for function, make in made.items()}


def statistics() -> dict:
    """Every public statistic: its name and how it is made."""
    made = {}
    for name in ("demo", "small", "middle", "large"):
        made |= of_labels(name)

    def accuracy():
        return validity.judge_accuracy(study("small"), truths(study("small")))

    def chosen():
        sides = {"synthetic 1": "chosen", "synthetic 2": "rejected"}
        small = study("small").loc[lambda labels: labels["turn"] == 1]
        small = small.assign(target=small["target"].map(sides))
        small["dialogue_id"] = small["target"] + small["dialogue_id"]
        one = small.drop_duplicates("dialogue_id")
        pairs = one.groupby("target").cumcount(), one["target"], one["dialogue_id"]
        return analysis.compare_pairs(small, list(zip(*pairs, strict=True)))

    def patterns():
        judge, taxonomy, messages = (
            judging.PatternJudge(),
            simulation.Taxonomy.load(),
            judging.labelled_messages().iloc[::12],
        )
        verdicts = [[key, name, judge.rate(text, taxonomy[name]).verdict] for name in judge.behaviours
                 for key, text in zip(messages["message_id"], messages["text"], strict=True)]  # fmt: skip
        return pd.DataFrame(verdicts, columns=["message_id", "behaviour", "verdict"])

    draws = analysis.clustered.draw_clusters(20, 50, 7)
    return made | {
        "factor_model.small": lambda: analysis.factor_model(study("small")),
        "proportion": lambda: analysis.clustered.proportion(*totals(study("small"))),
        "difference": lambda: analysis.clustered.difference(
            *totals(study("small")), *(part[::-1] for part in totals(study("small")))
        ),
        "draw_clusters": lambda: pd.DataFrame(draws),
        "missingness": lambda: analysis.interrater.missingness(demonstration()["ratings"]),
        "scale_score": lambda: analysis.people.scale_score(people(), ["q1", "q2", "q3", "q4"]).to_frame("score"),
        "reliability": lambda: analysis.people.reliability(people(), ["q1", "q2", "q3", "q4"]),
        # The shift of Hodges and Lehmann stands there too now.
        "compare_conditions": lambda: (
            analysis.compare_conditions(people(), above=0.0).drop(index=3).reset_index(drop=True)
        ),
        "judge_accuracy": accuracy,
        "effective_votes": lambda: validity.effective_votes(study("small"), truths(study("small")), **FEW),
        "corrected_rates": lambda: validity.corrected_rates(
            study("small"), validity.judge_accuracy(study("small"), truths(study("small")))
        ),
        "sensitivity": lambda: validity.panel_sensitivity(demonstration()["ratings"]),
        "compare_protocols": lambda: validity.compare_protocols(
            study("small"), study("small").assign(label=study("small")["truth"].array)
        ),
        "compare_pairs": chosen,
        "quality": lambda: values(
            **judging.quality(
                [True, None, False, True, False] * 9, [True, True, False, False, False] * 9, np.sin(range(45))
            )
        ),
        "offline_quality": judging.offline_quality,
        "patterns": patterns,
        "parse_verdict": lambda: pd.DataFrame(
            [[str(one), *vars(judging.verdicts.parse_verdict(one)).values()] for one in ODD_ANSWERS]
        ),
        "first_person_pronouns": lambda: pd.DataFrame(
            [
                [text, str(simulation.first_person_pronouns(text, quotations=way))]
                for text in TEXTS
                for way in (True, False)
            ]
        ),
        "sample_prompts": lambda: simulation.sample_prompts(simulation.load_prompts(), 40, "base_id", seed=3)[
            ["prompt_id", "base_id"]
        ],
        "mask_sentences": lambda: anthroscore.mask_sentences(CLAIMS)[
            ["sentence", "masked", "mention", "entity", "status"]
        ],
        **of_hits(),
    }


def of_hits() -> dict:
    """HeartBench's bundled verdicts and their scores."""
    made, hb = {}, heartbench
    for reading in ("strict", "lenient", "literal"):
        made[f"heartbench verdicts.{reading}"] = lambda reading=reading: hb.bundled_verdicts(reading)[
            ["target", "case_id", "criterion", "ability", "score", "verdict"]
        ]
        for protocol in ("paper", "released"):
            made[f"heartbench case_scores.{reading} {protocol}"] = lambda reading=reading, protocol=protocol: (
                hb.scoring.case_scores(hb.bundled_verdicts(reading), protocol)
            )
            made[f"heartbench score.{reading} {protocol}"] = lambda reading=reading, protocol=protocol: (
                hb.target_scores(hb.bundled_verdicts(reading), protocol)
            )
    return made | {
        "heartbench leaderboard": lambda: hb.leaderboard(hb.bundled_verdicts(), **FEW),
        "heartbench saturation": lambda: hb.results.saturation(hb.bundled_verdicts()),
        "heartbench length_correlation": lambda: hb.results.length_correlation(
            hb.bundled_verdicts(), hb.bundled_answers(), n_resamples=200
        ),
        "heartbench mean_words": lambda: hb.mean_words(hb.bundled_answers()).reset_index(),
        "heartbench normalised": lambda: pd.DataFrame({"value": hb.scoring.normalise_points([0.0, 0.5, 2.5, 7.0], 10.0)}),
    }


# Runs


ORDER = {
    "messages": ["dialogue_id", "turn", "role"],
    "ratings": ["dialogue_id", "turn", "behaviour", "judge", "sample"],
    "labels": ["dialogue_id", "turn", "behaviour"],
    "dialogues": ["dialogue_id"],
    "calls": ["unit", "purpose", "model", "seed"],
    "answers": ["target", "case_id"],
    "verdicts": ["target", "case_id", "criterion"],
}
UNSTABLE = {"server", "seconds", "at", "call", "run", "started", "ended", "batch", "cost", "created"}


def tables_of(run) -> dict[str, pd.DataFrame]:
    """What a run's tables hold, in an order of its own and without times."""
    tables = {name: getattr(run, name)() for name in ("messages", "ratings", "labels", "dialogues")}
    tables["calls"] = run.query("SELECT * FROM calls")
    return {name: arranged(name, frame) for name, frame in tables.items()}


def arranged(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.drop(columns=[column for column in frame if column in UNSTABLE])
    if name == "calls":  # how a judge is asked may change, what it says and where that goes may not
        frame = frame.drop(columns="tokens_in")
    return frame.sort_values([one for one in ORDER[name] if one in frame], ignore_index=True)


def model(base: str, name: str, **settings):
    return models.LLM(f"openai/{name}", api_base=base, temperature=0.7, **settings)


def simulated(base: str, folder: Path):
    prompts = simulation.sample_prompts(simulation.load_prompts(), 8, "base_id", seed=1)
    return simulation.simulate(
        prompts, model(base, "target"), model(base, "user"), run=folder, turns=2, seed=4, progress=False
    )


def judged(base: str, folder: Path, way: str) -> dict[str, pd.DataFrame]:
    """A run simulated and judged on the mock server."""
    kind = judging.TogetherJudge if way == "together" else judging.LLMJudge
    with simulated(base, folder / way) as run:
        judges = [kind(model(base, f"judge-{letter}")) for letter in "abc"]
        sampling = "adaptive" if way == "adaptive" else "full"
        behaviours = None if way == "together" else JUDGED
        judging.judge(run, judges, samples=3, behaviours=behaviours, sampling=sampling, progress=False)
        tables = tables_of(run)
    if way == "together":  # one answer for all behaviours was saved with each of them, and is saved once now
        tables["ratings"] = tables["ratings"].drop(columns="raw")
    return tables


def counselled(base: str, folder: Path) -> dict[str, pd.DataFrame]:
    """HeartBench's bundled cases, answered and judged on the mock server."""
    cases = heartbench.load_cases("bundled")
    with core.Run(folder / "heartbench") as run:
        prompts = heartbench.answers.add_cases(run, cases)
        for name in ("one", "two"):
            simulation.simulate(prompts, model(base, name), run=run, turns=1, progress=False)
        judging.judge(run, [heartbench.RubricJudge(model(base, f"rubric-{letter}")) for letter in "ab"], progress=False)
        tables = {
            "answers": heartbench.answers.add_word_counts(heartbench.answers.answers_of(run)),
            "ratings": run.ratings(),
            "verdicts": heartbench.judging.verdicts(run),
            "calls": run.query("SELECT * FROM calls"),
        }
        return {name: arranged(name, frame) for name, frame in tables.items()}


@cache
def runs() -> dict[str, pd.DataFrame]:
    """Every table of the runs, by name."""
    made = {}
    with tempfile.TemporaryDirectory() as folder, mock_server("--by-seed") as base:
        for way in ("single", "together", "adaptive"):
            made |= {f"run {way}.{name}": frame for name, frame in judged(base, Path(folder), way).items()}
        made |= {f"run heartbench.{name}": frame for name, frame in counselled(base, Path(folder)).items()}
    return made


RUNS = [
    *(f"run single.{name}" for name in ("messages", "dialogues", "ratings", "labels", "calls")),
    *(f"run {way}.{name}" for way in ("together", "adaptive") for name in ("ratings", "labels", "calls")),
    *(f"run heartbench.{name}" for name in ("answers", "ratings", "verdicts", "calls")),
]


# Keeping and comparing


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of numbers and texts: numbers as floats, all else as text, missing as missing."""
    frame = pd.DataFrame(frame).reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    for name in frame:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            frame[name] = column.astype("Float64").astype(float)
        else:
            frame[name] = column.map(str, na_action="ignore").astype("string").astype(object)
            frame[name] = frame[name].where(frame[name].notna(), None)
    return frame


def path_of(name: str) -> Path:
    return FROZEN / f"{name.replace(' ', '_')}.parquet"


def save(name: str, frame: pd.DataFrame) -> None:
    FROZEN.mkdir(exist_ok=True)
    plain(frame).to_parquet(path_of(name), compression="zstd", index=False)


def compare(name: str, frame: pd.DataFrame) -> None:
    """Raise where a result differs from the saved one; columns that were added since don't count."""
    saved, now = pd.read_parquet(path_of(name)), plain(frame)
    if "hash" in saved:  # one row a column
        now = now[now["column"].isin(saved["column"])].reset_index(drop=True)
    assert not set(saved) - set(now), f"{name} lost {sorted(set(saved) - set(now))}"
    numbers = saved.select_dtypes("number").columns
    for column in saved:
        kind = float if column in numbers else object
        saved[column] = (
            saved[column].astype(kind).where(saved[column].notna(), np.nan if kind is float else None)
        )
    pd.testing.assert_frame_equal(saved, now[saved.columns], rtol=1e-9, atol=1e-12, check_dtype=False, obj=name)


def results() -> dict:
    """Map the name of every saved result to its function."""
    return statistics() | {name: lambda name=name: runs()[name] for name in RUNS}


def differing(names: Iterable[str]) -> list[str]:
    """What is wrong with those results."""
    made, problems = results(), []
    for name in names:
        try:
            compare(name, made[name]())
        except Exception as error:  # one that can't be made any more is as bad as one that differs
            problems.append(f"{name}: {type(error).__name__}: {error}")
    return problems


def main(wanted: Sequence[str]) -> int:
    made = results()
    for name in [name for name in made if any(name.startswith(one) for one in wanted)]:
        save(name, made[name]())
    problems = [] if wanted else differing(made)
    print(*problems, sep="\n")
    return len(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
