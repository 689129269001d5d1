"""Sections that fill no field: understood as such, so that they are not told as unread."""

from collections.abc import Iterator, Sequence

from ingest.readers.item import Item, Seen
from ingest.readers.report.block import Block

SECTIONS = (
    "disk",
    "display / desktop state",
    "container runtime",
    "stack version",
    "settings",
    "profile state",
    "kv math calibration",
    "quality tooling",
    "recent failed boot attempts",
    "soak status",
    "ai studio logs",
)
BLOCKS = (
    "nvlink",
    "topology",
    "pcie / p2p detail",
    "full nvidia-smi",
    "lspci",
    "full boot log",
    "container engine state",
    "container python / cuda",
    "boot log highlights",
    "engine-resolved values",
    "gpu state",
    "interconnect (three layers)",
    "warmups",
    "bench card",
)
LINES = (
    *("<details", "</details", "```", "#", "_", ">", "---", "sudo ", "**Soak summary**"),
    *("- **ECC mode", "- **CUDA Runtime", "ℹ interconnect", "SESSION ", "SUMMARY — "),
    *("[bench] sampler", "[bench] WARN", "[bench] capture", "decode rx peak", "denominator:"),
    *("note:", "This script does", "For the fast", "NIAH rungs", "TTFT growth by", "=== Last 3"),
)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Mark what needs no reading."""
    for block in blocks:
        quiet = block.section.startswith(SECTIONS) or block.name.startswith(BLOCKS)
        for line in block.lines:
            if quiet or line.text.lstrip().startswith(LINES):
                yield Seen(line.number)
