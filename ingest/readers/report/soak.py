"""The soak stage: verdict, speed of its turns, growth of video memory, retention."""

import re
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ingest.readers.item import Doubt, Fact, Item, Number, Seen, number
from ingest.readers.pattern import decimal
from ingest.readers.report.block import Block, lines_in, named
from ingest.readers.text import Line

PROTOCOL = "club-soak"
MAX_DECODE_TPS = 500
"""The soak script itself leaves out turns outside (0, 500]."""

MIB_PER_GIB = 1024
_OUTCOMES = {"PASS": "pass", "FAIL": "fail", "INCONCLUSIVE": "timeout"}
_TURN = re.compile(
    r"\[soak\] +turn ([0-9]{1,3})/[0-9]{1,3}: status=([0-9]{3}) .{0,60}?ttft=([0-9]{1,9})ms"
    r" decode_tps=([0-9]{1,7}(?:[.,][0-9]{1,6})?|n/a)",
    re.ASCII,
)
_SESSION = re.compile(r"\[soak\] session ([0-9]{1,3})/([0-9]{1,3})", re.ASCII)
_FIELD = re.compile(r"\[soak\] +([a-z0-9_]{4,30}) {2,40}(\S.{0,120})", re.ASCII)
_FIGURE = re.compile(r"(-?[0-9]{1,9}(?:[.,][0-9]{1,6})?)", re.ASCII)
_TABLE = re.compile(
    r"\|? *(p50 decode TPS|p50 TTFT) *\| *([0-9]{1,9}(?:[.,][0-9]{1,6})?)", re.ASCII
)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read `[soak]` lines wherever they stand, and the summary's table."""
    lines = lines_in(named(blocks, "[soak]"))
    fields = _fields(lines)
    turns = _turns(lines)
    yield from (Seen(line.number) for line in lines)
    yield from _verdict(fields)
    yield from _speed(fields, turns)
    yield from _memory(fields)
    yield from _retention(turns)
    told = list(_ttft(blocks))
    yield from told
    waits = _waits(lines)
    if waits and not any(isinstance(item, Number) for item in told):
        yield _middle("ttft", waits)


def _fields(lines: Sequence[Line]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for line in lines:
        field = _FIELD.match(line.text)
        if field:
            found.setdefault(field[1], (field[2], line.number))
    return found


def _turns(lines: Sequence[Line]) -> list[tuple[int, int, float]]:
    """List (session, line, decode rate) of the turns that have a rate."""
    found = []
    session = 1
    for line in lines:
        head, turn = _SESSION.match(line.text), _TURN.match(line.text)
        if head:
            session = int(head[1])
        elif turn and turn[2] == "200" and turn[4] != "n/a":
            rate = decimal(turn[4].replace(",", "."))
            if 0 < rate <= MAX_DECODE_TPS:
                found.append((session, line.number, rate))
    return found


def _waits(lines: Sequence[Line]) -> list[tuple[float, int]]:
    """List (time to first token, line) of the turns that were answered."""
    found = [(turn, line.number) for line in lines if (turn := _TURN.match(line.text))]
    return [(decimal(turn[3]), line) for turn, line in found if turn[2] == "200" and int(turn[3])]


def _verdict(fields: dict[str, tuple[str, int]]) -> Iterator[Item]:
    text, line = fields.get("verdict", ("", 0))
    outcome = _OUTCOMES.get(text.split(" ", 1)[0])
    if outcome:
        yield Fact("stages.soak.outcome", outcome, line, rank=1)


def _figure(fields: dict[str, tuple[str, int]], name: str) -> tuple[float, int] | None:
    text, line = fields.get(name, ("", 0))
    found = _FIGURE.match(text)
    return (decimal(found[1]), line) if found else None


def _speed(
    fields: dict[str, tuple[str, int]], turns: list[tuple[int, int, float]]
) -> Iterator[Item]:
    told = _figure(fields, "p50_decode_tps")
    where = {"workload": "agentic"}
    if told and told[0] > 0:
        n = len(turns) or None
        yield number(told[1], "decode", told[0], PROTOCOL, statistic="median", n=n, **where)
    elif turns:
        yield _middle("decode", [(rate, line) for _, line, rate in turns])


def _middle(quantity: str, figures: Sequence[tuple[float, int]]) -> Number:
    """Take the middle one of the turns, where the summary is not there: it is a printed figure."""
    value, line = sorted(figures)[(len(figures) - 1) // 2]
    single = len(figures) == 1
    return number(
        line, quantity, value, PROTOCOL, n=len(figures), workload="agentic",
        statistic="single" if single else "median", how="reported" if single else "inferred",
    )  # fmt: skip


def _memory(fields: dict[str, tuple[str, int]]) -> Iterator[Item]:
    peak, growth = _figure(fields, "max_vram_mib"), _figure(fields, "max_growth_mib")
    if peak:
        yield number(peak[1], "vram_peak", peak[0] / MIB_PER_GIB, PROTOCOL, statistic="single")
    if growth:
        yield number(growth[1], "vram_growth", growth[0], PROTOCOL, statistic="single")


def _retention(turns: list[tuple[int, int, float]]) -> Iterator[Item]:
    """Last session over first: the report's own figure compares one set with itself."""
    sessions: dict[int, list[float]] = defaultdict(list)
    for session, _, rate in turns:
        sessions[session].append(rate)
    if len(sessions) > 1:
        first, last = (statistics.median(sessions[at]) for at in (min(sessions), max(sessions)))
        yield number(
            turns[-1][1], "retention", round(last / first, 4), PROTOCOL, workload="agentic",
            how="inferred",
        )  # fmt: skip


def _ttft(blocks: Sequence[Block]) -> Iterator[Item]:
    for line in lines_in(b for b in blocks if b.section == "soak summary"):
        row = _TABLE.match(line.text)
        if row and row[1] == "p50 TTFT":
            yield number(
                line.number, "ttft", decimal(row[2]), PROTOCOL, statistic="median",
                workload="agentic",
            )  # fmt: skip
        if line.text.startswith(("- ", "|")):
            yield Seen(line.number)


DROPDOWN = (
    ("PASS — ", "pass"),
    ("FAIL — ", "fail"),
    ("Skipped — ", "skipped"),
)


def dropdown(lines: Sequence[Line]) -> Iterator[Item]:
    """Read the form's own verdict; the report's soak lines outrank it."""
    for line in lines:
        for start, outcome in DROPDOWN:
            if line.text.startswith(start):
                yield Seen(line.number)
                yield Fact("stages.soak.outcome", outcome, line.number, rank=3)
                if "borderline" in line.text:
                    yield Doubt(line.number, "the reporter calls the soak borderline", "note")
