"""What a server's log says of its expert cache: pools, look-ups in the window, cards without one.

The fork prints these lines at verbosity 4, and counters only with `GGML_CUDA_MOE_CACHE_STATS` above
0. Without them nothing is known, which is not the same as no hits.
"""

import re
from typing import NamedTuple

_CARD = r"\[moe-cache\] ([A-Za-z]{1,12}[0-9]{1,2})"
_POOL = re.compile(rf"{_CARD} pool\[([0-9]{{1,3}})\]:(.{{1,200}})", re.ASCII)
_SLOTS = re.compile(r"\bslots=([0-9]{1,8})\b", re.ASCII)
_TOTAL = re.compile(r"\btotal=([0-9]{1,8}) MiB", re.ASCII)
_HITS = re.compile(rf"{_CARD} hits=([0-9]{{1,15}})/([0-9]{{1,15}})(.{{0,200}})", re.ASCII)
_FAILED = re.compile(r"\b(?:fill|dispatch|collect)[-_]fail=([0-9]{1,15})", re.ASCII)
_NO_BUDGET = re.compile(rf"{_CARD} has no cache budget", re.ASCII)
_BYPASS = re.compile(r"\[moe-cache\] MAX_BATCH=[0-9]{1,3} exceeded", re.ASCII)


class CacheSaid(NamedTuple):
    """The expert cache by the log; None where it says nothing. Look-ups are of the window."""

    slots: int | None = None
    pool_mib: int | None = None
    hits: int | None = None
    lookups: int | None = None
    failed: int | None = None
    bypassed: int = 0
    uncached: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Tell whether the log says anything of an expert cache."""
        return self != CacheSaid()


def cache_in(before: str, window: str) -> CacheSaid:
    """Read the cache off a log: what stood in it before the window, and what came within.

    Counters run since the boot, so those before are taken off; a counter that fell was begun anew.
    Pools grow, and a drafter's load logs them twice: the last line of each is what holds.
    """
    pools = _pools(before + "\n" + window)
    slots = [count for count, _ in pools.values()]
    sizes = [mib for _, mib in pools.values() if mib is not None]
    cards = {card for card, _ in pools}
    hits, lookups, failed = _counted(before, window)
    refused = {found[1] for found in _NO_BUDGET.finditer(before + "\n" + window)}
    return CacheSaid(
        slots=sum(slots) if slots else None,
        pool_mib=sum(sizes) if sizes and len(sizes) == len(slots) else None,
        hits=hits,
        lookups=lookups,
        failed=failed,
        bypassed=len(_BYPASS.findall(window)),
        uncached=tuple(sorted(refused - cards)),
    )


def _pools(text: str) -> dict[tuple[str, str], tuple[int, int | None]]:
    """Map each pool of each card to its slots and MiB by its last line."""
    found = {}
    for pool in _POOL.finditer(text):
        slots, total = _SLOTS.search(pool[3]), _TOTAL.search(pool[3])
        if slots:
            found[pool[1], pool[2]] = (int(slots[1]), int(total[1]) if total else None)
    return found


def _counted(before: str, window: str) -> tuple[int | None, int | None, int | None]:
    """Add up hits, look-ups and failures of all cards in the window; None without counters."""
    last, first = _counters(window), _counters(before)
    if not last:
        return None, None, None
    none = (0, 0, 0)
    grown = [
        tuple(now - then for now, then in zip(counts, first.get(card, none), strict=True))
        for card, counts in last.items()
    ]
    counts = [
        whole if min(more) < 0 else more for more, whole in zip(grown, last.values(), strict=True)
    ]
    hits, lookups, failed = (sum(column) for column in zip(*counts, strict=True))
    return hits, lookups, failed


def _counters(text: str) -> dict[str, tuple[int, int, int]]:
    """Map each card to its hits, look-ups and failures by its last line."""
    return {
        found[1]: (int(found[2]), int(found[3]), sum(map(int, _FAILED.findall(found[4]))))
        for found in _HITS.finditer(text)
    }
