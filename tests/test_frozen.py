"""Frozen results: recomputed and compared (tests/frozen/README.md)."""

import frozen
import pytest

PARTS = ("demo", "small", "middle", "large", "heartbench", "run", "other")


def part(name: str) -> str:
    """Return the part that compares a result."""
    statistic, _, source = name.partition(".")
    return next((one for one in PARTS if one in (statistic.split()[0], source)), "other")


@pytest.mark.parametrize(
    "which", [pytest.param(name, marks=pytest.mark.slow) if name in ("run", "other") else name for name in PARTS]
)
def test_results_are_equal(which):
    differences = frozen.differing(name for name in frozen.results() if part(name) == which)
    assert not differences, "\n".join(differences)


def test_every_file_has_a_result():
    assert {path.name for path in frozen.FROZEN.glob("*.parquet")} == {
        frozen.path_of(name).name for name in frozen.results()
    }
