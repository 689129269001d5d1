"""The Python pages: every public function, class and constant, from source and docstrings.

The source is parsed, never imported, so that a page costs no start-up and has no side effects.
"""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from sitegen.escape import Html, text
from sitegen.page import Page, heading, page, paragraph
from sitegen.preformatted import preformatted

PYTHON = "reference/python"

PACKAGES = {
    "ingest": "Text and files in, checked bundles and a database out",
    "launch": "Placement, host-memory gate, launch lines",
    "models": "The decode-speed model",
    "sitegen": "Pages from database and model",
}
"""Package → what it is for. `rigbook` is the command line: its page is the commands'."""


class Entry(NamedTuple):
    """A public name: how it is written, and what its docstring says."""

    name: str
    signature: str
    doc: str


class Module(NamedTuple):
    """A module with its public names, in the order of the source."""

    name: str
    doc: str
    entries: tuple[Entry, ...]


@cache
def python_pages() -> tuple[Page, ...]:
    """Make a page a package; the source does not change while the program runs."""
    return tuple(_package_page(package, words) for package, words in PACKAGES.items())


def _package_page(package: str, words: str) -> Page:
    found = list(modules(package))
    blocks: list[str] = [
        paragraph(text(f"{words}. Import as written: from {package}.module import name."))
    ]
    for module in found:
        blocks += [heading(module.name, module.name), *_prose(module.doc)]
        for entry in module.entries:
            blocks += [preformatted(entry.signature), *_prose(entry.doc)]
    made = page(f"{PYTHON}/{package}", f"Python: {package}", f"{words}.", blocks)
    # Docstrings would be two thirds of the search index, which every page fetches.
    return made._replace(searched=False)


def _prose(doc: str) -> list[Html]:
    """Write a docstring as paragraphs; indented parts, such as examples, keep their lines."""
    return [
        preformatted(part) if part.startswith(" ") else paragraph(text(part.replace("`", "")))
        for part in doc.split("\n\n")
        if part.strip()
    ]


def modules(package: str) -> Iterator[Module]:
    """Parse the modules of a package, by name."""
    for name, source in sorted(_sources(resources.files(package), package)):
        tree = ast.parse(source)
        entries = tuple(_entries(tree))
        if entries:
            yield Module(name, ast.get_docstring(tree) or "", entries)


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for item in folder.iterdir():
        if item.is_dir() and item.joinpath("__init__.py").is_file():
            yield from _sources(item, f"{name}.{item.name}")
        elif item.name.endswith(".py") and item.name != "__init__.py":
            yield f"{name}.{item.name.removesuffix('.py')}", item.read_text("utf-8")


def _entries(tree: ast.Module) -> Iterator[Entry]:
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield _function(node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield _class(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _constant(node, after)


def _function(node: ast.FunctionDef) -> Entry:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    signature = f"def {node.name}({ast.unparse(node.args)}){returns}"
    return Entry(node.name, signature, ast.get_docstring(node) or "")


def _class(node: ast.ClassDef) -> Entry:
    """Write a class as its fields and public methods."""
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"class {node.name}({bases})" if bases else f"class {node.name}"]
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            lines.append(f"    {ast.unparse(part)}")
        elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            lines.append(f"    {_function(part).signature}")
    return Entry(node.name, "\n".join(lines), ast.get_docstring(node) or "")


def _constant(node: ast.Assign | ast.AnnAssign, after: ast.stmt | None) -> Iterator[Entry]:
    """Tell a constant that has a docstring below it: its value and where that comes from."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Name) or target.id.startswith("_"):
        return
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
        written = ast.unparse(node)
        shown = written if len(written) <= _LONGEST else f"{written[:_LONGEST]} …"
        yield Entry(target.id, shown, str(after.value.value))


_LONGEST = 400
"""Characters of a constant: tables are longer, and better read in the source."""
