"""The header of a GGUF: metadata and tensor table, read from any source of byte ranges.

A header is hostile until checked: every count is bounded before anything of its size is made, so a
broken or malicious file costs one error and little memory. Weights are never read. Long arrays
(vocabularies) are stepped over and only counted.
"""

import math
import struct
from typing import NamedTuple, Protocol

from launch.ggml_types import type_of

MAGIC = b"GGUF"
VERSIONS = (2, 3)
HEADER_LIMIT = 64 << 20
"""Bytes: the largest known headers (vocabulary and merges of 260k words) are below 20 MiB."""
TENSOR_LIMIT = 100_000
KEY_LIMIT = 4_000
KEY_BYTES = 65_535
"""The format's own limit on the length of a key; tensor names stay below it too."""
TEXT_BYTES = 4 << 20
"""A chat template is a few dozen kB."""
KEPT_ITEMS = 1024
"""Arrays up to this long are kept (per-layer settings); longer ones are vocabularies."""
DIMENSIONS = 4

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_SCALARS[12] = "d"
_TEXT, _ARRAY = 8, 9

Scalar = str | int | float | bool
Value = Scalar | list[Scalar] | None


class GgufError(ValueError):
    """A file that is not a usable GGUF; the text says where, what was found and what to do."""


class Source(Protocol):
    """Something that byte ranges can be read from."""

    name: str
    size: int

    def read(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`; fewer only at the end."""
        ...


class Tensor(NamedTuple):
    """One tensor of the table: shape in ggml order, offset from the start of the data section."""

    name: str
    shape: tuple[int, ...]
    kind: str
    offset: int
    size_bytes: int


class Header(NamedTuple):
    """What the header of one file says. `data_start` is where the weights begin."""

    name: str
    version: int
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]
    data_start: int
    file_bytes: int


class _Cursor:
    """Reads a source forwards in windows, and refuses to run past the end or the limit."""

    WINDOW = 1 << 20

    def __init__(self, source: Source) -> None:
        self.source, self.at = source, 0
        self._window, self._start = b"", 0

    def fail(self, what: str) -> GgufError:
        return GgufError(f"{self.source.name}: byte {self.at}: {what}")

    def advance(self, count: int) -> None:
        end = self.at + count
        if end > self.source.size:
            raise self.fail(
                f"wants {count} bytes more, but the file ends at {self.source.size}: "
                "truncated or corrupt; download it again"
            )
        if end > HEADER_LIMIT:
            raise self.fail(f"the header runs past {HEADER_LIMIT >> 20} MiB: corrupt or hostile")
        self.at = end

    def take(self, count: int) -> bytes:
        start = self.at
        self.advance(count)
        if start < self._start or self.at > self._start + len(self._window):
            self._window = self.source.read(start, max(count, self.WINDOW))
            self._start = start
        piece = self._window[start - self._start : self.at - self._start]
        if len(piece) < count:
            raise self.fail("the source ended early: truncated; download it again")
        return piece

    def number(self, code: str) -> int:
        value: int = struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]
        return value

    def bounded(self, code: str, limit: int, what: str) -> int:
        value = self.number(code)
        if value > limit:
            raise self.fail(f"{what} is {value}, more than {limit}: corrupt or hostile")
        return value

    def text(self, limit: int, what: str) -> str:
        return self.take(self.bounded("Q", limit, f"length of {what}")).decode(errors="replace")


def read_header(source: Source) -> Header:
    """Read and check the header of one file. Raises GgufError."""
    cursor = _Cursor(source)
    version = _preamble(cursor)
    tensor_count = cursor.bounded("Q", TENSOR_LIMIT, "the tensor count")
    key_count = cursor.bounded("Q", KEY_LIMIT, "the metadata count")
    metadata: dict[str, Value] = {}
    for _ in range(key_count):
        key = cursor.text(KEY_BYTES, "a metadata key")
        if key in metadata:
            raise cursor.fail(f"metadata key {key[:80]!r} stands twice")
        metadata[key] = _value(cursor, cursor.number("I"))
    rows = [_tensor_row(cursor) for _ in range(tensor_count)]
    alignment = _alignment(cursor, metadata)
    data_start = -(-cursor.at // alignment) * alignment
    tensors = _sized(cursor, rows, source.size - data_start, alignment)
    return Header(source.name, version, metadata, tensors, data_start, source.size)


def _preamble(cursor: _Cursor) -> int:
    magic = cursor.take(4)
    if magic != MAGIC:
        raise GgufError(f"{cursor.source.name}: starts with {magic!r}, not b'GGUF': not a GGUF")
    version = cursor.number("I")
    if version in (v << 24 for v in VERSIONS):
        raise cursor.fail("is big-endian; convert it to little-endian")
    if version not in VERSIONS:
        raise cursor.fail(f"is GGUF version {version}; versions 2 and 3 are read")
    return version


def _value(cursor: _Cursor, kind: int) -> Value:
    return _array(cursor) if kind == _ARRAY else _scalar(cursor, kind)


def _scalar(cursor: _Cursor, kind: int) -> Scalar:
    if kind == _TEXT:
        return cursor.text(TEXT_BYTES, "a text")
    if kind not in _SCALARS:
        raise cursor.fail(f"a metadata value has type {kind}, which none has here: corrupt")
    scalar: Scalar = struct.unpack("<" + _SCALARS[kind], cursor.take(_width(kind)))[0]
    return scalar


def _width(kind: int) -> int:
    return struct.calcsize(_SCALARS[kind])


def _array(cursor: _Cursor) -> Value:
    """Read an array; a long one is stepped over and gives None. None nests, as in llama.cpp."""
    kind, count = cursor.number("I"), cursor.number("Q")
    if count <= KEPT_ITEMS:
        return [_scalar(cursor, kind) for _ in range(count)]
    if kind in _SCALARS:
        cursor.advance(count * _width(kind))
        return None
    if kind != _TEXT:
        raise cursor.fail(f"an array of {count} items has type {kind}: corrupt or hostile")
    for _ in range(count):
        cursor.take(cursor.bounded("Q", TEXT_BYTES, "length of a text"))
    return None


Row = tuple[str, tuple[int, ...], int, int]


def _tensor_row(cursor: _Cursor) -> Row:
    name = cursor.text(KEY_BYTES, "a tensor name")
    rank = cursor.bounded("I", DIMENSIONS, f"the rank of tensor {name[:80]!r}")
    shape = tuple(cursor.number("Q") for _ in range(rank))
    kind, offset = cursor.number("I"), cursor.number("Q")
    return name, shape, kind, offset


def _alignment(cursor: _Cursor, metadata: dict[str, Value]) -> int:
    alignment = metadata.get("general.alignment", 32)
    if type(alignment) is not int or not 8 <= alignment <= 1 << 16 or alignment & (alignment - 1):
        raise cursor.fail(f"general.alignment is {alignment!r}, not a power of two from 8 to 65536")
    return alignment


def _sized(cursor: _Cursor, rows: list[Row], data_bytes: int, alignment: int) -> tuple[Tensor, ...]:
    """Give each tensor its bytes, and check that it lies inside the file and beside the others."""
    if len({name for name, *_ in rows}) < len(rows):
        raise cursor.fail("a tensor name stands twice")
    offsets = sorted({offset for *_, offset in rows})
    ends = dict(zip(offsets, [*offsets[1:], max(data_bytes, 0)], strict=False))
    if len(offsets) < len(rows):
        raise cursor.fail("two tensors share one offset")
    return tuple(_tensor(cursor, row, ends[row[3]], alignment, data_bytes) for row in rows)


def _tensor(cursor: _Cursor, row: Row, end: int, alignment: int, data_bytes: int) -> Tensor:
    name, shape, number, offset = row
    place = f"tensor {name[:80]!r}"
    if offset % alignment:
        raise cursor.fail(f"{place} starts at {offset}, not on a multiple of {alignment}")
    size = _size_bytes(cursor, row)
    if size is None:
        size = max(end - offset, 0)
    if offset + size > data_bytes:
        raise cursor.fail(
            f"{place} ends at {offset + size} of the data, but there are {max(data_bytes, 0)} "
            "bytes: truncated; download it again"
        )
    if offset + size > end:
        raise cursor.fail(f"{place} overlaps the next one: corrupt")
    return Tensor(name, shape, type_of(number).name, offset, size)


def _size_bytes(cursor: _Cursor, row: Row) -> int | None:
    """Count bytes by block layout; None for a type without one: it fills the room it has."""
    name, shape, number, _ = row
    kind, count = type_of(number), math.prod(shape)
    if not shape or not 0 < count < 1 << 63:
        raise cursor.fail(f"tensor {name[:80]!r} has the impossible shape {shape}")
    if not kind.block:
        return None
    if shape[0] % kind.block:
        raise cursor.fail(f"tensor {name[:80]!r}: {shape[0]} a row is not whole {kind.name} blocks")
    return count // kind.block * kind.block_bytes
