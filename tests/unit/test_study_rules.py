"""The rules of a study's gateway, without a server: limits, turns, seats, and the file of participants."""

import importlib.util
import json
import os
import sqlite3
import sys
from types import ModuleType, SimpleNamespace

import pytest

from anthrokit.core import RunError
from anthrokit.study import init_study
from anthrokit.study.gateway import (
    ChatState,
    GatewayError,
    RateLimit,
    identify,
    needs_answer,
    page_state,
    parse_request,
    reached_limit,
)
from anthrokit.study.server import write_project
from anthrokit.study.studies import People

CHAT = {"least_minutes": 10, "most_minutes": 20, "least_turns": 2, "most_turns": 4}
TEXTS = {"over_turns": "That was the last turn.", "over_time": "The time is up."}
SETTINGS = {"chat": CHAT, "limits": {"participant_tokens": 0}, "texts": TEXTS}


def messages(*texts):
    """A chat, participant and system by turns."""
    roles = ("user", "assistant")
    return [{"turn": n // 2 + 1, "role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


def test_rate_limit():
    limit = RateLimit(3, 60)
    assert [limit.wait(now) for now in (0, 1, 2)] == [0, 0, 0]
    assert limit.wait(3) == 57 and limit.wait(59) == 1  # one that was refused doesn't count
    assert limit.wait(60) == 0 and limit.wait(60) == 1
    assert all(RateLimit(0, 60).wait(0) == 0 for _ in range(5))


@pytest.mark.parametrize(
    ("seconds", "turns", "tokens", "cap", "limit"),
    [
        (0, 0, 0, 0, None),
        (20 * 60 - 0.1, 3, 10**9, 0, None),
        (20 * 60, 3, 0, 0, "time"),
        (0, 4, 0, 0, "turns"),
        (20 * 60, 4, 0, 0, "time"),
        (0, 0, 999, 1000, None),
        (0, 0, 1000, 1000, "budget"),
    ],
)
def test_ends_of_a_chat(seconds, turns, tokens, cap, limit):
    settings = {**SETTINGS, "limits": {"participant_tokens": cap}}
    assert reached_limit(settings, seconds, turns, tokens) == limit


@pytest.mark.parametrize(
    ("seconds", "texts", "may_end"),
    [(599, "abcd", False), (600, "abcd", True), (600, "abc", False), (600, "ab", False), (0, "", False)],
)
def test_earliest_end_of_a_chat(seconds, texts, may_end):
    assert page_state(SETTINGS, ChatState(messages(*texts), seconds))["may_end"] == may_end
    over = page_state(SETTINGS, ChatState(messages(*texts), seconds, "time"))
    assert over["may_end"] and over["over_text"] == "The time is up." and over["unanswered"] is None
    assert page_state(SETTINGS, ChatState([], 0, "fault"))["over_text"] == TEXTS["over_turns"]


def test_page_hides_condition_and_model():
    state = ChatState(
        [{"turn": 1, "role": "assistant", "content": "Hi", "finish_reason": "stop", "model": "m"}]
    )
    assert page_state(SETTINGS, state)["messages"] == [{"role": "assistant", "content": "Hi"}]


def test_message_belongs_to_next_turn():
    answered, waiting = ChatState(messages("a", "b")), ChatState(messages("a", "b", "c"))
    assert (answered.turn, answered.unanswered, waiting.turn, waiting.unanswered) == (2, None, 2, "c")
    assert needs_answer(answered, 2, "c") and needs_answer(waiting, 2, "c")
    assert not needs_answer(answered, 1, "a")  # sent again, as after a reload
    for state, turn, text in (
        (answered, 1, "x"),
        (answered, 3, "c"),
        (answered, 0, "a"),
        (waiting, 2, "x"),
        (waiting, 3, "d"),
    ):
        with pytest.raises(GatewayError) as error:
            needs_answer(state, turn, text)
        assert error.value.code == "elsewhere", (turn, text)
    over = ChatState(messages("a", "b"), over="turns")
    assert not needs_answer(over, 1, "a")
    with pytest.raises(GatewayError) as error:
        needs_answer(over, 2, "c")
    assert error.value.code == "over"


def test_turn_of_a_request():
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": " c "},
    ]
    assert parse_request({"messages": history}, 10) == (2, "c")
    assert parse_request({"messages": history[:1]}, 10) == (None, "a")
    assert parse_request({"messages": history[:1], "metadata": {"turn": 5}}, 10) == (5, "a")
    with pytest.raises(GatewayError, match="could not be read"):
        parse_request({"messages": history, "metadata": {"turn": True}}, 10)


def test_labels_with_a_seat(tmp_path):
    study = init_study(tmp_path / "study")
    person, seat = study.participant_id("10001"), study.seat("cookie")
    label = study.seal(person, seat)
    assert identify(study, label, "otree") == (person, seat)
    for forged in ("10001", person, f"{person}.{seat}", label[:-1], f"{label}0"):
        with pytest.raises(GatewayError, match="not valid"):
            identify(study, forged, "otree")
    assert identify(study, "otree/abc", "otree") == (study.participant_id("otree/abc"), None)
    assert identify(study, "10001", "page") == (person, None)
    study.settings["servers"]["one_browser"] = False
    assert identify(study, label, "otree") == (person, None)


def questions_page(project, monkeypatch, questionnaire):
    """The page of a questionnaire in a study's oTree project, without oTree."""
    file = project / "study" / "study.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"questionnaires": [questionnaire]}), encoding="utf-8")
    api = ModuleType("otree.api")
    bases = ("BaseConstants", "BaseGroup", "BasePlayer", "BaseSubsession", "Page")
    vars(api).update({name: type(name, (), {}) for name in bases})
    api.models = SimpleNamespace(IntegerField=lambda **_: None, LongStringField=lambda **_: None)
    monkeypatch.setitem(sys.modules, "otree.api", api)
    spec = importlib.util.spec_from_file_location("otree_study", project / "study" / "__init__.py")
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    return module.questions(questionnaire)


def test_text_belongs_to_its_items(tmp_path, monkeypatch):
    """No item without a text comes below one that has a text, and items with the same text stay together."""
    project = write_project(init_study(tmp_path / "study"))
    godspeed = json.loads((project / "study" / "study.json").read_text(encoding="utf-8"))["questionnaires"][0]
    page, orders = questions_page(project, monkeypatch, godspeed), set()
    for number in range(20):
        player = SimpleNamespace(participant=SimpleNamespace(study_id=f"p{number}"))
        plain, felt = page.vars_for_template(player)["blocks"]
        assert (plain["stem"], felt["stem"]) == ("", "During the chat I felt") and len(plain["questions"]) == 21
        item_ids = [item["id"] for block in (plain, felt) for item in block["questions"]]
        assert item_ids == page.get_form_fields(player) and sorted(item_ids) == sorted(item["id"] for item in godspeed["items"])
        orders.add(tuple(item_ids))
    assert len(orders) == 20 and len({order[-3:] for order in orders}) > 1
    items = [{**godspeed["items"][0], "id": f"i{n}", "text": text} for n, text in enumerate(("", "I", "", "You", "I", ""))]
    fixed = {**godspeed, "order": "fixed", "items": items}
    blocks = questions_page(project, monkeypatch, fixed).vars_for_template(player)["blocks"]
    assert [(block["stem"], len(block["questions"])) for block in blocks] == [("", 1), ("I", 1), ("", 2), ("I", 1), ("", 1)]
    mixed = questions_page(project, monkeypatch, {**fixed, "order": "random"}).get_form_fields(player)
    assert ({*mixed[:3]}, mixed[3], {*mixed[4:]}) == ({"i0", "i2", "i5"}, "i3", {"i1", "i4"})


def test_chat_time_is_saved(tmp_path):
    with People(tmp_path / "people.sqlite") as people:
        for name, status in (("p1", "chatting"), ("p2", "finished")):
            people.join(name, lambda position: "high", front="page")
            people.update(name, status=status, chat_seconds=1.0)
        people.save_seconds({"p1": 61.5, "p2": 99.0, "stranger": 5.0})
        assert people.participants()["chat_seconds"].tolist() == [61.5, 1.0]


def test_participants_file_is_checked(tmp_path):
    """Neither through a link, nor with a trigger that changes what is read, nor when it is damaged."""
    target, link = tmp_path / "elsewhere", tmp_path / "linked" / "people.sqlite"
    link.parent.mkdir()
    os.symlink(target, link)
    with pytest.raises(RunError, match="symbolic link"):
        People(link)
    assert not target.exists()
    path = tmp_path / "people.sqlite"
    People(path).close()
    People(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON responses BEGIN DELETE FROM participants; END")
    connection.close()
    with pytest.raises(RunError, match="trigger 't'"):
        People(path)
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(RunError, match="Put back a copy"):
        People(path)
