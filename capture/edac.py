"""Channels in use, as the memory controller's driver tells them: readable by everyone.

EDAC lists what is populated and no empty slot, so the total is not told. AMD's driver lists a
module once a rank: channels are right there, modules are not, and only channels are taken.
"""

import re
from collections.abc import Iterator

from capture.field import Field
from capture.tree import Tree

WAY = "EDAC"


def edac_fields(tree: Tree) -> Iterator[Field]:
    """List kind and populated channels of the memory controllers that EDAC drives."""
    channels, kinds = set(), set()
    for folder in tree.folders("sys/devices/system/edac/mc/mc[0-9]*/dimm[0-9]*"):
        if not tree.number(f"{folder}/size"):
            continue
        # Without a channel in the location, a controller may merge several: nothing can be said.
        place = re.search(r"channel ([0-9]+)", tree.text(f"{folder}/dimm_location") or "")
        channels.add((folder.split("/")[5], place[1] if place else None))
        kind = re.search(r"(?:LP)?DDR[3-6]", tree.text(f"{folder}/dimm_mem_type") or "")
        kinds.add(kind[0] if kind else None)
    if channels and all(channel for _, channel in channels):
        yield Field("memory.channels_populated", len(channels), "measured", WAY)
    if len(kinds) == 1:
        yield Field("memory.kind", kinds.pop(), "measured", WAY)
