"""data/ → database, doing only what changed: look, judge, write; then swap the result in whole."""

import contextlib
import fcntl
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.batch import Found, Share, begin, rare_gc, take, work
from ingest.catalog import Catalog, load_catalog
from ingest.check import catalog_of, twice
from ingest.fingerprint import Keys, keys
from ingest.ledger import Machine, ledger, pairs, problems_of
from ingest.misuse import Misuse
from ingest.owners import owners
from ingest.problem import Problem, has_errors
from ingest.stamps import machines
from ingest.store import NOTHING, Held, beside, build_from, held, update_from, whole
from ingest.tables import write_tables
from ingest.walk import cores, finding_moved

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
    with rare_gc(), _alone(db), beside(db) as folder, ledger(_beside(db, "ledger")) as book:
        root = catalog_of([data])
        catalog, doubts = load_catalog(root)
        now = keys(root)
        reports = data / "reports" if (data / "reports").is_dir() else data
        place = str(reports.resolve())
        known = {} if full else book.read(place, now.verdicts)
        names = machines(reports)
        with finding_moved(str(reports), {n: one.stamp for n, one in known.items()}) as finding:
            # Read while others walk; not before, for they may be forked only without its threads.
            has = _held(db) if not full else NOTHING
            moved = finding()
        rows_hold = has.built.get("rows") == now.rows
        held_rows = has.bundles if rows_hold else {}
        looked = _look(_Before(reports, names, known, moved, held_rows), folder, catalog)
        gone = known.keys() - set(names)
        book.write(place, now.verdicts, looked.found, gone)
        every = {**{name: known[name] for name in names if name in known}, **looked.found}
        problems = (*doubts, *_problems(every))
        count = sum(machine.hashes.count("\n") + 1 for machine in every.values() if machine.hashes)
        if has_errors(problems):
            return Loaded(problems, count, looked.parsed, changed=False)
        lost = gone | (has.bundles.keys() - every.keys())
        ready = _Ready(folder, looked.written, lost, catalog, problems, owners(data.parent))
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
    except (Misuse, duckdb.Error):
        return NOTHING


class _Before(NamedTuple):
    """The machines there are, what is known of them, whose folders moved, what is held of them."""

    reports: Path
    names: list[str]
    known: Mapping[str, Machine]
    moved: set[str]
    held: Mapping[str, str]

    def stands(self, name: str) -> bool:
        """Tell whether a machine is as it was, and the database holds just its bundles."""
        known = self.known.get(name)
        return known is not None and name not in self.moved and known.hashes == self.held.get(name)


class _Looked(NamedTuple):
    found: dict[str, Machine]
    written: set[str]
    parsed: int


def _look(before: _Before, folder: Path, catalog: Catalog) -> _Looked:
    """Look at the machines that changed, or whose rows or verdicts no longer hold."""
    stale = [name for name in before.names if not before.stands(name)]
    shares = [
        Share(
            before.reports,
            tuple(some),
            {name: before.known[name] for name in some if name in before.known},
            {name: before.held[name] for name in some if name in before.held},
            folder / f"{start:09}",
        )
        for start in range(0, len(stale), MACHINES_A_SHARE)
        for some in (stale[start : start + MACHINES_A_SHARE],)
    ]
    found: dict[str, Machine] = {}
    written: set[str] = set()
    parsed = 0
    for one in _worked(shares, catalog):
        found.update(one.machines)
        written.update(one.written)
        parsed += one.parsed
    return _Looked(found, written, parsed)


def _worked(shares: list[Share], catalog: Catalog) -> Iterable[Found]:
    processes = min(cores(), len(shares))
    if processes < 2 or sum(len(share.machines) for share in shares) < ALONE:
        return (work(share, catalog) for share in shares)
    return _in_processes(shares, catalog, processes)


def _in_processes(shares: list[Share], catalog: Catalog, processes: int) -> Iterator[Found]:
    # Started afresh, not forked: this process may hold the threads of a database.
    afresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, afresh, begin, (catalog,)) as pool:
        yield from pool.map(take, shares)


def _problems(every: Mapping[str, Machine]) -> list[Problem]:
    found = sorted(every.items())
    problems = problems_of(known for _, known in found)
    return problems + twice(pair for _, known in found for pair in pairs(known.ids))


class _Ready(NamedTuple):
    """What is to go into the database: rows below `folder`, of machines `written`; who is gone."""

    folder: Path
    written: set[str]
    gone: set[str]
    catalog: Catalog
    problems: tuple[Problem, ...]
    maintainers: frozenset[str]


def _swap_in(db: Path, has: Held, ready: _Ready, now: Keys) -> bool:
    """Put what is ready into the database; False when it holds all of it already."""
    rows = whole(ready.catalog, ready.problems, ready.maintainers)
    maintainers = " ".join(sorted(ready.maintainers))
    built = {"rows": now.rows, "catalog": now.catalog, "maintainers": maintainers}
    rows["built"] = [{"part": part, "key": key} for part, key in built.items()]
    if not has.built:
        write_tables(ready.folder, rows)
        build_from(db, ready.folder)
        return True
    if has.built == built:
        rows = {"problems": rows["problems"]}
        if Counter(has.problems) == Counter(ready.problems):
            rows = {}
    if not rows and not ready.written and not ready.gone:
        return False
    write_tables(ready.folder, rows)
    update_from(db, ready.folder, ready.written | ready.gone, rows)
    return True
