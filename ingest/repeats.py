"""The search for runs published twice in a database, done again only where figures changed.

Whether two runs are one (`duplicates.alike`) depends on the two, and on how many runs have the
figures that they share. So the table `repeats` keeps every pair, and what changed concerns the
changed machines' runs and those that have a figure in common with them, before or after. Which of
several runs is the first (the table `duplicates`) is told anew from all pairs: they are few.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import duckdb

from ingest.duplicates import (
    COMMON,
    DIGITS,
    IDENTITY,
    KEY,
    MACHINE,
    TELLING,
    Duplicate,
    alike,
    firsts,
)
from ingest.rows import Row


def refresh(connection: duckdb.DuckDBPyConnection) -> None:
    """Search all runs, and fill the tables `figures`, `repeats` and `duplicates` anew."""
    connection.execute(f"DELETE FROM repeats; DELETE FROM figures; {_FIGURES}; {_ALL}")  # noqa: S608 - constants
    _search(connection)


def forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Take out what was found of the machines in `redone`, whose rows are about to be deleted.

    To be followed by `renew` in the same connection, when the new rows are in.
    """
    connection.execute(_FORGET)


def renew(connection: duckdb.DuckDBPyConnection) -> None:
    """Search what has a figure in common with the machines in `redone`, as they were or are now."""
    connection.execute(f"{_FIGURES} AND m.rig_id IN (FROM redone); {_TOUCHED}")
    _search(connection)


def _search(connection: duckdb.DuckDBPyConnection) -> None:
    """Compare the runs in `looked`, and tell anew which run is the first of several."""
    connection.execute(_SHARING)
    tables = {table: _rows(connection, sql) for table, sql in _TABLES.items()}
    common = {(*key, float(value)) for *key, value in connection.execute(_COMMON).fetchall()}
    for one in alike(tables, common):
        connection.execute("INSERT INTO repeats VALUES (?, ?, ?, ?)", _row(one))
    connection.execute("DROP TABLE sharing; DELETE FROM duplicates")
    for one in firsts(_pairs(connection)):
        connection.execute("INSERT INTO duplicates VALUES (?, ?, ?, ?)", _row(one))
    connection.execute(_REPEATED)


def _pairs(connection: duckdb.DuckDBPyConnection) -> Iterator[Duplicate]:
    for later, first, kind, shared, *places in connection.execute(_PAIRS).fetchall():
        yield Duplicate(later, first, kind, shared, (places[0], places[1]), (places[2], places[3]))


def _row(one: Duplicate) -> list[Any]:
    return [one.run_id, one.duplicate_of, one.kind, one.shared]


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    relation = connection.execute(sql)
    names = [column[0] for column in relation.description or ()]
    return [dict(zip(names, values, strict=True)) for values in relation.fetchall()]


_FIELDS = ", ".join(f"m.{name}" for name in KEY)
_VALUE = f"format('{{:.{DIGITS - 1}e}}', m.value)"
_TOLD = f"""
FROM measurements AS m JOIN runs AS r USING (run_id)
WHERE m.quantity IN {TELLING} AND m.value > 0
"""

# One number for a figure, of a hash that is the same in every DuckDB: to compare eight parts, most
# of which may be NULL, and to round all figures of the record at each load, cost a second of it.
_TEXTS = ", ".join(f"coalesce({name}::VARCHAR, '')" for name in ("r.model", *_FIELDS.split(", ")))
_WORD = f"md5_number_lower(concat_ws('|', {_TEXTS}, {_VALUE}))"
_FIGURES = f"""
INSERT INTO figures SELECT DISTINCT run_id, m.rig_id, {_WORD} {_TOLD}
"""

_ALL = "CREATE TEMP TABLE looked AS SELECT DISTINCT run_id FROM figures;"

_FORGET = """
CREATE TEMP TABLE touched AS SELECT run_id, figure FROM figures WHERE rig_id IN (FROM redone);
DELETE FROM figures WHERE rig_id IN (FROM redone);
DELETE FROM repeats WHERE run_id IN (SELECT run_id FROM touched)
    OR duplicate_of IN (SELECT run_id FROM touched);
"""

# A figure that more than COMMON runs of other machines have told nothing before, and tells nothing
# now. The pairs of the runs that are looked at go, to be found again.
_TOUCHED = f"""
INSERT INTO touched SELECT run_id, figure FROM figures WHERE rig_id IN (FROM redone);
CREATE TEMP TABLE looked AS
SELECT DISTINCT run_id FROM figures JOIN (
    SELECT figure FROM figures WHERE figure IN (SELECT figure FROM touched) GROUP BY figure
    HAVING count(*) FILTER (WHERE rig_id NOT IN (FROM redone)) <= {COMMON}
) USING (figure);
DELETE FROM repeats WHERE run_id IN (FROM looked) AND duplicate_of IN (FROM looked);
DROP TABLE touched;
"""  # noqa: S608 - constants


def _differ_in_nothing(fields: Iterable[str]) -> str:
    return " AND ".join(f"coalesce(a.{name} = b.{name}, true)" for name in fields)


# Most runs that share a figure differ in what they were: a database sees that far sooner than
# `duplicates.alike`, which has the last word on the few that are left.
_SHARING = f"""
CREATE TEMP TABLE told AS
SELECT f.figure, r.run_id, r.bundle_id, r.state_id, {", ".join(f"r.{n}" for n in IDENTITY)},
    {", ".join(f"s.{name}" for name in MACHINE)}
FROM figures AS f
JOIN (
    SELECT figure FROM figures
    WHERE figure IN (SELECT figure FROM figures WHERE run_id IN (FROM looked))
    GROUP BY figure HAVING count(*) BETWEEN 2 AND {COMMON}
) USING (figure)
JOIN runs AS r USING (run_id)
JOIN rig_states AS s ON s.state_id = r.state_id
WHERE f.run_id IN (FROM looked);
CREATE TEMP TABLE alike AS
SELECT a.run_id AS one, b.run_id AS other FROM told AS a JOIN told AS b
    ON a.figure = b.figure AND a.run_id < b.run_id AND a.bundle_id <> b.bundle_id
    AND {_differ_in_nothing(IDENTITY)}
    AND (a.state_id = b.state_id OR {_differ_in_nothing(MACHINE)});
CREATE TEMP TABLE sharing AS SELECT one AS run_id FROM alike UNION SELECT other FROM alike;
DROP TABLE told; DROP TABLE alike; DROP TABLE looked;
"""  # noqa: S608 - constants

_COMMON = f"""
SELECT DISTINCT r.model, {_FIELDS}, {_VALUE} {_TOLD} AND m.run_id IN (FROM sharing)
    AND {_WORD} IN (SELECT figure FROM figures WHERE figure IN (
        SELECT figure FROM figures WHERE run_id IN (FROM sharing)
    ) GROUP BY figure HAVING count(*) > {COMMON})
"""  # noqa: S608 - constants

_TABLES = {
    "runs": "FROM runs WHERE run_id IN (FROM sharing)",
    "measurements": f"SELECT m.run_id, m.value, {_FIELDS} FROM measurements AS m"  # noqa: S608 - constants
    " WHERE m.run_id IN (FROM sharing) ORDER BY m.measurement_id",
    "bundles": "SELECT bundle_id, path, date FROM bundles WHERE bundle_id IN"
    " (SELECT bundle_id FROM runs WHERE run_id IN (FROM sharing))",
    "rig_states": "FROM rig_states WHERE state_id IN"
    " (SELECT state_id FROM runs WHERE run_id IN (FROM sharing))",
}

# In the order of `duplicates.alike`.
_PAIRS = """
SELECT p.run_id, p.duplicate_of, p.kind, p.shared, bs.path, s.position, bf.path, f.position
FROM repeats AS p
JOIN runs AS f ON f.run_id = p.duplicate_of JOIN bundles AS bf ON bf.bundle_id = f.bundle_id
JOIN runs AS s ON s.run_id = p.run_id JOIN bundles AS bs ON bs.bundle_id = s.bundle_id
ORDER BY f.slug IS NULL, bf.date NULLS LAST, f.run_id, s.slug IS NULL, bs.date NULLS LAST, s.run_id
"""

_REPEATED = f"""
DELETE FROM repeated;
INSERT INTO repeated SELECT m.measurement_id, o.measurement_id
FROM duplicates AS d
JOIN measurements AS m USING (run_id)
JOIN measurements AS o ON o.run_id = d.duplicate_of
    AND {" AND ".join(f"o.{name} IS NOT DISTINCT FROM m.{name}" for name in KEY)};
"""  # noqa: S608 - constants
