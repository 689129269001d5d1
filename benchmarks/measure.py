"""Run a command and tell what it took: wall, processor time with its children's, peak memory."""

import math
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Took(NamedTuple):
    """What a command took. `cpu_s` is the time to trust where others share the machine."""

    wall_s: float
    cpu_s: float
    peak_mib: float


# Started from a small process: Linux counts what a child shared with its parent before it became
# another program towards the child's peak.
_STOPWATCH = """
import os, sys, time
begun = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(process, 0)
print(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def run(command: Sequence[str]) -> Took:
    """Run `command`, its program by full path, to the end.

    Raises CalledProcessError, with what it said, when it fails. Peak memory is that of the largest
    of its processes.
    """
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _STOPWATCH, *command],
        capture_output=True, text=True, check=True, cwd=ROOT, env=environment,
    )  # fmt: skip
    return Took(*map(float, told.stdout.split()))


def in_turn(commands: Mapping[str, Sequence[str]], times: int) -> dict[str, Took]:
    """Run commands in turn, so that what else the machine does falls on all; give the medians."""
    took: dict[str, list[Took]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            took[name].append(run(command))
    return {name: Took(*map(median, zip(*all_, strict=True))) for name, all_ in took.items()}


def python(*words: str) -> list[str]:
    """Write a command line of this interpreter."""
    return [sys.executable, *words]


def exponent(points: Iterable[tuple[float, float]]) -> float | None:
    """Fit time = a x size^b in logarithms and give b; None for fewer than two sizes."""
    logs = [(math.log(size), math.log(value)) for size, value in points if value > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread
