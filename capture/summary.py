"""Journal lines of one run → measurements with their evidence: means over measured requests."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from capture.answered import Answered, Terms, answers, bench_protocol, is_fresh, usable
from capture.protocol import AGENTIC, BESIDE, DEPTH, GREEDY, PREFILL, SOAK
from capture.reply import Reply
from ingest.bundle import Evidence, Measurement

UNITS = {"decode": "tokens/s", "wall": "tokens/s", "decode-engine": "tokens/s",
         "prefill": "tokens/s", "prefill-engine": "tokens/s", "ttft": "ms", "acceptance": "ratio",
         "tokens_per_pass": "tokens", "vram": "GiB", "vram_peak": "GiB", "vram_growth": "MiB",
         "host_ram": "GiB", "power": "W", "sm_utilisation": "ratio", "memory_controller": "ratio",
         "hit_rate": "ratio", "cache_slots": "slots", "cache_pool": "MiB",
         "retention": "ratio", "ttft_growth": "ratio", "load_time": "s"}  # fmt: skip
"""The units that `quantities.toml` gives these quantities."""


def measurements(lines: Sequence[dict[str, Any]], run: str, terms: Terms) -> list[Measurement]:
    """List all measurements of one run."""
    found = answers(lines, run)
    stages: dict[tuple[str, str], list[Answered]] = {}
    for one in found:
        stages.setdefault((one.stage, one.workload), []).append(one)
    made: list[Measurement] = []
    for (stage, workload), group in stages.items():
        measured = [one for one in group if one.phase == "measured" and one.reply]
        if stage == "bench":
            made += _shape(measured, workload, bench_protocol(group, terms))
        elif stage == "greedy":
            made += _shape(measured, workload, GREEDY)
        elif stage.startswith("prefill"):
            made += _prefill(measured, workload)
        elif stage == "agentic":
            made += _agentic(measured, workload)
        elif stage == "soak":
            made += _soak(measured, workload)
    if not any(one.quantity == "acceptance" for one in made):
        made += _counted(lines, run)
    made += _logged(lines, run, made)
    made += _cached(lines, run)
    made += _beside(lines, run)
    return made


def spread(
    quantity: str, protocol: str, told: Iterable[tuple[int, float | None]], **fields: Any  # noqa: ANN401 - fields of a Measurement
) -> Iterator[Measurement]:  # fmt: skip
    """Make one measurement of the values of several runs; none where no run has one."""
    known = [(line, value) for line, value in told if value is not None]
    values = [value for _, value in known]
    if not values or is_wild(quantity, values):
        return
    middle = statistics.fmean(values)
    sd = statistics.stdev(values) if len(values) > 1 else None
    yield Measurement(
        quantity=quantity,
        protocol=protocol,
        value=round(middle, 4),
        low=round(min(values), 4) if sd is not None else None,
        high=round(max(values), 4) if sd is not None else None,
        statistic="mean" if sd is not None else "single",
        sd=None if sd is None else round(sd, 4),
        cv=None if sd is None or not middle else round(sd / middle, 4),
        n=len(values),
        unit=UNITS[quantity],
        evidence=Evidence(line=known[0][0]),
        how="measured",
        **fields,
    )


MOST_CV = 1.0


def is_wild(quantity: str, values: Sequence[float]) -> bool:
    """Tell rates that spread by more than their mean: of those a mean says nothing."""
    if len(values) < 2 or quantity not in ("decode", "wall", "prefill"):
        return False
    return statistics.stdev(values) > MOST_CV * statistics.fmean(values)


def each(
    group: Iterable[Answered], value: Callable[[Reply], float | None]
) -> list[tuple[int, float | None]]:
    """List (line, value) of each answer."""
    return [(one.line, value(one.reply)) for one in group if one.reply]


def ttft_ms(reply: Reply) -> float:
    """Tell the time to the first token in ms."""
    return reply.ttft_s * 1000


def _shape(group: list[Answered], workload: str, protocol: str) -> Iterator[Measurement]:
    same: dict[str, Any] = {"workload": workload, "streams": 1}
    yield from spread("decode", protocol, each(group, lambda r: r.decode_tokens_per_s), **same)
    yield from spread("wall", protocol, each(group, lambda r: r.wall_tokens_per_s), **same)
    yield from spread("ttft", protocol, each(group, ttft_ms), **same)
    engine = each(group, lambda r: r.timings.decode_tokens_per_s)
    yield from spread("decode-engine", protocol, engine, **same)
    yield from _drafting(group, protocol, same)


def _drafting(group: list[Answered], protocol: str, same: dict[str, Any]) -> Iterator[Measurement]:
    """Weigh acceptance by token; a server that drafted nothing says nothing about it."""
    replies = [one.reply for one in group if one.reply and one.reply.timings.drafted]
    drafted = sum(reply.timings.drafted or 0 for reply in replies)
    accepted = sum(reply.timings.accepted or 0 for reply in replies)
    tokens = sum(reply.tokens for reply in replies)
    if not drafted or accepted > drafted:
        return
    line = group[0].line
    yield from spread("acceptance", protocol, [(line, accepted / drafted)], **same)
    if tokens > accepted:
        # Each pass gives one token of the target's own, and what it accepts.
        per_pass = tokens / (tokens - accepted)
        yield from spread("tokens_per_pass", protocol, [(line, per_pass)], **same)


def _counted(lines: Sequence[dict[str, Any]], run: str) -> Iterator[Measurement]:
    """Read acceptance off the server's counters, where its answers do not tell it."""
    for number, line in enumerate(lines, start=1):
        if line["kind"] != "drafting" or line["run"] != run or line["stage"] != "bench":
            continue
        ratio = line["accepted"] / line["drafted"]
        if ratio <= 1:
            same: dict[str, Any] = {"workload": line["workload"], "streams": 1}
            yield from spread("acceptance", BESIDE, [(number, ratio)], **same)


def _logged(
    lines: Sequence[dict[str, Any]], run: str, made: Sequence[Measurement]
) -> Iterator[Measurement]:
    """Read off the server's log what neither its answers nor its counters tell."""
    known = {one.quantity for one in made}
    for number, line in enumerate(lines, start=1):
        if line["kind"] != "log" or line["run"] != run:
            continue
        if "decode-engine" not in known:
            rate = [(number, line["decode_tokens_per_s"])]
            yield from spread("decode-engine", BESIDE, rate, workload="mixed", streams=1)
        if "acceptance" not in known and line["drafted"]:
            ratio = [(number, min(line["accepted"] / line["drafted"], 1.0))]
            yield from spread("acceptance", BESIDE, ratio, workload="mixed", streams=1)


def _cached(lines: Sequence[dict[str, Any]], run: str) -> Iterator[Measurement]:
    """Read the expert cache off the server's log; no look-ups is no hit rate, not a rate of 0."""
    for number, line in enumerate(lines, start=1):
        if line["kind"] != "cache" or line["run"] != run:
            continue
        if line["lookups"] and line["hits"] <= line["lookups"]:
            rate = [(number, line["hits"] / line["lookups"])]
            yield from spread("hit_rate", BESIDE, rate, workload="mixed", streams=1)
        yield from spread("cache_slots", BESIDE, [(number, line["slots"])])
        yield from spread("cache_pool", BESIDE, [(number, line["pool_mib"])])


def _prefill(group: list[Answered], workload: str) -> Iterator[Measurement]:
    fresh = [one for one in group if one.reply and is_fresh(one.reply)]
    prompts = [one.reply.prompt_tokens for one in fresh if one.reply and one.reply.prompt_tokens]
    if not prompts:
        return
    depth = round(statistics.fmean(prompts))
    same: dict[str, Any] = {"workload": workload, "streams": 1,
                            "nominal_tokens": fresh[0].nominal_tokens}  # fmt: skip
    rates = each(fresh, lambda r: r.prefill_tokens_per_s)
    yield from spread("prefill", PREFILL, rates, prompt_tokens=depth, **same)
    yield from spread("ttft", PREFILL, each(fresh, ttft_ms), prompt_tokens=depth, **same)
    engine = each(fresh, lambda r: r.timings.prefill_tokens_per_s)
    yield from spread("prefill-engine", PREFILL, engine, prompt_tokens=depth, **same)
    deep = each([one for one in fresh if usable(one)], lambda r: r.decode_tokens_per_s)
    yield from spread("decode", DEPTH, deep, context_tokens=depth, **same)


def _agentic(group: list[Answered], workload: str) -> Iterator[Measurement]:
    for one in group:
        context = one.reply.prompt_tokens if one.reply else None
        same: dict[str, Any] = {"workload": workload, "streams": 1, "context_tokens": context}
        yield from spread("decode", AGENTIC, each([one], lambda r: r.decode_tokens_per_s), **same)
        yield from spread("ttft", AGENTIC, each([one], ttft_ms), **same)


def _soak(group: list[Answered], workload: str) -> Iterator[Measurement]:
    same: dict[str, Any] = {"workload": workload, "streams": 1}
    rates = each(group, lambda r: r.decode_tokens_per_s)
    yield from spread("decode", SOAK, rates, **same)
    known = [(line, rate) for line, rate in rates if rate]
    half = len(known) // 2
    if half:
        first, last = (statistics.fmean(rate for _, rate in part)
                       for part in (known[:half], known[-half:]))  # fmt: skip
        yield from spread("retention", SOAK, [(known[0][0], last / first)], **same)


MIB_PER_GIB = 1024


def _beside(lines: Sequence[dict[str, Any]], run: str) -> Iterator[Measurement]:
    """Read what was sampled beside the bench stages, and how long the server took to load."""
    last = {(line["kind"], line.get("soak", False)): (number, line)
            for number, line in enumerate(lines, start=1) if line.get("run") == run}  # fmt: skip
    if ("watch", True) in last:
        number, line = last["watch", True]
        start, ended = line.get("vram_start_mib"), line.get("vram_end_mib")
        growth = None if start is None or ended is None else ended - start
        yield from spread("vram_growth", SOAK, [(number, growth)])
    for number, line in (last[kind, False] for kind in ("watch", "boot") if (kind, False) in last):
        told = {
            "vram_peak": _scaled(line.get("vram_peak_mib"), 1 / MIB_PER_GIB),
            "vram": _scaled(line.get("vram_end_mib"), 1 / MIB_PER_GIB),
            "host_ram": line.get("rss_gib"),
            "power": line.get("power_w"),
            "sm_utilisation": line.get("busy"),
            "memory_controller": line.get("memory_busy"),
            "load_time": line.get("load_s"),
        }
        for quantity, value in told.items():
            yield from spread(quantity, BESIDE, [(number, value)])


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
