import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.catalog import Catalog
from ingest.check import check
from ingest.store import create, fill
from models.fit import fit
from models.record import FittedModel, as_text

ROOT = Path(__file__).parents[1]

# The gate: what the committed record scores on machines left out. A change may lose the tolerance,
# no more; what gains is written here with it. Median and 80th percentile of the absolute error,
# bias, and of the 80 % interval coverage by machine and width.
COMMITTED = {
    "all": (0.119, 0.265, 0.975, 0.820, 1.90),
    "club": (0.107, 0.237, 0.969, 0.762, 1.89),
    "hybrid": (0.119, 0.250, 0.966, 0.830, 1.91),
    "cpu-only": (0.137, 0.361, 1.015, 0.753, 1.85),
}
TOLERANCE = 0.01
"""Of errors, bias and coverage; ten times as much of the width, which is a ratio near 2."""

# What issue and method page promise: median, 80th percentile.
TARGETS = {"club": (0.15, 0.25), "hybrid": (0.18, 0.32), "cpu-only": (0.26, 0.42)}


@pytest.fixture(scope="module")
def refitted(catalog: Catalog) -> FittedModel:
    checked = check([ROOT / "data"])
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, checked.filed, checked.catalog, checked.problems)
        return fit(connection, catalog)


def differences(a: Any, b: Any, at: str = "") -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(a.get(key), b.get(key), f"{at}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from differences(x, y, f"{at}[{index}]")
    elif isinstance(a, float) and isinstance(b, float):
        if not math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{at}: {a} against {b}"
    elif a != b:
        yield f"{at}: {a!r} against {b!r}"


def test_the_committed_model_is_what_the_committed_data_gives(
    refitted: FittedModel, fitted: FittedModel
) -> None:
    """Else run `rigbook load && rigbook fit --out models/fitted/model.json` and commit it."""
    fresh, kept = json.loads(as_text(refitted)), json.loads(as_text(fitted))
    assert list(differences(fresh, kept))[:10] == []


def test_a_difference_of_a_millionth_is_seen() -> None:
    assert not list(differences({"a": [1.0]}, {"a": [1.0 + 1e-7]}))
    assert list(differences({"a": [1.0]}, {"a": [1.0 + 1e-5]})) == [".a[0]: 1.0 against 1.00001"]


@pytest.mark.parametrize("stratum", TARGETS)
def test_errors_on_machines_left_out_stay_within_the_targets(
    fitted: FittedModel, stratum: str
) -> None:
    median, p80 = TARGETS[stratum]
    found = fitted.evaluation["scores"]["Rigbook"][stratum]
    assert found["median_ape"] <= median
    assert found["p80_ape"] <= p80
    assert 0.93 <= found["bias"] <= 1.07


@pytest.mark.parametrize("stratum", COMMITTED)
def test_the_default_interval_holds_on_machines_left_out_in_every_stratum(
    fitted: FittedModel, stratum: str
) -> None:
    found = fitted.evaluation["coverage"]["0.8"][stratum]
    assert 0.75 <= found["by_rig"] <= 0.9
    assert found["width"] <= 2.0


@pytest.mark.parametrize("stratum", COMMITTED)
def test_errors_and_coverage_are_no_worse_than_the_committed_ones(
    refitted: FittedModel, stratum: str
) -> None:
    median, p80, bias, covered, width = COMMITTED[stratum]
    found = refitted.evaluation["scores"]["Rigbook"][stratum]
    assert found["median_ape"] <= median + TOLERANCE
    assert found["p80_ape"] <= p80 + TOLERANCE
    assert abs(found["bias"] - 1) <= abs(bias - 1) + TOLERANCE
    interval = refitted.evaluation["coverage"]["0.8"][stratum]
    assert abs(interval["by_rig"] - 0.8) <= abs(covered - 0.8) + TOLERANCE
    assert interval["width"] <= width + 10 * TOLERANCE


def test_the_best_published_formula_is_beaten_by_two_fifths(fitted: FittedModel) -> None:
    scores = fitted.evaluation["scores"]
    ours = scores["Rigbook"]["all"]
    rivals = [by["all"] for name, by in scores.items() if name.endswith("times a constant")]
    assert ours["median_ape"] <= 0.6 * min(rival["median_ape"] for rival in rivals)
    assert ours["p80_ape"] <= 0.6 * min(rival["p80_ape"] for rival in rivals)


def test_rules_keep_out_less_than_three_rows_in_ten(fitted: FittedModel) -> None:
    assert fitted.evaluation["excluded_share"] <= 0.29


def rigbook(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rigbook", *words]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'site'}", "PATH": ""}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("verb", ["fit", "evaluate"])
def test_without_a_database_the_remedy_is_told(tmp_path: Path, verb: str) -> None:
    told = rigbook(verb, cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "run `rigbook load` first" in told.stderr


@pytest.mark.parametrize("verb", ["fit", "evaluate"])
def test_a_record_too_small_is_refused_and_nothing_written(tmp_path: Path, verb: str) -> None:
    (tmp_path / "build").mkdir()
    with duckdb.connect(str(tmp_path / "build/rigbook.duckdb")) as connection:
        create(connection)
    told = rigbook(verb, cwd=tmp_path)
    assert told.returncode == 1
    assert "only 0 usable decode rows, 30 are needed" in told.stdout
    assert not (tmp_path / "build/model.json").exists()
