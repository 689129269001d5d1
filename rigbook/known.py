"""Names of the catalogue that a person gave: there, or the nearest ones are told."""

import difflib
from typing import TYPE_CHECKING

from ingest.misuse import Misuse

if TYPE_CHECKING:
    import duckdb

_NAMES = {
    "slug": "SELECT slug FROM catalog_slugs ORDER BY slug",
    "model": "SELECT model FROM catalog_models ORDER BY model",
}


def known(connection: "duckdb.DuckDBPyConnection", kind: str, name: str | None) -> None:
    """Raise Misuse where the catalogue has no such name; nothing was asked for with None."""
    names = [row[0] for row in connection.execute(_NAMES[kind]).fetchall()]
    if name is not None and name not in names:
        near = ", ".join(difflib.get_close_matches(name, names)) or ", ".join(names)
        raise Misuse(f"--{kind}: no {kind} {name!r}; nearest: {near}")
