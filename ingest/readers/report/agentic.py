"""The agentic stage: decode and time to first token at a growing context, one row a turn."""

import re
from collections.abc import Iterator, Sequence

from ingest.readers.item import Fact, Item, Number, Seen, number
from ingest.readers.pattern import figure, whole
from ingest.readers.report.block import Block
from ingest.readers.text import Line

PROTOCOL = "club-agentic"
_N = r"[0-9][0-9,]{0,12}(?:\.[0-9]{1,4})?"
_SESSION_ROW = re.compile(
    rf" +([0-9]{{1,3}}) +({_N}) +({_N}) +({_N}|n/a) +[0-9][0-9,]{{0,12}}(?: |$)", re.ASCII
)
_SUMMARY_ROW = re.compile(rf" +([0-9]{{1,3}}) +({_N}) +({_N}) +{_N} +({_N}|n/a)(?:  |$)", re.ASCII)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the summary's rows; those of the session for turns that were cut off the summary."""
    session: dict[int, list[Number]] = {}
    summary: dict[int, list[Number]] = {}
    rows, pattern = session, _SESSION_ROW
    for block in blocks:
        if not block.section.startswith("bench-agentic") and block.section:
            continue
        for line in block.lines:
            if line.text.startswith("SUMMARY — multi-turn"):
                rows, pattern = summary, _SUMMARY_ROW
            elif line.text.startswith("SESSION "):
                rows, pattern = session, _SESSION_ROW
            found = pattern.match(line.text)
            if found:
                yield Seen(line.number)
                rows[int(found[1])] = list(_turn(found, line))
    for numbers in {**session, **summary}.values():
        yield from numbers
    if summary:
        last = max(summary)
        yield Fact("stages.agentic.outcome", "pass", summary[last][0].line, rank=2, how="inferred")


def _turn(found: re.Match[str], line: Line) -> Iterator[Number]:
    """Read one turn; `n/a` is a turn without a decode window, not a zero."""
    where = {
        "workload": "agentic",
        "context_tokens": whole(found[2].partition(".")[0]),
        "n": 1,
        "statistic": "single",
    }
    yield number(line.number, "ttft", figure(found[3]), PROTOCOL, **where)
    if found[4] != "n/a" and figure(found[4]) > 0:
        yield number(line.number, "decode", figure(found[4]), PROTOCOL, **where)
