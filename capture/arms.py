"""A sweep's arms: the mean of each over its boots, and which is best beyond chance."""

import re
import statistics
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from capture.figure import number
from ingest.bundle import Run


class Arm(NamedTuple):
    """One value of the setting, and the decode rate of each of its boots."""

    value: int
    rates: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the boots."""
        return statistics.fmean(self.rates)


ARM = re.compile(r"^[a-z]+-([0-9]+)-boot-[0-9]+")


def arms(runs: Iterable[Run], workload: str) -> list[Arm]:
    """Collect the arms of a sweep in order of their values."""
    rates: dict[int, list[float]] = {}
    for run in runs:
        found = ARM.match(run.id)
        if not found or run.series is None:
            continue
        for one in run.measurements:
            told = (one.quantity, one.workload, one.context_tokens)
            if told == ("decode", workload, None) and one.value is not None:
                rates.setdefault(int(found[1]), []).append(one.value)
    return [Arm(value, tuple(rates[value])) for value in sorted(rates)]


def arm_lines(runs: Iterable[Run]) -> Iterator[str]:
    """Write a table of the arms; the best is named only where its boots clear all others'."""
    swept = [run for run in runs if run.series]
    for workload in ("narrative", "code"):
        found = arms(swept, workload)
        if not found or swept[0].series is None:
            continue
        yield f"sweep of {swept[0].series.axis}, {workload}, tokens/s by boot:"
        for arm in found:
            boots = ", ".join(number(rate) for rate in arm.rates)
            yield f"  {arm.value:>6}  {number(arm.mean):>8}  ({boots})"
        yield f"  {verdict(found)}"


def verdict(found: list[Arm]) -> str:
    """Say which arm is best, or that chance between boots is as large as the difference."""
    best = max(found, key=lambda arm: arm.mean)
    near = [arm.value for arm in found if arm is not best and max(arm.rates) >= min(best.rates)]
    if len(found) == 1:
        return "one arm alone says nothing about the setting"
    if near:
        values = ", ".join(map(str, near))
        return f"best {best.value}, but boots overlap with {values}: no difference is shown"
    return f"best {best.value}: its worst boot beats every other arm"
