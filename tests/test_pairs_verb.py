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
    assert all(
        line.startswith("memory: ") and "80 %)" in line and "[club-" in line for line in lines[:-1]
    )


def test_filters_and_json_tell_the_same_pairs(db: Path) -> None:
    told = json.loads(rigbook("pairs", "--regressions", "--json", "--db", str(db)).stdout)
    assert told["schema"] == "rigbook.pairs/1"
    assert {pair["field"] for pair in told["pairs"]} == {"engine_build"}


def test_a_name_that_the_catalogue_lacks_is_not_taken_for_no_pairs(db: Path) -> None:
    for kind, name, near in (
        ("slug", "llamacpp/deepseek-flash", "llamacpp/deepseek-flash-dual-q8"),
        ("model", "deepseek-v3-0342", "deepseek-v3-0324"),
    ):
        wrong = rigbook("pairs", f"--{kind}", name, "--db", str(db))
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert f"no {kind} {name!r}; nearest: " in wrong.stderr
        assert near in wrong.stderr
        assert rigbook("pairs", f"--{kind}", near, "--db", str(db)).returncode == 0


@pytest.mark.parametrize("words", [("--field", "colour"), ("--db", "nowhere.duckdb")])
def test_misuse_is_exit_2(words: tuple[str, ...]) -> None:
    assert rigbook("pairs", *words).returncode == 2
