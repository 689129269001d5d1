"""The wheel alone, with the base dependencies, must answer `predict` on a rig."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_packages_the_catalogue_and_the_model(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "ingest/schema.sql",
        "ingest/data/catalog/quantities.toml",
        "models/fitted/model.json",
        "rigbook/__main__.py",
        "sitegen/__init__.py",
    ):
        assert wanted in names
    assert not [name for name in names if name.startswith(("tests/", "data/", "site/"))]


def test_predict_answers_from_the_unpacked_wheel_outside_any_checkout(
    wheel: Path, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    words = ["predict", "--triad", "52", "--cores", "16", "--json"]
    answered = subprocess.run(
        [sys.executable, "-P", "-m", "rigbook", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(answered.stdout)["schema"] == "rigbook.predict/1"
