"""Write the `__init__.py` of every room, its names loaded when they are first used, and README's table of rooms.

Run by `make notebooks` after nbdev_export. What a room offers is what its modules list in `__all__`.
"""

import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, NOTEBOOKS = ROOT / "anthrokit", ROOT / "nbs"
TEMPLATE = '''"""{title}"""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={{
{rows}
    }},
)
'''


def public(module: Path) -> list[str]:
    "The names that a module lists."
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def title(room: Path) -> str:
    "What a room is for: the line that the list in `anthrokit/__init__.py` gives it."
    text = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    found = re.search(rf"^\s+{room.name}\s{{2,}}(.+)$", text, re.M)
    words = found[1].strip() if found else f"{room.name} of anthrokit"
    return words[0].upper() + words[1:] + "."


def chapters(room: str) -> str:
    "Links to a room's notebooks, by their titles."
    links = []
    for path in sorted(NOTEBOOKS.glob(f"[0-9]*_{room}/*.ipynb")) or sorted(
        NOTEBOOKS.glob(f"[0-9]*_{room}.ipynb")
    ):
        heading = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).partition("\n")[
            0
        ]
        links.append(f"[{heading.removeprefix('# ')}]({path.relative_to(NOTEBOOKS).as_posix()})")
    return ", ".join(links)


def write_table() -> None:
    "Bring the table of rooms on the start page up to date."
    told = re.findall(r"^    (\w+) {2,}(\S.*)$", (PACKAGE / "__init__.py").read_text(encoding="utf-8"), re.M)
    rows = "".join(f"| `{room}` | {line} | {chapters(room)} |\n" for room, line in told)
    path = NOTEBOOKS / "index.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        made = re.sub(r"(\| room \| .*\n\| --- .*\n)(\|.*\n)*", lambda found: found[1] + rows, text)
        cell["source"] = made.splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def drop_widgets() -> None:
    "Take widgets' state out of notebooks that show none: every panel's holds the whole script and style."
    for path in NOTEBOOKS.rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        shown = {kind for cell in notebook["cells"] for out in cell.get("outputs", ()) for kind in out.get("data", ())}
        if "widgets" in notebook["metadata"] and "application/vnd.jupyter.widget-view+json" not in shown:
            del notebook["metadata"]["widgets"]
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    write_table()
    drop_widgets()
    for room in sorted(path for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("[a-z]*.py"))):
        modules = sorted(path for path in room.glob("*.py") if not path.name.startswith("_"))
        rows = []
        for module in modules:
            names = ", ".join(f'"{name}"' for name in sorted(public(module)))
            rows.append(f'        "{module.stem}": [{names}],')
        text = TEMPLATE.format(title=title(room), rows="\n".join(rows))
        (room / "__init__.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
