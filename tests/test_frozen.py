"""Results that must not change; tests/frozen/README.md says what they are, and when they may change."""

import frozen
import pytest

PARTS = ("demo", "small", "middle", "large", "heartbench", "run", "other")


def part(name: str) -> str:
    "Which of the tests compares a result."
    room, _, source = name.partition(".")
    return next((one for one in PARTS if one in (room.split()[0], source)), "other")


@pytest.mark.parametrize("which", PARTS)
def test_results_are_the_same(which):
    found = frozen.differing(name for name in frozen.results() if part(name) == which)
    assert not found, "\n".join(found)


def test_nothing_that_is_kept_is_forgotten():
    assert {path.name for path in frozen.KEPT.glob("*.parquet")} == {
        frozen.path_of(name).name for name in frozen.results()
    }
