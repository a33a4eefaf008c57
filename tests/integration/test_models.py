"""What a notebook can't show of models: interrupts, builds that must not run, keys in files, bills."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec

import pytest

from anthrokit import write_report
from anthrokit.core import BudgetReached, CallFailed, Run, SetupError
from anthrokit.core.files import cache_folder
from anthrokit.core.run import usage_totals
from anthrokit.models import LLM, Batch, Budget
from anthrokit.models.batches import BatchQueue
from anthrokit.models.embedded import Wheel, download_wheel
from anthrokit.models.loop import wait_for
from anthrokit.models.meter import Meter, Request

HELLO = [{"role": "user", "content": "Hello"}]


def stats(base) -> dict:
    return json.loads(urllib.request.urlopen(base.replace("/v1", "/stats")).read())


INTERRUPTED = """
import _thread, sys, threading, time
from anthrokit.models import LLM
model = LLM("openai/m", api_base=sys.argv[1], max_retries=0)
threading.Timer(float(sys.argv[2]), _thread.interrupt_main).start()
try:
    model.prepare()
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted while importing:", "litellm" in sys.modules)
print(model.complete("Hello").status)
"""


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_interrupt_during_litellm_import(server, seconds):
    """The next call works, whatever the interrupt hit."""
    command = [sys.executable, "-c", INTERRUPTED, server(), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.stdout.splitlines()[-1:] == ["ok"], done.stderr[-2000:]


SETUP_PY = """
from pathlib import Path
Path({marker!r}).write_text("ran")
from setuptools import setup
setup(name="evil", version="1.0")
"""


def test_hash_before_code(tmp_path, monkeypatch):
    index, source, marker = tmp_path / "index", tmp_path / "evil-1.0", tmp_path / "marker"
    index.mkdir(), source.mkdir()
    (source / "setup.py").write_text(SETUP_PY.format(marker=str(marker)))
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    subprocess.run(["tar", "-czf", index / "evil-1.0.tar.gz", "-C", tmp_path, "evil-1.0"], check=True)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "1")
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(SetupError, match="can't be fetched"):
        download_wheel(Wheel("evil==1.0", "0" * 64, "evil/"), into)
    assert not marker.exists()
    (index / "evil-1.0-py3-none-any.whl").write_bytes(b"PK no wheel at all")
    with pytest.raises(SetupError, match="is not the file this version of anthrokit knows"):
        download_wheel(Wheel("evil==1.0", "0" * 64, "evil/"), into)
    assert not list(into.glob("*.whl"))


@pytest.mark.parametrize("transport", ["litellm", "lean"])
def test_keys_are_removed(server, tmp_path, transport, capfd):
    """In the address, the header, the query, the body, the key itself, options, and in answers that repeat it."""
    base, keys = server(), [f"pl4nted{n}abcdefghijklm{n}" for n in range(8)]
    llm = LLM(
        "openai/echo-key",
        transport=transport,
        api_base=base.replace("/v1", f"/{keys[0]}/v1"),
        api_key=keys[1],
        extra_headers={"X-Own": keys[2]},
        extra_body={"own": keys[3]},
        extra_query={"code": keys[4]},
        metadata={"auth_token": keys[5]},
        user=f"sk-{keys[6]}",
    )
    wrong = LLM("openai/m", api_base=base.replace("/v1", f"/{keys[0]}/elsewhere"), api_key=keys[7], transport=transport)
    with Run(tmp_path / "run") as run:
        meter = Meter(run)
        answer = wait_for(meter.call(Request(llm, HELLO, "u", "target")))
        with pytest.raises(SetupError) as refusal:
            wait_for(meter.call(Request(wrong, HELLO, "u", "target")))
        assert answer.content == "Your key is [key removed]."
        run.ledger.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": answer.content}])
        run.ledger.update_manifest(settings=llm.settings, model=repr(llm), wrong=str(refusal.value))
        run.export(tmp_path / "export")
        write_report(run, tmp_path / "report.html")
    output = "".join(capfd.readouterr()) + str(refusal.value) + repr(vars(llm)) + run.folder.name
    assert not [key for key in keys if key in output]
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or not [key for key in keys if key.encode() in file.read_bytes()], file


@pytest.mark.parametrize("transport", ["litellm", "lean"])
def test_cost_records(server, tmp_path, transport):
    """Answers that can't be read are paid: what the server counted stands in the ledger, and tries end at the cap."""
    base = server()
    with Run(tmp_path / "run") as run:
        meter, price = Meter(run, Budget(usd=0.05)), (100.0, 500.0)
        llm = LLM("openai/always-choiceless", api_base=base, max_tokens=40, price=price, transport=transport)
        with pytest.raises(BudgetReached, match="may be billed"):
            wait_for(meter.call(Request(llm, HELLO, "u", "target")))
        assert usage_totals(run)[1] == stats(base)["tokens"] and stats(base)["requests"] < 7
        assert 0.05 - 0.025 < usage_totals(run)[0] < 0.05 + 0.025


@pytest.mark.parametrize("transport", ["litellm", "lean"])
def test_errors_of_the_first_call(server, tmp_path, transport):
    """A text that is refused is one unit's failure; the probe is booked; the next unit is answered."""
    base = server()
    with Run(tmp_path / "run") as run:
        meter, llm = Meter(run), LLM("openai/picky", api_base=base, transport=transport)
        unicorn = [{"role": "user", "content": "A unicorn!"}]
        with pytest.raises(CallFailed, match="rejects this request"):
            wait_for(meter.call(Request(llm, unicorn, "1", "target")))
        assert wait_for(meter.call(Request(llm, HELLO, "2", "target"))).status == "ok"
        booked = run.ledger.rows("SELECT unit, status FROM calls ORDER BY call")
        assert booked == [("1", "probe"), ("1", "failed"), ("2", "ok")]
        assert usage_totals(run)[1] == stats(base)["tokens"]


def test_questions_queue(server, tmp_path):
    """Three thousand questions to two models, in files of three hundred; each is answered once and booked once."""
    import asyncio

    base = server()
    models = [LLM(f"openai/m{n}", api_base=base) for n in range(2)]

    async def all_of_them(run):
        meter = Meter(run)
        async with BatchQueue(meter, Batch(poll=0.2, requests=300)) as queue:

            async def one(number):
                text = [{"role": "user", "content": f"Question {number}"}]
                request = Request(models[number % 2], text, f"q{number}", "batch", {"seed": number})
                answer = await queue.ask(request)
                queue.done(request.id)
                return answer.status

            completions = await asyncio.gather(*map(one, range(3_000)))
            meter.writer.flush()
        return completions

    with Run(tmp_path / "run") as run:
        assert set(wait_for(all_of_them(run))) == {"ok"}
        assert stats(base)["batch_lines"] == 3_000 == run.ledger.rows("SELECT COUNT(*) FROM calls")[0][0]
        assert run.ledger.rows("SELECT COUNT(*) FROM batch_requests WHERE answer IS NOT NULL") == [(0,)]
        assert run.ledger.rows("SELECT COUNT(*) FROM batches") == [(10,)]


OPENVINO = pytest.mark.skipif(not find_spec("openvino_genai"), reason="no wheel of OpenVINO GenAI for this machine")

USE_EMBEDDED_MODEL = """
import asyncio, json, sys, psutil
from anthrokit.models import embedded
from anthrokit.models.loop import wait_for
from anthrokit.models.loop import background_loop

def begin(text, limit):
    return embedded.answer_here([{"role": "user", "content": text}], {"max_tokens": limit, "seed": 1})

async def together(*works):
    return await asyncio.gather(*works)

embedded.KV_BLOCKS = 24 if sys.argv[1] == "leave" else embedded.KV_BLOCKS
wait_for(begin("Hello", 2))
here, metrics = psutil.Process(), embedded.load_engine().pipeline.get_metrics
before = metrics().kv_cache_size_in_bytes
many = 3 if sys.argv[1] == "leave" else 1  # 3 take more than there is room for at once in 24 blocks
long = wait_for(together(*(begin(f"{n} " + "word " * 300, 2) for n in range(many))))
usage = {"tokens": sum(one["tokens_in"] for one in long), "cache": [before, metrics().kv_cache_size_in_bytes]}
usage |= {"memory": here.memory_info().rss, "telemetry": "openvino_telemetry" in sys.modules}
print(json.dumps(usage), flush=True)
if sys.argv[1] == "leave":
    asyncio.run_coroutine_threadsafe(begin("Write a novel.", 1000), background_loop())
else:
    try:
        print("waiting", flush=True)
        wait_for(begin("Write a novel.", 8000))
    except KeyboardInterrupt:
        print("interrupted:", wait_for(begin("Hello", 2))["tokens_out"], flush=True)
"""


@OPENVINO
@pytest.mark.parametrize("end", ["leave", "interrupt"])
def test_embedded_model(tmp_path, end):
    """Its memory is bounded, nobody is told of its use, and a process ends or goes on in the midst of an answer."""
    environment = {**os.environ, "ANTHROKIT_CACHE": str(cache_folder()), "HOME": str(tmp_path)}
    environment.pop("CI", None)
    process = subprocess.Popen(
        [sys.executable, "-c", USE_EMBEDDED_MODEL, end], text=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    usage = json.loads(process.stdout.readline())
    assert usage["tokens"] > (24 * 32 if end == "leave" else 0)
    assert usage["cache"][0] == usage["cache"][1] < (0.4e8 if end == "leave" else 1.2e9)
    assert usage["memory"] < 3e9 and not usage["telemetry"]
    if end == "interrupt":
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and "ERROR" not in err and "Traceback" not in err, err
    assert out == ("interrupted: 2\n" if end == "interrupt" else "")
    assert not (tmp_path / "intel").exists()


@pytest.mark.parametrize(
    ("address", "right"),
    [("{root}", "{root}/v1"), ("{root}/", "{root}/v1"), ("{root}/v1/chat/completions", "{root}/v1")],
)
def test_wrong_address(server, address, right):
    """Without /v1, or with too much: the error names the address where the server answers."""
    root = server().removesuffix("/v1")
    model = LLM("openai/m", api_base=address.format(root=root))
    with pytest.raises(SetupError, match=f"a server does at {right.format(root=root)}: give that as api_base"):
        model.prepare()
