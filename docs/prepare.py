"""Lay out what the site is rendered from: chapters/, the API page, the benchmarks page and the start page.

Run by smalldocs and by quarto before they render (`pre-render` in _quarto.yml). A chapter shows what a reader looks
for: each public name with its signature, tables of its parameters made from the docstring, and a link to its source;
then the thing at work. Imports are left out, bodies and private helpers folded, with a link to their source.
"""

import ast
import copy
import functools
import html
import json
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

from docstring_parser import DocstringStyle, parse
from latex2mathml.converter import convert
from subpackages import PUBLIC

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, CHAPTERS, PACKAGE = ROOT / "nbs", ROOT / "chapters", ROOT / "anthrokit"
DIRECTIVE = re.compile(r"^#\| ?(export|exporti|hide|default_exp|eval)\b.*\n?", re.M)
# What was measured is told where it is used; the benchmarks page gathers these sections: title, module, heading.
MEASURED = (
    ("Judging", "Speed"),
    ("The embedded model", "Tokens a second"),
    ("Offline judges: quality", "Their measured quality"),
    ("AnthroScore", "How fast it is"),
    ("Intervals: coverage", "Coverage"),
    ("Analysis of a whole study", "Speed"),
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def settings() -> dict:
    parser = ConfigParser(delimiters=["="])
    parser.read(ROOT / "settings.ini", encoding="utf-8")
    return dict(parser["DEFAULT"])


def source(cell: dict) -> str:
    return "".join(cell["source"])


def shown_notebooks() -> list[Path]:
    """The notebooks that become pages, but for the start page."""
    found = []
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        parts = path.relative_to(NOTEBOOKS).parts
        if path.name != "index.ipynb" and not any(part.startswith((".", "_")) for part in parts):
            found.append(path)
    return found


# Docstrings


def table(head: str, rows: list[tuple[str, str, str]]) -> str:
    """A table of names, kinds and meanings."""
    named = any(name for name, *_ in rows)  # what is returned or raised has a kind and a meaning alone
    lines = [f"| {head} | | |", "|---|---|---|"] if named else [f"| {head} | |", "|---|---|"]
    for name, kind, meaning in rows:
        cells = (f"`{name}`" if name else "", f"*{kind}*" if kind else "", " ".join(meaning.split()))
        cells = cells if named else cells[1:]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def described(docstring: str) -> str:
    """A numpydoc docstring as prose, tables and examples."""
    found = parse(docstring, style=DocstringStyle.NUMPYDOC)
    parts = [found.short_description or "", found.long_description or ""]
    for head, attribute in (("Parameters", "param"), ("Attributes", "attribute")):
        mine = [one for one in found.params if one.args[0] == attribute]
        if mine:
            parts.append(
                table(head, [(one.arg_name, one.type_name or "", one.description or "") for one in mine])
            )
    if found.many_returns:
        rows = [
            (one.return_name or "", one.type_name or "", one.description or "") for one in found.many_returns
        ]
        parts.append(table("Returns", rows))
    if found.raises:
        parts.append(
            table("Raises", [("", one.type_name or "", one.description or "") for one in found.raises])
        )
    for one in found.meta:
        if one.args[0] in ("notes", "references", "see_also"):
            parts.append(
                f"*{one.args[0].capitalize().replace('_', ' ')}.* {' '.join((one.description or '').split())}"
            )
    examples = docstring.partition("Examples\n")[2].partition("--------\n")[2]
    if examples.strip():
        parts.append(f"```python\n{textwrap.dedent(examples).strip()}\n```")
    return "\n\n".join(part for part in parts if part.strip())


def signature(node: Definition) -> str:
    """The head of a definition, a line for each parameter where it is long."""
    if isinstance(node, ast.ClassDef):
        made = next((one for one in node.body if getattr(one, "name", "") == "__init__"), None)
        return f"class {node.name}" + (call(made, leave=1) if made else fields(node))
    prefix = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{prefix}{node.name}{call(node)}{returned}"


def fields(node: ast.ClassDef) -> str:
    """What a dataclass or a named tuple is made from."""
    given = [one for one in node.body if isinstance(one, ast.AnnAssign) and not one.target.id.startswith("_")]
    if not given:
        return ""
    parts = []
    for one in given:
        value = "…" if isinstance(one.value, ast.Call) else one.value and ast.unparse(one.value)
        parts.append(f"{one.target.id}: {ast.unparse(one.annotation)}" + (f" = {value}" if value else ""))
    return wrapped(parts)


def call(node: ast.FunctionDef | ast.AsyncFunctionDef, leave: int = 0) -> str:
    """The parameters of a function, but for the first so many."""
    names, parts = node.args, []
    positional = [*names.posonlyargs, *names.args]
    defaults = [None] * (len(positional) - len(names.defaults)) + list(names.defaults)
    given = list(zip(positional, defaults, strict=True))[leave:]
    given += [(ast.arg(f"*{names.vararg.arg}", names.vararg.annotation), None)] if names.vararg else []
    star = [(ast.arg("*"), None)] if names.kwonlyargs and not names.vararg else []
    given += star + list(zip(names.kwonlyargs, names.kw_defaults, strict=True))
    given += [(ast.arg(f"**{names.kwarg.arg}", names.kwarg.annotation), None)] if names.kwarg else []
    for one, default in given:
        hint = f": {ast.unparse(one.annotation)}" if one.annotation else ""
        value = (
            f" = {ast.unparse(default)}"
            if hint and default
            else f"={ast.unparse(default)}"
            if default
            else ""
        )
        parts.append(one.arg + hint + value)
    return wrapped(parts)


def wrapped(parts: list[str]) -> str:
    line = f"({', '.join(parts)})"
    return line if len(line) <= 90 else "(\n" + "".join(f"    {part},\n" for part in parts) + ")"


def methods(node: ast.ClassDef) -> str:
    """A table of a class's public methods and properties; what more there is to say of them opens on a click."""
    rows, more = [], []
    for one in node.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_"):
            known = {getattr(mark, "id", getattr(mark, "attr", "")) for mark in one.decorator_list}
            plain = known & {"property", "cached_property"}
            taken = "" if plain else re.sub(r"\s+", " ", call(one, leave=int("staticmethod" not in known)))
            rows.append((one.name + taken, "", first_line(one)))
            text = ast.get_docstring(one) or ""
            if "\n\n" in text:
                more.append(f"**`{node.name}.{one.name}`**\n\n{described(text)}")
    told = opens("What methods take and return", "\n\n".join(more)) if more else ""
    return f"{table('Methods', rows)}\n\n{told}" if rows else ""


def opens(told: str, text: str) -> str:
    """Markdown that opens on a click."""
    return f'<details class="code-fold">\n<summary>{told}</summary>\n\n{text}\n\n</details>'


def first_line(node: Definition) -> str:
    return (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")


# Modules


def modules() -> Iterator[tuple[str, ast.Module, list[str]]]:
    """Yield each module's name, code and names, in the order in which the package lists its subpackages."""
    order = re.findall(r"^    (\w+) {2,}\S", (PACKAGE / "__init__.py").read_text(encoding="utf-8"), re.M)
    for room in order:
        for path in sorted((PACKAGE / room).glob("[a-z]*.py")) or [PACKAGE / f"{room}.py"]:
            if not path.exists():
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            listed = [
                ast.literal_eval(node.value)
                for node in tree.body
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
            ]
            names = [name for each in listed for name in each]
            yield ".".join(path.relative_to(PACKAGE).with_suffix("").parts), tree, names


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement gives: a definition's, or those that it assigns to."""
    if isinstance(node, Definition):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    return [one.id for one in found if isinstance(one.ctx, ast.Store)]


def sources() -> dict[tuple[str, str], str]:
    """Where each name's source is shown, by module and name."""
    git, branch = settings()["git_url"], settings()["branch"]
    found = {}
    for module, tree, _ in modules():
        file = f"anthrokit/{module.replace('.', '/')}.py"
        for node in tree.body:
            for name in names_of(node):
                found.setdefault((module, name), f"{git}/blob/{branch}/{file}#L{node.lineno}")
    return found


# Chapters


def is_themed(node: Definition) -> bool:
    return "themed" in {getattr(mark, "id", "") for mark in node.decorator_list}


def with_look(node: ast.FunctionDef) -> ast.FunctionDef:
    """A figure function with the parameters that `figures.style.themed` adds to each: those of `theme`."""
    node = copy.deepcopy(node)
    node.args.kwonlyargs += look().args
    node.args.kw_defaults += look().defaults
    return node


@functools.cache
def look() -> ast.arguments:
    """The parameters of `figures.theme`."""
    code = (PACKAGE / "figures" / "style.py").read_text(encoding="utf-8")
    return next(node.args for node in ast.parse(code).body if getattr(node, "name", "") == "theme")


def with_shared(docstring: str, node: Definition) -> str:
    """A figure function's docstring with what `figures.style.themed` adds to each."""
    if not is_themed(node):
        return docstring
    taken = {"order", *(one.arg for one in [*node.args.args, *node.args.kwonlyargs])}
    head = "" if "\nParameters\n" in docstring else "\nParameters\n----------\n"
    shared = head + "\n".join(text for name, text in shared_texts().items() if name in taken)
    shared += "" if "\nReturns\n" in docstring else "\n\n" + shared_texts()["Returns"]
    return re.sub(r"\n\n(?=(Returns|Raises|Examples)\n)", lambda _: f"\n{shared}\n\n", docstring, count=1)


@functools.cache
def shared_texts() -> dict[str, str]:
    """What `figures.style.SHARED` says."""
    for node in ast.parse((PACKAGE / "figures" / "style.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SHARED":
            return ast.literal_eval(node.value)
    raise SystemExit("anthrokit/figures/style.py has no SHARED, which the site shows for every figure")


@functools.cache
def places() -> dict[str, list[str]]:
    """The modules in which each public name is defined."""
    found = {}
    for module, tree, names in modules():
        for node in tree.body:
            if isinstance(node, Definition) and node.name in names:
                found.setdefault(node.name, []).append(module)
    return found


def meant(name: str, module: str) -> tuple[str, str] | None:
    """The module and the name that a docstring of a module means, where that is beyond doubt."""
    before, _, last = name.rpartition(".")
    if before[:1].isupper():  # the method of a class
        before, last = "", before
    found = [one for one in places().get(last, []) if not before or one.partition(".")[0] == before]
    near = [one for one in found if one.partition(".")[0] == module.partition(".")[0]]
    plain = re.fullmatch("[a-z]+", name)  # may be a word or a column: one of the same room alone
    for some in ([one for one in near if one == module], near, [] if plain else found):
        if len(some) == 1:
            return some[0], last
    return None


def crossed(text: str, node: Definition, module: str) -> str:
    """Documentation in which public names lead to where they are told of, but for its own and its parameters."""
    own = {node.name, *(one.arg for one in ast.walk(node) if isinstance(one, ast.arg))}
    here = Path(homes()[module]).parent

    def led(found: re.Match) -> str:
        there = meant(found[1], module)
        if there is None or there[1] in own or there[0] not in homes():
            return found[0]
        return f"[{found[0]}]({os.path.relpath(homes()[there[0]], here)}#{there[1]})"

    parts = re.split(r"(```.*?```)", text, flags=re.S)  # not in examples, nor in the first cells of tables
    parts[::2] = [
        re.sub(r"(?<!^\| )`([A-Za-z_][\w.]*)(?:\(…?\))?`", led, part, flags=re.M) for part in parts[::2]
    ]
    return "".join(parts)


def presented(node: Definition, module: str, link: str) -> str:
    """A public name: its heading, its signature, its docstring, its methods."""
    head = signature(with_look(node) if is_themed(node) else node)
    parts = [f"### `{node.name}` {{#{node.name}}}", f"```python\n{head}\n```"]
    told = ast.get_docstring(node) or ""
    parts.append(crossed(described(with_shared(told, node)), node, module))
    parts.append(crossed(methods(node), node, module) if isinstance(node, ast.ClassDef) else "")
    parts.append(f"[Source]({link})" if link else "")
    return "\n\n".join(part for part in parts if part)


def exported(cell: dict, module: str, links: dict) -> list[dict]:
    """What a cell that is exported shows: public names presented, its code folded."""
    code, listed = DIRECTIVE.sub("", source(cell)), re.match(r"#\| ?export\b", source(cell))
    body = ast.parse(code).body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    if len(imports) == len(body):
        return []
    lines = code.splitlines(keepends=True)
    for node in reversed(imports):
        del lines[node.lineno - 1 : node.end_lineno]
    named = [node for node in body if isinstance(node, Definition)]
    public = [node for node in named if listed and not node.name.startswith("_")]
    parts = [presented(node, module, links.get((module, node.name), "")) for node in public]
    names = [node.name for node in named] or [name for node in body for name in names_of(node)]
    told = "Code" if public else f"{'Helpers' if named else 'Values'}: {', '.join(dict.fromkeys(names))}"
    link = links.get((module, names[0]), "") if names and not public else ""
    values = [name for node in body if node not in named for name in names_of(node) if listed]
    parts.append(folded("".join(lines).strip(), told if names else "Code", link, values))
    return [{"cell_type": "markdown", "metadata": {}, "source": text} for text in parts]


def folded(code: str, told: str, link: str, anchors: list[str]) -> str:
    """Code that opens on a click, with a link to its source where none stands above it."""
    marks = "".join(f'<span id="{name}"></span>' for name in anchors if not name.startswith("_"))
    shown = f"`````python\n{code}\n`````" + (f"\n\n[Source]({link})" if link else "")
    return opens(marks + html.escape(told), shown)


def apart(text: str, module: str, links: dict) -> str:
    """Markdown whose headings leave the anchors of names to these: a section `demo` stands above what `demo` is."""

    def told(found: re.Match) -> str:
        slug = re.sub(r"\W+", "-", found[1].lower())
        return found[0] + (f" {{#about-{slug}}}" if (module, slug) in links else "")

    return re.sub(r"^#{2,} (.+)$", told, text, flags=re.M)


def tells_only_of_axes(output: dict) -> bool:
    """Whether an output is matplotlib's name for axes, which stands above the picture of them."""
    data = output.get("data", {})
    return list(data) == ["text/plain"] and bool(re.match(r"\[?<Axes: ", "".join(data["text/plain"])))


def with_alt(text: str, outputs: list[dict], module: str) -> str:
    """A cell's code, with what its picture shows, for those who don't see it: how its figure function's help begins.

    A picture that no figure function draws needs a line `#| fig-alt: ...` in its cell.
    """
    if "fig-alt:" in text or not any("image/png" in one.get("data", {}) for one in outputs):
        return text
    named = dict.fromkeys(re.findall(r"(?:\w+\.)?plot_\w+(?=\()", text))
    found = [meant(name, module) or meant(name.rpartition(".")[2], module) for name in named]
    alt = " ".join(first_lines()[one] for one in found if one)
    return f"#| fig-alt: {json.dumps(alt, ensure_ascii=False)}\n{text}" if alt else text


@functools.cache
def first_lines() -> dict[tuple[str, str], str]:
    """How the help of each public name begins, by module and name."""
    return {
        (module, node.name): first_line(node)
        for module, tree, names in modules()
        for node in tree.body
        if isinstance(node, Definition) and node.name in names
    }


def with_formulas(text: str) -> str:
    """Markdown with its formulas as MathML, which browsers draw without a script."""

    def drawn(found: re.Match) -> str:
        made = convert(found[1] or found[2], display="block" if found[1] else "inline")
        if "\\" in made:
            raise SystemExit(f"the formula {found[0]} has a command that latex2mathml doesn't know")
        return made

    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)  # not in code
    formula = r"\$\$(.+?)\$\$|(?<![\\\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?!\d)"
    parts[::2] = [re.sub(formula, drawn, part, flags=re.S) for part in parts[::2]]
    return "".join(parts)


def on_the_site(output: dict) -> dict:
    """An output whose panels are dark where the site is: they look for JupyterLab's mark."""
    data = {
        kind: "".join(text).replace('[data-jp-theme-light="false"]', ".quarto-dark") if kind == "text/html" else text
        for kind, text in output.get("data", {}).items()
    }
    return {**output, "data": data} if data else output


def readable(notebook: dict, links: dict) -> dict:
    """A notebook as a reader wants it."""
    cells, module = [], ""
    for cell in notebook["cells"]:
        text = source(cell)
        if cell["cell_type"] != "code":
            cells.append({**cell, "source": apart(text, module, links)})
        elif found := re.match(r"#\| ?default_exp ([\w.]+)", text):
            module = found[1]
        elif re.match(r"#\| ?exporti?\b", text):
            cells += exported(cell, module, links)
        elif not re.match(r"#\| ?hide\b", text) and DIRECTIVE.sub("", text).strip():
            outputs = [on_the_site(one) for one in cell["outputs"] if not tells_only_of_axes(one)]
            code = with_alt(DIRECTIVE.sub("", text), outputs, module)
            cells.append({**cell, "source": code, "outputs": outputs})
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = with_formulas(source(cell))
    return {**notebook, "cells": cells}


@functools.cache
def homes() -> dict[str, str]:
    """The chapter of each module."""
    found = {}
    for path in shown_notebooks():
        text = path.read_text(encoding="utf-8")
        if module := re.search(r"#\| ?default_exp ([\w.]+)", text):
            found[module[1]] = path.relative_to(NOTEBOOKS).as_posix()
    return found


def value_line(name: str, node: ast.Assign | ast.AnnAssign, code: str) -> str:
    """What a value is, or its type where that is told, cut where it is long; and the comment behind it."""
    several = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    value = node.value.elts[names_of(node).index(name)] if several else node.value
    text = ast.unparse(node.annotation if isinstance(node, ast.AnnAssign) else value)
    text = text if len(text) <= 80 else text[:79] + "…"
    comment = code.splitlines()[node.end_lineno - 1].encode()[node.end_col_offset :].decode().strip()
    told = comment.removeprefix("#").strip() if comment.startswith("# ") and "fmt:" not in comment else ""
    return f"`` {text} ``" + (f": {told}" if told else "")


def api() -> str:
    """Write a page of the public names: those of `import anthrokit as ak` first, then each subpackage's."""
    text = "# API\n\n> The public names, with their first lines. Other functions are described in their chapters.\n"
    package = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    top = {f"{room}.{name}" for room, name in re.findall(r"^from \.(\w+) import (\w+) as", stub, re.M)}
    titles = dict(re.findall(r"^    (\w+) {2,}(\S.*)$", ast.get_docstring(package, clean=False), re.M))
    rows: dict[str, list[str]] = {"ak": [], **{room: [] for room in titles}}
    for module, tree, names in modules():
        room = module.partition(".")[0]
        code = (PACKAGE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        given = {name: node for node in reversed(tree.body) for name in names_of(node)}
        offered = PUBLIC[room].split() if room in PUBLIC else names
        for name in sorted(set(names) & set(offered) & set(given), key=lambda name: (not name.islower(), name)):
            rows["ak" if f"{room}.{name}" in top else room].append(api_row(module, name, given, code))
    for room, lines in rows.items():
        if lines:
            head = "Names of `import anthrokit as ak`" if room == "ak" else titles[room][0].upper() + titles[room][1:]
            text += f"\n## {room}\n\n{head}.\n\n| name | |\n|---|---|\n" + "".join(lines)
    return text


def api_row(module: str, name: str, given: dict[str, ast.stmt], code: str) -> str:
    """Return a row of the API page: a name, linked to its chapter, and its first line."""
    node = given[name]
    twin = name[1:] if isinstance(given.get(name[1:]), Definition) and name[0] == "a" else ""
    line = f"`{twin}` for code that awaits." if twin else ""
    line = first_line(node) if isinstance(node, Definition) else line or value_line(name, node, code)
    escaped = line.replace("|", "\\|")
    return f"| [`{name}`]({homes()[module]}#{twin or name}) | {escaped} |\n"


# Benchmarks


def section(heading: str) -> tuple[str, str]:
    """The text under a heading, with the tables that its cells show, and the chapter that it stands in."""
    for path in shown_notebooks():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        start = next((n for n, cell in enumerate(cells) if source(cell).startswith(f"## {heading}\n")), None)
        if start is None:
            continue
        parts = [source(cells[start]).removeprefix(f"## {heading}\n")]
        for cell in cells[start + 1 :]:
            if cell["cell_type"] == "markdown":
                break
            parts += [
                "".join(output["data"].get("text/html", "")) for output in cell["outputs"] if "data" in output
            ]
        text = "\n\n".join(part.strip() for part in parts if part.strip())
        return text, path.relative_to(NOTEBOOKS).as_posix()
    raise SystemExit(f"no chapter has the heading {heading!r}, which the page of benchmarks gathers")


def benchmarks() -> str:
    """The benchmarks page."""
    text = (
        "# Benchmarks\n\n> What was measured, and by which script.\n\nEvery table stands in the chapter it belongs "
        "to and is gathered here. Each is printed by a script in `benchmarks/`; none is part of the tests. Rates "
        "belong to the machine they were measured on, a busy one with two processors; ratios travel further.\n"
    )
    for title, heading in MEASURED:
        told, chapter = section(heading)
        text += f"\n## {title}\n\n{told}\n\n[The chapter]({chapter})\n"
    return text


def main() -> None:
    shutil.rmtree(CHAPTERS, ignore_errors=True)
    links = sources()
    for path in shown_notebooks():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        made = json.dumps(readable(notebook, links), ensure_ascii=False)
        place = CHAPTERS / path.relative_to(NOTEBOOKS)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(made, encoding="utf-8")
    (CHAPTERS / "about").mkdir()
    for path in sorted((ROOT / "docs").glob("*.md")):  # in the repository they link to the notebooks
        page = path.read_text(encoding="utf-8").replace("](../nbs/", "](../")
        (CHAPTERS / "about" / path.name).write_text(page, encoding="utf-8")
    (CHAPTERS / "benchmarks.md").write_text(benchmarks(), encoding="utf-8")
    (CHAPTERS / "api.md").write_text(api(), encoding="utf-8")
    start = json.loads((NOTEBOOKS / "index.ipynb").read_text(encoding="utf-8"))
    for cell in start["cells"]:
        text = re.sub(r"\]\(([\w/]+\.ipynb)", r"](chapters/\1", source(cell))
        cell["source"] = text.replace("](../docs/", "](chapters/about/").replace("](../", "](")
    (ROOT / "index.ipynb").write_text(
        json.dumps(readable(start, links), ensure_ascii=False), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
