"""What the README promises, in a temporary copy: load, fit, predict, site."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_OUT = (
    ".git",
    ".venv",
    "build",
    "results",
    "notebooks",
    "__pycache__",
    ".*_cache",
    "node_modules",
)


def rigbook(copy: Path, *words: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": f"{copy}:{copy / 'site'}", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy") / "rigbook"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


def test_load_fit_predict_and_site_work_one_after_the_other(copy: Path) -> None:
    assert "measurements" in rigbook(copy, "load")
    rigbook(copy, "fit")
    answer = json.loads(
        rigbook(
            copy,
            "predict",
            "--triad",
            "52",
            "--cores",
            "16",
            "--json",
            "--model-file",
            "build/model.json",
        )
    )
    assert answer["predictions"]
    rigbook(copy, "site")
    home = (copy / "build/site/index.html").read_text()
    assert "deepseek-flash-dual-q8" in home
    assert (copy / "site/docs").is_dir(), "the build must not touch its sources"
