"""What the committed record looks like: the runs it has, and how figures of one kind scatter."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from ingest.bundle import Bundle, Measurement
from ingest.catalog import Catalog
from ingest.check import check
from ingest.folder import Filed

Group = tuple[str | None, str | None, str, str | None, str]
"""Model, quant, quantity, workload, protocol: figures that differ by rig and residual alone."""

LEAST_GROUP = 3
"""Figures a group needs before its scatter counts: two always lie evenly around their middle."""

DRAM_BYTES = 8
"""Bytes a channel moves in one transfer: 64 data bits (JEDEC DDR4 and DDR5, both subchannels)."""


class Template(NamedTuple):
    """A run as the record has it: its document, the states put on it, the rig's bandwidth."""

    document: dict[str, Any]
    states: tuple[dict[str, Any], ...]
    gbps: float | None


class Record(NamedTuple):
    """The catalogue, the runs to draw from, log residuals by quantity, and methods' efficiency."""

    catalog: Catalog
    templates: tuple[Template, ...]
    residuals: dict[str, list[float]]
    efficiency: dict[str, list[float]]


def read_record(data: Path) -> Record:
    """Read the record below `data`; it must be free of errors."""
    checked = check([data])
    filed = checked.filed
    templates = tuple(template for one in filed for template in _templates(one))
    return Record(checked.catalog, templates, residuals(filed), _efficiency(filed))


def bandwidth_gbps(bundle: Bundle) -> float | None:
    """Give the best bandwidth figure of a rig, of whatever method; None where none is stated."""
    figures = [one.gbps for one in bundle.rig.memory.bandwidth if one.gbps]
    return max(figures, default=None)


def rated_gbps(channels: int, mts: float) -> float:
    """Give what `channels` move at `mts` million transfers a second, in 1e9 bytes a second."""
    return channels * mts * DRAM_BYTES / 1000


def _templates(filed: Filed) -> Iterator[Template]:
    for index, run in enumerate(filed.bundle.runs):
        at = f"/runs/{index}"
        states = tuple(
            {**status.model_dump(mode="json", exclude_defaults=True), "target": status.target}
            for status in filed.statuses
            if status.target == at or status.target.startswith(f"{at}/")
        )
        relative = tuple({**one, "target": one["target"].removeprefix(at)} for one in states)
        document = run.model_dump(mode="json", exclude_defaults=True)
        yield Template(document, relative, bandwidth_gbps(filed.bundle))


def residuals(filed: Iterable[Filed]) -> dict[str, list[float]]:
    """Collect, by quantity, how far figures of one group lie from its median, in logarithms."""
    groups: dict[Group, list[float]] = defaultdict(list)
    for one in filed:
        for run in one.bundle.runs:
            for measurement in run.measurements:
                if measurement.value and measurement.value > 0:
                    key = _group(run.weights.model, run.weights.quant, measurement)
                    groups[key].append(math.log(measurement.value))
    found: dict[str, list[float]] = defaultdict(list)
    for (_, _, quantity, _, _), values in sorted(groups.items(), key=str):
        if len(values) >= LEAST_GROUP:
            found[quantity] += [value - median(values) for value in values]
    return dict(found)


def _group(model: str | None, quant: str | None, measurement: Measurement) -> Group:
    return model, quant, measurement.quantity, measurement.workload, measurement.protocol


def _efficiency(filed: Iterable[Filed]) -> dict[str, list[float]]:
    """Collect, by method, measured over rated bandwidth where channels and rate are stated."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in filed:
        memory = one.bundle.rig.memory
        if memory.channels_populated and memory.mts:
            rated = rated_gbps(memory.channels_populated, memory.mts)
            for figure in memory.bandwidth:
                if figure.gbps and figure.gbps <= rated:
                    found[figure.method].append(figure.gbps / rated)
    return dict(found)
