"""What earlier loads found, beside the database: of each folder its stamp, its hash, its problems.

A cache and nothing more: it may be deleted at any time, and is begun anew when it cannot be read.
Verdicts are kept under the hash of everything they depend on. A bundle with errors has none, so
that it is always looked at again.
"""

import contextlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ingest.problem import Problem
from ingest.stamps import Stamp

FORMAT = "1"
"""Raised whenever the tables below change: a ledger of another format is begun anew."""

WAIT_S = 60.0
"""How long another process may hold the file: far longer than any write here takes."""

_TABLES = """
CREATE TABLE IF NOT EXISTS about (part TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folders (
    machine TEXT NOT NULL, path TEXT NOT NULL, names TEXT NOT NULL, numbers BLOB NOT NULL,
    content_hash TEXT, bundle_id TEXT, problems TEXT, PRIMARY KEY (machine, path)
) WITHOUT ROWID;
"""


class Verdict(NamedTuple):
    """What was found in one bundle folder: a hash over its files, its id, its problems."""

    content_hash: str
    bundle_id: str | None
    problems: tuple[Problem, ...]


class Machine(NamedTuple):
    """What is known of one machine: stamps of all its folders, verdicts of those with a report."""

    stamps: dict[str, Stamp]
    verdicts: dict[str, Verdict]


class Ledger:
    """The open cache file of one database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(self, root: str, verdicts: str) -> dict[str, Machine]:
        """Give what is known of the machines below `root`; verdicts only if made under that key."""
        about = dict(self._connection.execute("SELECT part, key FROM about").fetchall())
        if about.get("format") != FORMAT or about.get("root") != root:
            return {}
        same = about.get("verdicts") == verdicts
        found: dict[str, Machine] = defaultdict(lambda: Machine({}, {}))
        rows = self._connection.execute("SELECT * FROM folders")
        for machine, path, names, numbers, content_hash, bundle_id, problems in rows:
            known = found[machine]
            known.stamps[path] = Stamp(tuple(names.split("/")) if names else (), numbers)
            if content_hash and same:
                told = tuple(Problem(*one) for one in json.loads(problems)) if problems else ()
                known.verdicts[path] = Verdict(content_hash, bundle_id, told)
        return dict(found)

    def write(
        self, root: str, verdicts: str, found: Mapping[str, Machine], gone: Iterable[str]
    ) -> None:
        """Replace what is known of the machines in `found`, forget those in `gone`, at once."""
        about = {"format": FORMAT, "root": root, "verdicts": verdicts}
        with self._connection as connection:
            if dict(connection.execute("SELECT part, key FROM about").fetchall()) != about:
                connection.execute("DELETE FROM folders")
                connection.execute("DELETE FROM about")
                connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
            lost = ((machine,) for machine in (*gone, *found))
            connection.executemany("DELETE FROM folders WHERE machine = ?", lost)
            connection.executemany("INSERT INTO folders VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(found))


def _rows(found: Mapping[str, Machine]) -> Iterator[tuple[str | bytes | None, ...]]:
    for machine, known in found.items():
        for path, stamp in known.stamps.items():
            verdict = known.verdicts.get(path)
            kept = verdict and not any(one.severity == "error" for one in verdict.problems)
            # A folder without a verdict to keep gets no stamp either: it is read again.
            trusted = verdict is None or kept
            yield (
                machine,
                path,
                "/".join(stamp.names),
                stamp.numbers if trusted else b"",
                verdict.content_hash if verdict and kept else None,
                verdict.bundle_id if verdict and kept else None,
                json.dumps(verdict.problems) if verdict and verdict.problems and kept else None,
            )


@contextlib.contextmanager
def ledger(path: Path) -> Iterator[Ledger]:
    """Open the ledger at `path`, begun anew when it is no readable ledger."""
    with contextlib.closing(_connected(path)) as connection:
        yield Ledger(connection)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return _opened(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        path.unlink()
        return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT_S)
    try:
        # The ledger may be lost at any time, so it need not be forced to the disk at each write.
        connection.execute("PRAGMA synchronous = OFF")
        about = connection.execute("SELECT name FROM sqlite_master").fetchall()
        if about and not _of_this_format(connection):
            connection.executescript("DROP TABLE IF EXISTS about; DROP TABLE IF EXISTS folders;")
        connection.executescript(_TABLES)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _of_this_format(connection: sqlite3.Connection) -> bool:
    rows = connection.execute("SELECT part, key FROM about").fetchall()
    return all(key == FORMAT for part, key in rows if part == "format")
