"""The `CAPTURE:` blocks of the bench: links, memory, acceptance, engine timings, expert cache."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.item import Clue, Doubt, Fact, Item, Number, Seen, number
from ingest.readers.pattern import Pattern, decimal, pattern, scan
from ingest.readers.report.block import Block, lines_in, named
from ingest.readers.text import Line

PROTOCOL = "club-capture"
PHASES = {"decode": "mixed", "prefill": "long-context"}
MIB_PER_GIB = 1024


def _number(line: int, quantity: str, value: float, **fields: object) -> Number:
    return number(line, quantity, value, PROTOCOL, **fields)


def _ratio(percent: str) -> float:
    return round(decimal(percent) / 100, 6)


def _pcie(found: re.Match[str], line: int) -> Iterable[Item]:
    """Read the row over all devices: a mean over devices and time, so of one device."""
    phase, rx, rx_peak, tx, tx_peak, sm, memory, samples = found.groups()
    where = {"workload": PHASES[phase], "n": int(samples) or None, "statistic": "mean"}
    yield _number(line, "pcie_rx", decimal(rx), high=max(decimal(rx), decimal(rx_peak)), **where)
    yield _number(line, "pcie_tx", decimal(tx), high=max(decimal(tx), decimal(tx_peak)), **where)
    yield _number(line, "sm_utilisation", _ratio(sm), **where)
    yield _number(line, "memory_controller", _ratio(memory), **where)


_N = r"([0-9]{1,9}(?:[.,][0-9]{1,6})?)"
PCIE = (
    pattern(
        rf" *(decode|prefill) all rx_mean={_N} rx_peak={_N} tx_mean={_N} tx_peak={_N}"
        rf" sm_mean={_N} memctl_mean={_N} samples=([0-9]{{1,9}})",
        _pcie,
    ),
    pattern(r" *(?:decode|prefill) GPU[0-9]+ rx_mean="),
    pattern(r" *(?:GPU[0-9]+ gen=|denominator:|decode rx peak =)"),
)


def _vram(found: re.Match[str], line: int) -> Iterable[Item]:
    for quantity, text in (("vram_peak", found[2]), ("vram", found[3])):
        if text != "n/a":
            yield _number(line, quantity, int(text) / MIB_PER_GIB, statistic="single")


VRAM = (
    pattern(
        r" *idle=([0-9]{1,8}|n/a) MiB +peak=([0-9]{1,8}|n/a) MiB +post=([0-9]{1,8}|n/a) MiB",
        _vram,
    ),
    pattern(
        r" *(?:leak|growth) delta \(post - idle\) = (-?[0-9]{1,8}) MiB",
        lambda found, line: [_number(line, "vram_growth", int(found[1]), statistic="single")],
    ),
    pattern(
        r" *host CPU busy across the run: ([0-9]{1,9}(?:[.,][0-9]{1,6})?)%",
        lambda found, line: [_number(line, "cpu_busy", _ratio(found[1]), statistic="mean")],
    ),
    pattern(
        r" *CUDA([0-9]{1,2}): .{0,120}?\bpool=([0-9]{1,8})\b",
        lambda found, line: [Clue("pool", f"{found[1]}={found[2]}", line)],
    ),
    pattern(r" *(?:GPU[0-9]+ [0-9]+ MiB|CUDA[0-9]+: )"),
)


def _acceptance(found: re.Match[str], line: int) -> Iterable[Item]:
    """Read both figures: accepted over drafted, by token, and the unweighted mean of requests."""
    fired, mean, low, high = int(found[1]), decimal(found[2]), decimal(found[3]), decimal(found[4])
    accepted, drafted = int(found[5]), int(found[6])
    yield Clue("drafts", str(drafted), line)
    if not drafted or accepted > drafted:
        return
    share = round(accepted / drafted, 6)
    yield _number(line, "acceptance", share, workload="mixed", statistic="mean")
    spread = {"low": low, "high": high} if low <= mean <= high else {}
    yield _number(
        line,
        "acceptance-mean",
        mean,
        workload="mixed",
        n=fired or None,
        statistic="mean",
        **spread,
    )


DRAFT = (
    pattern(
        rf" *fired=([0-9]{{1,7}}) (?:last=[0-9.]{{1,12}} )?mean={_N} min={_N}"
        rf" max={_N} accepted=([0-9]{{1,9}}) drafted=([0-9]{{1,9}})",
        _acceptance,
    ),
    pattern(
        rf" *fire rate: fired on [0-9]+ of ([0-9]{{1,7}}) requests .{{0,40}}?\({_N}%\)",
        lambda found, line: [
            _number(
                line,
                "draft-fire-rate",
                min(1.0, _ratio(found[2])),
                workload="mixed",
                n=int(found[1]) or None,
            )
        ],
    ),
    pattern(
        r" *no (?:drafter output in the log|acceptance data in)",
        lambda _, line: [Clue("no_drafter_output", "yes", line)],
    ),
)

_ENGINE_ROWS = {
    "decode": ("decode-engine", "mixed"),
    "prefill_deep(>=2000tok)": ("prefill-engine", "long-context"),
    "prefill_short(<2000tok)": ("prefill-engine", "mixed"),
    "prefill": ("prefill-engine", None),
}


def _engine(found: re.Match[str], line: int) -> Iterable[Item]:
    n = int(found[2])
    if not n:
        return
    quantity, workload = _ENGINE_ROWS[found[1]]
    mean, median, low, high = (decimal(found[i]) for i in range(3, 7))
    for statistic, value in (("mean", mean), ("median", median)):
        spread = {"low": low, "high": high} if low <= value <= high else {}
        yield _number(line, quantity, value, workload=workload, n=n, statistic=statistic, **spread)


ENGINE = (
    pattern(
        r" *(decode|prefill|prefill_short\(<2000tok\)|prefill_deep\(>=2000tok\)) n=([0-9]{1,7})"
        rf" mean={_N} median={_N} min={_N} max={_N}",
        _engine,
    ),
    pattern(
        r" *cross-check: client-observed .{0,60}?-> ([0-9]{1,9}(?:[.,][0-9]{1,6})?)% divergence",
        lambda found, line: (
            [Doubt(line, f"client and engine rates differ by {found[1]} %", "note")]
            if decimal(found[1]) > 5
            else []
        ),
    ),
    pattern(r" *(?:dropped_short_decode|no print_timing|prefill\S* n=0|decode n=0)"),
)

_CENSUS = re.compile(
    r" *CUDA([0-9]{1,2}) pools=[0-9]+ slots=([0-9]{1,8}) total_mib=([0-9]{1,8})", re.ASCII
)
_HITS = re.compile(
    r" *CUDA[0-9]{1,2} marginal=\S{1,8} cumulative=\S{1,8} dhits=([0-9]{1,15})"
    r" dlookups=([0-9]{1,15})",
    re.ASCII,
)


def _cache(lines: Sequence[Line], split: Sequence[Line]) -> Iterator[Item]:
    """Read census and hits; rates of devices are never averaged but weighted by look-ups.

    A pool that was logged twice counts twice in the census: the component split is right then.
    """
    slots, mib, hits, lookups = 0, 0, 0, 0
    unscoped = any("NO MEASUREMENT IN THIS RUN" in line.text for line in lines)
    census_line = hits_line = 0
    for line in lines:
        census, hit = _CENSUS.match(line.text), _HITS.match(line.text)
        if census:
            slots, mib = slots + int(census[2]), mib + int(census[3])
            census_line = census_line or line.number
            yield Clue("census", f"{census[1]}={census[3]}", line.number)
        elif hit:
            hits, lookups = hits + int(hit[1]), lookups + int(hit[2])
            hits_line = hits_line or line.number
        else:
            continue
        yield Seen(line.number)
    if census_line:
        yield _number(census_line, "cache_slots", slots, statistic="single")
        if not any(" pool=" in line.text for line in split):
            yield _number(census_line, "cache_pool", mib, statistic="single")
        yield Fact("launch.expert_cache.mib", mib, census_line, rank=1)
    if hits_line and 0 < lookups >= hits and not unscoped:
        rate = round(hits / lookups, 6)
        yield _number(hits_line, "hit_rate", rate, workload="mixed", statistic="mean")
    elif hits_line:
        yield Doubt(
            hits_line, "no look-ups were counted: the hit rate is unknown, not zero", "note"
        )


_POOL = re.compile(r" *CUDA[0-9]{1,2}: .{0,120}?\bpool=([0-9]{1,8})\b", re.ASCII)


def _pools(lines: Sequence[Line]) -> Iterator[Item]:
    """Add up the pools of the component split."""
    found = [(int(pool[1]), line.number) for line in lines if (pool := _POOL.match(line.text))]
    if found:
        yield _number(found[0][1], "cache_pool", sum(mib for mib, _ in found), statistic="single")


CACHE = (
    pattern(
        r" *allocation: devices=0 pool_lines=0 enabled=0",
        lambda _, line: [Clue("no_pool", "yes", line)],
    ),
    pattern(r" *allocation: "),
    pattern(
        r" *skipped: no CPU offload detected",
        lambda _, line: [Clue("no_offload_detected", "yes", line)],
    ),
    pattern(r" *(?:bypass counter:|health counters: PASS|pool census|hit rate)"),
    pattern(
        r" *health counters: FAIL.{0,200}?(?:fill_fail|dispatch_fail|collect_fail)",
        lambda _, line: [Doubt(line, "the expert cache failed to fill, dispatch or collect")],
    ),
    pattern(r" *(?:derived host-RAM read demand|= [0-9]+ misses)"),
)

INTEGRITY = (
    pattern(r" *status: OK\b"),
    pattern(
        r" *status: ([A-Z_]{3,20})\b",
        lambda found, line: [
            Clue("integrity", found[1], line),
            Doubt(line, f"the bench's own integrity check says {found[1]}"),
            Fact("outcome.state", "partial", line, rank=1),
            Fact("outcome.stage", "bench", line, rank=1),
            Fact("outcome.reason", f"bench integrity {found[1]}", line, rank=1),
        ],
    ),
    pattern(r" *(?:swap check|cache health) +: PASS"),
    pattern(
        r" *. n-usable +: ",
        lambda _, line: [Doubt(line, "short answers: the spread is not trustworthy")],
    ),
)

RAM = (
    pattern(
        r" *mem_total_gib=.{0,60}?\bserver_rss_gib=([0-9]{1,9}(?:[.,][0-9]{1,6})?)",
        lambda found, line: [_number(line, "host_ram", decimal(found[1]), statistic="single")],
    ),
)

BLOCKS: dict[str, tuple[Pattern, ...]] = {
    "capture: pcie": PCIE,
    "capture: vram": VRAM,
    "capture: draft acceptance": DRAFT,
    "capture: engine-side timings": ENGINE,
    "capture: expert cache": CACHE,
    "capture: integrity": INTEGRITY,
    "system ram": RAM,
}


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read every capture block."""
    for name, grammar in BLOCKS.items():
        yield from scan(lines_in(named(blocks, name)), grammar)
    split = lines_in(named(blocks, "capture: vram"))
    yield from _cache(lines_in(named(blocks, "capture: expert cache")), split)
    yield from _pools(split)
