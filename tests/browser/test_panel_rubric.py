"""The rubric panel in JupyterLab, in a real browser: each control is used, and what is shown is looked at."""

import pytest
from browser import filters, says, seen

from anthrokit import heartbench
from anthrokit.core import Run
from anthrokit.heartbench import bundled_answers, bundled_verdicts, load_cases
from anthrokit.heartbench.answers import add_answers, answers_of
from anthrokit.heartbench.cases import bundled_ratings, label_criteria
from anthrokit.panels.rubric import RubricPanel

CELL = """
from anthrokit import RubricPanel
from anthrokit.heartbench import bundled_answers, load_cases
from anthrokit.heartbench.cases import bundled_ratings
panel = RubricPanel({"cases": load_cases("bundled"), "answers": bundled_answers(), "ratings": bundled_ratings()})
panel
"""


@pytest.fixture
def rubric(open_notebook):
    notebook = open_notebook([CELL])
    notebook.panels.first.get_by_role("table").first.wait_for()
    return notebook


def choose(panel, name, option):
    filters(panel).get_by_label(name, exact=True).select_option(option)


def test_controls(rubric):
    panel, verdicts = rubric.panels.first, bundled_verdicts()
    votes = heartbench.cases.add_criteria(label_criteria(bundled_ratings()), load_cases("bundled"))
    says(panel, "12 of 12 cases")
    answers = panel.locator(".ak-answer")  # side by side, or one above the other where there is no room
    seen(answers).to_have_count(2)
    first, second = (one.bounding_box() for one in answers.all())
    assert first["y"] == second["y"] and first["x"] < second["x"]
    rubric.width(560)
    seen(answers.first).to_be_visible()
    first, second = (one.bounding_box() for one in answers.all())
    assert first["x"] == second["x"] and first["y"] < second["y"]
    rubric.width(1200)
    first = votes[votes["case_id"] == "zh-newcomer-promoted"]
    scores = heartbench.target_scores(first).set_index(["target", "name"])["estimate"]
    for model, column in (("listener", 2), ("adviser", 3)):
        cells = panel.locator(f".ak-rubric td:nth-child({column + 1}) .ak-yes-no").all_inner_texts()
        assert cells == ["✓ Yes" if verdict else "✗ No" for verdict in first.loc[first["target"] == model, "verdict"]]
        overall = panel.get_by_role("region", name=model).locator(".ak-score")
        seen(overall).to_have_text(f"{scores[model, 'Overall']:.0f}")

    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).to_have_text("2 / 12")
    seen(panel.locator(".ak-page").get_by_text("八点准时打电话")).to_be_visible()
    counts = {
        "Scene": ("Workplace Psychology", verdicts["scene"] == "Workplace Psychology"),
        "Difficulty": ("hard", verdicts["difficulty"] == "hard"),
        "Dimension": ("Morality", verdicts["dimension"] == "Morality"),
    }
    for name, (option, rows) in counts.items():
        choose(panel, name, option)
        says(panel, f"{verdicts.loc[rows, 'case_id'].nunique()} of 12")
        if name == "Dimension":
            seen(panel.get_by_text("criteria of other dimensions are not shown")).to_be_visible()
        choose(panel, name, "")
        says(panel, "12 of 12")
    split = votes[(votes["votes_for"] > 0) & (votes["votes_for"] < votes["votes_cast"])]
    choose(panel, "Only where", "judges")
    says(panel, f"{split['case_id'].nunique()} of 12")
    reasons = panel.get_by_text("literal 1").first
    seen(reasons).not_to_be_visible()
    panel.get_by_text("Judges", exact=True).first.click()
    seen(reasons).to_be_visible()
    panel.locator("button[title^='Show what the judges quote']").first.click()
    seen(panel.locator("button[title^='Show what the judges quote']").first).to_have_attribute("aria-pressed", "true")
    seen(reasons).to_be_visible()  # the page was redrawn
    choose(panel, "Only where", "missing")
    seen(panel.get_by_text("No case fits these filters")).to_be_visible()
    choose(panel, "Only where", "targets")
    choose(panel, "Beside it", "listener")
    says(panel, "0 of 12")
    choose(panel, "Only where", "")
    choose(panel, "Beside it", "none")
    says(panel, "12 of 12")
    seen(panel.locator(".ak-answer")).to_have_count(1)
    panel.get_by_role("button", name="Remove Beside it: none").click()
    choose(panel, "Names", "zh")
    filters(panel).get_by_label("Text", exact=True).fill("组长")
    says(panel, "1 of 12")
    seen(panel.locator(".ak-answer h4 .ak-name")).to_have_text(["回答: listener", "回答: adviser"])
    seen(panel.locator(".ak-yes-no", has_text="未命中").first).to_be_visible()


def test_missing_and_special_verdicts(tmp_path):
    """A real run: an answer that wasn't judged, one that speaks as the user, and a judge who left a criterion out."""
    cases, answers = load_cases("bundled"), bundled_answers()
    with Run(tmp_path / "run") as run:
        add_answers(run, cases, answers)
        judge = {"judge": "ours", "position": 0, "samples": 1, "settings": "{}", "hash": "x", "counted": False}
        run.ledger.write("judges", [{**judge, "behaviours": "[]", "asks_about": "criteria"}])
        dialogue = answers_of(run).set_index(["target", "case_id"])["dialogue_id"]
        ratings = bundled_ratings(["strict"])
        judged = ratings[ratings["case_id"] != "zh-mother-calls"].assign(judge="ours")
        other = cases["zh-newcomer-promoted"].criteria[-1].number
        special = (judged["case_id"] == "zh-newcomer-promoted") & (judged["criterion"] == other)
        judged.loc[special & (judged["target"] == "adviser"), "verdict"] = True
        rest = judged[~((judged["case_id"] == "en-near-miss") & (judged["criterion"] == 1))]
        about = {"turn": 1, "judge": "ours", "sample": 1}
        rows = [
            {
                **{**about, "dialogue_id": dialogue[row.target, row.case_id]},
                **{"behaviour": f"{row.case_id}/{row.criterion}", "verdict": row.verdict, "status": "ok"},
            }
            for row in rest.itertuples()
        ]
        run.ledger.write("ratings", rows)
        panel = RubricPanel(run)
        assert len(panel.items) == 12 and panel.source.targets == ["adviser", "listener"]
        panel.state = {"worth": "missing"}
        assert panel.items == ["zh-mother-calls", "en-near-miss"]
        assert "no verdict" in panel.page and "planned" in panel.page and "not scored" in panel.page
        panel.state = {"worth": "special"}
        others = cases.criteria().query("ability == 'Other'")
        bundled = ratings[ratings["verdict"]].merge(others, on=["case_id", "criterion"])
        assert set(panel.items) == {"zh-newcomer-promoted", *bundled["case_id"]}
        assert "the whole answer scores 0" in panel.page
        assert panel.source.seen == run.ledger.version
        refused = {**about, "dialogue_id": dialogue["adviser", "zh-mother-calls"], "status": "refused"}
        run.ledger.write("ratings", [{**refused, "behaviour": "zh-mother-calls/1", "verdict": None}])
        panel.refresh()
        panel.state = {"worth": "missing"}
        assert "refused" in panel.page
