"""Consent, instructions, chat, questions, description, debriefing.

A copy of this project is yours to change. What it shows comes from study.json, which is made anew from study.toml and
the questionnaires whenever the study is started. Answers go to the gateway as well as into oTree's own tables; a page
goes on only when they are there.
"""

import json
import os
import random
import urllib.error
import urllib.request
from pathlib import Path

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models

STUDY = json.loads(Path(__file__).with_name("study.json").read_text(encoding="utf-8"))
ITEMS = [item for one in STUDY["questionnaires"] for item in one["items"]]


class C(BaseConstants):
    NAME_IN_URL = "study"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    agreed = models.IntegerField(choices=[1])
    for _item in ITEMS:
        _points = list(range(1, _item["points"] + 1))
        locals()[_item["id"]] = models.IntegerField(choices=_points, blank=STUDY["may_skip"])
    description = models.LongStringField(blank=STUDY["may_skip"])


# The gateway


class Refused(Exception):
    """What the gateway says instead; its words are for participants."""


def call(token, path, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    asked = urllib.request.Request(STUDY["gateway_here"] + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        raise Refused(json.loads(error.read())["error"]["message"]) from None
    except OSError:
        raise Refused(
            "This could not be saved just now. Please press the button again in a moment."
        ) from None


def refusal(token, path, body):
    """Why it could not be done; None where it was."""
    try:
        call(token, path, body)
    except Refused as refused:
        return str(refused)


# The pages


class Consent(Page):
    form_model = "player"
    form_fields = ["agreed"]

    @staticmethod
    def vars_for_template(player):
        return dict(title=STUDY["title"], paragraphs=STUDY["consent"], agree=STUDY["agree"])


class Instructions(Page):
    @staticmethod
    def vars_for_template(player):
        return dict(paragraphs=STUDY["instructions"])

    @staticmethod
    def error_message(player, values):
        """Here a participant is brought to the gateway, which draws their condition."""
        person = player.participant
        label = person.label or f"otree/{person.code}"
        try:
            brought = call(
                os.environ["ANTHROKIT_STUDY_TOKEN"], "/study/participants", {"label": label, "front": "otree"}
            )
        except Refused as refused:
            return str(refused)
        person.study_id, person.study_token = brought["participant"], brought["token"]


class Chat(Page):
    @staticmethod
    def vars_for_template(player):
        return dict(task=STUDY["task"])

    @staticmethod
    def js_vars(player):
        return dict(gateway=STUDY["gateway"], token=player.participant.study_token)

    @staticmethod
    def error_message(player, values):
        return refusal(player.participant.study_token, "/v1/end", {})


class Description(Page):
    form_model = "player"
    form_fields = ["description"]

    @staticmethod
    def vars_for_template(player):
        required, longest = not STUDY["may_skip"], STUDY["longest_answer"]
        return dict(question=STUDY["description"], required=required, longest=longest)

    @staticmethod
    def error_message(player, values):
        answers = {"questionnaire": "description", "answers": values}
        return refusal(player.participant.study_token, "/v1/responses", answers)


def questions(one):
    """The page of a questionnaire."""
    items = {item["id"]: item for item in one["items"]}
    texts = [item["text"] for item in items.values()]
    shared = [text for text in dict.fromkeys(texts) if text and texts.count(text) > 1]

    def place(name):
        """Items without a text come first: below a text they would be read as its end. Those that share one stay together."""
        text = items[name]["text"]
        return bool(text) + (shared.index(text) + 1 if text in shared else 0)

    def get_form_fields(player):
        order = list(items)
        if one["order"] == "random":
            random.Random(f"{player.participant.study_id}/{one['name']}").shuffle(order)
            order.sort(key=place)
        return order

    def vars_for_template(player):
        blocks = []
        for name in get_form_fields(player):
            points = [
                dict(value=value, id=f"{name}_{value}") for value in range(1, items[name]["points"] + 1)
            ]
            stem = items[name]["text"] if items[name]["text"] in shared else ""
            if not blocks or blocks[-1]["stem"] != stem:
                blocks.append(dict(stem=stem, questions=[]))
            blocks[-1]["questions"].append({**items[name], "choices": points})
        about = dict(title=one["title"], instruction=one["instruction"], required=not STUDY["may_skip"])
        return dict(blocks=blocks, **about)

    def error_message(player, values):
        answers = {"questionnaire": one["name"], "answers": values}
        return refusal(player.participant.study_token, "/v1/responses", answers)

    parts = dict(form_model="player", template_name="study/Questions.html", preserve_unsubmitted_inputs=True)
    for function in (get_form_fields, vars_for_template, error_message):
        parts[function.__name__] = staticmethod(function)
    return type(f"Questions_{one['name']}", (Page,), {**parts, "__module__": __name__})


class Debriefing(Page):
    @staticmethod
    def vars_for_template(player):
        refusal(player.participant.study_token, "/v1/finish", {})
        return dict(paragraphs=STUDY["debriefing"], leave=STUDY["gateway"] + "/leave")


page_sequence = [
    Consent,
    Instructions,
    Chat,
    Description,
    *[questions(one) for one in STUDY["questionnaires"]],
    Debriefing,
]
