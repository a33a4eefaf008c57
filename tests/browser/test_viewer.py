"""The viewer: panels in a browser without a notebook, served and as static pages."""

import socket
import struct
import time
from itertools import product

import hostile
import pytest
from browser import CONTRASTS, HARM, OVERFLOWING, SLOW, THEIRS, WALK, filters, says, seen

from anthrokit import Run, analysis, demo_run
from anthrokit.core.run import bind
from anthrokit.heartbench import bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers, answers_of
from anthrokit.heartbench.cases import bundled_ratings
from anthrokit.panels.disagreement import confusion, judge_disagreement
from anthrokit.viewer import Viewer, write_bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The static pages of two runs; the runs are beside their folder. The second is for comparisons and has fewer ratings."""
    folder = tmp_path_factory.mktemp("viewer")
    demo_run(folder / "runs" / "demo").close()
    with demo_run(folder / "runs" / "warm", name="comparison") as warm:
        warm.ledger.write_all(["DELETE FROM ratings WHERE behaviour NOT IN ('empathy', 'explicit relationship status', 'validation')"])
    return write_bundle(folder / "runs", folder / "bundle")


@pytest.fixture(params=["served", "bundle"])
def address(request, bundle):
    """The address of two runs, from the server and from static pages."""
    if request.param == "bundle":
        yield bundle.as_uri()
        return
    with Viewer(bundle.parent.parent / "runs", port=0) as viewer:
        yield viewer.url


@pytest.fixture
def open_page(browser):
    """Open an address in a browser of its own, and note errors, dialogs and requests."""

    def open_one(address):
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(SLOW)
        page.troubles, page.asked = [], []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("console", lambda one: page.troubles.append(one.text) if one.type == "error" else None)
        page.on("dialog", lambda one: (page.troubles.append(one.message), one.dismiss()))
        page.on("request", lambda one: page.asked.append(one.url))
        page.goto(address)
        return page

    return open_one


def look_at(page):
    """Nothing is cut and every text has contrast: light and dark, narrow and wide."""
    for scheme, width in product(("light", "dark"), (420, 1280)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOWING, "body") == []
        assert [one for one in page.evaluate(CONTRASTS) if one[0] < 4.5] == []


def test_from_the_list_to_a_turn_that_is_shared(address, open_page):
    page = open_page(address)
    panel = page.locator(".ak-panel")
    says(panel, "2 of 2 runs")
    seen(panel.locator(".ak-row").first).to_contain_text("0.24", timeout=SLOW)  # agreement, once it is computed
    seen(panel.locator(".ak-page")).to_contain_text("80 of 80")
    assert "token" not in page.url
    panel.get_by_role("link", name="Dialogues").click()
    says(panel, "16 of 16 dialogues")
    filters(panel).get_by_label("Behaviour", exact=True).select_option("emotions")
    says(panel, "6 of 16 dialogues")
    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).to_have_text("2 / 6")
    title = panel.locator(".ak-row[aria-selected=true]").inner_text()
    panel.get_by_role("button", name="Turn 4", exact=True).first.click()
    seen(panel.locator(".ak-marked")).to_have_count(2)
    page.wait_for_url("**behaviour=emotions*turn=4**")

    again = page.context.new_page()
    again.goto(page.url)
    other = again.locator(".ak-panel")
    says(other, "6 of 16 dialogues")
    seen(other.locator(".ak-row[aria-selected=true]")).to_have_text(title, use_inner_text=True)
    seen(other.locator(".ak-marked").first).to_be_in_viewport()
    seen(other.locator(".ak-marked").first).to_contain_text("Turn 4")
    other.get_by_role("button", name="Previous").click()
    seen(other.locator(".ak-place")).to_have_text("1 / 6")
    seen(other.locator(".ak-marked")).to_have_count(0)
    filters(other).get_by_label("Behaviour", exact=True).select_option("")
    filters(other).get_by_label("Text", exact=True).fill("May Allah BLESS")
    says(other, "1 of 16")
    filters(other).get_by_label("Text", exact=True).fill("words that nobody said")
    says(other, "0 of 16")
    other.get_by_role("button", name="Clear filters").click()
    says(other, "16 of 16")
    other.get_by_role("button", name="Present", exact=True).click()
    labels = demo_run().labels()
    most = labels[labels["label"].fillna(False)].groupby("dialogue_id")["behaviour"].nunique().max()
    seen(other.locator(".ak-row").first.locator(".ak-cell").last).to_have_text(str(most))
    assert not page.troubles


def test_two_runs_side_by_side(address, open_page):
    page = open_page(address)
    panel = page.locator(".ak-panel")
    says(panel, "2 of 2 runs")
    page.get_by_label("Compare with …").select_option("warm")
    says(panel, "32 of 32 prompts")
    seen(panel.locator(".ak-beside > section")).to_have_count(2)
    filters(panel).get_by_label("Prompts of").select_option("both")
    says(panel, "0 of 32")
    panel.get_by_text("Differences of rates").click()
    seen(panel.locator(".ak-above td").first).to_be_visible()
    panel.get_by_role("button", name="Clear filters").click()
    panel.get_by_role("link", name="demo").click()
    says(panel, "16 of 16 dialogues")
    assert not page.troubles


def test_emergence_and_disagreement_in_a_bundle(bundle, open_page):
    """The numbers of each view are those of the run, and what isn't recorded is off."""
    with demo_run() as run:
        labels, ratings = run.labels(), run.ratings()
    page = open_page(f"{bundle.as_uri()}#emergence/demo")
    panel = page.locator(".ak-panel")
    filters(panel).get_by_label("View").select_option(label="Show: Empathy")
    first = analysis.first_occurrences(labels[labels["behaviour"] == "empathy"])
    says(panel, f"{first['occurred'].sum()} dialogues where Empathy occurs")
    second = (first["first_turn"] == 2).sum()
    panel.get_by_role("button", name=f"turn 2: {second}", exact=True).click()
    seen(panel.get_by_role("button", name=f"turn 2: {second}", exact=True)).to_have_attribute("aria-pressed", "true")
    seen(panel.locator(".ak-place")).to_have_text(f"– / {second}")
    panel.locator(".ak-row").first.click()
    seen(panel.locator(".ak-page").get_by_role("button", name="Turn 2", exact=True).first).to_be_visible()
    panel.get_by_role("button", name="Clear filters").or_(panel.get_by_role("button", name="Clear all")).click()
    panel.get_by_role("button", name="Validation", exact=True).click()
    validation = analysis.first_occurrences(labels[labels["behaviour"] == "validation"])
    says(panel, f"{validation['occurred'].sum()} dialogues where Validation occurs")
    seen(panel.locator("[data-brush]")).to_have_count(0)

    page.get_by_role("banner").get_by_role("link", name="Disagreement").click()
    filters(panel).get_by_label("View").select_option(label="Behaviour: empathy")
    ratings = ratings[ratings["behaviour"] == "empathy"]
    says(panel, f"{(judge_disagreement(ratings)['between'] > 0).sum()} of {len(first) * 5} messages and behaviours")
    page.reload()  # the address holds the view
    pair = panel.get_by_title("Show where grammar | sentences differ", exact=True)
    pair.click()
    table = confusion(ratings, "grammar", "sentences")
    for one, other in (("Yes", "No"), ("No", "Yes")):
        cell = panel.get_by_title(f"grammar: {one}; sentences: {other}.")
        if table.loc[one, other]:
            cell.click()
            seen(cell).to_have_attribute("aria-pressed", "true")
            says(panel, f"{table.loc[one, other]} of {len(first) * 5} messages")
    seen(panel.get_by_title("grammar: No; sentences: No.")).to_be_disabled()
    panel.get_by_role("button", name="All pairs").click()
    seen(pair).to_be_visible()
    seen(panel.locator(".ak-bar")).to_be_hidden()  # nothing can be saved
    assert not page.troubles


def test_rubrics_in_a_bundle(open_page, tmp_path):
    with Run(tmp_path / "runs" / "answers") as run:
        add_answers(run, load_cases("bundled"), bundled_answers())
        judge = {"judge": "strict", "position": 0, "samples": 1, "settings": "{}", "hash": "x", "counted": False}
        run.ledger.write("judges", [{**judge, "behaviours": "[]", "asks_about": "criteria"}])
        dialogue = answers_of(run).set_index(["target", "case_id"])["dialogue_id"]
        about = {"turn": 1, "judge": "strict", "sample": 1, "status": "ok"}
        rows = [
            {
                **{**about, "dialogue_id": dialogue[row.target, row.case_id]},
                **{"behaviour": f"{row.case_id}/{row.criterion}", "verdict": row.verdict},
            }
            for row in bundled_ratings(["strict"]).itertuples()
        ]
        run.ledger.write("ratings", rows)
    page = open_page(write_bundle(tmp_path / "runs", tmp_path / "bundle").as_uri())
    seen(page.get_by_role("link", name="Emergence")).to_have_count(0)  # no answer has a second turn
    page.get_by_role("banner").get_by_role("link", name="Rubric").click()
    panel = page.locator(".ak-panel")
    says(panel, "12 of 12 cases")
    seen(panel.locator(".ak-answer")).to_have_count(2)
    seen(panel.locator(".ak-rubric [data-choose]").first).to_be_disabled()
    look_at(page)
    filters(panel).get_by_label("View").select_option(label="Beside it: none")
    seen(panel.locator(".ak-answer")).to_have_count(1)
    filters(panel).get_by_label("Difficulty").select_option("hard")
    hard = sum(case.difficulty == "hard" for case in load_cases("bundled"))
    says(panel, f"{hard} of 12 cases")
    filters(panel).get_by_label("Text", exact=True).fill("words that nobody wrote")
    says(panel, "0 of 12")
    assert not page.troubles


def test_nothing_is_cut_and_all_can_be_read(address, open_page):
    page = open_page(address)
    for place in ("#dialogues/demo", "#emergence/demo", "#disagreement/demo", "#compare/demo/warm", "#runs"):
        page.evaluate("place => { location.hash = place; }", place)
        page.locator(".ak-panel .ak-row").first.wait_for()
        look_at(page)
    page.set_viewport_size({"width": 420, "height": 900})
    page.evaluate("() => { location.hash = '#runs?at=warm'; }")
    table = seen(page.locator(".ak-page table").first)
    table.to_contain_text("prompt: plain (8), warm (8)")  # its conditions
    table.to_contain_text("32 calls, $0.00")  # the end of the costs
    profile = page.locator("table.ak-profile").locator("..")
    assert profile.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_many_turns_categories_and_long_names(open_page, tmp_path):
    """Nothing overlaps, names that differ look different, numbers are in view, and nothing is offered that can't be done."""
    hostile.crowded(tmp_path / "runs" / "crowded").close()
    with Viewer(tmp_path / "runs", port=0) as viewer:
        page = open_page(viewer.url)
        panel, bar = page.locator(".ak-panel"), page.get_by_role("banner")
        seen(panel.locator("table.ak-profile th", has_text="Clusters")).to_be_in_viewport(timeout=SLOW)
        bar.get_by_role("link", name="Dialogues").click()
        says(panel, "9 of 9 dialogues")
        look_at(page)
        names = panel.locator(".ak-strip-name")
        assert min(names.evaluate_all("all => all.map(one => one.clientWidth)")) > 60
        notes = panel.locator(".ak-row-note")
        assert min(notes.evaluate_all("all => all.map(one => one.clientWidth)")) > 90
        seen(panel.locator(".ak-badge bdi").first).to_be_attached()

        bar.get_by_role("link", name="Disagreement").click()
        seen(panel.locator(".ak-pairs button")).to_have_count(3)
        texts = panel.locator(".ak-pairs .ak-name").all_inner_texts()
        assert len(set(texts)) == 3 and all("-1" in text or "-2" in text for text in texts)
        look_at(page)
        seen(panel.get_by_text("Message judged")).to_be_in_viewport()
        form = filters(panel)
        assert len(set(form.get_by_label("Judges").locator("option").all_inner_texts())) == 4
        seen(form.get_by_label("My verdicts")).to_be_hidden()
        panel.get_by_role("button", name="Keys").click()
        seen(panel.locator(".ak-help")).to_contain_text("next / previous")
        seen(panel.locator(".ak-help")).not_to_contain_text("Yes, No")

        bar.get_by_role("link", name="Emergence").click()
        panel.locator(".ak-row").last.wait_for()
        look_at(page)
        assert not page.troubles


def test_search_over_all_runs(open_page, tmp_path):
    demo_run(tmp_path / "demo").close()
    demo_run(tmp_path / "warm", name="comparison").close()
    with Viewer(tmp_path, port=0) as viewer:
        page = open_page(viewer.url)
        page.get_by_role("link", name="Search").click()
        panel = page.locator(".ak-panel")
        says(panel, "256 messages in 2 runs")
        seen(panel.get_by_label("Words")).to_be_focused()
        page.keyboard.type("May Allah BLESS")
        says(panel, "2 of 256 messages, in 1 of 2 runs")
        seen(panel.locator("mark.ak-hit").first).to_be_visible()
        panel.get_by_role("link", name="Open in demo").click()
        says(panel, "16 of 16 dialogues")
        seen(panel.locator(".ak-marked").first).to_be_in_viewport()
        viewer.__exit__()
        seen(page.get_by_role("alert")).to_contain_text("doesn't answer")
    assert not page.troubles


def test_page_that_leaves_at_once(bundle, caplog):
    with Viewer(bundle.parent.parent / "runs", port=0) as viewer:
        host, token = f"127.0.0.1:{viewer.port}", viewer.url.partition("token=")[2]
        headers = {"Host": host, "Cookie": f"anthrokit-{viewer.port}={token}", "Upgrade": "websocket", "Connection": "upgrade"}
        headers |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "A" * 22 + "=="}
        request = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", viewer.port)) as page:
                page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no goodbye
                page.sendall(f"GET /panel HTTP/1.1\r\n{request}\r\n".encode())
        time.sleep(0.3)
    assert not caplog.records


def test_an_empty_a_broken_and_a_growing_run(open_page, tmp_path):
    with Viewer(tmp_path, port=0) as viewer:
        page = open_page(viewer.url)
        seen(page.locator(".ak-empty")).to_contain_text("holds no run")
        (tmp_path / "broken").mkdir()
        (tmp_path / "broken" / "ledger.sqlite").write_bytes(b"not a ledger")
        bind(Run(tmp_path / "empty"), seed=1)
        page.get_by_role("button", name="Refresh").click()
        panel = page.locator(".ak-panel")
        says(panel, "2 of 2 runs")
        seen(panel.locator(".ak-page")).to_contain_text("it is not an SQLite file")
        page.goto(viewer.url.partition("?")[0] + "#dialogues/broken")
        seen(page.get_by_role("alert")).to_contain_text("it is not an SQLite file")
        page.goto(viewer.url.partition("?")[0] + "#dialogues/nowhere")
        seen(page.get_by_role("alert")).to_contain_text("no run 'nowhere' here")

        writer = demo_run(tmp_path / "demo")  # another process may hold it meanwhile
        page.goto(viewer.url.partition("?")[0] + "#runs")
        page.reload()
        page.get_by_label("Run", exact=True).select_option("demo")
        panel.get_by_role("link", name="Dialogues").click()
        says(panel, "16 of 16 dialogues")
        row = writer.query("SELECT * FROM dialogues LIMIT 1").iloc[0].dropna().to_dict()
        writer.ledger.write("dialogues", [row | {"dialogue_id": "new", "status": "planned"}])
        page.get_by_role("button", name="Refresh").click()
        says(panel, "17 of 17 dialogues")
    strange = open_page("about:blank")
    with Viewer(tmp_path, port=0) as viewer:
        assert strange.goto(viewer.url.partition("?")[0]).status == 403
        seen(strange.locator("body")).to_contain_text("Open the address")


@pytest.mark.parametrize("kind", ["served", "bundle"])
def test_hostile_texts(kind, open_page, tmp_path):
    """Every text and name of a run is a payload: none runs, and none becomes an element."""
    for name in ("<img src=x onerror=alert(1)> 'a&b'", "other"):
        with hostile.write(tmp_path / "runs" / name) as run:
            if kind == "bundle":  # a view of each behaviour with ratings would take seconds; each third shows them as well
                run.ledger.write_all(["DELETE FROM ratings WHERE CAST(behaviour AS INTEGER) % ?"], [9 if name == "other" else 3])
    viewer = Viewer(tmp_path / "runs", port=0)
    with viewer:
        index = viewer.url if kind == "served" else write_bundle(tmp_path / "runs", tmp_path / "bundle").as_uri()
        page = open_page(index)
        page.locator(".ak-panel .ak-row").first.wait_for()
        for place, number in (("#runs", 1), ("dialogues", 12), ("disagreement", 6), ("compare", 6), ("#search?text=a", 6)):
            if place.startswith("#search") and kind == "bundle":
                continue
            if place.startswith("#"):
                page.evaluate("place => { location.hash = place; }", place)
            elif place == "compare":
                page.get_by_label("Compare with …").select_option("other")
            else:
                page.get_by_role("banner").get_by_role("link", name=place.capitalize()).click()
            titles = {"dialogues": "Dialogues", "disagreement": "Where judges differ", "compare": "Comparison", "#runs": "Runs"}
            title = titles.get(place, "Search")
            seen(page.get_by_role("heading", level=3)).to_have_text(title)
            page.locator(".ak-panel .ak-row").first.wait_for()
            looked, wrong, answered = page.evaluate(WALK, [THEIRS, number, SLOW])
            assert wrong == [] and answered and looked >= number, place
            assert page.evaluate(OVERFLOWING, "body") == []
        assert page.evaluate(HARM, THEIRS) == [] and not page.troubles
        hosts = {one.split("?")[0].split("#")[0] for one in page.asked}
        assert all(one.startswith(("file:", "http://127.0.0.1:", "about:")) for one in hosts)
