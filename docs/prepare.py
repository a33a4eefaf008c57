"""Lay out what the site is rendered from: chapters/, the benchmarks page and the start page.

Run by smalldocs and by quarto before they render (`pre-render` in _quarto.yml). Both show a notebook's stored
outputs; neither knows nbdev's directives, so these are taken out here, and hidden cells with them.
"""

import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, CHAPTERS = ROOT / "nbs", ROOT / "chapters"
DIRECTIVE = re.compile(r"^#\| ?(export|hide|default_exp|eval)\b.*\n?", re.M)
# What was measured is told where it is used; the benchmarks page gathers these sections.
MEASURED = (
    ("Judging", "05_judging/02_judges", "How fast"),
    ("Offline judges: quality", "05_judging/04_offline", "Their measured quality"),
    ("AnthroScore", "06_anthroscore/02_scoring", "How fast it is"),
    ("Intervals: coverage", "07_analysis/02_clustered", "Do the intervals hold?"),
    ("Analysis of a whole study", "07_analysis/02_clustered", "How long it takes"),
)


def source(cell: dict) -> str:
    return "".join(cell["source"])


def readable(notebook: dict) -> dict:
    "A notebook as a reader wants it: no hidden cells, no directives."
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            hidden = re.match(r"#\| ?(hide|default_exp)\b", source(cell))
            cell = {**cell, "source": DIRECTIVE.sub("", source(cell))}
            if hidden or not source(cell).strip():
                continue
        cells.append(cell)
    return {**notebook, "cells": cells}


def section(chapter: str, heading: str) -> str:
    "The text of a chapter under a heading, with the tables that its cells show, up to the next heading."
    cells = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    start = next(n for n, cell in enumerate(cells) if source(cell).startswith(f"## {heading}\n"))
    parts = [source(cells[start]).removeprefix(f"## {heading}\n")]
    for cell in cells[start + 1 :]:
        if cell["cell_type"] == "markdown":
            break
        parts += ["".join(output["data"].get("text/html", "")) for output in cell["outputs"] if "data" in output]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def benchmarks() -> str:
    "The benchmarks page."
    text = (
        "# Benchmarks\n\n> What was measured, and by which script.\n\nEvery table stands in the chapter it belongs "
        "to and is gathered here. Each is printed by a script in `benchmarks/`; none is part of the tests. Rates "
        "belong to the machine they were measured on, a busy one with two processors; ratios travel further.\n"
    )
    for title, chapter, heading in MEASURED:
        text += f"\n## {title}\n\n{section(chapter, heading)}\n\n[The chapter]({chapter}.ipynb)\n"
    return text


def main() -> None:
    shutil.rmtree(CHAPTERS, ignore_errors=True)
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        place = path.relative_to(NOTEBOOKS)
        if any(part.startswith((".", "_")) for part in place.parts) or place.name == "index.ipynb":
            continue
        text = json.dumps(readable(json.loads(path.read_text(encoding="utf-8"))), ensure_ascii=False)
        (CHAPTERS / place).parent.mkdir(parents=True, exist_ok=True)
        (CHAPTERS / place).write_text(text, encoding="utf-8")
    (CHAPTERS / "benchmarks.md").write_text(benchmarks(), encoding="utf-8")
    start = json.loads((NOTEBOOKS / "index.ipynb").read_text(encoding="utf-8"))
    for cell in start["cells"]:
        cell["source"] = re.sub(r"\]\(([\w/]+\.ipynb)", r"](chapters/\1", source(cell)).replace("](../", "](")
    (ROOT / "index.ipynb").write_text(json.dumps(readable(start), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
