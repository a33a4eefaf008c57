"""AnthroScore in separate processes: imports and kills."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time

import pandas as pd
import pytest
from masked_models import roberta_folder

from anthrokit.anthroscore import scoring as score
from anthrokit.core import Run, RunError


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch, transformers = map(pytest.importorskip, ("torch", "transformers"))
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    return roberta_folder(tmp_path_factory.mktemp("models") / "roberta")


def test_light_import():
    code = "import sys, anthrokit.anthroscore; print(sys.modules.keys() & {'torch', 'transformers', 'spacy'})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_wrong_texts_raise_before_a_model_is_loaded(tmp_path):
    """Missing files and values that are not texts raise in each function that loads a model, and in the command."""
    code = """
import sys
from anthrokit.anthroscore import score, score_tone
from anthrokit.cli import main
from anthrokit.core import Run

for wrong in (
    lambda: score("none.csv", "bot", run=Run("run")), lambda: score([5], "bot", run=Run("run")), lambda: score(["a", 5], "bot"),
    lambda: score_tone(5), lambda: score("none.parquet", "bot", into="out"),
):
    try:
        wrong()
        print("accepted")
    except (ValueError, OSError, TypeError):
        pass
print(main(["anthroscore", "none.csv"]) == 1, sys.modules.keys() & {"torch", "transformers"})
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.stdout.strip().endswith("True set()") and "accepted" not in result.stdout, result.stdout + result.stderr


FORK = multiprocessing.get_context("fork")  # what is slow to import is there


def numbered_text(number):
    return f"t{number}", f"The bot was kind and I liked bot number {number}."


def score_slowly(folder, model):
    texts = (time.sleep(0.01) or numbered_text(number) for number in range(300))
    score.score_into(Run(folder), texts, "bot", model, portion=20)


def test_resume_after_kill(tmp_path, roberta):
    process = FORK.Process(target=score_slowly, args=(tmp_path / "run", roberta))
    process.start()
    deadline = time.time() + 120
    while time.time() < deadline:
        try:
            with Run(tmp_path / "run", read_only=True) as look:
                if look.query("SELECT COUNT(*) AS n FROM anthroscore_texts")["n"][0] >= 100:
                    break
        except Exception:  # the ledger may not be there yet
            pass
        time.sleep(0.05)
    process.kill()
    process.join()
    run = Run(tmp_path / "run")
    done = run.query("SELECT COUNT(*) AS n FROM anthroscore_texts")["n"][0]
    assert 100 <= done < 300
    scored = []
    inner = score.score_sentences

    def counted(rows, *arguments, **settings):
        scored.append(rows["text_id"].nunique())
        return inner(rows, *arguments, **settings)

    texts = dict(map(numbered_text, range(300)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score, "score_sentences", counted)
        score.score_into(run, texts, "bot", roberta, portion=90)
    assert sum(scored) == 300 - done
    saved, direct = (
        score.stored_summary(run),
        score.summarise(score.score_texts(texts, "bot", roberta)),
    )
    pd.testing.assert_frame_equal(saved, direct, check_dtype=False, check_exact=False, atol=1e-5)
    with pytest.raises(RunError, match="another text under the id 't7'"):
        score.score_into(run, {"t7": "The bot was rude."}, "bot", roberta)
    run.close()
