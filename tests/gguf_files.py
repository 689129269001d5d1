"""Writes GGUF files for the tests: any header, and tiny random models that llama.cpp loads."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ALIGNMENT = 32
F32, F16, Q8_0 = 0, 1, 8
Array = npt.NDArray[Any]


class Typed(NamedTuple):
    """A metadata value whose type number is chosen by hand."""

    kind: int
    value: Any


class Raw(NamedTuple):
    """A tensor: its shape in ggml order, its type number and its bytes (or how many)."""

    name: str
    shape: tuple[int, ...]
    kind: int
    data: bytes | int


_CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _typed(value: Any) -> Typed:  # noqa: ANN401 - any metadata value
    match value:
        case Typed():
            return value
        case bool():
            return Typed(7, value)
        case int():
            return Typed(4, value)
        case float():
            return Typed(6, value)
        case str():
            return Typed(8, value)
        case _:
            return Typed(9, list(value))


def _encoded(kind: int, value: Any) -> bytes:  # noqa: ANN401 - any metadata value
    if kind == 8:
        return text(value)
    if kind == 9:
        items = [_typed(item) for item in value]
        inner = items[0].kind if items else 4
        body = b"".join(_encoded(inner, item.value) for item in items)
        return struct.pack("<IQ", inner, len(items)) + body
    return struct.pack("<" + _CODES[kind], value)


def metadata_bytes(metadata: Mapping[str, Any]) -> bytes:
    pairs = ((key, _typed(value)) for key, value in metadata.items())
    return b"".join(text(k) + struct.pack("<I", t.kind) + _encoded(*t) for k, t in pairs)


def gguf_bytes(metadata: Mapping[str, Any], tensors: Sequence[Raw], version: int = 3) -> bytes:
    """Write a whole file; a tensor given as a byte count is filled with zeros."""
    rows, data = b"", bytearray()
    for tensor in tensors:
        body = bytes(tensor.data) if isinstance(tensor.data, int) else tensor.data
        shape = struct.pack(f"<{len(tensor.shape)}Q", *tensor.shape)
        rows += text(tensor.name) + struct.pack("<I", len(tensor.shape)) + shape
        rows += struct.pack("<IQ", tensor.kind, len(data))
        data += body + bytes(-len(body) % ALIGNMENT)
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    head += metadata_bytes(metadata) + rows
    return head + bytes(-len(head) % ALIGNMENT) + bytes(data)


def quantised(name: str, values: Array) -> Raw:
    """Encode a matrix as Q8_0: 32 weights a block, one half-precision scale each."""
    blocks = values.reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    whole = np.rint(np.divide(blocks, scale, where=scale > 0, out=np.zeros_like(blocks)))
    body = np.concatenate([scale.astype("<f2").view(np.int8), whole.astype(np.int8)], axis=1)
    return Raw(name, values.shape[::-1], Q8_0, body.tobytes())


def plain(name: str, values: Array) -> Raw:
    return Raw(name, values.shape[::-1], F32, values.astype("<f4").tobytes())
