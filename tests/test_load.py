import json
import os
import random
import shutil
from pathlib import Path

import pytest

from ingest import batch, stamps
from ingest import load as loading
from ingest.catalog import Catalog
from ingest.fingerprint import Keys, keys
from ingest.folder import Filed
from ingest.load import Loaded, load
from ingest.problem import Problem
from ingest.rows import Rows
from ingest.rules import rule_problems
from ingest.store import opened
from ingest.tables import add_bundle

ROOT = Path(__file__).parents[1]
MACHINES = 6


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust stamps of files written just now, as if each test waited until they are old."""
    monkeypatch.setattr(stamps, "RACY_S", 0.0)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A part of the committed record that may be changed, with the catalogue."""
    root = tmp_path / "data"
    shutil.copytree(ROOT / "data/catalog", root / "catalog")
    for machine in sorted((ROOT / "data/reports").iterdir())[:MACHINES]:
        shutil.copytree(machine, root / "reports" / machine.name)
    return root


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "build/rigbook.duckdb"


def rows(db: Path) -> dict[str, list[str]]:
    """Every row of every table, in an order that does not depend on how it came in."""
    with opened(db) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
        ).fetchall()
        return {
            name: sorted(map(repr, connection.execute(f'FROM "{name}"').fetchall()))
            for (name,) in tables
        }


def same_as_from_nothing(data: Path, db: Path) -> bool:
    load(data, fresh := db.with_name("fresh.duckdb"), full=True)
    return rows(db) == rows(fresh)


def reports(data: Path) -> list[Path]:
    return sorted((data / "reports").rglob("report.json"))


def flag(report: Path) -> None:
    """Append a state to a bundle, in place."""
    line = {"state": "flagged", "reason": "paging", "date": "2026-12-01", "by": "me"}
    with (report.parent / "status.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_a_second_load_reads_and_writes_nothing(data: Path, db: Path) -> None:
    first = load(data, db)
    written = db.stat().st_mtime_ns
    second = load(data, db)
    assert first.changed
    assert first.parsed == first.bundles == len(reports(data))
    assert second == Loaded(first.problems, first.bundles, 0, changed=False)
    assert db.stat().st_mtime_ns == written


def test_a_changed_bundle_is_read_with_its_machine_and_nothing_else(data: Path, db: Path) -> None:
    load(data, db)
    changed = reports(data)[3]
    flag(changed)
    loaded = load(data, db)
    assert loaded.changed
    assert loaded.parsed == len(list(changed.parents[1].rglob("report.json")))
    assert same_as_from_nothing(data, db)


def test_a_file_that_keeps_its_size_and_time_is_still_seen_to_change(data: Path, db: Path) -> None:
    flag(reports(data)[0])
    load(data, db)
    status = reports(data)[0].with_name("status.jsonl")
    told = status.stat()
    status.write_text(status.read_text().replace("paging", "typing"))
    os.utime(status, ns=(told.st_atime_ns, told.st_mtime_ns))
    load(data, db)
    assert any("typing" in row for row in rows(db)["statuses"])


def test_a_file_only_touched_is_not_parsed_again(data: Path, db: Path) -> None:
    load(data, db)
    for report in reports(data):
        os.utime(report, (0, 0))
    loaded = load(data, db)
    assert (loaded.parsed, loaded.changed) == (0, False)


@pytest.mark.parametrize("seed", range(2))
def test_any_row_of_changes_ends_as_a_load_from_nothing_would(
    data: Path, db: Path, seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    away = tmp_path / "away"
    away.mkdir()
    load(data, db)
    for _ in range(3):
        for _ in range(rng.randrange(1, 4)):
            folder = rng.choice(reports(data)).parent
            if rng.random() < 0.4:
                flag(folder / "report.json")
            elif rng.random() < 0.5:
                shutil.move(folder.parent, away / folder.parent.name)
            elif back := [*away.iterdir()]:
                shutil.move(back[0], data / "reports" / back[0].name)
            else:
                shutil.rmtree(folder)
        load(data, db)
        assert same_as_from_nothing(data, db)


def test_a_report_put_into_a_folder_that_was_empty_is_found(data: Path, db: Path) -> None:
    report = reports(data)[0]
    kept = report.read_bytes()
    report.unlink()
    (report.parent / "rows.jsonl").rename(data / "rows.jsonl")
    load(data, db)
    (data / "rows.jsonl").rename(report.parent / "rows.jsonl")
    report.write_bytes(kept)
    assert load(data, db).bundles == len(reports(data))
    assert same_as_from_nothing(data, db)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every time that rules run and that rows are made."""
    noted: list[str] = []

    def ruled(filed: Filed, catalog: Catalog) -> list[Problem]:
        noted.append("rules")
        return rule_problems(filed, catalog)

    def added(into: Rows, filed: Filed, catalog: Catalog) -> None:
        noted.append("rows")
        add_bundle(into, filed, catalog)

    monkeypatch.setattr(batch, "rule_problems", ruled)
    monkeypatch.setattr(batch, "add_bundle", added)
    return noted


@pytest.mark.parametrize(
    ("parts", "redone"),
    [
        (["verdicts"], {"rules"}),
        (["rows"], {"rows"}),
        (["catalog"], set()),
        (["verdicts", "rows"], {"rules", "rows"}),
    ],
)
def test_what_depends_on_a_change_is_done_again_and_nothing_else(
    data: Path,
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
    calls: list[str],
    parts: list[str],
    redone: set[str],
) -> None:
    load(data, db)
    calls.clear()
    changed: Keys = keys(data / "catalog")._replace(**dict.fromkeys(parts, "other"))
    monkeypatch.setattr(loading, "keys", lambda _: changed)
    load(data, db)
    done = set(calls)
    assert done == redone
    assert same_as_from_nothing(data, db)
    assert load(data, db).changed is False


def test_an_entry_added_to_the_catalogue_reaches_the_database(data: Path, db: Path) -> None:
    load(data, db)
    with (data / "catalog/gpus.toml").open("a") as file:
        file.write(
            '\n[[gpus]]\nid = "new"\nname = "New 1"\nmatch = ["new 1"]\nvendor = "other"\n'
            'vram_gib = 8\nbandwidth_gbps = 100\nsource = ["test"]\n'
        )
    assert load(data, db).changed
    assert any("New 1" in row for row in rows(db)["catalog_gpus"])
    assert same_as_from_nothing(data, db)


def test_errors_leave_the_database_and_their_cure_is_seen(data: Path, db: Path) -> None:
    load(data, db)
    before = rows(db)
    report = reports(data)[0]
    kept = report.read_text()
    report.write_text(kept.replace('"schema_version": 1', '"schema_version": 9'))
    for _ in range(2):
        refused = load(data, db)
        assert [one.path for one in refused.problems] == [str(report)]
        assert not refused.changed
    assert rows(db) == before
    report.write_text(kept)
    assert load(data, db).problems == ()


def test_an_error_that_was_of_the_day_is_judged_again(
    data: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(data, db)
    flag(reports(data)[0])
    with monkeypatch.context() as patch:
        patch.setattr(batch, "rule_problems", lambda *_: [Problem("a", "b", "in the future")])
        assert len(load(data, db).problems) == 1
    assert load(data, db).problems == ()
    assert same_as_from_nothing(data, db)


def test_one_bundle_in_two_places_is_refused_whichever_came_first(data: Path, db: Path) -> None:
    load(data, db)
    folder = reports(data)[0].parent
    shutil.copytree(folder, folder.with_name("copy-" + folder.name))
    refused = load(data, db)
    assert [one.where for one in refused.problems] == ["id"]


@pytest.mark.parametrize("name", ["rigbook.duckdb", ".rigbook.duckdb.ledger"])
@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_a_spoilt_file_is_made_anew(data: Path, db: Path, name: str, content: bytes) -> None:
    load(data, db)
    db.with_name(name).write_bytes(content)
    load(data, db)
    assert same_as_from_nothing(data, db)


def test_processes_together_do_what_one_does_alone(
    data: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(data, alone := db.with_name("alone.duckdb"))
    monkeypatch.setattr(loading, "ALONE", 0)
    monkeypatch.setattr(loading, "MACHINES_A_SHARE", 3)
    load(data, db)
    assert rows(db) == rows(alone)


def test_nothing_is_left_beside_the_database(data: Path, db: Path) -> None:
    load(data, db)
    left = {path.name for path in db.parent.iterdir()}
    assert left == {"rigbook.duckdb", ".rigbook.duckdb.ledger", ".rigbook.duckdb.lock"}


def test_problems_that_are_no_errors_stand_in_the_database(
    data: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubt = Problem("a", "b", "doubtful", "flag")
    load(data, db)
    monkeypatch.setattr(batch, "rule_problems", lambda *_: [doubt])
    monkeypatch.setattr(loading, "keys", lambda root: keys(root)._replace(verdicts="other"))
    assert load(data, db).changed
    assert set(rows(db)["problems"]) == {repr(("a", "b", "doubtful", "flag"))}
    assert load(data, db).changed is False
