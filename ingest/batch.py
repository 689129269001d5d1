"""One worker's share of a load: read the folders of some machines, judge them, write their rows."""

import contextlib
import gc
import json
import os
import threading
from collections.abc import Iterator, Mapping
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any, NamedTuple

from ingest import passes, plausible, text, walls  # noqa: F401 - each registers its rules
from ingest.catalog import Catalog
from ingest.folder import Filed, content_hash, parse_folder, read_files
from ingest.ledger import Machine, lines
from ingest.problem import Problem, has_errors
from ingest.rules import rule_problems
from ingest.stamps import stamped
from ingest.tables import add_bundle, write_tables

OBJECTS_BEFORE_GC = 500_000
"""New objects before cycles are looked for: about what one share makes."""


class Share(NamedTuple):
    """Machines to look at, with what is known and what the database holds of each.

    `held` gives the content hash of every bundle whose rows the database has, as `ledger.lines`.
    """

    reports: Path
    machines: tuple[str, ...]
    known: Mapping[str, Machine]
    held: Mapping[str, str]
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
    for name in share.machines:
        held = share.held.get(name, "")
        found[name], filed, looked = _look(share, name, held, catalog)
        parsed += looked
        if found[name].hashes != held:
            written.append(name)
            for bundle in filed:
                add_bundle(rows, bundle, catalog)
    write_tables(share.into, rows)
    return Found(found, tuple(written), parsed)


def _look(share: Share, name: str, held: str, catalog: Catalog) -> tuple[Machine, list[Filed], int]:
    """Judge the bundles of a machine; they are parsed again if one of them changed or is new."""
    known = share.known.get(name)
    if known and has_errors(known.problems()):
        known = None
    stamp = stamped(share.reports, name)
    read = {path: read_files(share.reports / path) for path in stamp.bundles()}
    hashes = lines({path: content_hash(contents) for path, (contents, _) in read.items()})
    if known and known.hashes == hashes == held:
        return known._replace(stamp=stamp), [], 0
    problems: list[Problem] = []
    filed: list[Filed] = []
    for path, (contents, refused) in read.items():
        bundle, doubts = parse_folder(share.reports / path, contents, refused)
        problems += doubts
        if bundle is not None:
            filed.append(bundle)
    if known and known.hashes == hashes:
        problems = known.problems()
    else:
        problems += (one for bundle in filed for one in rule_problems(bundle, catalog))
    if has_errors(problems):
        stamp = stamp._replace(numbers=b"")
    ids = lines({one.path: one.bundle.id for one in filed})
    told = json.dumps(problems) if problems else ""
    return Machine(stamp, hashes, ids, told), filed, len(read)


@contextlib.contextmanager
def rare_gc() -> Iterator[None]:
    """Look for cycles rarely: a load leaves none, and looking for them cost a fifth of it."""
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS_BEFORE_GC)
    try:
        yield
    finally:
        gc.set_threshold(*before)


_catalog: list[Catalog] = []


def begin(catalog: Catalog) -> None:
    """Make a process ready to take shares: it keeps the catalogue and ends with its parent."""
    _catalog.append(catalog)
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
