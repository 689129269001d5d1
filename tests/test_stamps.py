import os
from pathlib import Path

import pytest

from ingest import stamps
from ingest.stamps import Stamp, machines, stamped


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "machine/bundle"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("{}")
    return tmp_path


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "RACY_S", 0.0)


def test_a_stamp_of_what_was_written_just_now_is_not_trusted(reports: Path) -> None:
    assert not stamped(reports, "machine").stands(str(reports))


@pytest.mark.usefixtures("trusting")
def test_a_stamp_lists_folders_with_a_report_and_stands_while_nothing_changes(
    reports: Path,
) -> None:
    stamp = stamped(reports, "machine")
    assert stamp.bundles() == ["machine/bundle"]
    assert stamp.stands(str(reports))


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("change", ["content", "new", "gone", "folder", "time back", "replaced"])
def test_a_stamp_falls_with_any_change(reports: Path, change: str) -> None:
    report = reports / "machine/bundle/report.json"
    stamp = stamped(reports, "machine")
    if change == "content":
        report.write_text("[]")
    elif change == "new":
        (report.parent / "status.jsonl").touch()
    elif change == "gone":
        report.unlink()
    elif change == "folder":
        (reports / "machine/other").mkdir()
    elif change == "time back":
        os.utime(report, (0, 0))
    else:
        (other := report.with_name("other")).write_text("{}")
        other.replace(report)
    assert not stamp.stands(str(reports))


def test_a_machine_never_seen_has_a_stamp_that_does_not_stand(reports: Path) -> None:
    assert not Stamp("", b"").stands(str(reports))


@pytest.mark.usefixtures("trusting")
def test_a_name_with_a_line_feed_is_never_trusted(reports: Path) -> None:
    (reports / "machine/bundle/a\nb").touch()
    assert stamped(reports, "machine").numbers == b""


def test_machines_are_folders_and_no_links(reports: Path) -> None:
    (reports / "link").symlink_to(reports / "machine")
    (reports / "file").touch()
    assert machines(reports) == ["machine"]
