"""The tables of `bench.sh`: decode of two prompts, prefill at two depths, whole or cut off."""

import re
import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.readers.item import Doubt, Fact, Item, Number, Seen, number
from ingest.readers.report.bench_lines import Stat
from ingest.readers.report.bench_shapes import CANONICAL, Shape, shapes_of
from ingest.readers.report.block import Block

CANONICAL_RUNS = 5
MAX_DECODE_TPS = 5000
"""Above it a run had no decode window: old versions divided by nothing."""

MAX_CV_PERCENT = 100
USABLE_SHARE = 0.25
"""The bench's own floor: a shorter answer says little of the speed."""

DISAGREES = 0.02
"""A summary that differs more than this from the mean of its own runs contradicts itself."""


class Setting(NamedTuple):
    """How the bench sampled: what decides the protocol."""

    temperature: float | None
    quick: bool


_SAMPLER = re.compile(r"\[bench\] sampler: temperature=([0-9]{1,9}(?:\.[0-9]{1,6})?)", re.ASCII)


def setting_of(blocks: Sequence[Block]) -> Setting:
    """Read the sampler line and the QUICK banner."""
    temperature = None
    quick = False
    for block in blocks:
        for line in block.lines:
            found = _SAMPLER.match(line.text)
            if found:
                temperature = _number(found[1])
            quick = quick or "QUICK MODE" in line.text
    return Setting(temperature, quick)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _protocol(shape: Shape, setting: Setting, n: int) -> str:
    if setting.quick:
        return "club-quick"
    if setting.temperature == 0:
        return "greedy-completion"
    if setting.temperature not in (None, 0.6) or not shape.canonical:
        return "other"
    return "club-canonical" if n >= CANONICAL_RUNS else "club-partial"


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read every bench table and progress line."""
    setting = setting_of(blocks)
    for shape in shapes_of(blocks).values():
        yield from map(Seen, shape.lines)
        if shape.name in CANONICAL:
            yield from _decode(shape, setting)
        else:
            yield from _prefill(shape)


QUANTITIES = {"wall_TPS": "wall", "decode_TPS": "decode", "TTFT": "ttft"}
_FIELD = {"wall": "wall_tps", "decode": "decode_tps", "ttft": "ttft_ms", "prefill": "prefill_tps"}


def _decode(shape: Shape, setting: Setting) -> Iterator[Item]:
    told = {QUANTITIES[stat.name]: stat for stat in shape.stats if stat.name in QUANTITIES}
    if shape.derived:
        told.pop("decode", None)
        yield Doubt(shape.derived, f"{shape.name}: no decode rate was measured, only derived")
    for quantity in ("decode", "wall", "ttft"):
        if quantity == "decode" and shape.derived:
            continue
        stat = told.get(quantity)
        if stat:
            n = shape.n or len(shape.runs) or 1
            protocol = _protocol(shape, setting, n)
            yield from _summary(quantity, stat, protocol, n=n, workload=shape.name)
            yield from _contradiction(shape, quantity, stat)
        else:
            yield from _recomputed(shape, quantity, setting)


def _summary(quantity: str, stat: Stat, protocol: str, n: int, **fields: object) -> Iterator[Item]:
    rate = quantity in ("decode", "wall", "prefill")
    if rate and (stat.mean > MAX_DECODE_TPS * 40 or (stat.cv_percent or 0) > MAX_CV_PERCENT):
        yield Doubt(stat.line, f"{quantity} {stat.mean:g} is an artefact, not a rate")
        return
    if quantity == "decode" and stat.mean > MAX_DECODE_TPS:
        yield Doubt(stat.line, f"decode {stat.mean:g} had no decode window")
        return
    cv = None if stat.cv_percent is None or n == 1 else round(stat.cv_percent / 100, 5)
    spread = {} if n == 1 else {"low": stat.low, "high": stat.high, "sd": stat.std}
    if not stat.low <= stat.mean <= stat.high:
        yield Doubt(stat.line, f"{quantity}: the mean lies outside its own range")
        spread.pop("low", None)
        spread.pop("high", None)
    statistic = "single" if n == 1 else "mean"
    yield number(
        stat.line,
        quantity,
        stat.mean,
        protocol,
        n=n,
        cv=cv,
        statistic=statistic,
        **spread,
        **fields,
    )


def _values(shape: Shape, quantity: str) -> list[tuple[int, float]]:
    """List (line, value) of the measured runs, in order of their number."""
    field = _FIELD[quantity]
    _, most = CANONICAL.get(shape.name, (0, 0))
    usable = [
        run
        for _, run in sorted(shape.runs.items())
        if run.tokens is None or run.tokens >= USABLE_SHARE * most
    ]
    found = [(run.line, getattr(run, field)) for run in usable]
    kept = [(line, value) for line, value in found if value is not None]
    if quantity == "decode":
        kept = [(line, value) for line, value in kept if 0 < value <= MAX_DECODE_TPS]
    return kept


def _contradiction(shape: Shape, quantity: str, stat: Stat) -> Iterator[Item]:
    values = [value for _, value in _values(shape, quantity)]
    if len(values) < (shape.n or CANONICAL_RUNS) or quantity == "ttft":
        return
    mean = statistics.fmean(values)
    if abs(mean - stat.mean) > DISAGREES * stat.mean:
        yield Doubt(
            stat.line,
            f"{shape.name}: the summary's {quantity} {stat.mean:g} is not the mean of its runs,"
            f" {mean:.2f}",
        )


def _recomputed(shape: Shape, quantity: str, setting: Setting) -> Iterator[Item]:
    """A summary that was cut off: its mean again from the runs that are left."""
    values = _values(shape, quantity)
    if not values:
        return
    protocol = _protocol(shape, setting, len(values))
    yield _mean_of(values, quantity, protocol, workload=shape.name)


def _mean_of(
    values: list[tuple[int, float]], quantity: str, protocol: str, **fields: object
) -> Number:
    line, first = values[0]
    rates = [value for _, value in values]
    if len(values) == 1:
        return number(line, quantity, first, protocol, n=1, statistic="single", **fields)
    mean, sd = statistics.fmean(rates), statistics.stdev(rates)
    return number(
        line,
        quantity,
        round(mean, 4),
        protocol,
        n=len(rates),
        statistic="mean",
        sd=round(sd, 4),
        cv=round(sd / mean, 5) if mean else None,
        low=min(rates),
        high=max(rates),
        how="inferred",
        **fields,
    )


_DEPTH = re.compile(r"prefill-([0-9]{1,4})k", re.ASCII)


def _prefill(shape: Shape) -> Iterator[Item]:
    depth = _DEPTH.match(shape.name)
    nominal = int(depth[1]) * 1000 if depth else 10_000
    protocol = "club-prefill" if depth else "club-prefill-fallback"
    prompts = sorted(run.prompt_tokens for run in shape.runs.values() if run.prompt_tokens)
    prompt = prompts[len(prompts) // 2] if prompts else None
    where = {"nominal_tokens": nominal, "prompt_tokens": prompt}
    n = shape.n or len(shape.runs) or 1
    told = {stat.name: stat for stat in shape.stats}
    rate = told.get("prefill tok/s") or (None if depth else told.get("PP tok/s"))
    if rate:
        yield from _summary("prefill", rate, protocol, n=n, **where)
        yield from _contradiction(shape, "prefill", rate)
    elif _values(shape, "prefill"):
        yield _mean_of(_values(shape, "prefill"), "prefill", protocol, **where)
    if "TTFT" in told:
        yield from _summary("ttft", told["TTFT"], protocol, n=n, **where)
    elif _values(shape, "ttft"):
        yield _mean_of(_values(shape, "ttft"), "ttft", protocol, **where)
    for name, stat in told.items():
        if name.startswith("decode tok/s @"):
            deep = {"nominal_tokens": nominal, "context_tokens": prompt}
            yield from _summary("decode", stat, "club-depth", n=n, **deep)


def stage_facts(blocks: Sequence[Block]) -> Iterator[Fact]:
    """Tell that the bench ran and whether it got to the end, where no check summary does."""
    shapes = shapes_of(blocks)
    summaries = [shapes[name] for name in CANONICAL if name in shapes and shapes[name].stats]
    if len(summaries) == len(CANONICAL):
        last = max(shape.lines[-1] for shape in summaries)
        yield Fact("stages.bench.outcome", "pass", last, rank=2, how="inferred")
