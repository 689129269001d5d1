import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.store import opened

ROOT = Path(__file__).parents[1]


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    return subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db") / "rigbook.duckdb"
    assert rigbook("load", "--db", str(path)).returncode == 0
    return path


def two(db: Path, protocol: str) -> list[str]:
    """Two decode rows of one variant on two machines, the second by `protocol`."""
    sql = """
        SELECT a.measurement_id, b.measurement_id FROM guarded AS a JOIN guarded AS b
        ON a.model = b.model AND a.quant = b.quant AND a.quantity = b.quantity
            AND a.workload IS NOT DISTINCT FROM b.workload AND a.rig_id <> b.rig_id
        WHERE a.quantity = 'decode' AND a.protocol = 'club-canonical' AND b.protocol = ?
            AND a.engine = b.engine AND coalesce(a.thinking, b.thinking) IS NULL
        ORDER BY ALL LIMIT 1"""
    with opened(db) as connection:
        found = connection.execute(sql, [protocol]).fetchone()
    assert found is not None
    return list(found)


def test_across_protocols_it_refuses_with_the_fields_and_the_way_past(db: Path) -> None:
    ids = two(db, "other")
    refused = rigbook("compare", *ids, "--db", str(db))
    assert refused.returncode == 1
    assert "protocol: club-canonical / other" in refused.stdout
    fields = refused.stdout.split("--anyway ")[1].split()[0]
    marked = rigbook("compare", *ids, "--db", str(db), "--anyway", fields)
    assert marked.returncode == 0
    assert "NOT LIKE FOR LIKE (" in marked.stdout


def test_json_is_one_document(db: Path) -> None:
    told = json.loads(rigbook("compare", *two(db, "other"), "--db", str(db), "--json").stdout)
    assert told["schema"] == "rigbook.compare/1"
    assert ["protocol", ["club-canonical", "other"]] in told["differences"]


@pytest.mark.parametrize(
    "words",
    [("one/only/0",), ("a/b/0", "c/d/0"), ("a/b/0", "c/d/0", "--anyway", "colour")],
    ids=["one", "unknown ids", "unknown field"],
)
def test_misuse_is_one_line_and_exit_2(db: Path, words: tuple[str, ...]) -> None:
    found = rigbook("compare", *words, "--db", str(db))
    assert (found.returncode, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1
