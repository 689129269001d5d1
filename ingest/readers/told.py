"""What people write by hand: labelled lines on the rig and the model, and small tables of rates.

Only shapes that leave no doubt are taken: a label that names its field, a table whose heading names
quantity and unit. Everything else in prose stays unread and is told as such.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ingest.readers.item import Clue, Fact, Item, Number, Seen, number
from ingest.readers.llama.bench_rows import cells_of
from ingest.readers.llama.command import command_facts
from ingest.readers.part import Part
from ingest.readers.text import Line
from ingest.readers.told_figures import figure_items, versus_items
from ingest.readers.told_table import has_rates, table_items

FORMAT = "hand-written"
Told = Callable[[str, int], Iterable[Item]]

_LABEL = re.compile(
    r" {0,6}(?:- +)?\*{0,2}([A-Za-z][A-Za-z /+]{1,24})\*{0,2} ?: ?\*{0,2} *(.{1,400})"
)
_CARD = re.compile(
    r"(?:([0-9]{1,2}) ?[×xX] ?)?((?:NVIDIA )?(?:GeForce )?"
    r"(?:RTX|GTX|Tesla|Quadro|Radeon|RX|Arc|MI|A|L|H)"
    r" ?(?:PRO |A)?[0-9]{2,4}[A-Za-z]{0,2}(?: (?:Ti|SUPER|XT|XTX|Blackwell))*)"
    r"(?:,? ([0-9]{1,3}) ?(?:GB|GiB))?",
    re.ASCII,
)
_POWER = re.compile(r"([0-9]{2,4}) ?W\b", re.ASCII)
_CORES = re.compile(r"(.{3,80}?) \(([0-9]{1,3}) ?C ?/ ?([0-9]{1,3}) ?T\)", re.ASCII)
_MODULES = r"(?:(?<![0-9])([0-9]{1,2}) ?[×xX*] ?)?([0-9]{1,4}) ?(?:GiB|GB)"
_RAM = re.compile(rf"{_MODULES}\b", re.ASCII)
_HOST_RAM = re.compile(rf"{_MODULES} (?:[a-z]{{1,12}} )?(?:RAM|DDR|memory)", re.ASCII)
_RATE = re.compile(r"(DDR[345])(?:[ -]([0-9]{4})\b)?", re.ASCII)
_CTX = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{3,8}) ?(?:tokens|tok|ctx|$)", re.ASCII)
_KV = re.compile(r"\b(q[48]_[01]|f16|bf16|fp8) ?KV", re.IGNORECASE)
_BATCH = re.compile(r"batch/(?:micro|u)-?batch ([0-9]{2,6})/([0-9]{2,6})", re.ASCII)
_BUILD = re.compile(r"\b(b[0-9]{4,5})\b", re.ASCII)
_GIB = re.compile(r"\(([0-9]{1,4}(?:\.[0-9]{1,2})?) GiB\)", re.ASCII)
_TP = re.compile(r"\bTP ?= ?([0-9]{1,2})\b", re.ASCII)
_HITS = re.compile(r"hit rate (0\.[0-9]{1,4})\b", re.ASCII)
_ACCEPTED = re.compile(
    r"(?:([A-Za-z0-9-]{2,12}) )?draft acceptance: \*{0,2}([0-9]{1,8}) ?/ ?([0-9]{1,8}) tokens",
    re.ASCII,
)


def _model(value: str, line: int) -> Iterable[Item]:
    yield Clue("told_model", value, line)
    gib = _GIB.search(value)
    if gib and float(gib[1]) > 0:
        yield Fact("weights.gib", float(gib[1]), line)


def _engine(value: str, line: int) -> Iterable[Item]:
    yield Clue("engine_kind", value.partition(",")[0].strip(), line)
    build = _BUILD.search(value[:200])
    if build:
        yield Clue("build_tag", build[1], line)


def _cards(value: str, line: int) -> Iterable[Item]:
    index = 0
    found = list(_CARD.finditer(value[:300]))
    power = _POWER.search(value) if len(found) == 1 else None
    for card in found:
        for _ in range(min(int(card[1] or 1), 16)):
            at = f"rig.gpus.{index}"
            yield Fact(f"{at}.name", card[2].strip(), line)
            if card[3]:
                yield Fact(f"{at}.vram_mib", int(card[3]) * 1024, line)
            if power:
                yield Fact(f"{at}.power_w", int(power[1]), line)
            index += 1


def _cpu(value: str, line: int) -> Iterable[Item]:
    counted = _CORES.match(value)
    yield Fact("rig.cpu.model", counted[1] if counted else value[:200], line)
    if counted:
        yield Fact("rig.cpu.cores", int(counted[2]), line)
        yield Fact("rig.cpu.threads", int(counted[3]), line)


def _ram(value: str, line: int) -> Iterable[Item]:
    rate = _RATE.search(value)
    yield from _size(_RAM.search(value), line)
    if rate:
        yield Fact("rig.memory.kind", rate[1], line)
    if rate and rate[2]:
        yield Fact("rig.memory.mts", int(rate[2]), line)


def _hardware(value: str, line: int) -> Iterable[Item]:
    yield from _cards(value, line)
    yield from _size(_HOST_RAM.search(value), line)


def _size(found: re.Match[str] | None, line: int) -> Iterable[Item]:
    """Read `256 GB` as it stands, and `8 x 32 GB` as eight modules."""
    modules = int(found[1] or 1) if found else 0
    if not found or not int(found[2]) or not modules:
        return
    yield Fact("rig.memory.gib", int(found[2]) * modules, line, 2)
    if found[1]:
        yield Fact("rig.memory.dimms", f"{modules}x{int(found[2])}GB", line)


def _context(value: str, line: int) -> Iterable[Item]:
    size, kv, batch = _CTX.match(value), _KV.search(value), _BATCH.search(value)
    if size:
        yield Fact("launch.ctx", int(size[1].replace(",", "")), line)
    if kv:
        yield Fact("launch.kv", kv[1].casefold(), line)
    if batch:
        yield Fact("launch.batch", int(batch[1]), line)
        yield Fact("launch.ubatch", int(batch[2]), line)


def _geometry(value: str, line: int) -> Iterable[Item]:
    ways = _TP.search(value)
    if ways and int(ways[1]):
        yield Fact("launch.tensor_parallel", int(ways[1]), line)


def _experts(value: str, line: int) -> Iterable[Item]:
    hits = _HITS.search(value)
    if hits:
        yield number(line, "hit_rate", float(hits[1]), "anecdote", statistic="single")
    if "host pool" in value or "in RAM" in value:
        yield Fact("launch.offload.kind", "experts", line)


def _threads(value: str, line: int) -> Iterable[Item]:
    if value.isdecimal() and int(value):
        yield Fact("launch.threads", int(value), line)


LABELS: dict[str, Told] = {
    "model": _model,
    "quant": _model,
    "engine": _engine,
    "backend": _engine,
    "gpu": _cards,
    "gpus": _cards,
    "cpu": _cpu,
    "ram": _ram,
    "memory": _ram,
    "hardware": _hardware,
    "context": _context,
    "ctx": _context,
    "threads": _threads,
    "geometry": _geometry,
    "parallelism": _geometry,
    "experts": _experts,
}


def labelled(lines: Iterable[Line]) -> Iterator[tuple[Told, str, int]]:
    """Find the lines that start with a label of the table, and rows of a label and its value."""
    for line in lines:
        label, value = _row(line) if "|" in line.text else _label(line)
        told = LABELS.get(label.casefold())
        if told and value:
            yield told, value, line.number


def _label(line: Line) -> tuple[str, str]:
    found = _LABEL.match(line.text) if ":" in line.text[:40] else None
    return (found[1].strip(), found[2].strip()) if found else ("", "")


def _row(line: Line) -> tuple[str, str]:
    cells = cells_of(line.text[:500])
    return (cells[0].strip("* "), cells[1].strip()) if len(cells) == 2 else ("", "")


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether there is a table of rates, or a labelled model beside labelled hardware."""
    if has_rates(lines) or any(
        isinstance(item, Number) for item in (*figure_items(lines), *versus_items(lines))
    ):
        return True
    reads = {told for told, _, _ in labelled(lines)}
    return _model in reads and bool(reads & {_cards, _cpu, _hardware})


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read labels and tables into one run."""
    items: list[Item] = []
    for told, value, line in labelled(lines):
        items.append(Seen(line))
        items += told(value, line)
    items += command_facts(lines, ("llama-server", "llama-cli"))
    items += table_items(lines)
    items += figure_items(lines)
    items += versus_items(lines)
    items += _accepted(lines)
    rig = tuple(i for i in items if isinstance(i, Fact) and i.at.startswith("rig."))
    run = tuple(i for i in items if not (isinstance(i, Fact) and i.at.startswith("rig.")))
    yield Part(FORMAT, lines[0].number, lines[-1].number, rig, (run,))


def _accepted(lines: Iterable[Line]) -> Iterator[Item]:
    for line in lines:
        found = _ACCEPTED.search(line.text[:300]) if "acceptance" in line.text else None
        if found and 0 < int(found[2]) <= int(found[3]):
            yield Seen(line.number)
            if found[1]:
                yield Fact("launch.drafter.kind", found[1].casefold(), line.number)
            share = round(int(found[2]) / int(found[3]), 6)
            yield number(line.number, "acceptance", share, "other", statistic="mean")
