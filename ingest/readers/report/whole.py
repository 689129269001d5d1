"""One rig report, or a piece of one, as a part: every section read by its own module."""

from collections.abc import Callable, Iterator, Sequence

from ingest.readers.item import Clue, Fact, Item, Number
from ingest.readers.part import Part
from ingest.readers.quality import quality_items
from ingest.readers.report import (
    agentic,
    bench,
    capture,
    container,
    engine_log,
    fingerprint,
    gpus,
    memory,
    quiet,
    soak,
    stages,
    system,
)
from ingest.readers.report.block import HEADER, Block, blocks_of
from ingest.readers.report.cycle import benches
from ingest.readers.text import Line

SECTIONS: tuple[Callable[[Sequence[Block]], Iterator[Item]], ...] = (
    system.read,
    memory.read,
    gpus.read,
    container.read,
    fingerprint.read,
    bench.read,
    bench.stage_facts,
    capture.read,
    stages.read,
    soak.read,
    agentic.read,
    engine_log.read,
    quiet.read,
)

# Any of these at the start of a line makes it part of a report, whatever was cut off before.
SENTINELS = (
    HEADER,
    "========== ",
    "[bench] ",
    "[soak] ",
    "=== summary [",
    "=== measured (",
    "## CPU + RAM",
    "## verify-",
    "## Check summary",
    "- **CPU topology:**",
    "- **GPU 0:**",
    "SESSION 1/",
)


def is_report(lines: Sequence[Line]) -> bool:
    """Tell whether some line is one that only a rig report has."""
    return any(line.text.lstrip().startswith(SENTINELS) for line in lines)


def read_report(lines: Sequence[Line]) -> Part:
    """Read one report; facts on the rig apart from those on its runs, one a bench."""
    read = [_read(piece) for piece in benches(lines)]
    rig = tuple(item for items in read for item in items if _is_of_rig(item))
    every = [tuple(item for item in items if not _is_of_rig(item)) for items in read]
    runs = tuple(run for run in every if any(map(_tells_of_a_run, run)))
    rest = tuple(item for run in every if run not in runs for item in run)
    described = any(isinstance(item, Fact) and item.at == "rig.cpu.model" for item in rig)
    return Part(
        "club-report", lines[0].number, lines[-1].number, (*rig, *rest), runs,
        describes_rig=described,
    )  # fmt: skip


def _read(lines: Sequence[Line]) -> list[Item]:
    blocks = blocks_of(lines)
    items = [item for section in SECTIONS for item in section(blocks)]
    return [*items, *quality_items(lines)]


def _is_of_rig(item: Item) -> bool:
    return isinstance(item, Fact) and item.at.startswith("rig.")


def _tells_of_a_run(item: Item) -> bool:
    if isinstance(item, Clue):
        return item.kind not in ("date", "board")
    return isinstance(item, Fact | Number)
