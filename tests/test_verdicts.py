"""Whatever a judge answers is a rating with its text: never an error, never a long wait."""

import json
import os
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anthrokit.judging import Rating, parse_verdict, parse_verdicts
from anthrokit.judging.released import read_released
from anthrokit.judging.verdicts import LONGEST_ANSWER

EXAMPLES = settings(max_examples=int(os.environ.get("ANTHROKIT_EXAMPLES", 300)), deadline=None)
CODE = "7f3a91c2"
WORDS = ["Verdict: Yes", "Verdict: No", "**Yes**", "No.", f"Verdict {CODE}: Yes", "I can't judge", "not yes", "> No"]
SIGNS = ["{", "}", "[", "]", ":", ",", '"', "\\", "`", "```json\n", "*", "_", "\n", "\ud800", "\x00", "“", "«"]
LONG = ["[" * 3_000, "{" * 3_000, '{"verdict": ' * 1_500, "***\n" * 2_000, "> " * 2_000, '"' * 2_000, "No: " * 500]
PIECES = st.one_of(st.text(max_size=40), *(st.sampled_from(some) for some in (WORDS, SIGNS, LONG)))
ANSWERS = st.one_of(st.none(), st.lists(PIECES, max_size=12).map("".join))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["Yes", "no", CODE]), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["verdict", "reason", "empathy", "agency", "code"]), inner, max_size=3),
    ),
    max_leaves=8,
)


def is_kept(rating: Rating, answer: str | None) -> None:
    "A rating says Yes, No or why neither; its answer, to the longest length that is kept, stays with it."
    assert isinstance(rating, Rating) and rating.raw == (answer[:LONGEST_ANSWER] if answer else answer)
    assert (rating.verdict is None) == (rating.status != "ok") and rating.status in ("ok", "unparsed", "refused")


@EXAMPLES
@given(st.one_of(ANSWERS, JSON.map(json.dumps)), st.sampled_from([None, CODE]), st.sampled_from(["", "**Yes**", "[["]))
@example('{"verdict": ' + "[" * 100_000, None, "")
def test_any_answer_is_a_rating(answer, code, judged):
    is_kept(parse_verdict(answer, code=code, judged=judged), answer)
    ratings = parse_verdicts(answer, ["empathy", "agency"], code=code, judged=judged)
    assert len(ratings) == 2 and all(rating.verdict in (True, False, None) for rating in ratings)
    assert ratings[1].raw is None and ratings[0].raw == (answer[:LONGEST_ANSWER] if answer else answer)
    verdict, _, status = read_released(answer)
    assert verdict in (True, False, None) and isinstance(status, str)


def steps_of(reading, text: str) -> int:
    taken = 0

    def count(frame, event, argument):
        nonlocal taken
        taken += 1
        return count

    sys.settrace(count)
    try:
        reading(text)
    finally:
        sys.settrace(None)
    return taken


@pytest.mark.parametrize("reading", [parse_verdict, lambda text: parse_verdicts(text, ["empathy"]), read_released])
def test_steps_grow_with_the_length_only(reading):
    "Twice the text, at most about twice the steps: counted by the tracer, not by the clock."
    for piece in ("***\n", '{"verdict": ', "[", "{", "> no\n", "Verdict: Yes\n", '"', "\\", "```\n"):
        assert steps_of(reading, piece * 4_000) <= 2.2 * steps_of(reading, piece * 2_000) + 200, piece
