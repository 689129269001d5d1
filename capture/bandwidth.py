"""Read bandwidth of the host memory over the number of threads: method `read-numpy`.

Decoding reads weights and stores next to nothing, so a read figure is its ceiling. STREAM's triad
counts 24 bytes an element where a store that allocates moves 32, and is another method.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import psutil

from capture.cpu import Core, Topology
from capture.still import STILL
from ingest.bundle import Bandwidth

METHOD = "read-numpy"

MIB = 1024**2
CACHES = 4
"""Arrays are four times all last-level caches together: STREAM's own rule (stream.c 5.10)."""
LEAST_BYTES_PER_THREAD = 32 * MIB
MOST_OF_AVAILABLE = 0.25
"""Of the memory that is free, so that a served model beside it is not paged out."""
LEAST_AVAILABLE_MIB = 400
"""Below this the arrays would fit caches of current processors (club-3090's second probe)."""

ROUNDS, ROUND_S = 5, 0.12
KNEE_SHARE = 0.97
"""The knee is the first thread count within 3 % of the best: spreads on quiet hosts are 1-2 %."""
BUSY_CPUS = 0.5
"""Half a processor in use by others: a busy neighbour cut a two-thread bench from 75 to 1-20."""
WIDE_CV = 0.05


class Point(NamedTuple):
    """The rates of one thread count, one a round."""

    threads: int
    gbps: tuple[float, ...]

    @property
    def best(self) -> float:
        """The best round: disturbances only slow."""
        return max(self.gbps)

    @property
    def cv(self) -> float:
        """Spread over mean of the rounds."""
        return statistics.stdev(self.gbps) / statistics.mean(self.gbps)


class Curve(NamedTuple):
    """The points from one thread to all cores, bytes of all arrays, and what disturbed."""

    points: tuple[Point, ...]
    array_mib: int
    warnings: tuple[str, ...]

    @property
    def best(self) -> Point:
        """The point with the highest rate."""
        return max(self.points, key=lambda point: point.best)

    @property
    def knee(self) -> Point:
        """The fewest threads that reach nearly the best rate."""
        return next(p for p in self.points if p.best >= KNEE_SHARE * self.best.best)


class Refused(Exception):  # noqa: N818 - the word of an outcome
    """The measurement cannot be made honestly; the text says why and what would help."""


def thread_counts(cores: int) -> list[int]:
    """List the thread counts of a sweep: powers of two, three quarters of each, and all cores."""
    counts = {cores, max(cores * 3 // 4, 1)}
    step = 1
    while step < cores:
        counts |= {step, max(step * 3 // 4, 1)}
        step *= 2
    return sorted(counts)


def spread_cpus(cores: Sequence[Core], threads: int) -> list[int]:
    """Choose one logical processor of `threads` cores, evenly over sockets and dies."""
    return [cores[index * len(cores) // threads].threads[0] for index in range(threads)]


def usable(topology: Topology, allowed: set[int]) -> list[Core]:
    """Keep the cores that this process may use; where none is known, each processor is one."""
    kept = (
        core._replace(threads=tuple(cpu for cpu in core.threads if cpu in allowed))
        for core in topology.cores
    )
    known = [core for core in kept if core.threads]
    return known or [Core(0, cpu, (cpu,), None) for cpu in sorted(allowed)]


def total_bytes(llc_bytes: int | None, threads: int, available_bytes: int) -> int:
    """Size all arrays of a point together: beyond the caches, within the free memory."""
    wanted = max(CACHES * (llc_bytes or 64 * MIB), threads * LEAST_BYTES_PER_THREAD)
    return min(wanted, int(available_bytes * MOST_OF_AVAILABLE))


def measure(
    topology: Topology,
    threads: Sequence[int] | None = None,
    told: Callable[[Point], None] = lambda _: None,
) -> Curve:
    """Read memory with growing numbers of pinned threads; `told` hears each point as it comes."""
    cores = usable(topology, os.sched_getaffinity(0))
    available = psutil.virtual_memory().available
    if available < LEAST_AVAILABLE_MIB * MIB:
        raise Refused(
            f"only {available // MIB} MiB of memory are free, {LEAST_AVAILABLE_MIB} are needed;"
            " stop the server or other programs first"
        )
    counts = [n for n in (threads or thread_counts(len(cores))) if n <= len(cores)]
    if not counts:
        raise Refused(f"{max(threads or [0])} threads on {len(cores)} usable cores; ask for fewer")
    busy = busy_cpus()
    sizes = [total_bytes(topology.llc_bytes, n, available) for n in counts]
    points = []
    for point in _read([spread_cpus(cores, n) for n in counts], sizes):
        points.append(point)
        told(point)
    warnings = list(_warnings(points, busy, min(sizes), topology.llc_bytes))
    return Curve(tuple(points), max(sizes) // MIB, tuple(warnings))


def busy_cpus(seconds: float = 0.5) -> float:
    """Count the processors that others keep busy, over `seconds`."""
    share: float = psutil.cpu_percent(seconds) / 100
    return share * (os.cpu_count() or 1)


def _read(cpus: list[list[int]], sizes: list[int]) -> Iterator[Point]:
    order = {
        "points": cpus,
        "bytes_per_thread": [size // len(one) for one, size in zip(cpus, sizes, strict=True)],
        "rounds": ROUNDS,
        "round_s": ROUND_S,
    }
    command = [sys.executable, "-m", "capture.reader", json.dumps(order)]
    environment = {**os.environ, **STILL, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(  # noqa: S603 - our own module, no shell
        command, stdout=subprocess.PIPE, text=True, env=environment
    ) as reader:
        for line in reader.stdout or ():
            found = json.loads(line)
            yield Point(found["threads"], tuple(found["gbps"]))
    if reader.returncode:
        raise Refused(
            f"the reading process ended with code {reader.returncode}"
            " (-9 is the kernel, out of memory); free memory and try again"
        )


def _warnings(
    points: Sequence[Point], busy: float, bytes_used: int, llc_bytes: int | None
) -> Iterator[str]:
    """Say what makes the figures doubtful, and what would help."""
    if busy > BUSY_CPUS:
        yield (
            f"others kept {busy:.1f} processors busy before the measurement: it reads low;"
            " stop them, or the served model's requests, and measure again"
        )
    wide = [p for p in points if p.cv > WIDE_CV]
    if wide:
        counts = ", ".join(str(point.threads) for point in wide)
        yield (
            f"rounds differ by more than {WIDE_CV:.0%} with {counts} threads: something came"
            " between; measure again on a quiet host"
        )
    if bytes_used < CACHES * (llc_bytes or 0):
        yield (
            f"free memory limited the arrays to {bytes_used // MIB} MiB, less than {CACHES} times"
            " the caches: part may be read from cache, which reads high; free memory"
        )


def entries(curve: Curve) -> list[Bandwidth]:
    """Write the curve as figures of the bundle, best first; each keeps its range and threads."""
    ordered = sorted(curve.points, key=lambda point: -point.best)
    note = "; ".join(curve.warnings) or None
    disturbed = any(warning.startswith("others kept") for warning in curve.warnings)
    return [
        Bandwidth(
            gbps=round(point.best, 2),
            low=round(min(point.gbps), 2),
            high=round(point.best, 2),
            method=METHOD,
            threads=point.threads,
            under_load=disturbed,
            note=note,
        )
        for point in ordered
    ]
