"""What a notebook can't show of runs: processes killed, keys kept out, two processes on one run."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pandas as pd
import pytest
from forks import Fork
from judged import do_part, study

from anthrokit.analysis import compare, profile
from anthrokit.core import Run, RunError, SetupError, merge, repair, split, tables
from anthrokit.core.ledger import VERSION
from anthrokit.core.run import add_prompts, bind, usage_totals
from anthrokit.judging import LLMJudge, estimate, judge
from anthrokit.models import LLM
from anthrokit.simulation import Taxonomy, load_prompts, simulate
from anthrokit.validity import panel_sensitivity


def rows_in(ledger):
    """Messages and ratings in a ledger that another process may be writing, or that isn't there yet."""
    try:
        with contextlib.closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as connection:
            count = "SELECT (SELECT COUNT(*) FROM messages) + (SELECT COUNT(*) FROM ratings)"
            return connection.execute(count).fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_random_kills(server, tmp_path):
    """Kill -9 again and again: what was there stays, nothing is doubled, and the end equals an uninterrupted run."""
    base = server("--latency", 0.02)
    whole = Fork(study, base, tmp_path / "whole")
    assert whole.wait(timeout=120) == 0
    rng, kills, before = random.Random(1), 0, (pd.DataFrame(), pd.DataFrame())
    keys = ["dialogue_id", "turn", "role"], ["dialogue_id", "turn", "behaviour", "judge", "sample"]
    values = "content", "verdict"
    ledger = tmp_path / "killed" / "ledger.sqlite"
    while True:
        process = Fork(study, base, tmp_path / "killed")
        goal = rows_in(ledger) + rng.randint(40, 140)
        while process.poll() is None and rows_in(ledger) < goal:
            time.sleep(0.01)
        if process.poll() is not None:
            assert process.returncode == 0
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
        assert kills < 40, "the run makes no headway"
        with Run(tmp_path / "killed") as run:  # the lock went with the process
            now = run.messages(), run.ratings()
        for old, new, key, value in zip(before, now, keys, values, strict=True):
            assert not new.duplicated(key).any()
            if len(old):
                merged = old.merge(new, on=key, suffixes=("", "_new"))
                assert (
                    len(merged) == len(old)
                    and (merged[value].astype(str) == merged[f"{value}_new"].astype(str)).all()
                )
        before = now
    with Run(tmp_path / "whole") as one, Run(tmp_path / "killed") as other:
        assert kills >= 2 and other.missing().empty
        columns = [*keys[0], "content", "finish_reason"]
        pd.testing.assert_frame_equal(one.messages()[columns], other.messages()[columns])
        columns = [*keys[1], "verdict", "explanation", "status"]
        pd.testing.assert_frame_equal(one.ratings()[columns], other.ratings()[columns])


def test_interrupt(server, tmp_path):
    process = Fork(study, server("--latency", 0.2), tmp_path / "run")
    deadline = time.time() + 60
    while time.time() < deadline:
        time.sleep(0.1)
        if rows_in(tmp_path / "run" / "ledger.sqlite") > 9:
            break
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) != 0
    with Run(tmp_path / "run") as run:
        assert len(run.messages()) > 4 and set(run.dialogues()["status"]) <= {"planned", "done"}


def test_estimate_of_a_simulation(server, tmp_path, capfd):
    """What it says beforehand is what is booked afterwards; it writes nothing, also while another process writes."""
    base, prompts, folder = server(), load_prompts(), tmp_path / "run"
    models = {
        name: LLM(f"openai/{name}", api_base=base, price=(1.0, 4.0), max_tokens=200) for name in ("target", "user")
    }

    def plan(n, **parameters):
        return estimate(prompts.head(n), **models, run=folder, turns=3, **parameters)

    first = plan(10)
    assert not folder.exists() and first["calls"].tolist() == [30, 20, 50]
    assert first["answer_tokens"].tolist()[:2] == [200, 60] and first["measured"].tolist()[:2] == [0, 0]
    assert not urllib.request.urlopen(base.replace("/v1", "/stats")).read().count(b"requests")
    simulate(prompts.head(10), **models, run=folder, turns=3, progress=False).close()
    assert "holds no run" not in "".join(capfd.readouterr())  # a new folder is no mistake
    before = (folder / "manifest.json").read_bytes(), (folder / "ledger.sqlite").read_bytes()
    rest = plan(60).set_index("purpose")
    assert rest["done"].tolist() == [30, 20, 50] and rest["calls"].tolist() == [150, 100, 250]
    assert rest["measured"].tolist()[:2] == [30, 20] and rest.loc["all", "cost"] < rest.loc["all", "cost_most"]
    with pytest.raises(RunError, match="another first_message under the prompt_id"):
        estimate(prompts.head(3).assign(first_message="Else."), **models, run=folder)
    with pytest.raises(RunError, match="seed: it has 0, this asks for 1") as refusal:
        plan(10, seed=1)
    assert str(folder) in str(refusal.value)
    assert before == ((folder / "manifest.json").read_bytes(), (folder / "ledger.sqlite").read_bytes())
    with Run(folder) as run:
        used = run.usage("purpose").set_index("purpose")
        simulate(prompts.head(60), **models, run=run, turns=3, progress=False)
        assert plan(60)["calls"].tolist() == [0, 0, 0]
        used = run.usage("purpose").set_index("purpose") - used
    for purpose in ("target", "user"):
        assert used.loc[purpose, "calls"] == rest.loc[purpose, "calls"]
        for name in ("tokens_in", "tokens_out", "cost"):
            assert abs(rest.loc[purpose, name] / used.loc[purpose, name] - 1) < 0.25, (purpose, name)
        assert used.loc[purpose, "cost"] < rest.loc[purpose, "cost_most"]


def test_second_process_raises(server, tmp_path, monkeypatch):
    process = Fork(study, server("--latency", 0.5), tmp_path / "run")
    while not (tmp_path / "run" / "manifest.json").exists():
        time.sleep(0.1)
    with pytest.raises(RunError, match=f"worked on by process {process.pid} on"):
        Run(tmp_path / "run")
    monkeypatch.setattr("anthrokit.judging.jobs.offline_panel", lambda: pytest.fail("judges were loaded before"))
    with pytest.raises(RunError, match=f"worked on by process {process.pid} on"):
        judge(tmp_path / "run")
    process.kill()
    process.wait()
    Run(tmp_path / "run").close()


KEY = "sk-test-0123456789abcdefghij-secret"


def test_keys_are_removed(server, tmp_path, capfd):
    """A faulty run with a key: it stands in no file of the run, no output and no error."""
    base = server("--fault", "error=0.3", "--fault", "rate_limit=0.1")
    run = simulate(
        load_prompts().head(3),
        LLM("openai/echo-key", api_base=base, api_key=KEY, max_retries=1),  # answers with the key it was asked with
        LLM("openai/user", api_base=base, api_key=KEY, max_retries=1),
        run=tmp_path / "run",
        turns=2,
        progress=True,
    )
    judge(
        run,
        [LLMJudge(LLM("openai/judge", api_base=base, api_key=KEY, max_retries=0))],
        samples=1,
        progress=True,
    )
    assert run.messages()["content"].str.contains("[key removed]", regex=False).any()
    with pytest.raises(SetupError) as refusal:
        LLM("openai/unknown-model", api_base=base, api_key=KEY).complete("Hello")
    address = LLM("openai/model", api_base=base.replace("http://", f"http://me:{KEY}@"))
    run.export(tmp_path / "export")
    run.close()
    output = "".join(capfd.readouterr()) + str(refusal.value) + str(refusal.value.__cause__) + repr(address)
    assert KEY not in output
    repair(tmp_path / "run", tmp_path / "repaired")
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_revoked_key_stops(server, tmp_path):
    base = server()
    good = LLM("openai/model", api_base=base)
    run = simulate(load_prompts().head(2), good, good, run=tmp_path / "run", turns=1, progress=False)
    bad = LLMJudge(LLM("openai/model", api_base=base, api_key="bad-key"))
    with pytest.raises(SetupError, match="rejects the key"):
        judge(run, [bad], progress=False)
    assert len(run.messages()) == 4 and "openai/model" not in run.summary()["judges"]
    run.close()


def test_judges_in_parallel(server, tmp_path):
    """A slow judge does not hold up the others."""
    quick, slow = server(), server("--latency", 0.4)
    model = LLM("openai/model", api_base=quick)
    run = simulate(load_prompts().head(2), model, model, run=tmp_path / "run", turns=2, progress=False)
    judges = [
        LLMJudge(LLM("openai/slow", api_base=slow, max_concurrency=4)),
        LLMJudge(LLM("openai/quick", api_base=quick)),
    ]
    judge(run, judges, samples=1, progress=False)
    at = run.query("SELECT model, call FROM calls WHERE purpose = 'judge' ORDER BY call")
    assert at[at["model"] == "openai/quick"]["call"].max() < at[at["model"] == "openai/slow"]["call"].median()
    run.close()


def test_reading_while_judging(server, tmp_path):
    model = LLM("openai/model", api_base=server())
    run = simulate(load_prompts().head(1), model, model, run=tmp_path / "run", turns=1, progress=False)
    with Run(tmp_path / "run", read_only=True) as other:
        judge(run, [LLMJudge(model, name="j")], samples=1, progress=False)
        assert len(other.ratings()) == 14
    run.close()


def test_server_on_another_port(server, tmp_path):
    """A server that comes back under another address is the same model: the same run, with the same answers."""

    def study(folder, first, second):
        def model(name, base):
            return LLM(f"openai/{name}", api_base=base, temperature=0.7)

        def judges(base):
            return [LLMJudge(model(f"judge-{letter}", base)) for letter in "ab"]

        settings = {"run": folder, "progress": False}
        prompts = load_prompts().head(2)
        simulate(prompts, model("target", first), model("user", first), turns=1, **settings)
        run = simulate(prompts, model("target", second), model("user", second), turns=2, **settings)
        judge(run, judges(first), samples=1, behaviours=["empathy"], progress=False)
        judge(run, judges(second), samples=2, behaviours=["empathy", "agency"], progress=False)
        return run

    one, other = server(), server()
    with study(tmp_path / "stayed", one, one) as stayed, study(tmp_path / "moved", one, other) as moved:
        columns = ["dialogue_id", "turn", "role", "content"]
        pd.testing.assert_frame_equal(stayed.messages()[columns], moved.messages()[columns])
        columns = ["dialogue_id", "turn", "behaviour", "judge", "sample", "verdict", "explanation"]
        pd.testing.assert_frame_equal(stayed.ratings()[columns], moved.ratings()[columns])
        assert set(moved.manifest()["addresses"].values()) == {other}


def test_read_only_folder(server, tmp_path):
    """An archive on a read-only medium opens with read_only=True, also one whose writer was killed."""
    model = LLM("openai/model", api_base=server())
    folder = Path(tempfile.mkdtemp())  # pytest's own folders can't be entered by others
    folder.chmod(0o755)
    with simulate(load_prompts().head(2), model, model, run=folder / "a", turns=1, progress=False) as run:
        messages = run.messages()["content"].tolist()
        shutil.copytree(folder / "a", folder / "killed")
        assert (folder / "killed" / "ledger.sqlite-wal").stat().st_size
    user = os.geteuid()
    for name in ("a", "killed"):
        for file in (folder / name).iterdir():
            file.chmod(0o444)
        (folder / name).chmod(0o555)
    try:
        if user == 0:
            os.seteuid(65534)  # root may write anywhere
        for name in ("a", "killed"):
            before = sorted(os.listdir(folder / name))
            with Run(folder / name, read_only=True) as archive:
                assert archive.messages()["content"].tolist() == messages
            assert sorted(os.listdir(folder / name)) == before
            with pytest.raises((RunError, OSError)):
                Run(folder / name)
    finally:
        os.seteuid(user)
        for name in ("a", "killed"):
            (folder / name).chmod(0o755)
        shutil.rmtree(folder)


MANY = """
import asyncio, sys
from anthrokit.models import LLM
from anthrokit.models.loop import wait_for
model = LLM("openai/x", api_base=sys.argv[1], max_concurrency=256)
async def many():
    await asyncio.gather(*(model.acomplete(f"Hello {number}") for number in range(256)))
wait_for(many())
"""


def test_exit_is_quiet(server):
    """256 answers that arrive together just before the end: LiteLLM's log has nothing to complain about."""
    done = subprocess.run(
        [sys.executable, "-c", MANY, server("--latency", 1, "--quick")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stderr == ""


def spoil(ledger, how):
    """Make of a ledger something that is none, or one that has lost pages."""
    content = bytearray(ledger.read_bytes())
    for beside in ledger.parent.glob("ledger.sqlite-*"):
        beside.unlink()
    if how == "empty":
        content = b""
    elif how == "cut short":
        content = content[: len(content) // 2]
    elif how == "no database":
        content = b"to Anna, with love" * 100
    elif how == "other version":
        content[60:64] = (99).to_bytes(4, "big")
    elif how == "other program":
        content = None
        ledger.unlink()
        with contextlib.closing(sqlite3.connect(ledger)) as other:
            other.execute("CREATE TABLE dialogues (dialogue_id TEXT)")
            other.commit()
    if content is not None:
        ledger.write_bytes(content)


@pytest.mark.parametrize(
    ("how", "message"),
    {
        "empty": "is empty: its results are lost",
        "cut short": "is damaged .* anthrokit repair .* NEW_FOLDER",
        "no database": "can't be read as a ledger: it is not an SQLite file",
        "other version": f"its tables are of version 99, not {VERSION}. Install that version",
        "other program": "is not a ledger of anthrokit: another program made it",
    }.items(),
)
def test_damaged_ledger_raises(server, tmp_path, how, message):
    """Nothing is paid, nothing is made in its place, and looking says the same."""
    base = server()
    model, prompts = LLM("openai/model", api_base=base), load_prompts()
    simulate(prompts.head(2), model, model, run=tmp_path / "run", turns=1, progress=False).close()
    ledger = tmp_path / "run" / "ledger.sqlite"
    spoil(ledger, how)
    before, calls = ledger.read_bytes(), urllib.request.urlopen(base.replace("/v1", "/stats")).read()
    with pytest.raises(RunError, match=message):
        simulate(prompts.head(4), model, model, run=tmp_path / "run", turns=2, progress=False)
    with pytest.raises(RunError), Run(tmp_path / "run", read_only=True) as run:
        run.messages()
    assert urllib.request.urlopen(base.replace("/v1", "/stats")).read() == calls
    assert ledger.read_bytes() == before


def test_lost_rows_are_made_again(server, tmp_path):
    """A run that lost a page is repaired into a new folder and goes on there: the same messages and labels as before."""
    base = server()
    model, prompts = LLM("openai/model", api_base=base), load_prompts().head(6)
    judges = [LLMJudge(LLM(f"openai/judge-{letter}", api_base=base)) for letter in "ab"]

    def study(folder):
        run = simulate(prompts, model, model, run=folder, turns=3, progress=False)
        return judge(run, judges, samples=2, behaviours=["empathy", "agency"], progress=False)

    with study(tmp_path / "run") as run:
        messages, labels = run.messages().drop(columns=["run", "seconds"]), run.labels()
        text = run.messages()["content"].iloc[-8]
    ledger = tmp_path / "run" / "ledger.sqlite"
    content = bytearray(ledger.read_bytes())
    page = content.index(text.encode()[:40]) // 4096
    content[page * 4096 : (page + 1) * 4096] = bytes(4096)
    ledger.write_bytes(content)
    damaged = ledger.read_bytes()
    with pytest.raises(RunError, match="is damaged .* anthrokit repair"), Run(tmp_path / "run") as run:
        run.messages()
    saved = repair(tmp_path / "run", tmp_path / "saved").set_index("table")
    assert not saved.loc["messages", "whole"] and saved.loc["messages", "rows"] < len(messages)
    assert ledger.read_bytes() == damaged
    with Run(tmp_path / "saved", read_only=True) as run:
        assert not run.missing().empty
    with study(tmp_path / "saved") as run:
        assert run.missing().empty
        pd.testing.assert_frame_equal(run.messages().drop(columns=["run", "seconds"]), messages)
        pd.testing.assert_frame_equal(run.labels(), labels)


def test_other_prompts_raise(server, tmp_path, capsys):
    """A folder that was used: whoever asks for other first messages is told that they are added to those that are there."""
    model = LLM("openai/model", api_base=server())

    def simulated(prompts, folder="used", **settings):
        run = simulate(prompts, model, model, run=tmp_path / folder, turns=1, progress=False, **settings)
        run.close()
        return capsys.readouterr().err

    prompts = load_prompts()
    assert "first messages" not in simulated(prompts.iloc[:4]) + simulated(prompts.iloc[:6])  # more of them: as meant
    output = simulated(prompts.iloc[4:8])
    assert "'used' has dialogues of openai/model from 6 first messages. 4 of them are not in this call" in output
    assert "which adds 2: the results will be those of all 8" in output
    assert "first messages" not in simulated(prompts.iloc[6:8])  # nothing new is asked for
    warm = {"system_target": "Be warm.", "design": {"prompt": "warm"}}
    assert "first messages" not in simulated(prompts.iloc[8:10], **warm)  # another condition


def test_full_disk(server, tmp_path):
    """Pages run out in the midst of a study: a RunError with the remedy, and the study goes on when there is room."""
    base = server()
    model, prompts = LLM("openai/model", api_base=base), load_prompts().head(8)
    with Run(tmp_path / "run") as run:
        bind(run, kind=None)
        pages = run.ledger.rows("PRAGMA page_count")[0][0]
        run.ledger.rows(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(RunError, match="the disk is full. What was reported before is saved; make room"):
            simulate(prompts, model, model, run=run, turns=3, progress=False)
    with simulate(prompts, model, model, run=tmp_path / "run", turns=3, progress=False) as run:
        assert run.missing().empty and len(run.messages()) == 48


def test_unwritable_folder(tmp_path):
    with Run(tmp_path / "run") as run:
        run.ledger.update_manifest(seed=1)
    code = """
import os, sys
from anthrokit.core import Run, RunError
os.seteuid(65534)
for folder in sys.argv[1:]:
    try:
        Run(folder).ledger.update_manifest(seed=2)
    except RunError as error:
        print(error)
"""
    open_to_all = Path(tempfile.mkdtemp())  # pytest's own folders can't be entered by others
    shutil.copytree(tmp_path / "run", open_to_all / "run")
    open_to_all.chmod(0o755)
    for file in (open_to_all / "run").iterdir():
        file.chmod(0o444)
    (open_to_all / "run").chmod(0o555)
    try:
        if os.geteuid() != 0:
            code = code.replace("os.seteuid(65534)", "")
        arguments = [sys.executable, "-c", code, open_to_all / "run", open_to_all / "new"]
        done = subprocess.run(arguments, capture_output=True, text=True)
        cant_write, cant_make = done.stdout.splitlines()
        assert "run can't be written: Permission denied" in cant_write and "read_only=True" in cant_write
        assert "new can't be written: Permission denied" in cant_make
    finally:
        (open_to_all / "run").chmod(0o755)
        shutil.rmtree(open_to_all)


def test_several_users(server, tmp_path):
    """Two users talk with one target: labels name them, families of users are compared, a change of settings is refused."""
    base = server()
    target, *users = [LLM(f"openai/{name}", api_base=base) for name in ("target", "gpt-4o", "claude-3-haiku")]
    with Run(tmp_path / "run") as run:
        for user in users:
            simulate(load_prompts().head(3), target, user, run=run, turns=2, progress=False)
        assert len(run.dialogues()) == 6 and run.dialogues().groupby("user")["prompt_id"].nunique().eq(3).all()
        judge(run, LLMJudge(target, name="j"), samples=1, progress=False)
        labels = run.labels()
        assert set(labels["user"]) == {"openai/gpt-4o", "openai/claude-3-haiku"}
        table = panel_sensitivity(run, of="users")
        assert table["variant"].unique().tolist() == ["all users", "only Claude", "only GPT"]
        alone = profile(labels[labels["user"] == "openai/gpt-4o"], by="behaviour").set_index("behaviour")["estimate"]
        of_gpt = table[table["variant"] == "only GPT"].set_index("behaviour")["estimate"]
        assert of_gpt.equals(alone[of_gpt.index]) and not compare(labels, "user").empty
        calls = len(run.query("SELECT * FROM calls"))
        with pytest.raises(ValueError, match="has a user 'openai/gpt-4o' with other settings"):
            other = LLM("openai/gpt-4o", api_base=base, temperature=0.1)
            simulate(load_prompts().head(3), target, other, run=run, turns=2, progress=False)
        assert calls == len(run.query("SELECT * FROM calls"))


def test_positive_examples(server, tmp_path):
    """Two judges of one run differ in nothing but the examples; without examples there is nothing to compare."""
    llm = LLM("openai/model", api_base=server())
    run = simulate(load_prompts().head(1), llm, llm, run=tmp_path / "run", turns=1, progress=False)
    judges = [LLMJudge(llm, name="negative examples"), LLMJudge(llm, name="both examples", present=True)]
    with pytest.raises(ValueError, match="both examples.* shows positive examples, and the taxonomy has no examples of agency"):
        judge(run, judges, behaviours=["agency"], progress=False)
    taxonomy = Taxonomy.load().with_present()
    judge(run, judges, behaviours=["agency"], taxonomy=taxonomy, samples=1, progress=False)
    tokens = run.query("SELECT unit, tokens_in FROM calls WHERE purpose = 'judge'").set_index("unit")["tokens_in"]
    few, many = (tokens[tokens.index.str.contains(kind)].item() for kind in ("negative", "both"))
    assert many > few + 20 and len(run.ratings()) == 2
    assert run.ledger.manifest_entry("behaviours")[8]["present"] == list(taxonomy["agency"].present)
    run.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_split_and_merge_with_kills(server, tmp_path, seed):
    """Split, done in any order, some killed and done again, merged: the same ledger as done in one."""
    base, rng = server("--latency", 0.01), random.Random(seed)
    whole = Run(tmp_path / "whole")
    add_prompts(whole, load_prompts().sample(7, random_state=seed))
    folders = [part.folder for part in split(whole, rng.choice([2, 3, 5]))]
    [Run(folder).close() for folder in folders]
    todo = rng.sample(folders, len(folders))
    for folder in [*todo[:2], *todo]:  # the first two are killed on their way
        done = Fork(do_part, base, folder)
        if folder in todo[:2] and not (folder / "killed").exists():
            (folder / "killed").touch()
            with Run(folder, read_only=True) as part:
                until = rng.randint(1, 20)
                while done.poll() is None and part.ledger.rows("SELECT COUNT(*) FROM calls")[0][0] < until:
                    time.sleep(0.01)
            done.kill()
        else:
            assert done.wait(120) == 0
    single = tmp_path / "single"
    with Run(single) as one:
        add_prompts(one, whole.prompts())
        one.ledger.update_manifest(part={"number": 1, "of": 1, "run": "whole", "budget": {}})  # takes these prompts only
    assert Fork(do_part, base, single).wait(120) == 0
    shuffled = rng.sample(folders, len(folders))
    with merge(shuffled, tmp_path / "together") as together, Run(single, read_only=True) as one:
        assert together.missing().empty and together.ledger.manifest_entry("merged")["unequal"] == []
        for table in ("dialogues", "messages", "ratings", "labels"):
            key = [*tables.TABLES[table].key]
            frames = [getattr(run, table)().sort_values(key, ignore_index=True) for run in (one, together)]
            changing = {"run", "seconds", "tokens_in", "tokens_out"}
            columns = [name for name in frames[0].columns if name not in changing]
            pd.testing.assert_frame_equal(frames[0][columns], frames[1][columns])
        parts = [Run(folder, read_only=True) for folder in folders]
        calls = [len(run.query("SELECT * FROM calls")) for run in (together, *parts)]
        assert calls[0] == sum(calls[1:])
        assert usage_totals(together)[1] == sum(usage_totals(part)[1] for part in parts)
