import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_each_line_says_the_field_the_ratio_and_its_interval(db: Path) -> None:
    lines = rigbook("pairs", "--field", "memory", "--db", str(db)).stdout.splitlines()
    assert lines[-1] == f"{len(lines) - 1} pairs"
    assert all(line.startswith("memory: ") and "80 %)" in line for line in lines[:-1])


def test_filters_and_json_tell_the_same_pairs(db: Path) -> None:
    told = json.loads(rigbook("pairs", "--regressions", "--json", "--db", str(db)).stdout)
    assert told["schema"] == "rigbook.pairs/1"
    assert {pair["field"] for pair in told["pairs"]} == {"engine_build"}
    assert rigbook("pairs", "--model", "no-such", "--db", str(db)).stdout == "0 pairs\n"


@pytest.mark.parametrize("words", [("--field", "colour"), ("--db", "nowhere.duckdb")])
def test_misuse_is_exit_2(words: tuple[str, ...]) -> None:
    assert rigbook("pairs", *words).returncode == 2
