"""The commands of the tutorials and of each verb's help are run, in a copy of what they need."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ingest.load import load
from rigbook.__main__ import VERBS, parser_of
from rigbook.reference import examples_of
from sitegen.downloads import write_downloads
from tests.tiny_moe import write, write_split

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "site/docs/tutorials").glob("*.md"))
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w+)\n(?P<body>.*?)^ *```$", re.MULTILINE | re.DOTALL
)

LLAMA_BENCH = '#!/bin/sh\ncat "$(dirname "$0")/../tests/reports/samples/llama-bench-rows.json"\n'
"""Stands for the tool whose output the reader gets."""


COMPOSE = """services:
  server:
    image: ghcr.io/ggml-org/llama.cpp:server-cuda
    command: -m /models/m.gguf -ngl 99 -ot exps=CPU -t 16
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout after `make site`, as far as commands look at it, with half of the record."""
    folder = tmp_path_factory.mktemp("work")
    shutil.copytree(ROOT / "data", folder / "data", ignore=shutil.ignore_patterns("public-*"))
    shutil.copytree(ROOT / "tests/reports", folder / "tests/reports")
    load(folder / "data", folder / "build/rigbook.duckdb")
    model = ROOT / "models/fitted/model.json"
    (folder / "build/site/results").mkdir(parents=True)
    write_downloads(folder / "build/rigbook.duckdb", model, folder / "build/site/results/data")
    shutil.copy(ROOT / "tests/reports/rig-report.md", folder / "report.md")
    (folder / "models").mkdir()
    write(folder / "m.gguf")
    write_split(folder / "models", "m", 5)
    write_split(folder / "models", "model", 3)
    (folder / "compose.yml").write_text(COMPOSE)
    (folder / "rows").mkdir()
    one = next(iter(sorted((folder / "data/reports").rglob("rows.jsonl"))))
    shutil.copy(one, folder / "rows/one.jsonl")
    commands = {
        "rigbook": f'#!/bin/sh\nexec {sys.executable} -m rigbook "$@"\n',
        "predict": f'#!/bin/sh\nexec {sys.executable} -m rigbook predict "$@"\n',
        "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
        "llama-bench": LLAMA_BENCH,
    }
    for name, script in commands.items():
        path = folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    return folder


def ran(workspace: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{workspace / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}",
        "HOME": str(workspace),
        "NO_COLOR": "1",
    }
    return subprocess.run(
        command, cwd=workspace, env=environment, capture_output=True, text=True, check=False
    )


def blocks(page: str, kind: str) -> list[str]:
    found = FENCE.finditer(page)
    return [textwrap.dedent(one["body"]) for one in found if one["kind"] == kind]


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_every_command_of_a_tutorial_works(workspace: Path, tutorial: Path) -> None:
    page = tutorial.read_text()
    for one in FENCE.finditer(page):
        body = textwrap.dedent(one["body"])
        if one["kind"] == "sh":
            done = ran(workspace, "bash", "-euo", "pipefail", "-c", body)
        elif one["kind"] == "python":
            done = ran(workspace, sys.executable, "-c", body)
        else:
            continue
        assert done.returncode == 0, f"{tutorial.name}: {body}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        assert done.stdout or ">" in body, f"{tutorial.name}: nothing was shown by {body}"


def test_what_is_not_run_is_not_disguised_as_what_is() -> None:
    kinds = {one["kind"] for path in TUTORIALS for one in FENCE.finditer(path.read_text())}
    assert kinds == {"sh", "python", "r", "console"}


@pytest.mark.r
def test_the_r_example_prints_the_best_figure_of_each_rig(workspace: Path) -> None:
    (script,) = blocks((ROOT / "site/docs/tutorials/data.md").read_text(), "r")
    done = subprocess.run(
        ["Rscript", "--vanilla", "-"],
        input=script,
        cwd=workspace / "build/site/results/data",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[0].split() == ["rig_id", "protocol", "value"]
    assert len(done.stdout.splitlines()) > 2


def test_every_tutorial_is_listed() -> None:
    index = (ROOT / "site/docs/tutorials/index.md").read_text()
    menu = (ROOT / "mkdocs.yml").read_text()
    for path in TUTORIALS:
        assert path.stem == "index" or f"({path.name})" in index
        assert f"tutorials/{path.name}" in menu


ELSEWHERE = {
    "bandwidth": "tests/test_capture_bandwidth.py: needs the host to itself",
    "bench": "tests/test_capture_bench.py, on a server of its own",
    "capture": "tests/test_capture_cli.py: asks the hardware",
    "compare": "tests/test_compare.py: its ids are place-holders",
    "evaluate": "tests/test_evaluate.py and tests/test_notebook.py",
    "fetch": "tests/test_fetch.py, on a server of its own",
    "fit": "tests/test_end_to_end.py",
    "review": "tests/test_review.py, in repositories of its own",
    "site": "tests/test_end_to_end.py",
    "submit": "tests/test_capture_submit.py, to a server of its own",
}
"""Verbs whose examples need hardware or the network, or take long; these tests run them."""

MAY_FIND = {"lint-launch", "plan"}
"""Verbs whose examples may end with 1 on this machine: they tell what they found."""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ELSEWHERE])
def test_the_examples_of_a_verbs_help_run(workspace: Path, verb: str) -> None:
    for line in examples_of(verb):
        if "https://" in line:
            continue
        done = ran(workspace, "bash", "-c", line.replace("/tmp/", f"{workspace}/"))  # noqa: S108
        allowed = {0, 1} if verb in MAY_FIND else {0}
        assert done.returncode in allowed, f"{line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, line


def test_what_is_run_elsewhere_is_run_there() -> None:
    for where in ELSEWHERE.values():
        for name in re.findall(r"tests/\w+\.py", where):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_is_a_command_that_its_parser_takes(verb: str) -> None:
    for line in examples_of(verb):
        words = shlex.split(line.rpartition("| ")[2].partition(" > ")[0], comments=False)
        asked = words[1:] if words[0] == "predict" else words[2:]
        assert words[0] == "predict" or words[:2] == ["rigbook", verb], line
        parser_of(verb).parse_args(asked)
