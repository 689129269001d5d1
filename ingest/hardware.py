"""Which processor or card a name means: `find_cpu`, `find_gpu`.

A fragment of an entry's `match` fits a name when all of its words stand in it as whole words (runs
of letters and digits, whatever their case and order). The fragment with most words wins. Where two
entries fit equally well the name is ambiguous, and nothing is found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    said = words(name)
    fits = [
        (len(needed), entry)
        for entry in entries
        for needed in map(words, entry.match)
        if needed <= said
    ]
    most = max((n for n, _ in fits), default=0)
    best = {entry.id: entry for n, entry in fits if n == most}
    return next(iter(best.values())) if len(best) == 1 else None


def find_cpu(catalog: Catalog, name: str) -> CpuEntry | None:
    """Find the processor that `name` means; None if no entry or several fit."""
    return best_match(catalog.cpus.values(), name)


def find_gpu(catalog: Catalog, name: str, vram_gib: float | None = None) -> GpuEntry | None:
    """Find the card that `name` means; None if no entry or several fit.

    `vram_gib` tells apart cards that are sold under one name with more than one memory size.
    """
    sized = name if vram_gib is None else f"{name} {round(vram_gib)}gb"
    return best_match(catalog.gpus.values(), sized)
