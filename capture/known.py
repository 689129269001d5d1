"""What the catalogue knows of a processor, where the machine does not tell: always inferred."""

import re
from collections.abc import Iterator

from capture.field import Field
from ingest.catalog import Catalog
from ingest.hardware import find_cpu

WAY = "CPU catalogue"


def known_fields(catalog: Catalog, model: str | None, sockets: int | None) -> Iterator[Field]:
    """List generation, clock, channels and memory kind of the processor named `model`.

    Channels are a fact of the board as much as of the processor, and a guest sees neither: they
    are given as inferred, and any other way wins over them.
    """
    entry = find_cpu(catalog, model) if model else None
    if entry is None:
        return
    yield Field("cpu.generation", entry.generation, "inferred", WAY)
    yield Field("cpu.all_core_ghz", entry.all_core_ghz, "inferred", WAY)
    yield Field("memory.channels_total", entry.channels * (sockets or 1), "inferred", WAY)
    kinds = re.findall(r"(?:LP)?DDR[3-6]", entry.memory)
    if len(set(kinds)) == 1:
        yield Field("memory.kind", kinds[0], "inferred", WAY)
