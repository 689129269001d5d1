"""Controlled pairs: two runs of one machine that differ in exactly one field.

Experiments that nobody had to design: what the field did, with an interval that knows how far one
rig repeats itself.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

import duckdb

from ingest.passes import build_number

SUBORDINATE = {
    "drafter": ("drafter_depth", "drafter_device"),
    "expert_cache": ("cache_mib",),
    "engine": ("engine_build",),
    "gpu_names": ("power_cap_w", "gpus_used", "tensor_parallel"),
    "offload": ("layers_on_cpu",),
}
"""Fields that mean nothing when the field above them differs: a depth without a drafter."""

FIELDS = (
    "memory", "gpu_names", "power_cap_w", "quant", "engine", "engine_build", "drafter",
    "drafter_depth", "drafter_device", "expert_cache", "cache_mib", "offload", "layers_on_cpu",
    "gpus_used", "tensor_parallel", "threads", "batch", "ubatch", "kv", "ctx", "numa",
    "sockets_used", "thinking",
)  # fmt: skip
"""Everything that a pair may differ in, and that must else be equal or untold in both."""

KEY = ("rig_id", "model", "quantity", "workload", "protocol", "streams", "nominal_tokens",
       "context_tokens")  # fmt: skip
"""What makes two numbers of one machine comparable at all."""

SESSION_SD = 0.03
"""Log sd of one rig over boots and launch paths (0.5-3 % and 3-6 % on the public record)."""

DAYS_SD = 0.10
"""Log sd over days, heat and whoever measured (up to 20-25 % apart on the public record)."""

LEVEL_Z = 1.2816
"""Standard normal quantile of a two-sided 80 % interval."""


class Pair(NamedTuple):
    """What one field did: `ratio` is the second over the first, with its 80 % interval.

    `untold` counts the fields that neither run tells, and that are taken as equal.
    """

    field: str
    before: str
    after: str
    ratio: float
    low: float
    high: float
    rig_id: str
    model: str
    quant: str
    quantity: str
    workload: str | None
    protocol: str
    values: tuple[float, float]
    ids: tuple[str, str]
    slugs: tuple[str | None, str | None]
    untold: int

    @property
    def clear(self) -> bool:
        """Tell whether the change is larger than the noise."""
        return not self.low <= 1 <= self.high


Row = Mapping[str, Any]


def pairs(rows: Iterable[Row]) -> list[Pair]:
    """Find the pairs among `rows` (of the view `pairable`), by field, clearest first."""
    listed = list(rows)
    found = [pair for field in FIELDS for pair in _pairs_by(field, listed)]
    return sorted(found, key=lambda p: (FIELDS.index(p.field), -abs(math.log(p.ratio)), p.ids))


def _pairs_by(field: str, rows: list[Row]) -> Iterator[Pair]:
    """Group by all but `field`, then pair neighbours in its order."""
    loose = (field, *SUBORDINATE.get(field, ()))
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        # A flagged row may be the very build that lost speed; elsewhere it is out.
        if row[field] is not None and (row["status"] == "active" or field == "engine_build"):
            fixed = tuple(row[name] for name in FIELDS if name not in loose)
            groups[tuple(row[name] for name in KEY) + fixed].append(row)
    for group in groups.values():
        distinct = {row[field]: row for row in sorted(group, key=_weight)}
        ordered = sorted(distinct.values(), key=_age if field == "engine_build" else _by(field))
        for first, second in itertools.pairwise(ordered):
            yield _pair(field, first, second)


def _weight(row: Row) -> tuple[int, str]:
    """Sort the best-founded row of equal ones last."""
    return row["n"] or 0, row["measurement_id"]


def _by(field: str) -> Callable[[Row], tuple[int, float, str]]:
    """Order by a field: off before on, small before large."""

    def order(row: Row) -> tuple[int, float, str]:
        value = row[field]
        if isinstance(value, bool | int | float):
            return 1, float(value), ""
        return (0, 0.0, "") if value == "none" else (1, 0.0, str(value))

    return order


def _age(row: Row) -> tuple[date, int, str]:
    """Order builds: by the day they were told of, on one day by their number."""
    return row["date"] or date.min, build_number(row["engine_build"]) or 0, row["engine_build"]


def _pair(field: str, first: Row, second: Row) -> Pair:
    ratio = second["central"] / first["central"]
    reach = math.exp(LEVEL_Z * math.hypot(_log_sd(first, second), _log_sd(second, first)))
    return Pair(
        field=field,
        before=str(first[field]),
        after=str(second[field]),
        ratio=ratio,
        low=ratio / reach,
        high=ratio * reach,
        rig_id=first["rig_id"],
        model=first["model"],
        quant=" / ".join(dict.fromkeys([str(first["quant"]), str(second["quant"])])),
        quantity=first["quantity"],
        workload=first["workload"],
        protocol=first["protocol"],
        values=(first["central"], second["central"]),
        ids=(first["measurement_id"], second["measurement_id"]),
        slugs=(first["slug"], second["slug"]),
        untold=sum(first[name] is None and second[name] is None for name in FIELDS),
    )


def _log_sd(row: Row, beside: Row) -> float:
    """Give a row's log sd: how far the rig repeats itself, or its own spread where that is more."""
    floor = SESSION_SD if row["bundle_id"] == beside["bundle_id"] else DAYS_SD
    own = row["cv"] or (row["sd"] / row["central"] if row["sd"] else 0.0)
    return max(floor, own / math.sqrt(row["n"] or 1))


def regressions(found: Iterable[Pair]) -> list[Pair]:
    """List the changes over engine builds of one rig and variant that exceed the noise."""
    return [pair for pair in found if pair.field == "engine_build" and pair.clear]


def pairable(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Read the rows that may be paired."""
    relation = connection.execute("FROM pairable ORDER BY measurement_id")
    names = [column[0] for column in relation.description or ()]
    return [dict(zip(names, values, strict=True)) for values in relation.fetchall()]
