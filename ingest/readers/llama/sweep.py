"""llama-sweep-bench (decode and prefill at growing depth) and llama-batched-bench (streams)."""

import re
from collections.abc import Iterator, Sequence

from ingest.readers.item import Clue, Fact, Item, Seen, number
from ingest.readers.jsons import figure_of, objects, whole_of
from ingest.readers.llama.bench_rows import cells_of
from ingest.readers.llama.command import command_facts
from ingest.readers.part import Part
from ingest.readers.text import Line

SWEEP = "sweep-bench"
BATCHED = "batched-bench"
SWEEP_HEAD = ["PP", "TG", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s"]
BATCHED_HEAD = ["PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s"]

_SETTING = re.compile(
    r"\b(n_kv_max|n_batch|n_ubatch|n_gpu_layers|n_threads|n_threads_batch) = (-?[0-9]{1,9})\b",
    re.ASCII,
)
PLACES = {
    "n_kv_max": "launch.ctx",
    "n_batch": "launch.batch",
    "n_ubatch": "launch.ubatch",
    "n_threads": "launch.threads",
    "n_threads_batch": "launch.threads_batch",
}


def fits_sweep(lines: Sequence[Line]) -> bool:
    """Tell whether a sweep's table or one of its JSON rows is there."""
    return any(
        ("S_TG t/s" in line.text and _head(line.text) == SWEEP_HEAD)
        or ('"speed_tg"' in line.text and '"n_kv"' in line.text)
        for line in lines
    )


def fits_batched(lines: Sequence[Line]) -> bool:
    """Tell whether a batched bench's table is there: it has a column B."""
    return any("S_TG t/s" in line.text and _head(line.text) == BATCHED_HEAD for line in lines)


def _head(text: str) -> list[str]:
    cells = cells_of(text)
    return cells[:8] if "B" in cells else cells[:7]


def _settings(line: Line) -> Iterator[Item]:
    if not line.text.lstrip().startswith("main: n_kv_max"):
        return
    yield Seen(line.number)
    for name, value in _SETTING.findall(line.text):
        if name in PLACES and int(value) > 0:
            yield Fact(PLACES[name], int(value), line.number)


def read_sweep(lines: Sequence[Line]) -> Iterator[Part]:
    """Read a sweep: one run, a decode and a prefill rate for each depth."""
    items: list[Item] = []
    inside = False
    for line in lines:
        items += _settings(line)
        if "S_TG t/s" in line.text:
            inside = _head(line.text) == SWEEP_HEAD
        elif inside and "|" in line.text:
            items += _row(cells_of(line.text), line.number)
    for found in objects(lines):
        items += _json_row(found.value, found.first)
    if any(not isinstance(item, Seen) for item in items):
        # Two engines have this program, and it prints the name of neither.
        items += command_facts(lines, ("llama-sweep-bench",))
        yield Part(SWEEP, lines[0].number, lines[-1].number, (), (tuple(items),))


def _row(cells: list[str], line: int) -> Iterator[Item]:
    figures = [figure_of(cell.replace(",", ".")) for cell in cells[:7]]
    if len(figures) < 7 or None in figures:
        return
    prompt, _, depth, _, prefill, _, decode = (figure or 0.0 for figure in figures)
    yield from _point(line, int(prompt), int(depth), prefill, decode)


def _json_row(value: dict[str, object], line: int) -> Iterator[Item]:
    if "speed_tg" not in value or "n_kv" not in value:
        return
    for name, at in PLACES.items():
        setting = whole_of(value.get(name))
        if setting and setting > 0:
            yield Fact(at, setting, line)
    prompt, depth = whole_of(value.get("pp")) or 0, whole_of(value.get("n_kv")) or 0
    rates = figure_of(value.get("speed_pp")) or 0.0, figure_of(value.get("speed_tg")) or 0.0
    yield from _point(line, prompt, depth, *rates)


def _point(line: int, prompt: int, depth: int, prefill: float, decode: float) -> Iterator[Item]:
    yield Seen(line)
    if min(prompt, depth) < 0:
        return
    where = {"context_tokens": depth, "streams": 1, "n": 1, "workload": "bench-prompt"}
    if decode > 0:
        yield number(line, "decode", decode, SWEEP, statistic="single", **where)
    if prefill > 0:
        where["prompt_tokens"] = prompt
        yield number(line, "prefill", prefill, SWEEP, statistic="single", **where)


def read_batched(lines: Sequence[Line]) -> Iterator[Part]:
    """Read a batched bench: the sum over streams, which is a decode rate only for one stream."""
    items: list[Item] = []
    inside = False
    for line in lines:
        items += _settings(line)
        if "S_TG t/s" in line.text:
            inside = _head(line.text) == BATCHED_HEAD
        elif inside and "|" in line.text:
            items += _batched_row(cells_of(line.text), line.number)
    if items:
        items.append(Clue("engine_line", "llama.cpp", lines[0].number))
        yield Part(BATCHED, lines[0].number, lines[-1].number, (), (tuple(items),))


def _batched_row(cells: list[str], line: int) -> Iterator[Item]:
    figures = [figure_of(cell) for cell in cells[:8]]
    if len(figures) < 8 or None in figures:
        return
    prompt, _, streams, _, _, prefill, _, decode = (figure or 0.0 for figure in figures)
    if streams < 1 or prompt < 0:
        return
    yield Seen(line)
    where = {"streams": int(streams), "prompt_tokens": int(prompt), "workload": "bench-prompt"}
    quantity = "decode" if streams == 1 else "aggregate"
    if decode > 0:
        yield number(line, quantity, decode, BATCHED, statistic="single", **where)
    if prefill > 0 and streams == 1:
        yield number(line, "prefill", prefill, BATCHED, statistic="single", **where)
