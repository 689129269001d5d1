from pathlib import Path

import pytest

from launch.gguf import GgufError
from launch.shards import part_names, read_weights
from launch.source import Sources
from tests.gguf_files import Raw, gguf_bytes
from tests.tiny_moe import write, write_split

TENSOR = Raw("a.weight", (4,), 0, 16)


def read(path: Path) -> object:
    with Sources() as sources:
        return read_weights(str(path), sources.open)


def test_any_part_finds_all_and_they_hold_what_the_whole_holds(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.gguf")
    parts = write_split(tmp_path, "split", 3)
    with Sources() as sources:
        expected = read_weights(str(whole), sources.open)
        found = [read_weights(str(part), sources.open) for part in parts]
    assert found[0] == found[1] == found[2]
    assert [t.name for t in found[0].tensors] == [t.name for t in expected.tensors]
    assert found[0].files == tuple(map(str, parts))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("m.gguf", 1),
        ("m-00002-of-00005.gguf", 5),
        ("https://hub/x/m-00001-of-00002.gguf?download=true", 2),
        ("m-1-of-2.gguf", 1),
    ],
)
def test_parts_are_named_by_their_numbers(name: str, count: int) -> None:
    assert len(part_names(name)) == count
    assert name in part_names(name)


@pytest.mark.parametrize("name", ["m-00000-of-00002.gguf", "m-00003-of-00002.gguf"])
def test_an_impossible_number_is_refused(name: str) -> None:
    with pytest.raises(GgufError, match="is no possible split"):
        part_names(name)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    parts = write_split(tmp_path, "m", 3)
    parts[2].unlink()
    with pytest.raises(GgufError, match=r"parts are missing: .*m-00003-of-00003\.gguf"):
        read(parts[0])


def test_parts_under_each_others_names_are_refused(tmp_path: Path) -> None:
    first, second = write_split(tmp_path, "m", 2)
    first.rename(tmp_path / "x")
    second.rename(first)
    (tmp_path / "x").rename(second)
    with pytest.raises(GgufError, match=r"count themselves \[1, 0\]"):
        read(first)


def test_a_renamed_part_of_a_split_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    first, _ = write_split(tmp_path, "m", 2)
    with pytest.raises(GgufError, match="says that it has 2 parts; 1 found"):
        read(first.rename(tmp_path / "renamed.gguf"))


def test_a_part_with_a_tensor_of_another_is_refused(tmp_path: Path) -> None:
    for part in (1, 2):
        content = gguf_bytes({"split.no": part - 1}, [TENSOR])
        (tmp_path / f"m-{part:05d}-of-00002.gguf").write_bytes(content)
    with pytest.raises(GgufError, match="stands in two parts"):
        read(tmp_path / "m-00001-of-00002.gguf")


def test_a_short_tensor_count_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({"split.tensors.count": 2}, [TENSOR]))
    with pytest.raises(GgufError, match="says that it has 2 tensors; its parts hold 1"):
        read(path)


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_what_cannot_be_opened_is_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path if kind == "folder" else tmp_path / "none.gguf"
    with pytest.raises(GgufError, match=r"cannot be read|is not a file"):
        read(path)
