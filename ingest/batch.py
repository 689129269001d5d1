"""One worker's share of a load: read the folders of some machines, judge them, write their rows."""

import gc
import os
import threading
from collections.abc import Mapping
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any, NamedTuple

from ingest.catalog import Catalog
from ingest.folder import Filed, content_hash, parse_folder, read_files
from ingest.ledger import Machine, Verdict
from ingest.rules import rule_problems
from ingest.stamps import bundles, stamped
from ingest.tables import add_bundle, write_tables

OBJECTS_BEFORE_GC = 500_000
"""New objects before cycles are looked for: about what one share makes."""


class Share(NamedTuple):
    """Machines to look at, with what is known and what the database holds of each.

    `held` is the content hash of every bundle whose rows the database has, by folder.
    """

    reports: Path
    machines: tuple[str, ...]
    known: Mapping[str, Machine]
    held: Mapping[str, Mapping[str, str]]
    into: Path


class Found(NamedTuple):
    """What came of a share: what is now known of its machines, and whose rows were written."""

    machines: dict[str, Machine]
    written: tuple[str, ...]
    parsed: int


def work(share: Share, catalog: Catalog) -> Found:
    """Look at every machine of `share`; rows of those that changed go below `share.into`."""
    found: dict[str, Machine] = {}
    written: list[str] = []
    rows: dict[str, list[dict[str, Any]]] = {}
    parsed = 0
    for machine in share.machines:
        known = share.known.get(machine, Machine({}, {}))
        held = share.held.get(machine, {})
        found[machine], filed, looked = _look(share.reports, machine, known, held, catalog)
        parsed += looked
        if {path: one.content_hash for path, one in found[machine].verdicts.items()} != held:
            written.append(machine)
            for bundle in filed:
                add_bundle(rows, bundle, catalog)
    write_tables(share.into, rows)
    return Found(found, tuple(written), parsed)


def _look(
    reports: Path, machine: str, known: Machine, held: Mapping[str, str], catalog: Catalog
) -> tuple[Machine, list[Filed], int]:
    """Judge the bundles of a machine; they are parsed again if one of them changed or is new."""
    stamps = stamped(reports, machine)
    read = {path: read_files(reports / path) for path in bundles(stamps)}
    hashes = {path: content_hash(contents) for path, (contents, _) in read.items()}
    same = {
        path: verdict
        for path, verdict in known.verdicts.items()
        if hashes.get(path) == verdict.content_hash
    }
    if same.keys() == hashes.keys() and hashes == held:
        return Machine(stamps, same), [], 0
    verdicts: dict[str, Verdict] = {}
    filed = []
    for path, (contents, doubts) in read.items():
        bundle, problems = parse_folder(reports / path, contents, doubts)
        if bundle is not None:
            filed.append(bundle)
            problems = [*same[path].problems] if path in same else rule_problems(bundle, catalog)
        identity = bundle.bundle.id if bundle else None
        verdicts[path] = Verdict(hashes[path], identity, tuple(problems))
    return Machine(stamps, verdicts), filed, len(read)


_catalog: list[Catalog] = []


def begin(catalog: Catalog) -> None:
    """Make a process ready to take shares: it keeps the catalogue and ends with its parent."""
    _catalog.append(catalog)
    # What a share leaves behind has no cycles; looking for them cost a fifth of a load.
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_GC)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    # A parent that was killed cannot tell its children: without this they would wait for ever.
    connection.wait([sentinel])
    os._exit(1)


def take(share: Share) -> Found:
    """Do the work on one share in a process that `begin` made ready."""
    return work(share, _catalog[-1])
