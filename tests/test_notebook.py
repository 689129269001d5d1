import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import altair as alt
import polars as pl
import pytest

from ingest.load import load
from models.record import FittedModel
from sitegen.downloads import write_downloads
from sitegen.errors import errors
from sitegen.fitted import Fitted
from sitegen.notebook import Cell, NotebookError, cells, run
from sitegen.notebook_page import analysis_page, shown_page
from sitegen.numbers import number, percent
from sitegen.page import Page, markdown

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "notebooks/bandwidth_model.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the data page, of the committed record and model."""
    folder = tmp_path_factory.mktemp("analysis")
    load(ROOT / "data", folder / "rigbook.duckdb")
    model = ROOT / "models/fitted/model.json"
    write_downloads(folder / "rigbook.duckdb", model, folder / "data")
    return folder / "data"


@pytest.fixture(scope="module")
def analysis(data: Path) -> Page:
    found, problems = analysis_page(SCRIPT, data)
    assert problems == []
    return found


def plain(one: Page) -> str:
    return re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])), markdown(one))


def test_prose_and_code_are_told_apart_with_their_lines() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# words\n\n# %%\nx = 1\nx\n\n# %%\n"
    assert cells(source) == [Cell(True, "# Title\n\nwords", 1), Cell(False, "x = 1\nx", 6)]  # noqa: FBT003


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    one, two = run("# %%\ny = x + 1\nprint('said')\ny\n# %%\nz = y\n", "n.py", {"x": 1})
    assert (one.printed, one.value) == ("said\n", 2)
    assert two.value is None


def test_a_failing_cell_names_its_place() -> None:
    with pytest.raises(NotebookError, match=r"n\.py:3: ZeroDivisionError"):
        run("# %%\nx = 1\n# %%\nx / 0\n", "n.py", {})


def test_values_become_tables_charts_and_text_and_mark_up_stays_text() -> None:
    source = "# %%\nframe\n# %%\nchart\n# %%\n'<b>'\n"
    frame = pl.DataFrame({"gb_s": [1.5, None], "who": ["<i>", None]})
    chart = alt.Chart(frame).mark_point().encode(x="gb_s:Q").properties(description="Points.")
    made = shown_page(run(source, "n.py", {"frame": frame, "chart": chart}))
    shown = markdown(made)
    assert "<i>" not in shown
    assert "<b>" not in shown
    assert 'alt="Points&#46;"' in shown
    assert [one.name for one in made.pictures] == ["analysis--1.svg", "analysis--1.dark.svg"]


def test_a_build_without_notebook_or_with_other_data_says_so(tmp_path: Path) -> None:
    assert "was not run" in markdown(analysis_page(None, tmp_path)[0])
    (tmp_path / "model.json").write_text("{}")
    failing = tmp_path / "fails.py"
    failing.write_text("# %%\nassert False, 'other data'\n")
    shown, (problem,) = analysis_page(failing, tmp_path)
    assert "does not fit the data" in markdown(shown)
    assert problem.severity == "flag"
    assert "fails.py:1: AssertionError: other data; run `rigbook load`" in problem.message


def test_the_key_numbers_are_those_of_rigbook_evaluate_and_of_the_method_page(
    analysis: Page, fitted: FittedModel
) -> None:
    shown = plain(analysis)
    own = fitted.evaluation["scores"]["Rigbook"]["all"]
    rows, rigs = fitted.evaluation["rows"], fitted.evaluation["rigs"]
    assert f"Median error {own['median_ape']:.1%} on {rigs} machines left out, {rows} rows" in shown
    method = re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])), errors(Fitted(fitted)))
    spans = fitted.evaluation["coverage"]["0.8"].values()
    for share in (own["median_ape"], own["p80_ape"], *(one["by_rig"] for one in spans)):
        assert f">{number(share)}</td>" in shown
        assert percent(share) in method


def test_every_part_of_the_analysis_is_there_and_every_chart_is_told_in_words(
    analysis: Page,
) -> None:
    shown = plain(analysis)
    for part in (
        "record",
        "Controlled pairs",
        "fit",
        "Residuals",
        "Coverage",
        "Sensitivity",
        "next",
    ):
        assert re.search(rf"^## .*{part}", shown, flags=re.MULTILINE), part
    assert len(analysis.pictures) == shown.count("<img") == 4
    assert 'alt=""' not in shown
    for name in (
        "Drafter",
        "Memory clock",
        "Channels",
        "Threads",
        "Depth",
        "Expert cache",
        "Bytes",
    ):
        held = shown.split(f"<caption>{name}</caption>")[1].split("</table>")[0]
        assert held.count("<tr") > 1, f"{name}: no pair"
        assert ">guard</th>" in held
    depths = shown.split("<caption>Depth</caption>")[1].split("</table>")[0]
    assert "context_tokens: " in depths, "the guard names the lever where it is one of its fields"
    assert "protocol: " not in depths
    clock = shown.split("<caption>Memory clock</caption>")[1].split("</table>")[0]
    assert "3600.0" in clock
    assert "4400.0" in clock


def test_the_script_lies_beside_the_data_so_that_anyone_can_run_it(
    analysis: Page, data: Path
) -> None:
    assert (data / "bandwidth_model.py").read_bytes() == SCRIPT.read_bytes()
    assert 'href="../data/bandwidth_model.py"' in plain(analysis)


GUARD = f"""
import sys

def refuse(event, told):
    path = str(told[0]) if event == "open" and isinstance(told[0], str) else ""
    if path.startswith({str(ROOT)!r} + "/") and not path.startswith({sys.prefix!r} + "/"):
        raise PermissionError(f"reads the checkout: {{path}}")

sys.addaudithook(refuse)
"""
"""Whoever has the wheel and the files has no checkout: to open a file of it is an error."""


def test_it_runs_from_the_wheel_and_the_downloaded_files_without_the_repository(
    data: Path, fitted: FittedModel, tmp_path: Path
) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    installed = tmp_path / "installed"
    zipfile.ZipFile(next(tmp_path.glob("*.whl"))).extractall(installed)
    (installed / "sitecustomize.py").write_text(GUARD)
    downloaded = tmp_path / "downloaded"
    downloaded.mkdir()
    for file in (*data.glob("*.parquet"), data / "rigbook.duckdb", data / "model.json", SCRIPT):
        shutil.copy(file, downloaded)
    # The script's last cells assert its numbers; the one printed here is the method page's.
    told = "import runpy, ingest; found = runpy.run_path('bandwidth_model.py')"
    told += "; print(ingest.__file__, found['own']['median_ape'])"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path),
                   "PYTHONPATH": str(installed), "RIGBOOK_DATA": str(downloaded)}  # fmt: skip

    def python(program: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-W", "error", "-c", program],
            cwd=downloaded, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert "reads the checkout" in python(f"open({str(ROOT / 'README.md')!r})").stderr
    ran = python(told)
    assert ran.returncode == 0, ran.stderr
    where, error = ran.stdout.split()[-2:]
    assert where.startswith(str(installed))
    own = fitted.evaluation["scores"]["Rigbook"]["all"]["median_ape"]
    assert float(error) == pytest.approx(own, rel=1e-4)
