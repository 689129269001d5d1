"""JSON documents anywhere in a text: whole, one a line, in fences, or cut off in the middle."""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ingest.readers.text import Line

MAX_FAILURES = 50
"""Lines that look like JSON and are not; each try may scan far, so their sum is bounded too."""


MAX_OBJECTS = 5_000
"""A sweep over every flag gives some hundreds of rows."""


MAX_KEYS = 8
"""Places of one key that are tried: an array's name stands once, or again in the settings."""

_BETWEEN = frozenset(", \t\r\n")


class Found(NamedTuple):
    """One JSON object of a text, the lines it spans, and its source."""

    value: dict[str, Any]
    first: int
    last: int
    source: str

    def line_of(self, key: str) -> int:
        """Find the line of the first `"key"`; the object's own line if it is not there."""
        at = self.source.find(f'"{key}"')
        return self.first + self.source.count("\n", 0, max(0, at))

    def inside(self, key: str, most: int = MAX_OBJECTS) -> "tuple[Found, ...]":
        """List the objects of the array at `key`, each with the lines that it spans itself."""
        wanted = self.value.get(key)
        if not isinstance(wanted, list):
            return ()
        rows = [one for one in wanted[:most] if isinstance(one, dict)]
        for place in islice(re.finditer(rf'"{re.escape(key)}"\s*:\s*\[', self.source), MAX_KEYS):
            found = tuple(islice(self._objects_from(place.end()), len(rows)))
            if [one.value for one in found] == rows:
                return found
        return ()

    def _objects_from(self, at: int) -> "Iterator[Found]":
        """Walk over the elements of the array whose first one starts at or behind `at`."""
        decoder = json.JSONDecoder()
        counted, line = 0, self.first
        while True:
            while self.source[at : at + 1] in _BETWEEN:
                at += 1
            try:
                value, end = decoder.raw_decode(self.source, at)
            except ValueError:
                return
            # Counted on from the element before: an array may have very many.
            first = line + self.source.count("\n", counted, at)
            counted, line = end, first + self.source.count("\n", at, end)
            if isinstance(value, dict):
                yield Found(value, first, line, self.source[at:end])
            at = end


def objects(lines: Sequence[Line]) -> tuple[Found, ...]:
    """Find every JSON object that starts a line, and the objects of arrays that do."""
    return (
        tuple(islice(_objects(lines), MAX_OBJECTS))
        if any(_starts(line.text) for line in lines)
        else ()
    )


def _starts(text: str) -> bool:
    start = text.lstrip()
    return start.startswith(("{", "[", "data: {")) and not start.startswith(("[soak]", "[bench]"))


def _objects(lines: Sequence[Line]) -> Iterator[Found]:
    text = "\n".join(line.text for line in lines)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line.text) + 1)
    reader = _Reader(text, [line.number for line in lines], offsets)
    done = 0
    for index, line in enumerate(lines):
        if offsets[index] < done or not _starts(line.text) or reader.spent > 2 * len(text) + 10_000:
            continue
        start = text.index(
            line.text.lstrip()[0] if "data: {" not in line.text else "{", offsets[index]
        )
        found, done = reader.value_at(start)
        yield from found


class _Reader:
    """Decodes values at offsets and keeps count of what failed tries cost."""

    def __init__(self, text: str, numbers: list[int], offsets: list[int]) -> None:
        self.text = text
        self.numbers = numbers
        self.offsets = offsets
        self.spent = 0
        self.decoder = json.JSONDecoder()

    def value_at(self, start: int) -> tuple[list[Found], int]:
        """Decode the object, or each object of the array, at `start`; where reading ended."""
        if self.text[start] == "{":
            found = self._one(start)
            return ([found[0]], found[1]) if found else ([], start)
        every: list[Found] = []
        at = start + 1
        while True:
            at = self._skip(at, ", \n")
            if at >= len(self.text) or self.text[at] != "{":
                return every, at
            found = self._one(at)
            if not found:
                return every, at
            every.append(found[0])
            at = found[1]

    def _skip(self, at: int, blanks: str) -> int:
        while at < len(self.text) and self.text[at] in blanks:
            at += 1
        return at

    def _one(self, start: int) -> tuple[Found, int] | None:
        try:
            value, end = self.decoder.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            self.spent += max(error.pos - start, len(self.text) // MAX_FAILURES)
            return None
        except (RecursionError, ValueError):
            self.spent += max(10_000, len(self.text) // MAX_FAILURES)
            return None
        if not isinstance(value, dict):
            return None
        first, last = self._line(start), self._line(end - 1)
        return Found(value, first, last, self.text[start:end]), end

    def _line(self, at: int) -> int:
        return self.numbers[bisect_right(self.offsets, at) - 1]


def figure_of(value: object) -> float | None:
    """Take a finite number, or a string that is one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def whole_of(value: object) -> int | None:
    """Take a whole number; None for anything else."""
    number = figure_of(value)
    return int(number) if number is not None and abs(number) < 1e15 else None


def text_of(value: object) -> str | None:
    """Take a filled string; None for anything else."""
    return value.strip()[:2000] or None if isinstance(value, str) else None
