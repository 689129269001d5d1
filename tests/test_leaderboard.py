"""The leaders of the committed record, line by line: a change of them is seen in review."""

import csv
import difflib
import io
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.check import check
from ingest.store import create, fill

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests/golden/leaderboard.csv"

LEADERS = """
SELECT coalesce(slug, concat_ws(' ', model, quant)) AS name, protocol,
    coalesce(workload, 'not stated') AS workload, count(DISTINCT rig_id) AS rigs,
    max(central) AS tokens_per_s,
    first(rig_id ORDER BY central DESC, rig_id) AS rig,
    first(source_url ORDER BY central DESC, rig_id, source_url) AS source
FROM comparable
WHERE quantity = 'decode' AND coalesce(streams, 1) = 1 AND model IS NOT NULL
GROUP BY ALL ORDER BY ALL
"""


@pytest.fixture(scope="module")
def record() -> Iterator[duckdb.DuckDBPyConnection]:
    checked = check([ROOT / "data"])
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, checked.filed, checked.catalog, checked.problems)
        yield connection


def table(connection: duckdb.DuckDBPyConnection) -> str:
    found = connection.execute(LEADERS)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column[0] for column in found.description or ())
    writer.writerows(found.fetchall())
    return text.getvalue()


def test_the_leaders_are_the_committed_ones(record: duckdb.DuckDBPyConnection) -> None:
    now = table(record)
    fresh = ROOT / "build/leaderboard.csv"
    fresh.parent.mkdir(exist_ok=True)
    fresh.write_text(now)
    changed = difflib.unified_diff(
        GOLDEN.read_text().splitlines(), now.splitlines(), "committed", "now", lineterm="", n=0
    )
    told = "\n".join(changed)
    assert not told, f"{told}\nif this is meant: cp build/leaderboard.csv {GOLDEN.name}"


def test_a_flagged_row_never_leads(record: duckdb.DuckDBPyConnection) -> None:
    flagged = record.execute(
        "SELECT count(*) FROM comparable JOIN measurements USING (measurement_id)"
        " WHERE measurements.status <> 'active'"
    ).fetchone()
    assert flagged == (0,)


def test_a_higher_figure_would_change_the_table(record: duckdb.DuckDBPyConnection) -> None:
    before = table(record)
    record.execute("BEGIN")
    record.execute("UPDATE measurements SET value = value * 2 WHERE quantity = 'decode'")
    after = table(record)
    record.execute("ROLLBACK")
    assert before != after
