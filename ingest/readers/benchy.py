"""llama-benchy: its Markdown table and its JSON."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.readers.item import Clue, Item, Number, Seen, number
from ingest.readers.jsons import Found, figure_of, objects, text_of, whole_of
from ingest.readers.llama.bench_rows import cells_of
from ingest.readers.part import Part
from ingest.readers.text import Line

FORMAT = "llama-benchy"
_TEST = re.compile(
    r"(ctx_)?(pp|tg)([0-9]{0,8})(?: *@ *d([0-9]{1,9}))?(?: *\(c([0-9]{1,4})\))?$", re.ASCII
)
_VALUE = re.compile(
    r"([0-9]{1,9}(?:\.[0-9]{1,4})?)(?: *(?:±|\+/-) *([0-9]{1,9}(?:\.[0-9]{1,4})?))?$", re.ASCII
)
# Columns with the rate of one request, best first; with several streams the first is a sum.
RATE_COLUMNS = ("t/s (req)", "t/s")


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether its table or its JSON is there."""
    return any(
        ("ttfr" in line.text and "|" in line.text) or '"pp_throughput"' in line.text
        for line in lines
    )


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read every row into one run."""
    items: list[Item] = [*_table(lines)]
    for found in objects(lines):
        if isinstance(found.value.get("benchmarks"), list):
            items += _json(found)
            items += [Seen(line) for line in range(found.first, found.last + 1)]
    if items:
        yield Part(FORMAT, lines[0].number, lines[-1].number, (), (tuple(items),))


def _table(lines: Sequence[Line]) -> Iterator[Item]:
    header: list[str] = []
    for line in lines:
        if "|" not in line.text:
            continue
        cells = cells_of(line.text)
        if "test" in cells and any(cell.startswith("ttfr") for cell in cells):
            header = cells
        elif header and len(cells) == len(header):
            yield from _row(dict(zip(header, cells, strict=True)), line.number)


def _row(cells: dict[str, str], line: int) -> Iterator[Item]:
    test = _TEST.match(cells.get("test", ""))
    if not test:
        return
    yield Seen(line)
    if cells.get("model"):
        yield Clue("served_id", cells["model"], line)
    column = next((name for name in RATE_COLUMNS if cells.get(name)), "")
    rate = _VALUE.match(cells.get(column, ""))
    where = _where(test[2], test[3], test[4], test[5])
    if rate and float(rate[1]) > 0:
        sd = float(rate[2]) if rate[2] else None
        yield _rate(line, test[2], float(rate[1]), where, sd)
    first = _VALUE.match(cells.get("e2e_ttft (ms)", ""))
    if first and test[2] == "pp" and float(first[1]) > 0:
        yield number(
            line, "ttft", float(first[1]), FORMAT, statistic="mean", workload="bench-prompt",
            **where,
        )  # fmt: skip


def _where(kind: str, tokens: str, depth: str | None, streams: str | None) -> dict[str, Any]:
    where: dict[str, Any] = {
        "context_tokens": int(depth or 0),
        "streams": int(streams or 1) or None,
    }
    if kind == "pp" and tokens:
        where["prompt_tokens"] = int(tokens)
    return where


def _rate(line: int, kind: str, rate: float, where: dict[str, Any], sd: float | None) -> Number:
    quantity = "prefill" if kind == "pp" else "decode"
    return number(
        line, quantity, rate, FORMAT, statistic="mean", sd=sd, workload="bench-prompt", **where
    )


def _json(found: Found) -> Iterator[Item]:
    model = text_of(found.value.get("model"))
    if model:
        yield Clue("served_id", model, found.line_of("model"))
    for one in found.inside("benchmarks"):
        streams = whole_of(one.value.get("concurrency")) or 1
        depth = whole_of(one.value.get("context_size")) or 0
        if streams < 1 or depth < 0:
            continue
        for kind in ("pp", "tg"):
            yield from _json_rate(one, kind, streams, depth)


def _json_rate(one: Found, kind: str, streams: int, depth: int) -> Iterator[Item]:
    several = f"{kind}_req_throughput" if streams > 1 else f"{kind}_throughput"
    told, line = one.value.get(several), one.line_of(several)
    rate = figure_of(told.get("mean")) if isinstance(told, dict) else None
    if not rate or rate <= 0 or not isinstance(told, dict):
        return
    sd = figure_of(told.get("std"))
    where: dict[str, Any] = {"context_tokens": depth, "streams": streams}
    prompt = whole_of(one.value.get("prompt_size"))
    if kind == "pp" and prompt and prompt > 0:
        where["prompt_tokens"] = prompt
    yield _rate(line, kind, rate, where, sd if sd and sd > 0 else None)
