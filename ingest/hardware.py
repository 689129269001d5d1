"""Which processor or card a name means: `find_cpu`, `find_gpu`.

A fragment of an entry's `match` fits a name when all of its words stand in it as whole words (runs
of letters and digits, whatever their case and order). The fragment with most words wins. Where two
entries fit equally well the name is ambiguous, and nothing is found.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ingest.catalog import Catalog, CpuEntry, GpuEntry

_WORD = re.compile(r"[a-z0-9]+")


class _Matched(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def match(self) -> Sequence[str]: ...


E = TypeVar("E", bound=_Matched)


def words(name: str) -> frozenset[str]:
    """Split a name into its words: `Xeon(R) Gold 6148 @ 2.40GHz` → xeon r gold 6148 2 40ghz."""
    return frozenset(_WORD.findall(name.casefold()))


def best_match(entries: Iterable[E], name: str) -> E | None:
    """Find the entry whose fragments fit `name` best; None if no entry or several fit."""
    known = {entry.id: entry for entry in entries}
    found = _best(_fragments(known), words(name))
    return known[found] if found else None


def asked_for(entries: Iterable[E], name: str) -> E | None:
    """Find the entry that a person means, who may have shortened its name: `4090`, `7950x`.

    Where no fragment fits the name, its words, a number among them, must all stand in a fragment;
    the shortest such fragment wins, so that `4090` is no `rtx 4090 laptop`.
    """
    known = {entry.id: entry for entry in entries}
    found = _best(_fragments(known), words(name)) or _shortened(_fragments(known), name)
    return known[found] if found else None


def _shortened(fragments: list[tuple[frozenset[str], str]], name: str) -> str | None:
    said = words(name)
    if not any(character.isdigit() for character in name):
        return None
    fits = [(len(needed), key) for needed, key in fragments if said <= needed]
    least = min((size for size, _ in fits), default=0)
    best = {key for size, key in fits if size == least}
    return best.pop() if len(best) == 1 else None


def counted(text: str) -> tuple[str, int]:
    """Split `RTX 3090x2` or `2x RTX 3090` into name and number; a name alone is one card."""
    if found := re.fullmatch(r"\s*(\d{1,2})\s*[x×*]\s*(\S.*)", text):
        return found[2].strip(), int(found[1])
    if found := re.fullmatch(r"(.*\S)\s*[x×*]\s*(\d{1,3})\s*", text):
        return found[1], int(found[2])
    return text.strip(), 1


def _fragments(entries: Mapping[str, _Matched]) -> list[tuple[frozenset[str], str]]:
    return [(words(text), entry.id) for entry in entries.values() for text in entry.match]


def _best(fragments: list[tuple[frozenset[str], str]], said: frozenset[str]) -> str | None:
    fits = [(len(needed), key) for needed, key in fragments if needed <= said]
    most = max((n for n, _ in fits), default=0)
    best = {key for n, key in fits if n == most}
    return best.pop() if len(best) == 1 else None


class _Table:
    """A table of the catalogue as the key of a cache: equal to itself alone, kept alive by it."""

    def __init__(self, entries: Mapping[str, _Matched]) -> None:
        self.entries = entries

    def __hash__(self) -> int:
        return id(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Table) and self.entries is other.entries


# One load asks a table of the catalogue for the same few hundred names a hundred thousand times.
@lru_cache(maxsize=8)
def _fragments_of(table: _Table) -> list[tuple[frozenset[str], str]]:
    return _fragments(table.entries)


@lru_cache(maxsize=8192)
def _best_of(table: _Table, name: str) -> str | None:
    return _best(_fragments_of(table), words(name))


def find_cpu(catalog: Catalog, name: str) -> CpuEntry | None:
    """Find the processor that `name` means; None if no entry or several fit."""
    found = _best_of(_Table(catalog.cpus), name)
    return catalog.cpus[found] if found else None


def find_gpu(catalog: Catalog, name: str, vram_gib: float | None = None) -> GpuEntry | None:
    """Find the card that `name` means; None if no entry or several fit.

    `vram_gib` tells apart cards that are sold under one name with more than one memory size.
    """
    sized = name if vram_gib is None else f"{name} {round(vram_gib)}gb"
    found = _best_of(_Table(catalog.gpus), sized)
    return catalog.gpus[found] if found else None
