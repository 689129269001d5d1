"""`rigbook review`, as CI runs it: over two folders of the real record, and over commits."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MACHINE = "noonghunna-epyc-7543"


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    return subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record without the bundles of one machine."""
    tree = tmp_path_factory.mktemp("before")
    shutil.copytree(ROOT / "data", tree / "data")
    shutil.rmtree(tree / "data/reports" / MACHINE)
    return tree


@pytest.fixture(scope="module")
def with_it(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("after")
    shutil.copytree(ROOT / "data", tree / "data")
    return tree


def test_a_submission_is_placed_previewed_and_told_as_data(
    without: Path, with_it: Path, tmp_path: Path
) -> None:
    out, verdict = tmp_path / "review.md", tmp_path / "review.json"
    found = rigbook(
        "review", str(without), str(with_it), "--no-fit", "--out", str(out), "--json", str(verdict)
    )
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
    told = json.loads(verdict.read_text())
    assert told["schema"] == "rigbook.review/1"
    assert told["refused"] is False
    report = out.read_text()
    assert report.startswith("## ⚑ A maintainer decides on the flags: 0 errors, 1 flag")
    assert "It was not fitted anew" in report
    assert "### Against the model" in report
    assert "decode rows lie in the interval" in report
    assert f"<code>rigs/{MACHINE}</code>" in report
    assert "<a href" not in report
    assert len(report) < 65_536


def test_a_refused_change_is_exit_1_and_names_file_place_and_remedy(
    without: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "after"
    shutil.copytree(without, tree)
    folder = next((tree / "data/reports").glob("*/*"))
    path = folder / "report.json"
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": 2'))
    found = rigbook("review", str(without), str(tree), "--no-fit")
    assert found.returncode == 1
    assert found.stdout.startswith("## ⛔ Not yet: 2 errors")
    assert "schema&#95;version" in found.stdout
    assert "restore it, submit a new bundle" in found.stdout


def test_commits_are_reviewed_like_folders(without: Path, with_it: Path, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True)

    git("init", "-q", "-b", "main")
    shutil.copytree(without / "data/catalog", tmp_path / "data/catalog")
    git("add", "-A")
    git("commit", "-qm", "before")
    reports = Path("data/reports", MACHINE)
    shutil.copytree(with_it / reports, tmp_path / reports)
    git("add", "-A")
    git("commit", "-qm", "after")
    found = rigbook("review", "main~1..main", "--repo", str(tmp_path), "--no-fit")
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("## ⚑ A maintainer decides on the flags: 0 errors, 1 flag")
    assert f"<summary><code>rigs/{MACHINE}</code>" in found.stdout


@pytest.mark.parametrize("words", [("main",), ("a", "b", "c"), ("nowhere", "nowhere-either")])
def test_misuse_is_one_line_and_exit_2(words: tuple[str, ...]) -> None:
    found = rigbook("review", *words)
    assert (found.returncode, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1


def test_a_commit_that_is_not_there_is_named(tmp_path: Path) -> None:
    subprocess.run(["git", "-C", str(tmp_path), "init", "-q"], check=True)
    found = rigbook("review", "nowhere..HEAD", "--repo", str(tmp_path))
    assert found.returncode == 2
    assert "has no commit 'nowhere'" in found.stderr
    assert "such as origin/main" in found.stderr
