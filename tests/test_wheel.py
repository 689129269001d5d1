"""The wheel alone, with the base dependencies, must answer `predict` on a rig."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        "capture/reader.py",
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


BLOCK = """
import sys

class Absent:
    names = {"altair", "duckdb", "markdown", "mkdocs", "polars", "scipy", "sklearn", "vl_convert",
             "yaml", "threadpoolctl", "pytest"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"no {name} on a rig", name=name)

sys.meta_path.insert(0, Absent())
"""
"""Only the base dependencies are there, as after `uvx --from WHEEL rigbook …`."""


def test_a_rig_is_captured_benched_and_submitted_from_the_wheel_and_its_base_dependencies(
    wheel: Path, tmp_path: Path, fake_server: Callable[[Any], Any]
) -> None:
    piece = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
    last = b'data: {"choices": [{"delta": {}, "finish_reason": "length"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    server = fake_server(lambda *_: [head, piece, 0.2, piece, last])
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    (installed / "sitecustomize.py").write_text(BLOCK)

    def rigbook(*words: str) -> str:
        return subprocess.run(
            [sys.executable, "-P", "-m", "rigbook", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert "1 thread" in rigbook("bandwidth", "--threads", "1")
    assert "bundle:" in rigbook("capture", "--no-bandwidth")
    assert "[rigbook-quick]" in rigbook("bench", server.url, "--quick")
    assert "0 errors" in rigbook("check", "rigbook-run/bundle")
    assert "preview.html" in rigbook("submit", "--dry-run")
