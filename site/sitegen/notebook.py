"""A notebook as a plain script in the percent format: its cells, and what they show when run.

The format is jupytext's: `# %% [markdown]` starts prose whose lines are comments, `# %%` starts
code. The value of a code cell's last expression is what it shows, as in Jupyter.
"""

import ast
import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_START = "# %%"
_PROSE = "# %% [markdown]"


class Cell(NamedTuple):
    """One cell: prose as Markdown, or code; `line` is where it starts in the file."""

    prose: bool
    text: str
    line: int


class Shown(NamedTuple):
    """A cell that was run: what it printed, and the value of its last expression."""

    cell: Cell
    printed: str
    value: object


class NotebookError(Exception):
    """A cell failed; the message names its place in the file."""


def cells(source: str) -> list[Cell]:
    """Split a script into its cells; what stands before the first one is its head."""
    found: list[tuple[bool, list[str], int]] = []
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith(_START):
            found.append((line.startswith(_PROSE), [], number))
        elif found:
            found[-1][1].append(line)
    split = (Cell(prose, _text(lines, prose=prose), number) for prose, lines, number in found)
    return [cell for cell in split if cell.text]


def _text(lines: Iterable[str], *, prose: bool) -> str:
    kept = (line.removeprefix("#").removeprefix(" ") if prose else line for line in lines)
    return "\n".join(kept).strip("\n")


def run(source: str, name: str, given: Mapping[str, object]) -> list[Shown]:
    """Run the cells from top to bottom in one namespace that starts with `given`."""
    namespace: dict[str, Any] = {"__name__": "notebook", **given}
    return list(_run(cells(source), name, namespace))


def _run(some: Iterable[Cell], name: str, namespace: dict[str, Any]) -> Iterator[Shown]:
    for cell in some:
        if cell.prose:
            yield Shown(cell, "", None)
            continue
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                value = _value(cell, name, namespace)
        except Exception as error:
            raise NotebookError(f"{name}:{cell.line}: {type(error).__name__}: {error}") from error
        yield Shown(cell, printed.getvalue(), value)


def _value(cell: Cell, name: str, namespace: dict[str, Any]) -> object:
    """Run a cell's statements and give the value of its last one, if that is an expression."""
    tree = ast.parse(cell.text, name)
    ast.increment_lineno(tree, cell.line)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, name, "exec"), namespace)  # noqa: S102 - the project's own script
        return None
    tree.body.pop()
    exec(compile(tree, name, "exec"), namespace)  # noqa: S102
    expression = ast.Expression(last.value)
    return eval(compile(expression, name, "eval"), namespace)  # noqa: S307
