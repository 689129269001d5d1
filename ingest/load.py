"""data/ → database, doing only what changed: look, judge, write; then swap the result in whole."""

import contextlib
import fcntl
import multiprocessing
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.batch import Found, Share, begin, take, work
from ingest.catalog import Catalog, load_catalog
from ingest.check import catalog_of, twice
from ingest.fingerprint import Keys, keys
from ingest.ledger import Machine, ledger
from ingest.problem import Problem, has_errors
from ingest.stamps import bundles, machines, unchanged
from ingest.store import NOTHING, Held, beside, build_from, held, update_from, whole
from ingest.tables import write_tables

MACHINES_A_SHARE = 256
"""About 500 bundles: large enough to fill a column, small enough to hold in memory many times."""

ALONE = 512
"""Machines below which one process is as fast: starting another costs about half a second."""


class Loaded(NamedTuple):
    """What a load found and did."""

    problems: tuple[Problem, ...]
    bundles: int
    parsed: int
    changed: bool


def load(data: Path, db: Path, *, full: bool = False) -> Loaded:
    """Bring `db` up to what lies in `data`; with errors in the data it stays as it was.

    `full` forgets what earlier loads found. Raises duckdb.Error or OSError when nothing could be
    written; the database is then as it was.
    """
    db.parent.mkdir(parents=True, exist_ok=True)
    with _alone(db), beside(db) as folder, ledger(_beside(db, "ledger")) as book:
        root = catalog_of([data])
        catalog, doubts = load_catalog(root)
        now = keys(root)
        reports = data / "reports" if (data / "reports").is_dir() else data
        place = str(reports.resolve())
        known = {} if full else book.read(place, now.verdicts)
        has = _held(db) if not full else NOTHING
        rows_hold = has.built.get("rows") == now.rows
        looked = _look(reports, known, has.bundles if rows_hold else {}, folder, catalog)
        gone = known.keys() - set(looked.names)
        book.write(place, now.verdicts, looked.found, gone)
        every = {**{name: known[name] for name in looked.names if name in known}, **looked.found}
        problems = (*doubts, *_problems(every))
        count = sum(len(machine.verdicts) for machine in every.values())
        if has_errors(problems):
            return Loaded(problems, count, looked.parsed, changed=False)
        lost = gone | (has.bundles.keys() - every.keys())
        ready = _Ready(folder, looked.written, lost, catalog, problems)
        changed = _swap_in(db, has if rows_hold else NOTHING, ready, now)
        return Loaded(problems, count, looked.parsed, changed)


def _beside(db: Path, suffix: str) -> Path:
    return db.with_name(f".{db.name}.{suffix}")


@contextlib.contextmanager
def _alone(db: Path) -> Iterator[None]:
    """Wait until no other load works on `db`; the lock falls with the process that holds it."""
    with _beside(db, "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _held(db: Path) -> Held:
    """Read what `db` holds; a file that cannot be read holds nothing, and is built anew."""
    try:
        return held(db)
    except duckdb.Error:
        return NOTHING


class _Looked(NamedTuple):
    names: list[str]
    found: dict[str, Machine]
    written: set[str]
    parsed: int


def _look(
    reports: Path,
    known: Mapping[str, Machine],
    has: Mapping[str, Mapping[str, str]],
    folder: Path,
    catalog: Catalog,
) -> _Looked:
    """Look at the machines that changed, or whose rows or verdicts no longer hold."""
    names = machines(reports)
    at = str(reports)
    stale = [name for name in names if not _stands(at, known.get(name), has.get(name, {}))]
    shares = [
        Share(
            reports,
            tuple(some),
            {name: known[name] for name in some if name in known},
            {name: has[name] for name in some if name in has},
            folder / f"{start:09}",
        )
        for start in range(0, len(stale), MACHINES_A_SHARE)
        for some in (stale[start : start + MACHINES_A_SHARE],)
    ]
    looked = _Looked(names, {}, set(), 0)
    for one in _worked(shares, catalog):
        looked.found.update(one.machines)
        looked.written.update(one.written)
        looked = looked._replace(parsed=looked.parsed + one.parsed)
    return looked


def _stands(reports: str, known: Machine | None, has: Mapping[str, str]) -> bool:
    """Tell whether a machine is as it was, and the database holds just its bundles."""
    return (
        known is not None
        and known.verdicts.keys() == set(bundles(known.stamps))
        and {path: one.content_hash for path, one in known.verdicts.items()} == has
        and unchanged(reports, known.stamps)
    )


def _worked(shares: list[Share], catalog: Catalog) -> Iterable[Found]:
    processes = min(len(os.sched_getaffinity(0)), len(shares))
    if processes < 2 or sum(len(share.machines) for share in shares) < ALONE:
        return (work(share, catalog) for share in shares)
    return _in_processes(shares, catalog, processes)


def _in_processes(shares: list[Share], catalog: Catalog, processes: int) -> Iterator[Found]:
    # Started afresh, not forked: this process may hold the threads of a database.
    afresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, afresh, begin, (catalog,)) as pool:
        yield from pool.map(take, shares)


def _problems(every: Mapping[str, Machine]) -> list[Problem]:
    found = [(path, one) for known in every.values() for path, one in known.verdicts.items()]
    found.sort()
    problems = [problem for _, verdict in found for problem in verdict.problems]
    named = ((path, verdict.bundle_id) for path, verdict in found if verdict.bundle_id)
    return problems + twice(named)


class _Ready(NamedTuple):
    """What is to go into the database: rows below `folder`, of machines `written`; who is gone."""

    folder: Path
    written: set[str]
    gone: set[str]
    catalog: Catalog
    problems: tuple[Problem, ...]


def _swap_in(db: Path, has: Held, ready: _Ready, now: Keys) -> bool:
    """Put what is ready into the database; False when it holds all of it already."""
    rows = whole(ready.catalog, ready.problems)
    built = {"rows": now.rows, "catalog": now.catalog}
    rows["built"] = [{"part": part, "key": key} for part, key in built.items()]
    if not has.built:
        write_tables(ready.folder, rows)
        build_from(db, ready.folder)
        return True
    if has.built == built:
        rows = {"problems": rows["problems"]}
        if sorted(has.problems) == sorted(ready.problems):
            rows = {}
    if not rows and not ready.written and not ready.gone:
        return False
    write_tables(ready.folder, rows)
    update_from(db, ready.folder, ready.written | ready.gone, rows)
    return True
