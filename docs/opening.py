"""The picture that a tutorial opens with: the first that its cells draw, as the attachment of its title cell.

    python docs/opening.py

A tutorial that draws none, since it shows panels, opens with the picture of the dialogue panel. The title cell says in
a line of Markdown where the picture stands, and what is to be seen: ![…](attachment:opening.png).
"""

import base64
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "opening.png"


def picture_of(notebook: dict) -> str:
    """The first picture among the outputs, or that of the dialogue panel; as text."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    drawn = (one["data"]["image/png"] for one in outputs if "image/png" in one.get("data", {}))
    panel = base64.b64encode((ROOT / "figures" / "panels" / "dialogue.png").read_bytes()).decode()
    return "".join(next(drawn, panel)).replace("\n", "")


def main() -> None:
    for path in sorted((ROOT / "nbs" / "tutorials").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        opening = {NAME: {"image/png": picture_of(notebook)}}
        if notebook["cells"][0].get("attachments") != opening:
            notebook["cells"][0]["attachments"] = opening
            text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
