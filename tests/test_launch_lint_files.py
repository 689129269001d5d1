from pathlib import Path

import pytest

from launch.command import read_commands
from launch.finding import Known
from launch.flags import Flags
from launch.lint import lint

NONE = Flags({}, ())


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    (folder / "ds").mkdir(parents=True)
    for part in (1, 2):
        (folder / f"ds/m-{part:05d}-of-00002.gguf").touch()
    (folder / "d.gguf").touch()
    return folder


def findings(line: str, models: Path | None = None) -> list[tuple[str, str]]:
    (command,) = read_commands(line, "t")
    return [(p.where, p.message) for p in lint(command, Known(NONE, "x", models=models))]


def docker(folder: Path | str, arguments: str) -> str:
    return f"docker run -v {folder}:/models:ro img:1 {arguments}"


def test_files_that_are_there_are_no_finding(models: Path) -> None:
    line = "-m /models/ds/m-00001-of-00002.gguf -md /models/d.gguf"
    assert findings(docker(models, line)) == []
    assert findings(f"llama-server -m {models}/ds/m-00001-of-00002.gguf") == []
    assert findings("llama-server -m d.gguf", models) == []


def test_a_missing_part_and_a_missing_drafter_are_named(models: Path) -> None:
    (models / "ds/m-00002-of-00002.gguf").unlink()
    got = findings(docker(models, "-m /models/ds/m-00001-of-00002.gguf -md /models/none.gguf"))
    assert [where for where, _ in got] == ["-m", "-md"]
    assert "1 of 2 files missing" in got[0][1]
    assert "m-00002-of-00002.gguf" in got[0][1]


def test_a_link_out_of_the_mounted_folder_is_found_though_the_host_sees_the_file(
    models: Path, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store/real.gguf").touch()
    (models / "link.gguf").symlink_to(tmp_path / "store/real.gguf")
    (models / "inner.gguf").symlink_to(models / "d.gguf")
    got = findings(docker(models, "-m /models/link.gguf -md /models/inner.gguf"))
    assert [where for where, _ in got] == ["-m"]
    assert f"mount {tmp_path / 'store'}" in got[0][1]
    assert findings(f"llama-server -m {models}/link.gguf") == [], "without a container it works"


def test_with_the_model_folder_given_a_link_out_of_it_is_told_without_a_container_too(
    models: Path, tmp_path: Path
) -> None:
    part = models / "ds/m-00002-of-00002.gguf"
    part.rename(tmp_path / part.name)
    part.symlink_to(tmp_path / part.name)
    got = findings("llama-server -m /models/ds/m-00001-of-00002.gguf", models)
    assert [where for where, _ in got] == ["-m"]
    assert f"is a link out of {models}" in got[0][1]
    inside = findings(f"llama-server -m {models}/ds/m-00001-of-00002.gguf", models)
    assert [where for where, _ in inside] == ["-m"]


def test_a_file_is_looked_for_with_as_much_of_its_path_as_the_folder_has(models: Path) -> None:
    assert findings("llama-server -m /elsewhere/ds/m-00001-of-00002.gguf", models) == []
    assert findings("llama-server -m /models/d.gguf", models) == []
    got = findings("llama-server -m /models/ds/none.gguf", models)
    assert "1 of 1 files missing" in got[0][1]


@pytest.mark.parametrize(
    "line",
    [
        "llama-server -m relative.gguf",
        "llama-server -m /nowhere/at/all/m.gguf",
        docker("/nowhere/at/all", "-m /models/m.gguf"),
        "docker run img:1 -m /models/m.gguf",
    ],
)
def test_a_line_for_another_machine_is_not_held_against_this_one(line: str) -> None:
    assert findings(line) == []


def test_an_impossible_part_number_is_told(models: Path) -> None:
    got = findings(docker(models, "-m /models/ds/m-00003-of-00002.gguf"))
    assert "is no possible split" in got[0][1]
