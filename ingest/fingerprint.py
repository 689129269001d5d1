"""What a derived thing depends on, as hashes: of code with all that it imports here, and of files.

When a hash is the same, what was derived under it still holds; when it is not, only what stands
under that hash is done again.
"""

import hashlib
import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from ingest.rules import RULES

_IMPORT = re.compile(r"^\s*(?:from|import) (ingest(?:\.\w+)*)(?: import ([\w, ]+))?", re.MULTILINE)

NOT_IN_RULES = ("aliases.toml", "exclusions.toml")
"""Catalogue files that no rule reads: aliases serve the readers, exclusions the fit."""

IN_ROWS = ("cpus.toml", "gpus.toml")
"""Catalogue files that rows are made with: names of processors and cards are looked up."""


class Keys(NamedTuple):
    """The hashes that verdicts, rows and catalogue tables depend on."""

    verdicts: str
    rows: str
    catalog: str


def keys(catalog: Path) -> Keys:
    """Hash the rules, the rows' code and the catalogue as they are now."""
    files = sorted(catalog.rglob("*.toml"))
    ruled = [path for path in files if path.name not in NOT_IN_RULES]
    rowed = [path for path in files if path.name in IN_ROWS]
    schema = Path(__file__).with_name("schema.sql")
    rules = ("ingest.check", *(rule.check.__module__ for rule in RULES))
    return Keys(
        verdicts=_hash(_code(*rules), _files(ruled), metadata.version("pydantic")),
        rows=_hash(_code("ingest.rows", "ingest.store"), _files([*rowed, schema])),
        catalog=_hash(_code("ingest.rows"), _files(files)),
    )


def _code(*modules: str) -> str:
    """Hash modules and everything of this package that they import, directly or not."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imported(name)
    return _hash(*(f"{name} {_source(name)}" for name in sorted(found)))


def _imported(module: str) -> Iterable[str]:
    for package, names in _IMPORT.findall(_source(module)):
        yield package
        # `from ingest import walls` names modules, `from ingest.rows import Row` does not.
        inner = (f"{package}.{name.strip()}" for name in names.split(",") if name.strip())
        yield from (name for name in inner if package == "ingest" and _file(name))


@cache
def _file(module: str) -> str | None:
    spec = importlib.util.find_spec(module)
    return spec.origin if spec else None


@cache
def _source(module: str) -> str:
    path = _file(module)
    return Path(path).read_text(encoding="utf-8") if path else ""


def _files(paths: Iterable[Path]) -> str:
    return _hash(
        *(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in paths)
    )


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
