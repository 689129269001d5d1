import json
from pathlib import Path
from typing import Any

import pytest

from ingest.bundle import Bundle, bundle_id, canonical_json
from ingest.folder import MAX_FILE_BYTES, bundle_folders, read_folder

RAW = '{"decode_tps": 17.1}\n'


@pytest.fixture
def folder(tmp_path: Path, document: dict[str, Any]) -> Path:
    document["id"] = bundle_id([source["url"] for source in document["sources"]], RAW)
    bundle = Bundle.model_validate(document)
    folder = tmp_path / bundle.rig.machine / f"2026-08-11-example-{bundle.id[:8]}"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(canonical_json(bundle))
    (folder / "rows.jsonl").write_text(RAW)
    return folder


def messages(folder: Path) -> list[str]:
    filed, problems = read_folder(folder)
    assert filed is None or not problems
    return [str(problem) for problem in problems]


def test_a_sound_folder_is_read_whole(folder: Path) -> None:
    filed, problems = read_folder(folder)
    assert problems == []
    assert filed is not None
    assert filed.path == f"{folder.parent.name}/{folder.name}"


def test_folders_are_found_below_a_path_and_at_it(folder: Path) -> None:
    assert list(bundle_folders(folder.parents[1])) == list(bundle_folders(folder)) == [folder]


def test_the_content_hash_changes_with_any_file(folder: Path) -> None:
    before, _ = read_folder(folder)
    status = {"state": "flagged", "reason": "paging", "date": "2026-12-01", "by": "someone"}
    (folder / "status.jsonl").write_text(json.dumps(status) + "\n")
    after, _ = read_folder(folder)
    assert before is not None
    assert after is not None
    assert before.content_hash != after.content_hash
    assert [s.reason for s in after.statuses] == ["paging"]


def test_changed_raw_text_no_longer_fits_its_id(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(RAW.replace("17.1", "71.1"))
    assert "were changed after it was made" in messages(folder)[0]


def test_a_link_is_refused_and_not_followed(folder: Path) -> None:
    (folder / "report.md").symlink_to("/etc/passwd")
    assert "not a link" in messages(folder)[0]


def test_a_file_that_is_no_part_of_a_bundle_is_refused(folder: Path) -> None:
    (folder / "install.sh").write_text("true\n")
    assert "is not part of a bundle" in messages(folder)[0]


def test_a_file_too_large_is_refused_unread(folder: Path) -> None:
    (folder / "report.md").write_text(" " * (MAX_FILE_BYTES + 1))
    assert f"at most {MAX_FILE_BYTES:,} bytes" in messages(folder)[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "EOF"),
        (b"[]", "should be an object"),
        (b"\xff\xfe", "Invalid JSON"),
        (b'{"schema_version": 2}', "'id' is missing"),
        (b"[" * 5000, "Invalid JSON"),
    ],
)
def test_a_file_that_is_no_bundle_is_named_not_raised(
    folder: Path, content: bytes, message: str
) -> None:
    (folder / "report.json").write_bytes(content)
    assert any(message in found for found in messages(folder))


def test_every_bad_status_line_is_named(folder: Path) -> None:
    (folder / "status.jsonl").write_text('{"state": "gone"}\n{}\n')
    found = messages(folder)
    assert any("status.jsonl:1: state" in message for message in found)
    assert any("status.jsonl:2: reason: 'reason' is missing" in message for message in found)


def test_a_bundle_in_another_machines_folder_is_refused(folder: Path) -> None:
    home = folder.parent.rename(folder.parents[1] / "somebody-else")
    assert "should be its folder 'somebody-else'" in messages(home / folder.name)[0]
