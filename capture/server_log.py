"""What a server's log says of the time in which it was benched: rates and drafts of its own.

Only what was written after the start is read, and only figures are kept, never a line.
"""

import statistics
from pathlib import Path
from typing import NamedTuple

from capture.cache_log import CacheSaid, cache_in
from ingest.misuse import Misuse
from ingest.readers.drafting import drafted_lines
from ingest.readers.llama.timings import MIN_TOKENS, times_of
from ingest.readers.text import OversizedError, decode, lines_of

MAX_BYTES = 4_000_000
"""At its default verbosity llama-server writes some kB a request; of more, the end is read."""


class Said(NamedTuple):
    """The log's figures; None where it says nothing."""

    decode_tokens_per_s: float | None
    decode_n: int
    accepted: int | None
    drafted: int | None


class ServerLog:
    """A log file, from where it ended when the bench began."""

    def __init__(self, path: Path) -> None:
        try:
            self._start = path.stat().st_size
        except OSError as error:
            raise Misuse(f"--server-log {path} cannot be read: {error.strerror}") from error
        self._path = path

    def said(self) -> Said:
        """Read what was written since."""
        return said_in(self._window()[1])

    def cache(self) -> CacheSaid:
        """Read the expert cache: its pools stand where the server booted, before the start."""
        return cache_in(*self._window())

    def _window(self) -> tuple[str, str]:
        """Read the text before the start and since, the end of each where it is long."""
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            # A log that was turned over begins anew.
            begin = self._start if size >= self._start else 0
            file.seek(max(0, begin - MAX_BYTES))
            before = file.read(min(begin, MAX_BYTES))
            file.seek(max(begin, size - MAX_BYTES))
            return decode(before), decode(file.read(MAX_BYTES))


def said_in(text: str) -> Said:
    """Read the figures of a log's text."""
    try:
        lines = lines_of(text)
    except OversizedError:
        return Said(None, 0, None, None)
    rates = [
        one.rate
        for one in times_of(lines).timings
        if one.phase == "decode" and (one.tokens or 0) >= MIN_TOKENS
    ]
    counted = [one for one in drafted_lines(lines) if one.accepted is not None and one.drafted]
    return Said(
        decode_tokens_per_s=round(statistics.fmean(rates), 4) if rates else None,
        decode_n=len(rates),
        accepted=sum(one.accepted or 0 for one in counted) if counted else None,
        drafted=sum(one.drafted or 0 for one in counted) if counted else None,
    )
