"""What tools print of a box, pasted beside a report: processor, memory, bandwidth, cards."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.dimms import dimm_facts
from ingest.readers.item import Fact, Item
from ingest.readers.part import Part
from ingest.readers.pattern import Made, pattern, scan
from ingest.readers.text import Line

FORMAT = "hardware"
MB_PER_GB = 1000
_N = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)"


def _whole(at: str) -> Made:
    return lambda found, line: [Fact(at, int(found[1]), line, 1)] if int(found[1]) else []


def _text(at: str) -> Made:
    return lambda found, line: [Fact(at, found[1].strip(), line, 1)]


def _bandwidth(method: str) -> Made:
    def made(found: re.Match[str], line: int) -> Iterable[Item]:
        gbps = round(float(found[1]) / MB_PER_GB, 6)
        if gbps > 0:
            figure = {"gbps": gbps, "method": method}
            yield Fact(f"rig.memory.bandwidth.{method}", figure, line, how="measured")

    return made


def _tool(found: re.Match[str], line: int) -> Iterable[Item]:
    """A figure that people copy from a window: the memory read of AIDA64 or OCCT."""
    method = "aida-read" if found[1] == "AIDA64" else "occt-read"
    gbps = round(float(found[2]) / (MB_PER_GB if found[3] == "MB/s" else 1), 6)
    if gbps > 0 and "write" not in found[0].casefold() and "copy" not in found[0].casefold():
        yield Fact(f"rig.memory.bandwidth.{method}", {"gbps": gbps, "method": method}, line)


def _topology(found: re.Match[str], line: int) -> Iterable[Item]:
    yield Fact(f"count.{found[1].casefold().replace(' ', '_')}", int(found[2]), line)


# The lines of lscpu, likwid-topology, STREAM, MLC, free and nvidia-smi -L.
LINES = (
    pattern(r" *(?:Model name|CPU name): +(\S.{2,118})", _text("rig.cpu.model")),
    pattern(r" *(?:Socket\(s\)|Sockets): +([0-9]{1,3})$", _whole("rig.cpu.sockets")),
    pattern(r" *(Core\(s\) per socket|Cores per socket): +([0-9]{1,4})$", _topology),
    pattern(r" *(Thread\(s\) per core|Threads per core): +([0-9]{1,2})$", _topology),
    pattern(r"CPU\(s\): +([0-9]{1,5})$", _whole("rig.cpu.threads")),
    pattern(r" *(?:NUMA node\(s\)|NUMA domains): +([0-9]{1,3})$", _whole("rig.memory.numa_nodes")),
    pattern(
        r"Hypervisor vendor: +\S",
        lambda _, line: [Fact("rig.cpu.guest", value=True, line=line, rank=1)],
    ),
    pattern(rf"Triad: +{_N}(?: |$)", _bandwidth("stream")),
    pattern(rf"Copy: +{_N} +[0-9.]{{5,12}} ", _bandwidth("copy")),
    pattern(rf" *MByte/s: +{_N}", _bandwidth("likwid-load")),
    pattern(rf".{{0,40}}?(AIDA64|OCCT)\b.{{0,40}}?{_N} ?(MB/s|GB/s)", _tool),
    pattern(rf" *ALL Reads *: *{_N}", _bandwidth("mlc-read")),
    pattern(
        rf" *Mem: +{_N}(Gi|Ti) +[0-9]",
        lambda found, line: [
            Fact("rig.memory.gib", float(found[1]) * (1024 if found[2] == "Ti" else 1), line, 2)
        ],
    ),
    pattern(
        r"GPU ([0-9]{1,2}): ([^(]{3,100}) \(UUID: ",
        lambda found, line: [Fact(f"rig.gpus.{int(found[1])}.name", found[2].strip(), line, 1)],
    ),
)

MARKS = (
    *("Model name:", "CPU name:", "Triad:", "ALL Reads", "(UUID: ", "Memory Device"),
    *("*-bank:", "Mem:", "Socket(s):", "MByte/s:"),
)
ANYWHERE = ("(UUID: ", "AIDA64", "OCCT")


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether some line is one of these tools'."""
    return any(
        line.text.lstrip().startswith(MARKS) or any(mark in line.text for mark in ANYWHERE)
        for line in lines
    )


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read every line that a table knows, and the memory modules."""
    items = [*scan(lines, LINES), *dimm_facts(lines)]
    counts = {item.at: item for item in items if isinstance(item, Fact) and item.at[:6] == "count."}
    rig: list[Item] = [i for i in items if not (isinstance(i, Fact) and i.at[:6] == "count.")]
    rig += _cores(rig, counts)
    if any(isinstance(item, Fact) for item in rig):
        yield Part(FORMAT, lines[0].number, lines[-1].number, tuple(rig), ())


def _cores(rig: Iterable[Item], counts: dict[str, Fact]) -> Iterator[Item]:
    """Multiply what the tools give per socket and core."""
    sockets = next((i.value for i in rig if isinstance(i, Fact) and i.at == "rig.cpu.sockets"), 1)
    cores = next((fact for at, fact in counts.items() if at.startswith("count.core")), None)
    threads = next((fact for at, fact in counts.items() if at.startswith("count.thread")), None)
    if cores and cores.value:
        physical = int(cores.value) * int(sockets)
        yield Fact("rig.cpu.cores", physical, cores.line, 1)
        if threads and threads.value:
            yield Fact("rig.cpu.threads", physical * int(threads.value), threads.line, 2)
