import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def rigbook(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    return subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def verbs() -> list[str]:
    lines = rigbook("--help").stdout.split("example")[0].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ")]


def test_every_verbs_help_fits_a_screen_and_ends_with_two_examples() -> None:
    for verb in verbs():
        told = rigbook(verb, "--help").stdout
        assert len(told.splitlines()) <= 50, verb
        assert len([line for line in told.split("examples:")[1].splitlines() if line.strip()]) == 2


def test_no_verb_and_a_wrong_verb_are_misuse() -> None:
    assert rigbook().returncode == 2
    wrong = rigbook("lod")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no verb 'lod'" in wrong.stderr


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_the_projects(flag: str) -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert rigbook(flag).stdout == f"rigbook {told}\n"


def test_where_nothing_is_installed_no_version_is_made_up(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rigbook", tmp_path / "rigbook")
    shutil.copytree(ROOT / "ingest", tmp_path / "ingest")
    # -I and -S: neither the checkout nor what is installed is found.
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); from rigbook.__main__ import main;"
        " sys.exit(main(['-V']))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "is not installed" in ran.stderr


def test_check_lists_every_problem_then_counts_and_exits_1(tmp_path: Path) -> None:
    folder = tmp_path / "machine" / "undated-x-00000000"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text('{"schema_version": 1, "id": "x", "sources": []}')
    found = rigbook("check", str(tmp_path))
    assert found.returncode == 1
    lines = found.stdout.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(f"{folder}/report.json: ") for line in lines[:-1])
    assert lines[-1] == "0 bundles checked: 3 errors, 0 flags, 0 notes"


def test_check_of_the_committed_record_passes_and_its_json_is_one_document() -> None:
    found = rigbook("check", "--json")
    assert found.returncode == 0, found.stdout[:2000]
    assert json.loads(found.stdout)["schema"] == "rigbook.check/1"


def test_check_covers_the_launch_configs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data/launchers", tmp_path / "launchers")
    path = tmp_path / "launchers/llamacpp/deepseek-flash-dual-q8.toml"
    path.write_text(path.read_text().replace("b10236", "b1"))
    found = rigbook("check", str(tmp_path))
    assert found.returncode == 1
    assert "build: names 'b1', which flags.toml does not have" in found.stdout


def test_a_path_that_is_not_there_is_an_error() -> None:
    found = rigbook("check", "nowhere")
    assert found.returncode == 1
    assert "nowhere: there is nothing here" in found.stdout


def test_load_refuses_a_record_with_errors_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "data/reports/machine/undated-x-00000000"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("{}")
    found = rigbook("load", "--data", str(tmp_path / "data"), "--db", str(tmp_path / "x.duckdb"))
    assert found.returncode == 1
    assert not (tmp_path / "x.duckdb").exists()
    assert "Traceback" not in found.stderr


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db") / "rigbook.duckdb"
    loaded = rigbook("load", "--db", str(path))
    assert loaded.returncode == 0, loaded.stdout
    return path


def test_query_answers_as_table_json_and_csv(database: Path) -> None:
    sql = "SELECT 1 AS one, NULL AS nothing, 'a,b' AS text"
    assert "one" in rigbook("query", sql, "--db", str(database)).stdout
    answer = json.loads(rigbook("query", sql, "--json", "--db", str(database)).stdout)
    assert answer == [{"one": 1, "nothing": None, "text": "a,b"}]
    csv = rigbook("query", sql, "--csv", "--db", str(database)).stdout
    assert csv == 'one,nothing,text\n1,,"a,b"\n'


@pytest.mark.parametrize("sql", ["SELEC 1", "DROP TABLE runs", "FROM read_text('/etc/passwd')"])
def test_a_query_that_is_wrong_or_hostile_is_one_line_of_misuse(database: Path, sql: str) -> None:
    found = rigbook("query", sql, "--db", str(database))
    assert (found.returncode, found.stdout) == (2, "")
    assert "Traceback" not in found.stderr
    assert found.stderr.startswith("rigbook query: the database refused the query")
