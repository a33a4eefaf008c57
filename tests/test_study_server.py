"""oTree and the gateway together, in a real browser: two at once, a reload, one who leaves, both killed in mid chat."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from browser import free_port, seen
from gateways import Served

from anthrokit.core import SetupError
from anthrokit.study import Study, StudyServer, erase, init_study, otree_python, search_study, set_section

KEY = "sk-test-0123456789abcdefghij"
SLOW = 60_000


@pytest.fixture(scope="session")
def otree():
    "oTree's Python; made once where PyPI answers."
    try:
        return otree_python()
    except SetupError as error:
        pytest.skip(str(error))


@pytest.fixture
def running(otree, server, tmp_path):
    "A study with gateway and study server at work."
    yield from _at_work(server, tmp_path)


def _at_work(server, tmp_path, front=None):
    "Study, gateway and study server; in a browser at a front's port, where there is a front."
    study = init_study(
        tmp_path / "study", model="openai/echo-key", api_base=server("--latency", 0.2), transport="lean"
    )
    file = study.folder / "study.toml"
    chat = {**study.settings["chat"], "least_minutes": 0, "least_turns": 2, "most_turns": 40}
    set_section(file, "chat", chat)
    set_section(file, "limits", {"messages_per_minute": 1000})
    set_section(
        file, "questions", {**study.settings["questions"], "questionnaires": ["godspeed", "attention"]}
    )
    ports = {"gateway_port": free_port(), "otree_port": free_port()}
    addresses = {
        "gateway": f"http://127.0.0.1:{front}/gateway" if front else f"http://127.0.0.1:{ports['gateway_port']}",
        "otree": f"http://127.0.0.1:{front or ports['otree_port']}",
    }
    set_section(file, "servers", {**addresses, **ports, "places": 6, "origins": []})
    if front:
        set_section(file, "end", {"completion_link": f"http://127.0.0.1:{front}/done?who={{id}}"})
    study = Study(study.folder)
    gateway = Served(study, {"OPENAI_API_KEY": KEY}, port=ports["gateway_port"])
    with StudyServer(study) as pages:
        yield study, gateway, pages
    gateway.kill()


class Person:
    "Somebody at a browser."

    def __init__(self, browser, study, label, width=1000):
        self.page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        self.page.set_default_timeout(SLOW)
        self.got = []
        self.page.on("response", self._note)
        self.link = f"{study.settings['servers']['gateway']}/enter?PROLIFIC_PID={label}"

    def _note(self, response):
        self.got.append(response.url + str(response.headers))
        if response.status == 200:
            try:
                self.got.append(response.text())
            except Exception:  # noqa: BLE001  a picture, or a page that was left
                pass

    def to_the_chat(self):
        self.page.goto(self.link)
        self.page.check("input[name=agreed]")
        self.page.click(".next")
        self.page.click("text=Begin the chat")
        return self.wait()

    def wait(self):
        self.page.wait_for_selector("[data-chat=box]:enabled")
        return self

    def lines(self):
        return self.page.locator(".chat-line").all_inner_texts()

    def say(self, text):
        before = len(self.lines())
        self.page.fill("[data-chat=box]", text)
        self.page.click("[data-chat=send]")
        seen(self.page.locator(".chat-assistant:not(.chat-waiting)")).to_have_count(
            before // 2 + 1, timeout=SLOW
        )
        return self.wait()

    def answer_and_finish(self):
        self.page.click("#go-on")
        self.page.fill("#description", "The system was polite. <b>It</b> listened.")
        self.page.click(".next")
        for _ in range(2):
            self.page.wait_for_selector("fieldset.item")
            for item in self.page.locator("fieldset.item").all():
                item.locator("input").nth(1).check()
            self.page.click(".next")
        self.page.wait_for_selector("text=Finish")
        return self


@pytest.mark.slow
def test_two_at_once_one_who_reloads_and_one_who_leaves(running, browser):
    study, gateway, pages = running
    ada, bob, eve = (
        Person(browser, study, name, width)
        for name, width in (("ada-1", 1000), ("bob-2", 375), ("eve-3", 375))
    )
    for one in (ada, bob, eve):
        one.to_the_chat()
    ada.say("Hello, <script>window.__hacked = 1</script>")
    bob.say("Good morning")
    eve.say("I have to go")
    eve.page.close()
    assert not ada.page.locator("#go-on").is_visible()  # two turns are the least
    ada.page.reload()
    ada.wait()
    assert len(ada.lines()) == 2
    bob.page.close()  # a closed laptop: the same link in a new browser leads back
    again = Person(browser, study, "bob-2", 375)
    again.page.goto(again.link)
    again.wait()
    assert len(again.lines()) == 2
    for one in (ada, again):
        one.say("And what else?")
        seen(one.page.locator("#go-on")).to_be_visible(timeout=SLOW)
        assert one.page.evaluate("window.__hacked") is None and not one.page.locator(".chat script").count()
        assert one.page.evaluate("document.documentElement.scrollWidth") <= one.page.viewport_size["width"]
        one.answer_and_finish()
    with study.run() as run, study.open_people() as people:
        messages, came, said = run.messages(), people.participants(), people.responses()
    assert came["status"].tolist() == ["finished", "finished", "chatting"] and set(came["front"]) == {"otree"}
    assert messages.groupby("dialogue_id").size().sort_values().tolist() == [2, 4, 4]
    assert (
        said.groupby("participant").size().tolist() == [27, 27]
        and said["condition"].isin(study.conditions).all()
    )
    got = "".join(ada.got + again.got)
    prompts = [one.prompt[:50] for one in study.conditions.values()]
    assert "[key removed]" in got and not [one for one in (KEY, study.admin_token, *prompts) if one in got]
    kept = b"".join(path.read_bytes() for path in study.folder.rglob("*") if path.is_file())
    assert not [one for one in (b"ada-1", b"bob-2", b"eve-3", KEY.encode()) if one in kept]
    gateway.kill()
    pages.stop()
    with contextlib.closing(sqlite3.connect(study.folder / "otree" / "db.sqlite3")) as connection:
        named = "SELECT code FROM otree_participant WHERE label = ?"
        [(code,)] = connection.execute(named, [study.participant_id("ada-1")])
        left = connection.execute("SELECT text FROM otree_pagetimebatch").fetchall()
    assert any(code in text for (text,) in left)  # when they left each page
    gone = erase(study, "ada-1").set_index("place")[
        "rows"
    ]  # by the id of the panel; searched for in every file
    texts = [study.participant_id("ada-1"), "Hello, <script>", code]
    assert (gone > 0).all() and search_study(study, texts).empty
    assert not search_study(study, ["Good morning"]).empty  # nobody else is touched


@pytest.mark.slow
def test_both_killed_five_times_in_mid_chat(running, browser):
    study, gateway, pages = running
    ada = Person(browser, study, "ada").to_the_chat()
    for number in range(5):
        before = len(ada.lines())
        ada.page.fill("[data-chat=box]", f"message {number}")
        ada.page.click("[data-chat=send]")
        time.sleep(0.04 * number)
        gateway.kill()
        os.kill(pages.process.pid, signal.SIGKILL)
        gateway.start()
        seen(ada.page.locator(".chat-assistant:not(.chat-waiting)")).to_have_count(
            before // 2 + 1, timeout=SLOW
        )
        ada.wait()
    shown = ada.lines()
    pages.wait()
    ada.page.reload()
    ada.wait()
    assert ada.lines() == shown and len(shown) == 10
    ada.answer_and_finish()
    with study.run() as run:
        messages = run.messages()
    said = messages[messages["role"] == "user"]["content"].tolist()
    assert said == [f"message {number}" for number in range(5)] and len(messages) == 10


NGINX = """daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
    access_log {folder}/visits;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_upgrade {{ default upgrade; "" close; }}
    server {{ listen 127.0.0.1:{front};
{locations}
    }}
}}"""


def _as_the_chapter_says(servers):
    "The locations of the gateway's chapter, with the ports of this study."
    chapter = (Path(__file__).parent.parent / "nbs" / "11_study" / "04_gateway.ipynb").read_text(encoding="utf-8")
    cells = ["".join(cell["source"]) for cell in json.loads(chapter)["cells"]]
    [text] = [text for text in cells if "location /gateway/" in text]
    lines = [line for line in text.splitlines() if line.startswith("    ") and "map " not in line]
    found = "\n".join(lines).replace("8010", str(servers["gateway_port"])).replace("8000", str(servers["otree_port"]))
    return found.replace("X-Forwarded-Proto https", "X-Forwarded-Proto http")  # no certificate here


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="nginx is not installed")
def test_behind_nginx_as_the_chapter_has_it(otree, server, browser, tmp_path):
    "From the entry to the completion link, which has the panel's id; and no address is kept."
    front = free_port()
    with contextlib.closing(_at_work(server, tmp_path, front)) as work:
        study, _, _ = next(work)
        config = tmp_path / "nginx.conf"
        locations = _as_the_chapter_says(study.settings["servers"])
        config.write_text(NGINX.format(folder=tmp_path, front=front, locations=locations))
        nginx = subprocess.Popen([shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-c", str(config)])
        try:
            ada = Person(browser, study, "ada").to_the_chat()
            ada.say("Hello")
            ada.say("And now?")
            ada.page.reload()
            assert len(ada.wait().lines()) == 4
            ada.answer_and_finish()
            label = [one["value"] for one in ada.page.context.cookies() if one["name"] == "label"]
            assert label == ["ada"]
            ada.page.goto(f"http://127.0.0.1:{front}/gateway/leave")
            assert ada.page.url.endswith("/done?who=ada")
            assert "label" not in {one["name"] for one in ada.page.context.cookies()}
            visits = (tmp_path / "visits").read_text()
            assert "ada" not in visits and "/gateway/" not in visits
        finally:
            nginx.terminate()
            nginx.wait()
