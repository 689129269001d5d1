"""`## CPU + RAM`: topology, DIMMs, channels, measured bandwidth, huge pages; both eras."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.readers.item import Doubt, Fact, Item
from ingest.readers.pattern import bullets, pattern, said_nothing, scan
from ingest.readers.report.block import Block, lines_in, named, section_or_loose
from ingest.readers.text import unwrapped

_LEGACY_THREADS = re.compile(r"(.{1,120}) \(([0-9]{1,4}) threads?\)$", re.ASCII)
_TOPOLOGY = re.compile(
    r"([0-9?]{1,3}) sockets?(?:\(s\))? *\S *([0-9?]{1,4}) cores?(?:\(s\))? *= *([0-9?]{1,5})"
    r" physical, *([0-9?]{1,2}) threads?(?:\(s\))?/core *\S{1,2} *([0-9?]{1,5}) logical",
    re.ASCII,
)
_GIB = {"Ti": 1024.0, "Gi": 1.0, "Mi": 1 / 1024, "T": 1024.0, "G": 1.0, "M": 1 / 1024}
_RAM = re.compile(r"([0-9]{1,12}(?:[.,][0-9]{1,6})?) ?([TGM]i?)B? total", re.ASCII)
_DIMM = re.compile(r"([0-9]{1,3}) ?[×xX?] ?([0-9]{1,6}) ?(GB|GiB|MB|MiB)", re.ASCII)
_POPULATED = re.compile(r"([0-9]{1,3}) of ([0-9]{1,3}) ?(?:slots?(?:\(s\))? )?populated", re.ASCII)
_SPEED = re.compile(r"([0-9]{3,5}) (?:MT/s|MHz)", re.ASCII)
_TRIAD = re.compile(r"([0-9]{1,12}(?:[.,][0-9]{1,6})?) GB/s STREAM Triad", re.ASCII)
_READ = re.compile(
    r" ([0-9]{1,12}(?:\.[0-9]{1,6})?) GB/s read \(best with ([0-9]{1,4}) thread", re.ASCII
)


def _cpu(value: str, line: int) -> Iterable[Item]:
    if value.startswith("lscpu not available"):
        return
    legacy = _LEGACY_THREADS.match(value)
    yield Fact("rig.cpu.model", legacy[1] if legacy else value, line)
    if legacy:
        yield Fact("rig.cpu.threads", int(legacy[2]), line, rank=1)


def _topology(value: str, line: int) -> Iterable[Item]:
    found = _TOPOLOGY.match(value)
    if found:
        places = ("rig.cpu.sockets", None, "rig.cpu.cores", None, "rig.cpu.threads")
        for at, figure in zip(places, found.groups(), strict=True):
            if at and figure.isdigit() and int(figure):
                yield Fact(at, int(figure), line)


def _numa(value: str, line: int) -> Iterable[Item]:
    if value.isdigit() and int(value):
        yield Fact("rig.memory.numa_nodes", int(value), line)


def _guest(value: str, line: int) -> Iterable[Item]:
    if value.startswith("yes"):
        yield Fact("rig.cpu.guest", value=True, line=line)


def _nproc(value: str, line: int) -> Iterable[Item]:
    if "differs from lscpu" in value:
        yield Doubt(line, "the process sees fewer CPUs than the machine has", "note")


def _ram(value: str, line: int) -> Iterable[Item]:
    found = _RAM.match(value)
    if found:
        gib = float(found[1].replace(",", ".")) * _GIB[found[2]]
        yield Fact("rig.memory.gib", gib, line, rank=2)


def _config(value: str, line: int) -> Iterable[Item]:
    populated = _POPULATED.match(value)
    dimms = _DIMM.findall(value)
    if not populated or not dimms:
        return
    sizes = [(int(n), int(size) / (1 if unit[0] == "G" else 1024)) for n, size, unit in dimms]
    yield Fact("rig.memory.dimms", " + ".join(f"{n}x{gib:g}GB" for n, gib in sizes), line)
    gib = sum(n * size for n, size in sizes)
    if gib:
        yield Fact("rig.memory.gib", gib, line, rank=1)
    yield from _speed(value, line)


def _speed(value: str, line: int) -> Iterable[Item]:
    """Read the configured rate; of several the slowest, which all modules then run at."""
    _, at, rest = value.partition("@ ")
    rates = sorted({int(rate) for rate in _SPEED.findall(rest[:100])}) if at else []
    if rates and rates[0]:
        yield Fact("rig.memory.mts", rates[0], line)
    if len(rates) > 1:
        yield Doubt(line, "modules are configured at several rates: took the slowest")


def _channels(value: str, line: int) -> Iterable[Item]:
    # The EMPTY list names every empty slot: only `full` against `all` tells of a missing channel.
    found = _POPULATED.match(value)
    if found and 0 < int(found[1]) <= int(found[2]):
        yield Fact("rig.memory.channels_populated", int(found[1]), line)
        yield Fact("rig.memory.channels_total", int(found[2]), line)
        if int(found[1]) < int(found[2]):
            yield Doubt(line, f"only {found[1]} of {found[2]} memory channels are populated")


def _bandwidth(value: str, line: int) -> Iterable[Item]:
    triad = _TRIAD.match(value)
    if not triad:
        return
    gbps = float(triad[1].replace(",", "."))
    read = _READ.search(value)
    if read:
        yield _figure("triad-v2", gbps, line, threads=int(read[2]))
        yield _figure("read-v2", float(read[1]), line, threads=int(read[2]))
    else:
        yield _figure("triad-v1", gbps, line)


def _figure(method: str, gbps: float, line: int, **more: Any) -> Fact:  # noqa: ANN401 - fields of a Bandwidth
    figure = {"gbps": gbps, "method": method, **{k: v for k, v in more.items() if v is not None}}
    return Fact(f"rig.memory.bandwidth.{method}", figure, line, how="measured")


def _thp(value: str, line: int) -> Iterable[Item]:
    yield Fact("rig.memory.thp", value.replace(" · ", " "), line)


CPU_RAM = {
    "cpu": _cpu,
    "cpu topology": _topology,
    "numa nodes": _numa,
    "nproc": _nproc,
    "virtualized": _guest,
    "ram": _ram,
    "swap": said_nothing,
    "memory config": _config,
    "memory channels": _channels,
    "memory bandwidth (measured)": _bandwidth,
    "memory bandwidth": said_nothing,
    "thp policy": _thp,
    "thp coverage (shmem)": said_nothing,
    "thp detail": said_nothing,
}

NOTES = (
    pattern(
        r" +- .{0,12}The host was busy while measuring",
        lambda _, line: [
            Fact("rig.memory.bandwidth.triad-v2.under_load", value=True, line=line),
            Fact("rig.memory.bandwidth.read-v2.under_load", value=True, line=line),
            Doubt(line, "the host was busy while bandwidth was measured: it can read low"),
        ],
    ),
    pattern(
        r" +- Arrays were limited by free memory",
        lambda _, line: [Doubt(line, "bandwidth was measured over small arrays: it can read high")],
    ),
    pattern(
        r" +- (?:Measured inside a VM|Triad used plain stores|.{0,8}An unpopulated|.{0,4}Low cov)"
    ),
    pattern(r" +- .{0,4}AnonHugePages"),
)

CEILING = (
    pattern(
        r" *triad ceiling *: ([0-9]{1,9}(?:\.[0-9]{1,6})?) GB/s *\(([0-9]{1,4}) concurrent",
        lambda found, line: [
            _figure("triad-numpy", float(found[1]), line, threads=int(found[2]), under_load=True)
        ],
    ),
)

RAM = (
    pattern(
        r" *mem_total_gib=([0-9]{1,9}(?:\.[0-9]{1,6})?)",
        lambda found, line: [Fact("rig.memory.gib", float(found[1]), line)],
    ),
)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read processor and memory."""
    lines = unwrapped(section_or_loose(blocks, "cpu + ram"))
    yield from bullets(lines, CPU_RAM)
    yield from scan(lines, NOTES)
    yield from scan(lines_in(named(blocks, "ram bandwidth ceiling")), CEILING)
    yield from scan(lines_in(named(blocks, "system ram")), RAM)
