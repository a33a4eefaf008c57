"""oTree and the gateway together, in a real browser: two at once, a reload, one who leaves, both killed in mid chat."""

import contextlib
import http.cookiejar
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from browser import seen
from gateways import Served, free_port
from servers import mock_server

from anthrokit.core import SetupError, data_path
from anthrokit.study import Study, StudyServer, erase, init_study, search_study, set_section
from anthrokit.study.server import PINS, consent_placeholder, otree_python

KEY = "sk-test-0123456789abcdefghij"
SLOW = 60_000


@pytest.fixture(scope="session")
def otree():
    """Return oTree's Python, which is installed once."""
    try:
        return otree_python()
    except SetupError as error:
        pytest.skip(str(error))


@pytest.fixture
def running(otree, server, tmp_path):
    """Start a study with gateway and study server, for one test."""
    yield from _start_study(server("--latency", 0.2), tmp_path)


@pytest.fixture(scope="module")
def shared_study(otree, one_authority, tmp_path_factory):
    """Start a study with gateway and study server, for several tests. Each of them adds at most two participants."""
    with pytest.MonkeyPatch.context() as patch, mock_server("--latency", 0.2) as base:
        patch.setenv("SSL_CERT_FILE", str(one_authority))
        yield from _start_study(base, tmp_path_factory.mktemp("shared"))


def _start_study(base, folder, front=None):
    """Yield study, gateway and study server. Browsers reach them at the port of `front`, if it is given."""
    study = init_study(folder / "study", model="openai/echo-key", api_base=base, transport="lean")
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
    set_section(file, "servers", {**addresses, **ports, "places": 6, "new_per_minute": 50})
    text = file.read_text(encoding="utf-8").replace(consent_placeholder(), "Ask us: study@example.org.")
    file.write_text(text, encoding="utf-8")
    if front:
        set_section(file, "end", {"completion_link": f"http://127.0.0.1:{front}/done?who={{id}}"})
    study = Study(study.folder)
    gateway = Served(study, {"OPENAI_API_KEY": KEY}, port=ports["gateway_port"])
    with StudyServer(study) as pages:
        yield study, gateway, pages
    gateway.kill()


class Person:
    """A participant in a browser."""

    def __init__(self, browser, study, label, width=1000):
        self.page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        self.page.set_default_timeout(SLOW)
        self.received = []
        self.page.on("response", self.record)
        self.link = f"{study.settings['servers']['gateway']}/enter?PROLIFIC_PID={label}"

    def record(self, response):
        self.received.append(response.url + str(response.headers))
        if response.status == 200:
            with contextlib.suppress(Exception):  # a picture, or a page that was closed
                self.received.append(response.text())

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
def test_reload_and_leave(running, browser):
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
    stranger = Person(browser, study, "bob-2")  # under Bob's id in another browser
    stranger.page.goto(stranger.link)
    stranger.page.check("input[name=agreed]")
    stranger.page.click(".next")
    stranger.page.click("text=Begin the chat")
    stranger.page.wait_for_selector("text=You began in another browser")
    assert "Good morning" not in "".join(stranger.received)
    again, before = bob, bob.page  # a closed laptop: the same link in the same browser leads back
    again.page = before.context.new_page()
    again.page.set_default_timeout(SLOW)
    before.close()
    again.page.on("response", again.record)
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
        messages, participants, responses = run.messages(), people.participants(), people.responses()
    assert participants["status"].tolist() == ["finished", "finished", "chatting"] and set(participants["front"]) == {"otree"}
    assert messages.groupby("dialogue_id").size().sort_values().tolist() == [2, 4, 4]
    assert (
        responses.groupby("participant").size().tolist() == [27, 27]
        and responses["condition"].isin(study.conditions).all()
    )
    received = "".join(ada.received + again.received)
    prompts = [one.prompt[:50] for one in study.conditions.values()]
    assert "[key removed]" in received and not [one for one in (KEY, study.admin_token, *prompts) if one in received]
    on_disk = b"".join(path.read_bytes() for path in study.folder.rglob("*") if path.is_file())
    assert not [one for one in (b"ada-1", b"bob-2", b"eve-3", KEY.encode()) if one in on_disk]
    gateway.kill()
    pages.stop()
    with contextlib.closing(sqlite3.connect(study.folder / "otree" / "db.sqlite3")) as connection:
        named = "SELECT code FROM otree_participant WHERE label LIKE ? || '.%'"
        [(code,)] = connection.execute(named, [study.participant_id("ada-1")])
        left = connection.execute("SELECT text FROM otree_pagetimebatch").fetchall()
    assert any(code in text for (text,) in left)  # when they left each page
    erased = erase(study, "ada-1").set_index("place")[
        "rows"
    ]  # by the id of the panel; searched for in every file
    texts = [study.participant_id("ada-1"), "Hello, <script>", code]
    assert (erased > 0).all() and search_study(study, texts).empty
    assert not search_study(study, ["Good morning"]).empty  # nobody else is touched


@pytest.mark.slow
def test_kills_of_both_servers(shared_study, browser):
    study, gateway, pages = shared_study
    ada = Person(browser, study, "ada").to_the_chat()
    for number in range(3):
        before = len(ada.lines())
        ada.page.fill("[data-chat=box]", f"message {number}")
        ada.page.click("[data-chat=send]")
        time.sleep(0.08 * number)
        gateway.kill()
        os.kill(pages.process.pid, signal.SIGKILL)
        gateway.start()
        seen(ada.page.locator(".chat-assistant:not(.chat-waiting)")).to_have_count(
            before // 2 + 1, timeout=SLOW
        )
        ada.wait()
    lines = ada.lines()
    pages.wait()
    ada.page.reload()
    ada.wait()
    assert ada.lines() == lines and len(lines) == 6
    ada.answer_and_finish()
    with study.run() as run:
        messages = run.messages()
    contents = messages[messages["role"] == "user"]["content"].tolist()
    assert contents == [f"message {number}" for number in range(3)] and len(messages) == 6


NGINX = """daemon off; pid {folder}/pid; error_log /dev/null crit;
events {{}}
http {{
    access_log {folder}/visits;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{maps}
    server {{ listen 127.0.0.1:{front};
{server}
    }}
}}"""


def _nginx_lines(servers):
    """Return the lines of the gateway's chapter for beside and in the server block, with the ports of this study."""
    chapter = (Path(__file__).parents[2] / "nbs" / "11_study" / "04_gateway.ipynb").read_text(encoding="utf-8")
    cells = ["".join(cell["source"]) for cell in json.loads(chapter)["cells"]]
    [text] = [text for text in cells if "location /gateway/" in text]
    beside, _, inside = text.partition("inside the server block:")
    maps, server = ("\n".join(re.findall(r"(?m)^    .*$", part)) for part in (beside, inside))
    server = server.replace("8010", str(servers["gateway_port"])).replace("8000", str(servers["otree_port"]))
    return maps, server.replace("X-Forwarded-Proto https", "X-Forwarded-Proto http")  # no certificate here


def _frozen_by(port, path, marks=60, kind="application/x-www-form-urlencoded"):
    """Send the request of CVE-2024-24762; return the socket."""
    one = socket.create_connection(("127.0.0.1", port), timeout=30)
    head = f'POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Type: {kind}; !="'
    one.sendall(head.encode() + b"\\" * marks + b"\r\n\r\na")
    return one


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="nginx is not installed")
def test_nginx(otree, server, browser, tmp_path):
    """A participant goes from the entry to the completion link with the panel's id. No address or id is saved."""
    front = free_port()
    with contextlib.closing(_start_study(server("--latency", 0.2), tmp_path, front)) as work:
        study, gateway, _ = next(work)
        config = tmp_path / "nginx.conf"
        maps, lines = _nginx_lines(study.settings["servers"])
        config.write_text(NGINX.format(folder=tmp_path, front=front, maps=maps, server=lines))
        nginx = subprocess.Popen(
            [shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-c", str(config)], stderr=open(tmp_path / "said", "wb")
        )
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
            for path in ("/room/study", "/gateway/v1/end"):
                with _frozen_by(front, path) as one:
                    assert one.recv(100).startswith(b"HTTP/1.1 415")
            gateway.kill()
            with pytest.raises(urllib.error.HTTPError, match="502"):
                urllib.request.urlopen(f"http://127.0.0.1:{front}/gateway/enter?PROLIFIC_PID=5f3c0000secretpanelid")
        finally:
            nginx.terminate()
            nginx.wait()
        for path in tmp_path.rglob("*"):
            if path.is_file() and path != config and study.folder not in path.parents:
                content = path.read_bytes()
                assert not [one for one in (b"ada", b"secretpanelid", b"client:", b"/gateway/") if one in content], path


def _visitor():
    """Return an opener that keeps cookies, as a browser does."""
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def _open(visitor, url, form=None):
    """Open a page, or send a form; return the status, the address, and the text."""
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    try:
        with visitor.open(url, data, timeout=60) as response:
            return response.status, response.geturl(), response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.geturl(), error.read().decode()


def _begin(study, query):
    """Come to the chat; return the visitor and the token in its page."""
    visitor = _visitor()
    status, url, page = _open(visitor, f"{study.settings['servers']['gateway']}/enter{query}")
    if status != 200:
        return visitor, None, page
    _, url, _ = _open(visitor, url, {"agreed": 1})
    _, url, page = _open(visitor, url, {})
    token = re.search(r"p[0-9a-f]{16}\.[0-9a-f]{40}", page)
    return visitor, token and token[0], page


@pytest.mark.slow
def test_slow_requests_block_nobody(shared_study):
    study, _, pages = shared_study
    _, token, _ = _begin(study, "?PROLIFIC_PID=5f3c0ffee1")
    assert token
    address = f"{pages.url}/room/study"
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        with _frozen_by(pages.port, "/room/study", kind=kind), _frozen_by(pages.port, "/login", kind=kind):
            urllib.request.urlopen(address, timeout=20).close()  # it was more than a minute


@pytest.mark.slow
def test_unresponsive_server_restarts(shared_study, monkeypatch):
    study, _, pages = shared_study
    monkeypatch.setattr("anthrokit.study.server.CHECK_SECONDS", 0.5)
    before = pages.process.pid
    os.kill(before, signal.SIGSTOP)
    end = time.monotonic() + 120
    while pages.process.pid == before and time.monotonic() < end:
        time.sleep(0.2)
    pages.wait()
    assert pages.process.pid != before and _begin(study, "?PROLIFIC_PID=5f3c0ffee2")[1]


@pytest.mark.slow
def test_strangers_take_no_places(shared_study):
    study, _, pages = shared_study
    first, token, _ = _begin(study, "?survey_code=10001")
    entry = f"{study.settings['servers']['gateway']}/enter"
    for query in ("", "&participant_label=x", f"&participant_label={study.participant_id('10001')}"):
        status, _, page = _open(_visitor(), f"{pages.url}/room/study?welcome_page_ok=1{query}")
        assert status == 404 and "This link is not valid" in page, query
    assert _open(_visitor(), entry)[0] == 403  # no id
    for _ in range(20):  # visits without a consent, as of link previews
        _open(_visitor(), f"{entry}?survey_code=10002")
    assert _begin(study, "?survey_code=10001")[1] is None and _begin(study, "?survey_code=10002")[1]
    # A label that somebody gives their own page is not taken for another's
    visitor = _visitor()
    _, url, _ = _open(visitor, f"{entry}?survey_code=10003")
    code = url.split("/p/")[1].split("/")[0]
    for label in ("10001", study.participant_id("10001")):
        _open(visitor, f"{pages.url}/InitializeParticipant/{code}?participant_label={label}")
        _open(visitor, url, {"agreed": 1})
        _, _, page = _open(visitor, url.replace("Consent/1", "Instructions/2"), {})
        assert token not in page
    assert _open(first, f"{entry}?survey_code=10001")[1].split("/")[-2] == "Chat"


@pytest.mark.slow
def test_full_study_is_enlarged(running):
    study, gateway, pages = running
    back = [_begin(study, f"?PROLIFIC_PID=5f3c0ffee{number}") for number in range(6)]
    assert all(token for _, token, _ in back)
    assert "all the participants that it needs" in _begin(study, "?PROLIFIC_PID=5f3c0ffee6")[2]
    pages.stop()
    gateway.kill()
    set_section(study.folder / "study.toml", "servers", {**study.settings["servers"], "places": 9})
    study = Study(study.folder)
    gateway.start()
    with StudyServer(study):
        assert all(_begin(study, f"?PROLIFIC_PID=5f3c0ffee{number}")[1] for number in (6, 7, 8))
        assert _begin(study, "?PROLIFIC_PID=5f3c0ffee9")[1] is None
        for number, (visitor, _, _) in enumerate(back):  # those of the first session go on where they were
            where = _open(visitor, f"{study.settings['servers']['gateway']}/enter?PROLIFIC_PID=5f3c0ffee{number}")[1]
            assert where.split("/")[-2] == "Chat"
    modes = {path.stat().st_mode & 0o777 for path in (study.folder / "otree").glob("db.sqlite3*")}
    assert modes == {0o600}


def test_otree_installation(otree):
    listed = subprocess.check_output([otree, "-m", "pip", "list", "--format", "json"])
    versions = {one["name"].lower(): one["version"] for one in json.loads(listed)}
    least_safe = {"python-multipart": (0, 0, 18), "starlette": (0, 49, 1), "uvicorn": (0, 30), "websockets": (13,)}
    for name, least in least_safe.items():
        assert tuple(int(part) for part in versions[name].split(".")) >= least, name
    for name, how in PINS.items():
        text = re.sub(r"(?m)^#.*$", "", data_path(f"study/{name}").read_text(encoding="utf-8"))
        entries = [one for one in re.split(r"\n(?=\S)", text) if one.strip()]
        assert all("==" in one and "--hash=sha256:" in one for one in entries) and how
