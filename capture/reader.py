"""The program that reads memory: a process of its own, so that BLAS can be held to one thread.

`python -m capture.reader JSON` takes `{"points": [[cpu, …], …], "bytes_per_thread": …, …}` and
writes one JSON line a point. numpy reads its limit of threads when it is first imported, and by
then the process that calls may have imported it: a fresh one is started with `capture.still`.
"""

import json
import math
import os
import sys
import threading
import time
from typing import NamedTuple

import numpy as np

BYTES_PER_ELEMENT = 16
"""A dot product of two float64 arrays reads 8 bytes of each, and stores nothing."""


class Order(NamedTuple):
    """What to read: the processors of each point, bytes a thread, rounds and their length."""

    points: tuple[tuple[int, ...], ...]
    bytes_per_thread: tuple[int, ...]
    rounds: int
    round_s: float


class _Team:
    """Threads that each pin themselves, touch their own arrays first, and read in step."""

    def __init__(self, cpus: tuple[int, ...], bytes_per_thread: int) -> None:
        self._cpus = cpus
        self._elements = max(bytes_per_thread // BYTES_PER_ELEMENT, 1)
        self._barrier = threading.Barrier(len(cpus) + 1)
        self._spans = [(0.0, 0.0)] * len(cpus)
        self._repeats = 1
        self._threads = [
            threading.Thread(target=self._run, args=(index, cpu), daemon=True)
            for index, cpu in enumerate(cpus)
        ]

    def _run(self, index: int, cpu: int) -> None:
        try:
            self._read(index, cpu)
        except BaseException:
            # Memory that is not there for one thread must end all, not leave them waiting for it.
            self._barrier.abort()
            raise

    def _read(self, index: int, cpu: int) -> None:
        os.sched_setaffinity(0, {cpu})
        one, other = np.ones(self._elements), np.ones(self._elements)
        while True:
            self._barrier.wait()
            if not self._repeats:
                return
            start = time.perf_counter()
            for _ in range(self._repeats):
                np.dot(one, other)
            self._spans[index] = (start, time.perf_counter())
            self._barrier.wait()

    def start(self) -> None:
        """Start the threads; they touch their arrays before the first round."""
        for thread in self._threads:
            thread.start()

    def round_s(self, repeats: int) -> float:
        """Read everything `repeats` times: seconds from the first start to the last end."""
        self._repeats = repeats
        self._barrier.wait()
        self._barrier.wait()
        return max(end for _, end in self._spans) - min(start for start, _ in self._spans)

    def bytes(self, repeats: int) -> int:
        """Count the bytes that a round reads."""
        return repeats * self._elements * BYTES_PER_ELEMENT * len(self._cpus)

    def stop(self) -> None:
        """End the threads and free their arrays."""
        self._repeats = 0
        self._barrier.wait()
        for thread in self._threads:
            thread.join()


def read_gbps(cpus: tuple[int, ...], bytes_per_thread: int, order: Order) -> list[float]:
    """Read with one thread a processor; GB/s (1e9) of each round."""
    team = _Team(cpus, bytes_per_thread)
    team.start()
    team.round_s(1)  # page faults and clocks settle here
    repeats = max(math.ceil(order.round_s / max(team.round_s(1), 1e-6)), 1)
    rates = [team.bytes(repeats) / team.round_s(repeats) / 1e9 for _ in range(order.rounds)]
    team.stop()
    return rates


def main(argument: str) -> None:
    """Read all points, one JSON line each."""
    told = json.loads(argument)
    points = tuple(tuple(cpus) for cpus in told["points"])
    order = Order(points, tuple(told["bytes_per_thread"]), told["rounds"], told["round_s"])
    for cpus, size in zip(order.points, order.bytes_per_thread, strict=True):
        line = {"threads": len(cpus), "gbps": read_gbps(cpus, size, order)}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
