"""Put what the probes learn into a journal, once: a run that goes on probes nothing again."""

import hashlib
import hmac
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from capture.bandwidth import Curve, Point, entries, measure
from capture.cards import Cards, all_cards, nvidia_cards, sysfs_cards
from capture.cpu import topology
from capture.field import Field
from capture.host import load
from capture.journal import Journal
from capture.rig import Pasted, Probed, machine_name, probe, state_name
from capture.tree import Tree
from ingest.catalog import Catalog
from ingest.filing import path_part

BUSY_LOAD = 1.0
"""A load average of one process a minute: club-3090's second probe warns from here, too."""


class Names(NamedTuple):
    """The keys of the machine and its state, and the owner's handle, where they are given."""

    machine: str | None = None
    state: str | None = None
    owner: str | None = None


HASH_CHARS = 6
"""Enough to tell apart the few rigs of the same parts."""


def machine_key(names: Names, parts: str, tree: Tree) -> str:
    """Name a machine so that it stays one: by its owner and parts, else by a hash and its parts.

    The system's machine-id stays secret: only a keyed hash of it is shown, as its manual asks.
    """
    if names.machine or names.owner:
        return path_part(names.machine or f"{names.owner}-{parts}")
    secret = tree.text("etc/machine-id") or ""
    told = hmac.new(secret.encode(), b"rigbook machine", hashlib.sha256).hexdigest()
    return path_part(f"{parts}-{told[:HASH_CHARS]}" if secret else parts)


def probe_into(
    journal: Journal, catalog: Catalog, pasted: Pasted, names: Names, root: Path = Path("/")
) -> tuple[str, ...]:
    """Probe the rig into `journal`; what root would add, and what is doubtful, one line each."""
    tree = Tree(root)
    cards = all_cards(tree, [nvidia_cards(), sysfs_cards(tree)])
    found = probe(tree, cards, catalog, pasted)
    parts = machine_name(found.learned, catalog)
    _write(journal, found, cards, (machine_key(names, parts, tree), names))
    journal.write("host", **load(tree)._asdict())
    return (*_limits(tree), *found.learned.doubts, *found.asks)


def _write(journal: Journal, found: Probed, cards: Cards, named: tuple[str, Names]) -> None:
    machine, names = named
    known = {line["at"]: line for line in journal.of("field")}
    for field in _with_driver(found, cards):
        line = {"at": field.at, "value": field.value, "how": field.how, "way": field.way}
        if {name: known.get(field.at, {}).get(name) for name in line} != line:
            journal.write("field", **line)
    state = path_part(names.state or state_name(found.learned))
    if not journal.of("machine") or any(names):
        journal.write("machine", machine=machine, state=state)
    for doubt in found.learned.doubts:
        journal.write("doubt", text=doubt)


def _with_driver(found: Probed, cards: Cards) -> list[Field]:
    """Tell driver and peer access where the system and its environment are told."""
    fields = dict(found.learned.fields)
    for at, more in (("os", cards.driver), ("environment", cards.peers)):
        if more and at in fields:
            field = fields[at]
            fields[at] = field._replace(value=f"{field.value} · {more}", way=f"{field.way}, NVML")
    return list(fields.values())


def _limits(tree: Tree) -> list[str]:
    """Say what of the machine this process may not use, and how busy it is."""
    online, allowed = topology(tree).threads, len(os.sched_getaffinity(0))
    said = []
    if online and allowed < online:
        said.append(f"this process may use {allowed} of {online} logical processors")
    busy = load(tree)
    if busy.load_1min is not None and busy.load_1min >= BUSY_LOAD:
        said.append(
            f"the host is busy (load average {busy.load_1min:g}): figures will read low; stop"
            " other work and run again"
        )
    if busy.swap_used_mib:
        said.append(f"{busy.swap_used_mib:g} MiB of swap are in use")
    return said


def bandwidth_into(journal: Journal, told: Callable[[Point], None] = lambda _: None) -> Curve:
    """Measure the memory into `journal`."""
    curve = measure(topology(Tree(Path("/"))), None, told)
    for entry in entries(curve):
        journal.write("bandwidth", figure=entry.model_dump(exclude_none=True))
    return curve
