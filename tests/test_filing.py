import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.bundle import Rig, Run, Source
from ingest.filing import Parts, path_part, sealed, stray_folders, write_draft
from ingest.folder import read_folder


def parts(**changes: object) -> Parts:
    whole = Parts(
        rig=Rig(machine="ada-ryzen", state="ddr5"),
        sources=(Source(kind="table", url="example.org/t/1", author="ada"),),
        runs=(Run(id="run-1"),),
        provenance={},
        lines=('{"a": 1}',),
        statuses=(),
    )
    return whole._replace(**changes)  # type: ignore[arg-type]


@given(st.text())
def test_any_text_folds_to_one_safe_path_segment(text: str) -> None:
    part = path_part(text)
    assert part == os.path.basename(part)
    assert not part.startswith((".", "-"))
    assert 0 < len(part.encode()) <= 80
    assert path_part(part) == part


def test_a_written_bundle_reads_back_whole(tmp_path: Path) -> None:
    bundle, one = sealed(parts(), "t-1")
    assert write_draft(tmp_path, one)
    filed, problems = read_folder(tmp_path / one.folder)
    assert problems == []
    assert filed is not None
    assert filed.bundle == bundle
    assert bundle.submitter == "ada"


def test_writing_the_same_again_changes_nothing(tmp_path: Path) -> None:
    _, one = sealed(parts(), "t-1")
    assert write_draft(tmp_path, one)
    before = (tmp_path / one.folder / "report.json").stat().st_mtime_ns
    assert not write_draft(tmp_path, one)
    assert (tmp_path / one.folder / "report.json").stat().st_mtime_ns == before


def test_a_changed_bundle_replaces_its_files_and_leaves_nothing_beside(tmp_path: Path) -> None:
    _, one = sealed(parts(), "t-1")
    write_draft(tmp_path, one)
    changed = one._replace(files={**one.files, "status.jsonl": b""})
    assert write_draft(tmp_path, changed)
    names = sorted(path.name for path in (tmp_path / one.folder).iterdir())
    assert names == ["report.json", "rows.jsonl", "status.jsonl"]
    assert [path.name for path in (tmp_path / "ada-ryzen").iterdir()] == [Path(one.folder).name]


def test_a_folder_outside_the_root_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    _, one = sealed(parts(), "t-1")
    with pytest.raises(ValueError, match="outside"):
        write_draft(tmp_path / "reports", one._replace(folder="../../elsewhere"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_longer_produced_is_told_and_left(tmp_path: Path) -> None:
    _, one = sealed(parts(), "t-1")
    _, other = sealed(parts(lines=('{"a": 2}',)), "t-1")
    write_draft(tmp_path, one)
    write_draft(tmp_path, other)
    (told,) = stray_folders(tmp_path, [one])
    assert other.folder in told.path
    assert (tmp_path / other.folder).is_dir()
