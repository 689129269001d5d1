import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capture.bandwidth import (
    METHOD,
    MIB,
    Curve,
    Point,
    Refused,
    _warnings,
    entries,
    measure,
    spread_cpus,
    thread_counts,
    total_bytes,
    usable,
)
from capture.cpu import Core, Topology
from ingest.catalog import Catalog

ROOT = Path(__file__).parents[1]
CORES = [Core(socket, number, (socket * 4 + number, 8 + socket * 4 + number), socket)
         for socket in (0, 1) for number in range(4)]  # fmt: skip
QUIET = (10.0, 10.1, 10.0)


def curve(*best: float) -> Curve:
    points = (Point(threads, (gbps * 0.99, gbps)) for threads, gbps in enumerate(best, start=1))
    return Curve(tuple(points), 64, ())


def test_the_sweep_goes_up_to_all_cores_with_steps_between() -> None:
    assert thread_counts(1) == [1]
    assert thread_counts(2) == [1, 2]
    assert thread_counts(24) == [1, 2, 3, 4, 6, 8, 12, 16, 18, 24]


def test_threads_are_spread_over_sockets_one_a_core() -> None:
    assert spread_cpus(CORES, 2) == [0, 4]
    assert spread_cpus(CORES, 4) == [0, 2, 4, 6]
    assert spread_cpus(CORES, 8) == list(range(8))


def test_only_processors_that_the_process_may_use_are_used() -> None:
    kept = usable(Topology(tuple(CORES), None), {1, 8})
    assert [core.threads for core in kept] == [(8,), (1,)]
    assert [core.threads for core in usable(Topology((), None), {3, 5})] == [(3,), (5,)]


def test_arrays_go_beyond_the_caches_and_leave_memory_to_the_model() -> None:
    assert total_bytes(256 * MIB, 4, 64 << 30) == 1024 * MIB
    assert total_bytes(16 * MIB, 32, 64 << 30) == 1024 * MIB
    assert total_bytes(256 * MIB, 4, 1 << 30) == 256 * MIB


def test_the_knee_is_the_fewest_threads_that_reach_nearly_the_best() -> None:
    found = curve(10, 19, 27, 29.5, 30, 29)
    assert (found.best.threads, found.knee.threads) == (5, 4)


@pytest.mark.parametrize(
    ("rates", "busy", "used", "said"),
    [
        (QUIET, 0.0, 256, None),
        (QUIET, 1.2, 256, "others kept 1.2 processors busy"),
        ((10.0, 5.0, 9.0), 0.0, 256, "rounds differ by more than 5% with 4 threads"),
        (QUIET, 0.0, 100, "free memory limited the arrays to 100 MiB"),
    ],
)
def test_what_disturbs_is_told_with_a_remedy(
    rates: tuple[float, ...], busy: float, used: int, said: str | None
) -> None:
    found = list(_warnings([Point(4, rates)], busy, used * MIB, 64 * MIB))
    assert [warning[: len(said or "")] for warning in found] == ([said] if said else [])


def test_the_figures_are_read_figures_of_their_own_method(catalog: Catalog) -> None:
    best, *others = entries(curve(10, 19, 18))
    assert (best.gbps, best.low, best.high, best.threads) == (19, 18.81, 19, 2)
    assert {entry.method for entry in (best, *others)} == {METHOD}
    assert catalog.bandwidth[METHOD].counts == "read"


def test_real_memory_is_read_beyond_the_caches() -> None:
    """No bounds on the rate: the machine is shared. A core reads 1 GB/s even when starved."""
    points: list[Point] = []
    found = measure(Topology((), 8 * MIB), [1], points.append)
    assert found.points == tuple(points)
    assert found.best.threads == 1
    assert 0.1 < found.best.best < 2000
    assert len(found.best.gbps) == 5


def test_more_threads_than_cores_are_refused() -> None:
    with pytest.raises(Refused, match="ask for fewer"):
        measure(Topology((), None), [100_000])


def test_a_reader_that_fails_is_an_answer_and_not_a_hang() -> None:
    order = {"points": [[100_000]], "bytes_per_thread": [4096], "rounds": 1, "round_s": 0.01}
    ended = subprocess.run(
        [sys.executable, "-m", "capture.reader", json.dumps(order)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 1


def test_the_command_prints_one_quotable_line_or_one_document() -> None:
    command = [sys.executable, "-m", "rigbook", "bandwidth", "--threads", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "GB/s read (read-numpy, best of 5" in line.stdout.splitlines()[0]
    told = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert json.loads(told.stdout)["figures"][0]["threads"] == 1


def test_no_threads_are_misuse() -> None:
    command = [sys.executable, "-m", "rigbook", "bandwidth", "--threads", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
