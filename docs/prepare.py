"""Write the pages that the site is rendered from: chapters/, the API page, the benchmarks page and the start page.

smalldocs and quarto run this script before they render (`pre-render` in _quarto.yml). A chapter shows each public name with
its signature, its docstring as tables, and a link to its source. Imports are omitted; bodies and private helpers are folded.
smalldocs links names in backticks to their chapters by the index that is written here (`smalldocs: symbols`).
"""

import ast
import html
import inspect
import json
import re
import shutil
import sys
import textwrap
from collections import Counter
from configparser import ConfigParser
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from docstring_parser import DocstringStyle, parse
from latex2mathml.converter import convert
from subpackages import NOTEBOOKS, PACKAGE, PUBLIC, ROOT, titles

CHAPTERS = ROOT / "chapters"
DIRECTIVE = re.compile(r"^#\| ?(export|exporti|hide|default_exp|eval)\b.*\n?", re.M)
# The benchmarks page gathers sections of chapters: its title for the section, and the section's heading.
MEASURED = {
    "Judging": "Speed",
    "Simulation": "Speed of simulation",
    "The embedded model": "Tokens a second",
    "Offline judges: quality": "Their measured quality",
    "AnthroScore": "Speed",
    "Intervals: coverage": "Coverage",
    "Analysis of a whole study": "Speed",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def source(cell: dict) -> str:
    return "".join(cell["source"])


def read_notebook(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def shown_notebooks() -> list[Path]:
    """Return the notebooks that become pages, except the start page."""
    paths = [path.relative_to(NOTEBOOKS) for path in sorted(NOTEBOOKS.rglob("*.ipynb"))]
    return [path for path in paths if path.name != "index.ipynb" and not any(part[0] in "._" for part in path.parts)]


# Modules


@cache
def repository() -> str:
    """Return the address of the branch's files."""
    settings = ConfigParser(delimiters=["="])
    settings.read(ROOT / "settings.ini", encoding="utf-8")
    return "{git_url}/blob/{branch}".format(**settings["DEFAULT"])


@dataclass
class Module:
    """A module of the package: its code, its public names, the statement that defines each name, and its chapter."""

    name: str
    code: str
    public: list[str]
    defined: dict[str, ast.stmt]
    chapter: str

    def link(self, name: str) -> str:
        """Return the address of a name's source."""
        return f"{repository()}/anthrokit/{self.name.replace('.', '/')}.py#L{self.defined[name].lineno}"

    def docstring(self, node: Definition) -> str:
        """Return a docstring. The decorator `themed` adds the parameters that all figures take."""
        if any(ast.unparse(mark) == "themed" for mark in node.decorator_list):
            return getattr(import_module(f"anthrokit.{self.name}"), node.name).__doc__
        return ast.get_docstring(node) or ""


def names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines."""
    if isinstance(node, Definition):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    return [one.id for one in names if isinstance(one.ctx, ast.Store)]


@cache
def modules() -> dict[str, Module]:
    """Return the modules by name, in the order in which the package lists its subpackages."""
    chapters = {}
    for path in shown_notebooks():
        if module := re.search(r"#\| ?default_exp ([\w.]+)", (NOTEBOOKS / path).read_text(encoding="utf-8")):
            chapters[module[1]] = path.as_posix()
    order = [*titles(), "__main__"]
    read = {}
    for name in sorted(chapters, key=lambda name: (order.index(name.partition(".")[0]), name)):
        code = (PACKAGE / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
        defined = {one: node for node in reversed(ast.parse(code).body) for one in names_of(node)}
        public = ast.literal_eval(defined.pop("__all__").value) if "__all__" in defined else []
        read[name] = Module(name, code, public, defined, chapters[name])
    return read


def symbols() -> dict[str, str]:
    """Return the page of each public name: of `name`, if it is unique, and of `subpackage.name`."""
    pages = [
        (name, module.name.partition(".")[0], f"/chapters/{module.chapter}#{name}")
        for module in modules().values()
        for name in module.public
        if isinstance(module.defined.get(name), Definition)
    ]
    times = Counter(name for name, *_ in pages)
    index = {name: page for name, _, page in pages if times[name] == 1}
    return index | {f"{subpackage}.{name}": page for name, subpackage, page in pages}


# Definitions


def table(head: str, rows: list[tuple[str | None, str | None, str | None]]) -> str:
    """Return a table of names, types and meanings; without the names if there are none."""
    cells = [
        (f"`{name}`" if name else "", f"*{kind}*" if kind else "", " ".join((meaning or "").split()))
        for name, kind, meaning in rows
    ]
    first = 0 if any(name for name, *_ in rows) else 1
    lines = [[head, "", ""][: 3 - first], ["---"] * (3 - first), *(one[first:] for one in cells)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def described(docstring: str) -> str:
    """Return a numpydoc docstring as prose, tables and examples."""
    content = parse(docstring, style=DocstringStyle.NUMPYDOC)
    parts = [content.short_description, content.long_description]
    for head, kind in (("Parameters", "param"), ("Attributes", "attribute")):
        rows = [(one.arg_name, one.type_name, one.description) for one in content.params if one.args[0] == kind]
        parts.append(table(head, rows) if rows else "")
    if content.many_returns:
        rows = [(one.return_name, one.type_name, one.description) for one in content.many_returns]
        parts.append(table("Returns", rows))
    if content.raises:
        parts.append(table("Raises", [(None, one.type_name, one.description) for one in content.raises]))
    for one in content.meta:
        if one.args[0] in ("notes", "references", "see_also"):
            parts.append(f"*{one.args[0].capitalize().replace('_', ' ')}.* {' '.join((one.description or '').split())}")
    examples = textwrap.dedent(docstring.partition("Examples\n")[2].partition("--------\n")[2]).strip()
    parts.append(examples and f"```python\n{examples}\n```")
    return "\n\n".join(part for part in parts if part and part.strip())


def signature(node: Definition, lines: list[str]) -> str:
    """Return the head of a definition as it is written: parameters of a function, fields or parameters of a class."""
    if isinstance(node, Function):
        return textwrap.dedent("\n".join(lines[node.lineno - 1 : max(node.body[0].lineno - 1, node.lineno)])).rstrip().rstrip(":")
    made = [one for one in node.body if isinstance(one, Function) and one.name == "__init__"]
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and not ast.unparse(one.target).startswith("_")]
    parts = [signature(one, lines) for one in made] or [ast.unparse(one) for one in fields]
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    return f"class {node.name}{bases}" + textwrap.indent("".join(f"\n{part}" for part in parts), "    ")


def methods(node: ast.ClassDef, module: Module) -> str:
    """Return a table of a class's public methods and properties, and their details folded."""
    public = [one for one in node.body if isinstance(one, Function) and not one.name.startswith("_")]
    if not public:
        return ""
    rows = []
    for one in public:
        is_property = any("property" in ast.unparse(mark) for mark in one.decorator_list)
        parameters = re.sub(r"^\(?(self|cls)?(, )?", "", ast.unparse(one.args))
        rows.append((one.name if is_property else f"{one.name}({parameters})", "", first_line(module.docstring(one))))
    details = [
        f"**`{node.name}.{one.name}`**\n\n{described(module.docstring(one))}"
        for one in public
        if "\n\n" in module.docstring(one)
    ]
    details = folded("What methods take and return", "\n\n".join(details)) if details else ""
    return f"{table('Methods', rows)}\n\n{details}"


def folded(title: str, text: str) -> str:
    """Return Markdown that opens on a click."""
    return f'<details class="code-fold">\n<summary>{title}</summary>\n\n{text}\n\n</details>'


def first_line(docstring: str) -> str:
    return docstring.partition("\n\n")[0].replace("\n", " ")


def presented(node: Definition, module: Module, lines: list[str]) -> str:
    """Return a public name: its heading, signature, docstring and methods, and the link to its source."""
    parts = [f"### `{node.name}`{{.nolink}} {{#{node.name}}}", f"```python\n{signature(node, lines)}\n```"]
    parts += [described(module.docstring(node)), methods(node, module) if isinstance(node, ast.ClassDef) else ""]
    return "\n\n".join([*filter(None, parts), f"[Source]({module.link(node.name)})"])


# Chapters


def exported(cell: dict, module: Module) -> list[str]:
    """Return the Markdown of a cell that is exported: public names presented, its code folded."""
    code, is_public = DIRECTIVE.sub("", source(cell)), re.match(r"#\| ?export\b", source(cell))
    body, lines = ast.parse(code).body, code.splitlines()
    definitions = [node for node in body if isinstance(node, Definition)]
    public = [node for node in definitions if is_public and not node.name.startswith("_")]
    texts = [presented(node, module, lines) for node in public]
    for node in reversed([node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]):
        body.remove(node)
        del lines[node.lineno - 1 : node.end_lineno]
    if not body:
        return []
    values = [name for node in body if node not in definitions for name in names_of(node)]
    names = [node.name for node in definitions] or list(dict.fromkeys(values))
    title = "Code" if public or not names else f"{'Helpers' if definitions else 'Values'}: {', '.join(names)}"
    anchors = "".join(f'<span id="{name}"></span>' for name in values if is_public and name[0] != "_")
    link = f"\n\n[Source]({module.link(names[0])})" if names and not public else ""
    code = "\n".join(lines).strip()
    return [*texts, folded(anchors + html.escape(title), f"`````python\n{code}\n`````{link}")]


def with_alt(code: str, outputs: list[dict]) -> str:
    """Return a cell's code with a description of its picture: the first lines of its figure functions' docstrings.

    A picture that no figure function draws needs a line `#| fig-alt: ...` in its cell.
    """
    if "fig-alt:" in code or not any("image/png" in one.get("data", {}) for one in outputs):
        return code
    named = dict.fromkeys(re.findall(r"\b(plot_\w+)(?=\()", code))
    every = [(name, module) for name in named for module in modules().values() if name in module.public]
    alt = " ".join(first_line(module.docstring(module.defined[name])) for name, module in every)
    return f"#| fig-alt: {json.dumps(alt, ensure_ascii=False)}\n{code}" if alt else code


def with_formulas(text: str) -> str:
    """Return Markdown with its formulas as MathML, which browsers draw without a script."""

    def draw(match: re.Match) -> str:
        made = convert(match[1] or match[2], display="block" if match[1] else "inline")
        if "\\" in made:
            raise SystemExit(f"the formula {match[0]} has a command that latex2mathml doesn't know")
        return made

    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)  # not in code
    formula = r"\$\$(.+?)\$\$|(?<![\\\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?!\d)"
    parts[::2] = [re.sub(formula, draw, part, flags=re.S) for part in parts[::2]]
    return "".join(parts)


def shown_outputs(cell: dict) -> list[dict]:
    """Return a cell's outputs without the names of axes, and with panels that are dark where the site is."""
    outputs = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if list(data) == ["text/plain"] and re.match(r"\[?<Axes: ", "".join(data["text/plain"])):
            continue
        if "text/html" in data:
            page = "".join(data["text/html"]).replace('[data-jp-theme-light="false"]', ".quarto-dark")
            output = {**output, "data": {**data, "text/html": page}}
        outputs.append(output)
    return outputs


def readable(notebook: dict) -> str:
    """Return a notebook as a reader wants it."""
    cells, module = [], None
    for cell in notebook["cells"]:
        text = source(cell)
        if cell["cell_type"] != "code":
            cells.append({**cell, "source": with_formulas(distinct_anchors(text, module))})
        elif match := re.match(r"#\| ?default_exp ([\w.]+)", text):
            module = modules()[match[1]]
        elif re.match(r"#\| ?exporti?\b", text):
            texts = map(with_formulas, exported(cell, module))
            cells += [{"cell_type": "markdown", "metadata": {}, "source": one} for one in texts]
        elif not re.match(r"#\| ?hide\b", text) and (code := DIRECTIVE.sub("", text)).strip():
            outputs = shown_outputs(cell)
            cells.append({**cell, "source": with_alt(code, outputs), "outputs": outputs})
    return json.dumps({**notebook, "cells": cells}, ensure_ascii=False)


def distinct_anchors(text: str, module: Module | None) -> str:
    """Return Markdown whose headings leave the anchors of names to these names."""

    def mark(match: re.Match) -> str:
        slug = re.sub(r"\W+", "-", match[1].lower())
        return match[0] + (f" {{#about-{slug}}}" if module and slug in module.defined else "")

    return re.sub(r"^#{2,} (.+)$", mark, text, flags=re.M)


# Pages


def api() -> dict[str, str]:
    """Return the pages of the public names: those of `import anthrokit as ak`, and one for each subpackage."""
    package = import_module("anthrokit")
    top = {name: value for name in package.__all__ if not inspect.ismodule(value := getattr(package, name))}
    rows = [api_row(inspect.unwrap(value).__module__.split(".")[1], name, value, "") for name, value in top.items()]
    pages, links = {}, []
    for subpackage in PUBLIC:
        own = import_module(f"anthrokit.{subpackage}")
        own_rows = [api_row(subpackage, name, getattr(own, name), "../") for name in PUBLIC[subpackage].split()]
        line = titles()[subpackage]
        pages[f"api/{subpackage}.md"] = f"# ak.{subpackage}\n\n> {line}\n\n| name | |\n|---|---|\n" + "".join(own_rows)
        links.append(f"| [`ak.{subpackage}`](api/{subpackage}.md) | {line} |\n")
    head = "# API\n\n> The names of `import anthrokit as ak`, and a page for each subpackage.\n\n| name | |\n|---|---|\n"
    return {"api.md": "".join([head, *rows, "\n## Subpackages\n\n| subpackage | |\n|---|---|\n", *links]), **pages}


def api_row(subpackage: str, name: str, value: object, up: str) -> str:
    """Return a row of an API page: a name, linked to its chapter, and its first line or value."""
    homes = [one for one in modules().values() if name in one.public and name in one.defined]
    if not homes:
        raise SystemExit(f"{subpackage}.{name} has no chapter")
    home = min(homes, key=lambda one: one.name.partition(".")[0] != subpackage)
    line = first_line(inspect.getdoc(value) or "") if callable(value) else f"`` {textwrap.shorten(repr(value), 80)} ``"
    anchor = name[1:] if name[1:] in home.defined else name  # asimulate stands beside simulate
    return f"| [`{name}`]({up}{home.chapter}#{anchor}) | {line.replace('|', chr(92) + '|')} |\n"


def benchmarks() -> str:
    """Return the benchmarks page, gathered from the chapters."""
    text = (
        "# Benchmarks\n\n> What was measured, and by which script.\n\nEvery table stands in the notebook it belongs "
        "to and is gathered here. Each is printed by a script in `benchmarks/`; none is part of the tests. Rates "
        "belong to the machine they were measured on, a busy one with two processors; ratios travel further.\n"
    )
    for title, heading in MEASURED.items():
        section, chapter = measured_section(heading)
        text += f"\n## {title}\n\n{section}\n\n[The notebook]({chapter})\n"
    return text


def measured_section(heading: str) -> tuple[str, str]:
    """Return the text under a heading, with the tables of its cells, and its chapter."""
    for path in shown_notebooks():
        cells = iter(read_notebook(NOTEBOOKS / path)["cells"])
        text = next((source(cell) for cell in cells if source(cell).startswith(f"## {heading}\n")), None)
        if text is None:
            continue
        parts = [text.removeprefix(f"## {heading}\n")]
        for cell in cells:
            if cell["cell_type"] == "markdown":
                break
            parts += ["".join(output.get("data", {}).get("text/html", "")) for output in cell["outputs"]]
        return "\n\n".join(part.strip() for part in parts if part.strip()), path.as_posix()
    raise SystemExit(f"no chapter has the heading {heading!r}, which the page of benchmarks gathers")


def main() -> None:
    sys.path.insert(0, str(ROOT))
    shutil.rmtree(CHAPTERS, ignore_errors=True)
    pages = {path.as_posix(): readable(read_notebook(NOTEBOOKS / path)) for path in shown_notebooks()}
    for path in sorted((ROOT / "docs").glob("*.md")):  # in the repository they link to the notebooks
        pages[f"about/{path.name}"] = path.read_text(encoding="utf-8").replace("](../nbs/", "](../")
    pages |= {"benchmarks.md": benchmarks(), **api(), "symbols.json": json.dumps(symbols(), indent=1)}
    for name, text in pages.items():
        (CHAPTERS / name).parent.mkdir(parents=True, exist_ok=True)
        (CHAPTERS / name).write_text(text, encoding="utf-8")
    start = read_notebook(NOTEBOOKS / "index.ipynb")
    for cell in start["cells"]:
        text = re.sub(r"\]\(([\w/]+\.ipynb)", r"](chapters/\1", source(cell))
        cell["source"] = text.replace("](../docs/", "](chapters/about/").replace("](../", "](")
    (ROOT / "index.ipynb").write_text(readable(start), encoding="utf-8")


if __name__ == "__main__":
    main()
