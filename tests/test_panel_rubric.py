"""The rubric panel in JupyterLab, in a real browser: each control is used, and what is shown is looked at."""

import pytest
from browser import everywhere

from anthrokit import heartbench
from anthrokit.core import Run, vote
from anthrokit.heartbench import add_answers, bundled_answers, bundled_hits, bundled_ratings, load_cases
from anthrokit.panels.rubric import RubricPanel

# What a busy machine shows too late is asked for again, twice at most; a page that is wrong stays wrong.
pytestmark = pytest.mark.flaky(reruns=2, only_rerun=["TimeoutError", "AssertionError"])

CELL = """
from anthrokit import RubricPanel
from anthrokit.heartbench import bundled_answers, bundled_ratings, load_cases
panel = RubricPanel({"cases": load_cases("bundled"), "answers": bundled_answers(), "ratings": bundled_ratings()})
panel
"""


@pytest.fixture
def rubric(open_notebook):
    notebook = open_notebook([CELL])
    notebook.panels.first.get_by_role("table").first.wait_for()
    return notebook


def choose(panel, name, option):
    panel.get_by_role("combobox", name=name, exact=True).select_option(option)


@everywhere
def test_rubric_panel_controls(rubric):
    panel = rubric.panels.first
    status, hits = panel.get_by_role("status"), bundled_hits()
    votes = heartbench.with_criteria(vote(bundled_ratings()), load_cases("bundled"))
    status.get_by_text("Case 1 of 12").wait_for()
    first = votes[votes["case_id"] == "zh-newcomer-promoted"]
    for model, column in (("listener", 2), ("adviser", 3)):
        cells = panel.locator(f".ak-rubric td:nth-child({column + 1}) .ak-verdict").all_inner_texts()
        assert cells == ["✓ hit" if hit else "✗ miss" for hit in first.loc[first["model"] == model, "hit"]]
    scores = heartbench.score(first, n_resamples=0).set_index(["model", "name"])["estimate"]
    row = panel.locator(".ak-scores tr", has_text="Overall").inner_text().split()
    assert row == ["Overall", f"{scores['listener', 'Overall']:.0f}", f"{scores['adviser', 'Overall']:.0f}"]

    panel.get_by_role("button", name="Next").click()
    status.get_by_text("Case 2 of 12").wait_for()
    assert panel.get_by_text("八点准时打电话").is_visible()
    counts = {
        "Scene": ("Workplace Psychology", hits["scene"] == "Workplace Psychology"),
        "Difficulty": ("hard", hits["difficulty"] == "hard"),
        "Dimension": ("Morality", hits["dimension"] == "Morality"),
    }
    for name, (option, rows) in counts.items():
        choose(panel, name, option)
        status.get_by_text(f"of {hits.loc[rows, 'case_id'].nunique()} with").wait_for()
        if name == "Dimension":
            panel.get_by_text("criteria of other dimensions are not shown").wait_for()
        choose(panel, name, "all")
    split = votes[(votes["votes_for"] > 0) & (votes["votes_for"] < votes["votes_cast"])]
    choose(panel, "Only where", "judges differ")
    status.get_by_text(f"of {split['case_id'].nunique()} with").wait_for()
    reasons = panel.get_by_text("literal 1").first
    assert not reasons.is_visible()
    panel.get_by_text("Judges", exact=True).first.click()
    assert reasons.is_visible()
    choose(panel, "Only where", "a verdict is missing")
    panel.get_by_text("No case fits these filters").wait_for()
    choose(panel, "Only where", "the two models differ")
    choose(panel, "Beside it", "listener")
    status.get_by_text("of 0 with").wait_for()
    choose(panel, "Only where", "every case")
    choose(panel, "Beside it", "none")
    rubric.at("b=none")
    status.get_by_text("of 12 with").wait_for()
    assert panel.locator(".ak-side").count() == 1
    panel.get_by_label("Place").fill("a=adviser&b=listener&names=zh&text=组长")
    panel.get_by_label("Place").press("Enter")
    status.get_by_text("Case 1 of 1 with").wait_for()
    headings = panel.locator(".ak-side h4").all_inner_texts()
    assert headings == ["回答: adviser", "回答: listener"] and panel.get_by_text("未命中").first.is_visible()


def test_rubric_panel_looks(rubric):
    "Light and dark, wide and narrow; nothing is cut off. The screenshots are for people to look at."
    panel = rubric.panels.first
    rubric.screenshot("rubric_light")
    panel.get_by_text("Judges", exact=True).first.click()
    rubric.theme("JupyterLab Dark")
    rubric.width(900)
    assert rubric.overflowing() == []
    sides = [side.bounding_box() for side in panel.locator(".ak-side").all()]
    assert sides[0]["y"] == sides[1]["y"], "the answers stand side by side"
    rubric.screenshot("rubric_dark_900")
    for theme in ("Dark", "Light"):
        rubric.theme(f"JupyterLab {theme}")
        assert [one for one in rubric.contrasts() if one[0] < 4.5] == []


def test_rubric_panel_by_keyboard(rubric):
    "Tab reaches every control in reading order, each with a name, and Enter works it."
    names = rubric.tab_order()
    wanted = ["Model", "Beside it", "Scene", "Difficulty", "Dimension", "Only where", "Scoring", "Names", "Text"]
    assert names[:13] == [*wanted, "Case", "Next", "Refresh", "Place"] and set(names[13:]) == {"Judges"}
    rubric.panels.first.get_by_role("button", name="Next").press("Enter")
    rubric.panels.first.get_by_text("Case 2 of 12").wait_for()


def test_a_run_with_missing_verdicts_and_a_special_hit(tmp_path):
    "A real run: an answer that wasn't judged, one that speaks as the user, and a judge who left a criterion out."
    cases, answers = load_cases("bundled"), bundled_answers()
    with Run(tmp_path / "run") as run:
        add_answers(run, cases, answers)
        judge = {"judge": "ours", "position": 0, "samples": 1, "settings": "{}", "hash": "x"}
        run.write("rubric_judges", [judge])
        ratings = bundled_ratings(["strict"])
        judged = ratings[ratings["case_id"] != "zh-mother-calls"].assign(judge="ours")
        pairs = judged[["model", "case_id"]].drop_duplicates().to_dict("records")
        run.write("judgements", [{**pair, "judge": "ours", "sample": 1, "status": "ok"} for pair in pairs])
        other = cases["zh-newcomer-promoted"].criteria[-1].number
        special = (judged["case_id"] == "zh-newcomer-promoted") & (judged["criterion"] == other)
        judged.loc[special & (judged["model"] == "adviser"), "hit"] = True
        kept = judged[~((judged["case_id"] == "en-near-miss") & (judged["criterion"] == 1))]
        rows = kept.drop(columns="reason").astype({"hit": int}).to_dict("records")
        run.write("rubric_ratings", rows)
        panel = RubricPanel(run)
        assert len(panel.items()) == 12 and panel.models == ["adviser", "listener"]
        panel.state = "worth=missing"
        assert panel.items() == ["zh-mother-calls", "en-near-miss"]
        assert "no verdict" in panel.page.value and "planned" in panel.page.value and "not scored" in panel.page.value
        panel.state = "worth=special"
        others = cases.criteria().query("ability == 'Other'")
        bundled = ratings[ratings["hit"]].merge(others, on=["case_id", "criterion"])
        assert set(panel.items()) == {"zh-newcomer-promoted", *bundled["case_id"]}
        assert "the whole answer scores 0" in panel.page.value
        assert panel.source.refresh(only_if_new=True) is False
        pair = {"model": "adviser", "case_id": "zh-mother-calls", "judge": "ours", "sample": 1}
        run.write("judgements", [{**pair, "status": "refused"}])
        panel.refresh()
        panel.state = "worth=missing"
        assert "refused" in panel.page.value
