"""Hold `rigbook bandwidth` against a read loop in C, interleaved, with C Triad beside it.

`python benchmarks/bandwidth.py [PAIRS]`: each round of the probe runs between two of C's, and the
ratio is the probe over the mean of its neighbours. On a quiet host its median should lie between
0.92 and 1.10: below, the probe costs more than memory does; above, C's loop is not at the memory's
speed. On a busy one only the ratio of the best of all rounds says something.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from capture.bandwidth import measure, spread_cpus, total_bytes, usable
from capture.cpu import Topology, topology
from capture.tree import Tree

SOURCE = Path(__file__).with_name("read.c")
FLAGS = ["-O3", "-march=native", "-ffast-math", "-pthread"]


def c_gbps(program: Path, kind: str, bytes_per_thread: int, cpus: list[int]) -> float:
    """Run C once: the best of its rounds."""
    command = [str(program), kind, str(bytes_per_thread), "5", *map(str, cpus)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return max(map(float, answer.stdout.split()))


def ratios(program: Path, machine: Topology, threads: int, pairs: int) -> dict[str, float]:
    """Interleave C and the probe `pairs` times with `threads` threads."""
    cpus = spread_cpus(usable(machine, os.sched_getaffinity(0)), threads)
    size = total_bytes(machine.llc_bytes, threads, 8 << 30) // threads
    read = [c_gbps(program, "read", size, cpus)]
    probe, over = [], []
    for _ in range(pairs):
        probe.append(measure(machine, [threads]).best.best)
        read.append(c_gbps(program, "read", size, cpus))
        over.append(probe[-1] / statistics.mean(read[-2:]))
    triad = max(c_gbps(program, "triad", size, cpus) for _ in range(3))
    return {
        "threads": threads,
        "probe_gbps": max(probe),
        "c_read_gbps": max(read),
        "c_triad_gbps": triad,
        "ratio_of_best": max(probe) / max(read),
        "ratio_median": statistics.median(over),
        "ratio_low": min(over),
        "ratio_high": max(over),
    }


def main() -> None:
    """Compile, interleave with one thread and with all cores, print one JSON line each."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    machine = topology(Tree(Path("/")))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "read"
        subprocess.run(["gcc", *FLAGS, "-o", str(program), str(SOURCE)], check=True)
        cores = len(usable(machine, os.sched_getaffinity(0)))
        for threads in sorted({1, cores}):
            print(json.dumps(ratios(program, machine, threads, pairs)))


if __name__ == "__main__":
    main()
