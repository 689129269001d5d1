import os
from pathlib import Path

import pytest

from sitegen.swap import swapped

GONE = 2**22 + 1
"""A process number that Linux never gives."""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_swapped_in_whole(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "old.md").touch()
    with swapped(folder) as fresh:
        (fresh / "new.md").touch()
        assert names(folder) == ["old.md"]
    assert names(folder) == ["new.md"]
    assert names(tmp_path) == ["results"]


def test_an_error_leaves_the_old_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "old.md").touch()
    with pytest.raises(FileExistsError), swapped(folder) as fresh:
        fresh.mkdir()
    assert names(folder) == ["old.md"]
    assert names(tmp_path) == ["results"]


def test_what_a_killed_build_left_is_swept_and_what_it_moved_away_is_put_back(
    tmp_path: Path,
) -> None:
    (tmp_path / f".results.{GONE}.new").mkdir()
    (tmp_path / f".results.{GONE}.old").mkdir()
    (tmp_path / f".results.{GONE}.old" / "old.md").touch()
    with pytest.raises(FileExistsError), swapped(tmp_path / "results") as fresh:
        fresh.mkdir()
    assert names(tmp_path) == ["results"]
    assert names(tmp_path / "results") == ["old.md"]


def test_a_running_build_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / f".results.{os.getppid()}.new"
    other.mkdir()
    with swapped(tmp_path / "results"):
        pass
    assert other.exists()
