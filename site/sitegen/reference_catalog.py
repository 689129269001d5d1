"""The catalogue as pages: what exists, each entry with its sources, and how it is measured."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from ingest.catalog import Catalog
from sitegen.escape import Html, joined, link, text
from sitegen.numbers import ABSENT, number
from sitegen.page import Page, heading, page, paragraph
from sitegen.table import Cell, Column, Line, table

CATALOGUE = "reference/catalogue"
PROTOCOLS = "reference/protocols"

TABLES = {
    "models": "Models",
    "slugs": "Slugs",
    "quants": "Quants",
    "kernels": "Kernel classes",
    "cpus": "Processors",
    "generations": "Core generations",
    "gpus": "Graphics cards",
    "engines": "Engines",
    "exclusions": "Rows kept out of the fit",
}
"""Table of the catalogue → what it is called on its page."""

MEASURED = {
    "protocols": "Protocols",
    "quantities": "Quantities",
    "workloads": "Workloads",
    "bandwidth": "Bandwidth methods",
}
"""Table of the catalogue that says how numbers are taken → its heading."""

_NOT_SHOWN = {"id", "source", "inferred", "note", "variants", "match", "residency", "files"}
"""Fields that stand elsewhere or say nothing to a reader."""


def catalog_pages(catalog: Catalog) -> list[Page]:
    """Make a page a table of what exists, and one for how numbers are taken."""
    shown = [_catalogue(catalog, name, title) for name, title in TABLES.items()]
    return [*shown, _protocols(catalog)]


def _catalogue(catalog: Catalog, name: str, title: str) -> Page:
    entries = getattr(catalog, name)
    blocks = [paragraph(text(_HEAD)), *_described(entries), entries_table(title, entries)]
    description = f"{len(entries)} entries, each with its source."
    return page(f"{CATALOGUE}/{name}", title, description, blocks)


_HEAD = (
    "What a bundle may name. Each entry cites its source; a value that the source does not state "
    "is marked ◌. Add one in data/catalog/, where it is reviewed like code."
)


def _protocols(catalog: Catalog) -> Page:
    blocks: list[str] = []
    for name, title in MEASURED.items():
        entries = getattr(catalog, name)
        blocks += [heading(title, name), *_described(entries), entries_table(title, entries)]
    description = "What is measured, how, and what may be compared with what."
    return page(PROTOCOLS, "Protocols and quantities", description, blocks)


def _described(entries: Mapping[str, BaseModel]) -> list[Html]:
    """Say what the entries are: the docstring of their type."""
    kinds = {type(entry) for entry in entries.values()}
    words = [(kind.__doc__ or "").replace("`", "").split("\n\n") for kind in kinds]
    return [paragraph(text(part)) for parts in words for part in parts]


def entries_table(title: str, entries: Mapping[str, BaseModel]) -> Html:
    """List entries: a column a field that any of them fills, and their sources."""
    kind = type(next(iter(entries.values())))
    fields = [
        field for field in kind.model_fields
        if field not in _NOT_SHOWN and any(getattr(e, field) is not None for e in entries.values())
    ]  # fmt: skip
    columns = [Column("Id"), *(Column(field, numeric=_numeric(field, entries)) for field in fields)]
    lines = [
        Line([text(key), *(_cell(entry, field) for field in fields), _sources(entry)])
        for key, entry in sorted(entries.items())
    ]
    return table(title, [*columns, Column("Source")], lines, most=None)


def _numeric(field: str, entries: Mapping[str, BaseModel]) -> bool:
    known = [getattr(entry, field) for entry in entries.values()]
    return all(_is_number(value) for value in known if value is not None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(entry: BaseModel, field: str) -> Cell:
    value = getattr(entry, field)
    if value is None:
        return Cell(ABSENT, None)
    shown = text(_words(value))
    if field in getattr(entry, "inferred", ()):
        shown = joined([shown, text("◌")])
    return Cell(shown, value if _is_number(value) else None)


def _words(value: Any) -> str:  # noqa: ANN401 - whatever a catalogue holds
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, BaseModel):
        fields = value.model_dump(exclude_none=True).items()
        return ", ".join(f"{name} {_words(inner)}" for name, inner in fields)
    return number(value) if _is_number(value) else str(value)


def _sources(entry: BaseModel) -> Html:
    sources: Iterable[str] = getattr(entry, "source", ())
    return joined([Html(f"<small>{link(one, one)}</small>") for one in sources])
