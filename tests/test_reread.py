import json
from pathlib import Path

import pytest

from ingest.bundle import Source
from ingest.catalog import Catalog
from ingest.filing import draft, write_draft
from ingest.readers.reader import read
from ingest.readers.reading import Reading
from rigbook.__main__ import main

REPORT = Path(__file__).parent / "reports/rig-report.md"


@pytest.fixture
def stored(tmp_path: Path, catalog: Catalog) -> Path:
    """A folder of reports that holds one, filed as it was read."""
    source = Source(kind="issue", url="example.org/rigs/7", author="someone")
    one = read(REPORT.read_bytes(), source, catalog).understood[0]
    write_draft(tmp_path, draft(one.bundle, "rigs-7", ("report.md", one.text)))
    return tmp_path


def test_what_reads_the_same_is_told_as_unchanged(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reread", str(stored)]) == 0
    assert "1 texts read again, 0 would change" in capsys.readouterr().out
    assert main(["check", str(stored)]) == 0


def test_what_a_better_reader_changes_is_listed_and_written_on_demand(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next(stored.rglob("report.json"))
    document = json.loads(path.read_text())
    document["runs"][0]["measurements"][0]["value"] = 11.3
    document["rig"]["state"] = "named-by-a-person"
    path.write_text(json.dumps(document))
    assert main(["reread", str(stored), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [change["pointer"] for change in told["changed"][0]["changes"]] == [
        "/runs/0/measurements/0/value"
    ]
    assert json.loads(path.read_text()) == document
    assert main(["reread", str(stored), "--write"]) == 0
    written = json.loads(path.read_text())
    assert written["runs"][0]["measurements"][0]["value"] == 11.4
    assert (written["id"], written["rig"]["state"]) == (document["id"], "named-by-a-person")
    assert main(["check", str(stored)]) == 0


def test_a_text_that_is_no_longer_read_is_an_error(
    stored: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = Reading("", (), (), (), ())
    monkeypatch.setattr("ingest.readers.again.read", lambda *_: nothing)
    assert main(["reread", str(stored)]) == 1
    assert "gives 0 bundles now" in capsys.readouterr().out
