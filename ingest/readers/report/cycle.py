"""Several benches in one stretch: cut where a bench starts again, so that each is a run."""

from collections.abc import Sequence

from ingest.readers.text import Line

# Starts of a bench, in the order in which one prints them; a second one of its kind is a new bench.
STARTS = (
    "========== CONFIG FINGERPRINT",
    "[bench] narrative run 1/",
    "========== NARRATIVE",
    "=== summary [narrative]",
)
MAX_BENCHES = 20
"""A thread of many reruns has about ten."""


def benches(lines: Sequence[Line]) -> list[list[Line]]:
    """Cut `lines` before each bench but the first; what stands before a bench goes with it."""
    pieces: list[list[Line]] = [[]]
    met: set[str] = set()
    for line in lines:
        kind = _kind(line.text)
        if kind and kind in met and len(pieces) < MAX_BENCHES:
            pieces.append([])
            met = set()
        if kind:
            # What comes earlier in a bench cannot come later in the same one.
            met |= set(STARTS[: STARTS.index(kind) + 1])
        pieces[-1].append(line)
    return pieces


def _kind(text: str) -> str | None:
    first = text.lstrip()[:1]
    if first not in ("=", "["):
        return None
    return next((start for start in STARTS if text.lstrip().startswith(start)), None)
