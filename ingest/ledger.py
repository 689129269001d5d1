"""What earlier loads found, beside the database: of each machine its stamp, hashes and problems.

A cache and nothing more: it may be deleted at any time, and is begun anew when it cannot be read.
What was found is kept under the hash of everything it depends on. A machine with errors gets a
stamp that is not trusted, so that it is always looked at again. A machine is one row, read without
being taken apart: at 100,000 bundles that is the difference between a tenth of a second and one.
"""

import contextlib
import json
import sqlite3
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
CREATE TABLE IF NOT EXISTS machines (
    machine TEXT PRIMARY KEY, paths TEXT NOT NULL, numbers BLOB NOT NULL, hashes TEXT NOT NULL,
    ids TEXT NOT NULL, problems TEXT NOT NULL
) WITHOUT ROWID;
"""


class Machine(NamedTuple):
    """What is known of one machine.

    `hashes` and `ids` give the content hash and the id of each bundle, a line each: the folder
    below the reports, a space, the hash or id; `problems` is JSON, or nothing.
    """

    stamp: Stamp
    hashes: str = ""
    ids: str = ""
    told: str = ""

    def problems(self) -> list[Problem]:
        """List what was found wrong with its bundles."""
        return [Problem(*one) for one in json.loads(self.told)] if self.told else []


def problems_of(machines: Iterable[Machine]) -> list[Problem]:
    """List what was found wrong with all of them; one text is read faster than many."""
    told = ",".join(one.told[1:-1] for one in machines if one.told)
    return [Problem(*one) for one in json.loads(f"[{told}]")]


def lines(pairs: Mapping[str, str]) -> str:
    """Write folder → word as lines, in order; the database writes the same of its bundles."""
    return "\n".join(f"{path} {word}" for path, word in sorted(pairs.items()))


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Read what `lines` wrote."""
    for line in text.split("\n") if text else ():
        path, _, word = line.rpartition(" ")
        yield path, word


class Ledger:
    """The open cache file of one database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(self, root: str, verdicts: str) -> dict[str, Machine]:
        """Give what is known of the machines below `root`, if it was found under that key."""
        if self._about() != _about(root, verdicts):
            return {}
        rows = self._connection.execute(
            "SELECT machine, paths, numbers, hashes, ids, problems FROM machines"
        )
        return {row[0]: Machine(Stamp(row[1], row[2]), *row[3:]) for row in rows}

    def write(
        self, root: str, verdicts: str, found: Mapping[str, Machine], gone: Iterable[str]
    ) -> None:
        """Replace what is known of the machines in `found`, forget those in `gone`, at once."""
        about = _about(root, verdicts)
        with self._connection as connection:
            if self._about() != about:
                connection.execute("DELETE FROM machines")
                connection.execute("DELETE FROM about")
                connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
            lost = ((name,) for name in gone)
            connection.executemany("DELETE FROM machines WHERE machine = ?", lost)
            connection.executemany(
                "REPLACE INTO machines VALUES (?, ?, ?, ?, ?, ?)",
                ((name, *one.stamp, *one[1:]) for name, one in found.items()),
            )

    def _about(self) -> dict[str, str]:
        return dict(self._connection.execute("SELECT part, key FROM about").fetchall())


def _about(root: str, verdicts: str) -> dict[str, str]:
    return {"format": FORMAT, "root": root, "verdicts": verdicts}


@contextlib.contextmanager
def ledger(path: Path) -> Iterator[Ledger]:
    """Open the ledger at `path`, begun anew when it is no readable ledger of this format."""
    with contextlib.closing(_connected(path)) as connection:
        yield Ledger(connection)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return _opened(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        path.unlink()
        return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT_S)
    try:
        # The ledger may be lost at any time, so it need not be forced to the disk at each write.
        connection.execute("PRAGMA synchronous = OFF")
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "about" in names:
            rows = connection.execute("SELECT key FROM about WHERE part = 'format'").fetchall()
            if any(key != FORMAT for (key,) in rows):
                connection.executescript("DROP TABLE about; DROP TABLE IF EXISTS machines;")
        connection.executescript(_TABLES)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
