"""Header, banners, `## System`: when the report was made, on which OS, in which kind of machine."""

from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.item import Clue, Fact, Item
from ingest.readers.pattern import bullets, decimal, pattern, said_nothing, scan, text_fact
from ingest.readers.report.block import Block, lines_in, named, section_or_loose

CONTAINERS = ("lxc", "docker", "podman", "openvz", "systemd-nspawn", "inside-container")
"""Of `systemd-detect-virt` and the report's own word: no virtual machine."""


def _environment(value: str, line: int) -> Iterable[Item]:
    yield Fact("rig.environment", value, line)
    if value.startswith("bare metal"):
        yield Fact("rig.cpu.guest", value=False, line=line, rank=1)
    elif value.startswith(CONTAINERS):
        # A container has its host's bandwidth; whether that host is a guest is not told.
        return
    elif "(virtualized)" in value or value.startswith("WSL2"):
        yield Fact("rig.cpu.guest", value=True, line=line, rank=1)


def _board(value: str, line: int) -> Iterable[Item]:
    if not value.startswith("("):
        yield Clue("board", value.partition("  (")[0], line)


SYSTEM = {
    "os": text_fact("rig.os"),
    "kernel": said_nothing,
    "motherboard": _board,
    "bios": said_nothing,
    "environment": _environment,
    "locale": said_nothing,
    "timezone": said_nothing,
    "uptime": said_nothing,
}

_WATT = r"([0-9]{1,9}(?:[.,][0-9]{1,6})?)"
HEADER = (
    pattern(r"# club-3090 rig report"),
    pattern(
        r"Generated: ([0-9]{4}-[0-9]{2}-[0-9]{2})\b",
        lambda found, line: [Clue("date", found[1], line)],
    ),
    pattern(r"_Redacted output"),
    pattern(
        r" *sudo bash scripts/report\.sh .{0,120}?--container ([A-Za-z0-9_.-]{2,100})",
        lambda found, line: [Clue("autodetected", found[1], line)],
    ),
    pattern(
        rf" {{0,3}}- GPU ([0-9]{{1,3}}) capped to {_WATT} W of {_WATT} W default",
        lambda found, line: [
            Fact(f"rig.gpus.{int(found[1])}.power_w", decimal(found[2]), line, rank=1),
            Fact(f"rig.gpus.{int(found[1])}.power_default_w", decimal(found[3]), line, rank=1),
        ],
    ),
)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the header and the system section."""
    yield from scan(lines_in(named(blocks, "club-3090 rig report")), HEADER)
    yield from bullets(section_or_loose(blocks, "system"), SYSTEM)
