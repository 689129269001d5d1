"""The data dictionary: every table and column of the database with type, unit and meaning.

Read from the comments of `schema.sql`, so that what is written there is what is shown, and from the
units that stand in the names.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import duckdb

from ingest.store import create
from sitegen.escape import text
from sitegen.page import Page, heading, page, paragraph
from sitegen.table import Column, Line, table

DICTIONARY = "reference/dictionary"


class Field(NamedTuple):
    """One column."""

    name: str
    type: str
    nullable: bool
    unit: str
    meaning: str


class Described(NamedTuple):
    """One table or view."""

    name: str
    fields: tuple[Field, ...]


UNITS = {
    "gbps": "GB/s (1e9 bytes)", "gib": "GiB", "mib": "MiB", "mts": "MT/s", "ghz": "GHz", "w": "W",
    "tokens": "tokens", "ctx": "tokens", "bits": "bits a weight", "b": "1e9 parameters",
    "per_1k": "MiB for 1,000 tokens", "batch": "tokens", "ubatch": "tokens",
}  # fmt: skip
"""Last word of a column's name → its unit."""

KEYS = {
    "bundle_id": "the bundle it stands in: key of bundles",
    "rig_id": "the machine: key of machines",
    "state_id": "the rig state: key of rig_states",
    "run_id": "the run: key of runs",
    "model": "catalogue id of the model",
    "quant": "catalogue id of the quant",
    "engine": "catalogue id of the engine",
    "inferred": "fields whose value the source does not state",
    "name": "what people call it",
    "handle": "public handle",
    "repeats": "the measurement that it repeats",
    "trust": "what stands behind the number, in words",
    "trust_level": "the same as a number: more is more",
    "only_said": "nothing but a person's statement stands behind it",
    "caveat": "what a reader should know of it",
    "engine_generation": "major build of the engine",
    "bandwidth_method": "catalogue id of the method",
    "power_cap_w": "power limits in force, with + between; in guarded each limit once",
    "gpus": "catalogue ids of the cards, each once",
    "central": "value, or the middle of its range, in unit",
}
"""What a column means wherever its own line does not say."""

_PLACE = re.compile(r"^CREATE TABLE (\w+) *\(", re.MULTILINE)
_COLUMN = re.compile(r'^ {4}"?(?P<name>[a-z]\w*)"? .*?-- (?P<meaning>.*)$')
_MORE = re.compile(r"^ {8,}-- (?P<meaning>.*)$")

_COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns()
WHERE NOT internal ORDER BY table_oid, column_index
"""


@cache
def tables() -> tuple[Described, ...]:
    """Ask a database made by `schema.sql` for its tables and views; meanings are its comments."""
    schema = resources.files("ingest").joinpath("schema.sql").read_text("utf-8")
    said = dict(meanings(schema))
    with duckdb.connect() as connection:
        create(connection)
        rows = connection.execute(_COLUMNS).fetchall()
    return tuple(
        Described(name, tuple(_field(said, *row) for row in some))
        for name, some in groupby(rows, key=itemgetter(0))
    )


Meanings = dict[tuple[str, str], str]


def _field(said: Meanings, holder: str, name: str, kind: str, nullable: bool) -> Field:  # noqa: FBT001 - a row
    everywhere = next((words for (_, column), words in said.items() if column == name), "")
    meaning = said.get((holder, name)) or KEYS.get(name) or everywhere
    return Field(name, kind, nullable, unit_of(name), meaning)


def meanings(schema: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Read the comment of each column, over as many lines as it goes on."""
    _, *pieces = _PLACE.split(schema)
    for holder, body in zip(pieces[::2], pieces[1::2], strict=True):
        name, words = "", ""
        for line in body.partition(");")[0].splitlines():
            column, more = _COLUMN.match(line), _MORE.match(line)
            if column:
                name, words = column["name"], column["meaning"]
            elif more:
                words = f"{words} {more['meaning']}"
            if column or more:
                yield (holder, name), words


def unit_of(name: str) -> str:
    """Tell the unit that stands in a column's name, or nothing."""
    ends = [end for end in UNITS if name == end or name.endswith(f"_{end}")]
    return UNITS[max(ends, key=len)] if ends else ""


def dictionary_page() -> Page:
    """Make the page."""
    blocks: list[str] = [paragraph(text(_HEAD))]
    columns = (Column("Column"), Column("Type"), Column("Unit"), Column("Meaning", wide=True))
    for one in tables():
        lines = [
            Line([text(field.name), text(_type(field)), text(field.unit), text(field.meaning)])
            for field in one.fields
        ]
        blocks += [heading(one.name, one.name), table(f"Columns of {one.name}", columns, lines)]
    return page(DICTIONARY, "Data dictionary", "Every table and column, with its unit.", blocks)


def _type(field: Field) -> str:
    return field.type if field.nullable else f"{field.type}, never NULL"


_HEAD = (
    "Columns are added, never renamed. NULL is unknown; a thing known to be off is the word 'none' "
    "or 0; units stand in the names. measurements.value has the unit of its column unit. The view "
    "comparable holds the rows that may be compared: active, of runs that ended well, one for each "
    "rig state, run, quantity, workload, protocol, context, streams and thinking. Read it, not "
    "measurements, unless doubtful rows are wanted too."
)
