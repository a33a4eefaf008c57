"""Texts of models, participants and files can't stall the package: time grows with length, not with its square."""

import re

import pytest
from patterns import all_patterns, growth, hostile_units, matcher

from anthrokit.core.errors import redact
from anthrokit.judging.grammar import own_words
from anthrokit.judging.offline import split_sentences
from anthrokit.judging.verdicts import LONGEST_ANSWER, parse_verdict
from anthrokit.models.english import english_pipeline
from anthrokit.simulation import first_person_pronouns
from anthrokit.simulation.personas import role_signals

LINEAR = 9  # four times the length may take this many times as long: linear is 4, quadratic is 16
HOSTILE = ("sk-", "gsk_-", "hf_a", "bearer ", "basic a", "://a:", " ", "\n", "- ", "1. ", "…", "“", "I ", "a. ", "*", '"', "!")


def worst_unit(work, units, size=4_000):
    """Return a text whose repetition takes more than linear time, each seen three times; None if there is none."""
    return next((unit for unit in units if all(growth(work, unit, size) > LINEAR for _ in range(3))), None)


def test_measure_of_quadratic_patterns():
    quadratic = matcher(re.compile(r"\s+x"), anchored=False)
    assert any(worst_unit(quadratic, [" "], 2_000) == " " for _ in range(10))  # a busy machine can hide it from one look
    assert worst_unit(matcher(re.compile(r"\s+x"), anchored=True), [" "], 2_000) is None
    assert worst_unit(matcher(re.compile(r"(?<!\s)\s+x"), anchored=False), [" "], 2_000) is None


@pytest.mark.slow
def test_all_patterns_are_linear():
    patterns = [*all_patterns()]
    assert len(patterns) > 150
    units = {
        (place, pattern.pattern): worst_unit(matcher(pattern, anchored), hostile_units(pattern))
        for place, pattern, anchored in patterns
        if re.search(r"[*+]|,}", pattern.pattern)  # without an unbounded repetition each try ends soon
    }
    assert not {place: unit for place, unit in units.items() if unit is not None}


def parse_long_verdict(text):
    """Parse responses whose lines, equal or different, are searched for in a judged text."""
    n = len(text) // 8
    for lines in (["a b"] * n, [f"a {number}" for number in range(n)], text.splitlines()):
        parse_verdict("\n".join(lines)[:LONGEST_ANSWER], code="00000000", judged="a " * len(text))


def split_words(text):
    """Split a text into words with spaCy's tokenizer."""
    tokenizer = english_pipeline().tokenizer
    tokenizer._reset_cache([])
    tokenizer(text)


TEXT_FUNCTIONS = [redact, own_words, split_sentences, role_signals, first_person_pronouns, parse_long_verdict, split_words]


@pytest.mark.parametrize("work", TEXT_FUNCTIONS, ids=lambda work: work.__name__)
def test_text_functions_are_linear(work):
    assert worst_unit(work, HOSTILE) is None
