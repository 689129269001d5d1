import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from benchmarks.generate import generate
from benchmarks.record import LEAST_GROUP, Record, rated_gbps, read_record, residuals
from ingest.check import Checked, check
from ingest.folder import Filed

ROOT = Path(__file__).parents[1]
COUNT = 120


@pytest.fixture(scope="module")
def record() -> Record:
    return read_record(ROOT / "data")


@pytest.fixture(scope="module")
def generated(record: Record, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated")
    generate(root, COUNT, 9, record)
    return root


@pytest.fixture(scope="module")
def checked(generated: Path) -> Checked:
    return check([generated])


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_every_generated_bundle_passes_the_check(checked: Checked) -> None:
    assert [p for p in checked.problems if p.severity == "error"] == []
    assert len(checked.filed) == COUNT


def test_one_seed_writes_the_same_bytes_and_another_does_not(
    generated: Path, record: Record, tmp_path: Path
) -> None:
    generate(tmp_path / "same", COUNT, 9, record)
    generate(tmp_path / "other", COUNT, 10, record)
    assert contents(tmp_path / "same") == contents(generated)
    assert contents(tmp_path / "other").keys().isdisjoint(contents(generated))


def test_failed_and_flagged_runs_are_among_them(checked: Checked) -> None:
    runs = [run for one in checked.filed for run in one.bundle.runs]
    failed = [run for run in runs if run.outcome.state == "failed"]
    assert 0.01 < len(failed) / len(runs) < 0.15
    assert all(run.outcome.reason for run in failed)
    assert any(status.state == "flagged" for one in checked.filed for status in one.statuses)


def test_some_machines_report_more_than_once_and_in_more_than_one_state(checked: Checked) -> None:
    rigs = {(one.bundle.rig.machine, one.bundle.rig.state) for one in checked.filed}
    machines = Counter(machine for machine, _ in rigs)
    assert 1 < COUNT / len(machines) < 3
    assert max(machines.values()) > 1


def test_no_bandwidth_beats_what_the_channels_can_move(checked: Checked) -> None:
    for one in checked.filed:
        memory = one.bundle.rig.memory
        assert memory.channels_populated is not None
        assert memory.mts is not None
        for figure in memory.bandwidth:
            assert (figure.gbps or 0) < rated_gbps(memory.channels_populated, memory.mts)


def test_figures_scatter_about_the_record(checked: Checked, record: Record) -> None:
    def decodes(of: Checked) -> list[float]:
        return [
            math.log(m.value)
            for one in of.filed
            for run in one.bundle.runs
            for m in run.measurements
            if m.quantity == "decode" and m.value
        ]

    assert abs(median(decodes(checked)) - median(decodes(check([ROOT / "data"])))) < 1
    assert set(record.residuals) >= {"decode", "prefill", "ttft"}


def test_residuals_lie_evenly_about_their_group(checked: Checked) -> None:
    assert abs(median(residuals(checked.filed)["decode"])) < 0.1


def test_a_group_too_small_to_scatter_gives_no_residuals(
    document: dict[str, Any], filed: Callable[..., Filed]
) -> None:
    assert residuals([filed(document)] * (LEAST_GROUP - 1)) == {}
    assert residuals([filed(document)] * LEAST_GROUP)["decode"] == [0.0] * LEAST_GROUP
