import contextlib
import struct
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.gguf import GgufError, Header, read_header
from tests.gguf_files import F32, Q8_0, Raw, Typed, gguf_bytes, text

VALID = {"general.architecture": "test", "test.block_count": 2}
TENSORS = [Raw("a.weight", (64, 2), Q8_0, 136), Raw("b.weight", (4,), F32, 16)]


class Bytes:
    """A source in memory that counts what is read of it."""

    name = "memory.gguf"

    def __init__(self, content: bytes, size: int | None = None) -> None:
        self.content, self.size = content, size or len(content)
        self.largest = self.fetched = 0

    def read(self, offset: int, count: int) -> bytes:
        self.largest = max(self.largest, offset + count)
        self.fetched += count
        return self.content[offset : offset + count]


def read(content: bytes) -> Header:
    return read_header(Bytes(content))


@pytest.mark.parametrize("version", [2, 3])
def test_metadata_and_tensors_come_back_as_written(version: int) -> None:
    written = VALID | {"list": [1, 2], "text": "ä", "yes": True, "half": 0.5}
    header = read(gguf_bytes(written, TENSORS, version))
    assert header.metadata == written
    assert [(t.name, t.shape, t.kind, t.size_bytes) for t in header.tensors] == [
        ("a.weight", (64, 2), "Q8_0", 136),
        ("b.weight", (4,), "F32", 16),
    ]
    assert header.data_start % 32 == 0


def test_long_arrays_are_stepped_over_and_what_follows_is_read() -> None:
    words = {"words": [f"w{n}" for n in range(5000)], "scores": [0.5] * 5000, "after": 7}
    header = read(gguf_bytes(VALID | words, TENSORS))
    assert (header.metadata["words"], header.metadata["scores"]) == (None, None)
    assert header.metadata["after"] == 7


def test_a_numeric_array_is_skipped_without_being_fetched() -> None:
    source = Bytes(gguf_bytes({"big": [Typed(6, 0.0)] * 1_000_000, "after": 1}, []))
    assert read_header(source).metadata["after"] == 1
    assert source.fetched <= 2 << 20


def test_a_type_without_a_block_layout_takes_its_bytes_from_the_offsets() -> None:
    rows = [Raw("k.weight", (256, 2), 144, 288), *TENSORS]
    assert read(gguf_bytes(VALID, rows)).tensors[0][2:] == ("IQ4_KS", 0, 288)


def head(tensors: int, keys: int, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, keys) + rest


def row(name: str, shape: tuple[int, ...], kind: int = F32, offset: int = 0) -> bytes:
    packed = text(name) + struct.pack("<I", len(shape))
    return packed + struct.pack(f"<{len(shape)}QIQ", *shape, kind, offset)


HUGE = (1 << 64) - 1
HOSTILE = {
    "empty": (b"", "truncated"),
    "another format": (b"PK\x03\x04" + bytes(100), "not a GGUF"),
    "a web page": (b"<!doctype html>" + bytes(100), "not a GGUF"),
    "version 1": (b"GGUF" + struct.pack("<I", 1) + bytes(100), "version 1; versions 2 and 3"),
    "big-endian": (b"GGUF" + struct.pack(">I", 3) + bytes(100), "big-endian"),
    "huge tensor count": (head(HUGE, 0), "the tensor count is 18446744073709551615"),
    "huge key count": (head(0, HUGE), "the metadata count is"),
    "counts without content": (head(100, 3), "truncated"),
    "huge key": (head(0, 1, struct.pack("<Q", HUGE)), "length of a metadata key is"),
    "huge text": (head(0, 1, text("k") + struct.pack("<IQ", 8, HUGE)), "length of a text is"),
    "unknown type": (head(0, 1, text("k") + struct.pack("<I", 99)), "type 99"),
    "huge array": (head(0, 1, text("k") + struct.pack("<IIQ", 9, 4, HUGE)), "truncated"),
    "huge text array": (head(0, 1, text("k") + struct.pack("<IIQ", 9, 8, HUGE)), "truncated"),
    "nested array": (head(0, 1, text("k") + struct.pack("<IIQI", 9, 9, 1, 9)), "type 9"),
    "huge nested": (head(0, 1, text("k") + struct.pack("<IIQ", 9, 9, 1 << 40)), "type 9"),
    "rank 5": (head(1, 0, row("t", (1, 1, 1, 1, 1))), "rank of tensor 't' is 5"),
    "rank 0": (head(1, 0, row("t", ())), "impossible shape"),
    "no extent": (head(1, 0, row("t", (0, 4))), "impossible shape"),
    "overflowing shape": (head(1, 0, row("t", (1 << 40, 1 << 40))), "impossible shape"),
    "offset past the end": (head(1, 0, row("t", (4,), offset=1 << 62)), "truncated"),
    "crooked offset": (head(1, 0, row("t", (4,), offset=3)), "multiple of 32"),
    "half a block": (head(1, 0, row("t", (33,), Q8_0)), "not whole Q8_0 blocks"),
    "alignment 0": (gguf_bytes({"general.alignment": 0}, []), "general.alignment is 0"),
    "alignment 33": (gguf_bytes({"general.alignment": 33}, []), "general.alignment is 33"),
    "alignment in words": (gguf_bytes({"general.alignment": "x"}, []), "general.alignment is"),
    "name twice": (gguf_bytes({}, [TENSORS[0], TENSORS[0]]), "stands twice"),
    "one place twice": (head(2, 0, row("a", (4,)) + row("b", (4,))) + bytes(64), "share one"),
    "overlap": (
        head(2, 0, row("a", (64,)) + row("b", (64,), offset=32)) + bytes(400),
        "overlaps the next",
    ),
    "weights cut off": (gguf_bytes(VALID, TENSORS)[:-40], "truncated; download it again"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_broken_or_hostile_header_is_one_error_in_little_memory(case: str) -> None:
    content, told = HOSTILE[case]
    tracemalloc.start()
    with pytest.raises(GgufError, match=r"^memory\.gguf: ") as caught:
        read(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert peak < 8 << 20


def test_a_header_that_goes_on_and_on_ends_in_an_error() -> None:
    keys = b"".join(text(f"k{n}") + struct.pack("<I", 8) + text("x" * 70_000) for n in range(1000))
    with pytest.raises(GgufError, match="runs past 64 MiB"):
        read(head(0, 1000, keys))


def test_a_metadata_key_that_stands_twice_is_refused() -> None:
    pair = text("k") + struct.pack("<II", 4, 1)
    with pytest.raises(GgufError, match="key 'k' stands twice"):
        read(head(0, 2, pair + pair))


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_bytes_behind_the_magic_are_read_or_refused(tail: bytes) -> None:
    with contextlib.suppress(GgufError):
        read(b"GGUF" + struct.pack("<I", 3) + tail)


@given(st.integers(0, 600), st.integers(0, 255))
@settings(max_examples=200, deadline=None)
def test_a_valid_file_with_one_byte_changed_is_read_or_refused(place: int, value: int) -> None:
    content = bytearray(gguf_bytes(VALID | {"list": [1, 2, 3]}, TENSORS))
    content[place % len(content)] = value
    try:
        header = read(bytes(content))
    except GgufError:
        return
    assert sum(tensor.size_bytes for tensor in header.tensors) <= len(content)


@given(
    st.lists(
        st.tuples(st.sampled_from([(F32, 1, 4), (Q8_0, 32, 34)]), st.integers(1, 6)),
        max_size=12,
    )
)
@settings(max_examples=60, deadline=None)
def test_every_tensor_has_the_bytes_that_were_written(
    rows: list[tuple[tuple[int, int, int], int]],
) -> None:
    written = [
        Raw(f"t{n}", (block, count), kind, count * size)
        for n, ((kind, block, size), count) in enumerate(rows)
    ]
    found = read(gguf_bytes(VALID, written)).tensors
    assert [(t.name, t.size_bytes) for t in found] == [(w.name, w.data) for w in written]


def test_the_source_is_read_only_as_far_as_the_header_goes() -> None:
    source = Bytes(gguf_bytes(VALID, [Raw("w", (1 << 22,), F32, 1 << 24)]))
    read_header(source)
    assert source.largest <= 1 << 20
