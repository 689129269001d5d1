"""A notebook that was run → a page that reads offline: prose, tables, charts, the code folded."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert

from ingest.problem import Problem
from sitegen.address import from_page
from sitegen.chart import darkened
from sitegen.downloads import DATA
from sitegen.escape import Html, inside, joined, link, text
from sitegen.notebook import NotebookError, Shown, run
from sitegen.numbers import ABSENT, number
from sitegen.page import CHARTS, Page, Picture, page, paragraph, picture
from sitegen.preformatted import preformatted
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table

ANALYSIS = "analysis"
TITLE = "The analysis"

SCRIPT = "bandwidth_model.py"
"""The notebook's name, in the checkout's `notebooks/` and among the downloads."""


def analysis_page(script: Path | None, data: Path) -> tuple[Page, list[Problem]]:
    """Run the notebook on the data files and show what it shows.

    Without a script or a model file (a build of pages alone), or when a cell fails, the page says
    so; a failure is a problem that does not stop the site.
    """
    if script is None or not (data / "model.json").exists():
        return _not_run("The notebook was not run in this build."), []
    shutil.copyfile(script, data / SCRIPT)
    try:
        shown = run(script.read_text("utf-8"), script.name, {"DATA": data})
    except NotebookError as error:
        stale = isinstance(error.__cause__, AssertionError)
        remedy = "run `rigbook load` and `rigbook fit`" if stale else "mend the cell"
        problem = Problem(f"notebooks/{script.name}", "", f"{error}; {remedy}", "flag")
        return _not_run("The notebook does not fit the data of this build."), [problem]
    return shown_page(shown), []


def _not_run(words: str) -> Page:
    return page(ANALYSIS, TITLE, _DESCRIPTION, [paragraph(text(words), "missing")])


_DESCRIPTION = "From the published files to every number of the method page, step by step."


def shown_page(shown: Iterable[Shown]) -> Page:
    """Lay out the cells of a notebook that was run."""
    blocks: list[str] = [_head()]
    pictures: list[Picture] = []
    caption = TITLE
    for index, one in enumerate(shown):
        if one.cell.prose:
            blocks.append(_under_the_title(one.cell.text))
            caption = _caption(one.cell.text)
            continue
        if one.printed:
            blocks.append(preformatted(one.printed, "printed"))
        if isinstance(one.value, alt.TopLevelMixin):
            drawn = _drawn(f"{ANALYSIS}--{index}", one.value)
            pictures += drawn
            blocks.append(_figure(drawn, one.value))
        elif one.value is not None:
            blocks.append(_value(caption, one.value))
        blocks.append(folded("The code", preformatted(one.cell.text, "code")))
    return page(ANALYSIS, TITLE, _DESCRIPTION, blocks, pictures)


_HEAD = (
    "This page is what bandwidth_model.py shows when it is run from top to bottom on the files of "
    "this build. Run it yourself:"
)


def _head() -> Html:
    folder = from_page(ANALYSIS, DATA)
    links = joined([inside(folder + SCRIPT, "the script"), inside(folder, "the files")], ", ")
    return paragraph(joined([text(_HEAD), links]))


def _under_the_title(prose: str) -> str:
    """Leave the notebook's own title out: the page has one."""
    first, _, rest = prose.partition("\n")
    return rest if first.startswith("# ") else prose


def _caption(prose: str) -> str:
    """Name what follows by the bold words or the heading that its prose starts with."""
    found = _NAMED.search(prose)
    return (found[1] or found[2]).rstrip(".") if found else TITLE


_NAMED = re.compile(r"^(?:\*\*(.+?)\*\*|#+ (.+)$)", re.MULTILINE)


def _value(caption: str, value: object) -> Html:
    if isinstance(value, pl.DataFrame):
        return frame_table(caption, value)
    return paragraph(text(value))


def frame_table(caption: str, frame: pl.DataFrame) -> Html:
    """Write a data frame as a table that sorts by value."""
    columns = [
        Column(name.replace("_", " "), numeric=kind.is_numeric())
        for name, kind in frame.schema.items()
    ]
    lines = [Line([*map(_cell, frame.columns, row)]) for row in frame.iter_rows()]
    return table(caption, columns, lines)


def _cell(column: str, value: object) -> Cell:
    if value is None:
        return Cell(ABSENT, None)
    if column in _ADDRESSES:
        return Cell(link(str(value), "source"), str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(text(value), str(value))
    return Cell(text(number(value)), value)


_ADDRESSES = ("source", "url")
"""Columns whose values are addresses of sources."""


def _drawn(name: str, chart: alt.TopLevelMixin) -> tuple[Picture, Picture]:
    spec = chart.to_dict()
    spec["background"] = "transparent"
    light = vl_convert.vegalite_to_svg(spec)
    return picture(f"{name}.svg", light), picture(f"{name}.dark.svg", darkened(light))


def _figure(drawn: Iterable[Picture], chart: alt.TopLevelMixin) -> Html:
    words = text(chart.to_dict().get("description", ""))
    images = "".join(
        f'<img class="{scheme}" src="{text(from_page(ANALYSIS, CHARTS) + one.name)}"'
        f' alt="{words}" width="{one.width}" height="{one.height}" loading="lazy">'
        for scheme, one in zip(("light", "dark"), drawn, strict=True)
    )
    caption = f"<figcaption>{words}</figcaption>"
    return Html(f'<figure class="chart" data-search-exclude>{images}{caption}</figure>')
