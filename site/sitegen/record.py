"""What the pages read from the database: one query a table, rows as dictionaries."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from ingest.pairs import Pair, pairable, pairs, regressions
from ingest.store import opened

Row = dict[str, Any]


class Tables(NamedTuple):
    """Everything that the pages show, as it was read."""

    measurements: list[Row]  # every one, with its run's and its source's columns
    guarded: list[Row]  # those with a value, with every field that a comparison depends on
    runs: list[Row]
    states: dict[str, Row]
    machines: dict[str, Row]
    bandwidths: dict[str, list[Row]]  # of each rig state
    stages: dict[str, list[Row]]  # of each run
    quality: dict[str, list[Row]]
    anomalies: dict[str, list[Row]]
    slugs: dict[str, Row]
    models: dict[str, Row]
    variants: dict[tuple[str, str], Row]
    methods: dict[str, Row]
    protocols: dict[str, Row]
    quantities: dict[str, Row]
    counts: Row
    pairs: list[Pair]
    history: dict[str, list[Row]]  # of each machine
    reposts: dict[str, list[Row]]  # of each run: the sources of others that repeat it


class Record(Tables):
    """The tables with what leads from one to another, found once: thousands of pages ask."""

    @cached_property
    def runs_by_id(self) -> dict[str, Row]:
        """Each run by its id."""
        return {run["run_id"]: run for run in self.runs}

    @cached_property
    def runs_by_rig(self) -> dict[str, list[Row]]:
        """The runs of each machine."""
        return _grouped(self.runs, "rig_id")

    @cached_property
    def states_by_rig(self) -> dict[str, list[Row]]:
        """The states of each machine."""
        return _grouped(self.states.values(), "rig_id")

    @cached_property
    def rows_by_run(self) -> dict[str, list[Row]]:
        """The measurements of each run."""
        return _grouped(self.measurements, "run_id")

    @cached_property
    def builds_by_rig(self) -> dict[str, list[Pair]]:
        """The engine builds that changed the speed of each machine."""
        found: dict[str, list[Pair]] = {}
        for pair in regressions(self.pairs):
            found.setdefault(pair.rig_id, []).append(pair)
        return found


def _grouped(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def read_record(path: Path) -> Record:
    """Read the database at `path`; raises FileNotFoundError with the remedy if there is none."""
    with opened(path) as connection:
        return read(connection)


def read(connection: duckdb.DuckDBPyConnection) -> Record:
    """Read what the pages show from an open database."""

    def rows(sql: str) -> list[Row]:
        relation = connection.execute(sql)
        names = [column[0] for column in relation.description or ()]
        return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]

    def keyed(sql: str, key: str) -> dict[str, Row]:
        return {row[key]: row for row in rows(sql)}

    def grouped(sql: str, key: str) -> dict[str, list[Row]]:
        return _grouped(rows(sql), key)

    return Record(
        measurements=rows(_MEASUREMENTS),
        guarded=rows("SELECT * FROM guarded ORDER BY measurement_id"),
        runs=rows(_RUNS),
        states=keyed("SELECT * FROM rig_states ORDER BY state_id", "state_id"),
        machines=keyed("SELECT * FROM machines ORDER BY rig_id", "rig_id"),
        bandwidths=grouped(_BANDWIDTHS, "state_id"),
        stages=grouped("SELECT * FROM stages ORDER BY run_id, stage", "run_id"),
        quality=grouped("SELECT * FROM quality ORDER BY run_id, pack", "run_id"),
        anomalies=grouped("SELECT * FROM anomalies ORDER BY run_id, what", "run_id"),
        slugs=keyed("SELECT * FROM catalog_slugs ORDER BY slug", "slug"),
        models=keyed("SELECT * FROM catalog_models ORDER BY model", "model"),
        variants={
            (row["model"], row["quant"]): row
            for row in rows("SELECT * FROM catalog_variants ORDER BY model, quant")
        },
        methods=keyed("SELECT * FROM catalog_bandwidth ORDER BY method", "method"),
        protocols=keyed("SELECT * FROM catalog_protocols ORDER BY protocol", "protocol"),
        quantities=keyed("SELECT * FROM catalog_quantities ORDER BY quantity", "quantity"),
        counts=rows(_COUNTS)[0],
        pairs=pairs(pairable(connection)),
        history=grouped(_HISTORY, "rig_id"),
        reposts=grouped(_REPOSTS, "run_id"),
    )


def rows_of(record: Record, runs: Iterable[Row]) -> list[Row]:
    """Pick the measurements of some runs, in the record's order of runs."""
    return [row for run in runs for row in record.rows_by_run.get(run["run_id"], ())]


# A measurement counts when it and its run are active, the run ended well and there is a value:
# the rows of the view `comparable`.
_MEASUREMENTS = """
SELECT m.*, coalesce(m.value, (m.low + m.high) / 2, m.low, m.high) AS central,
    r.slug, r.model, r.quant, r.outcome, r.series, r.series_axis, r.threads, r.thinking,
    s.author, s.post, s.date, s.kind AS source_kind,
    m.measurement_id IN (SELECT measurement_id FROM comparable) AS counts,
    t.trust, t.trust_level, t.only_said, h.date AS status_date, h.link AS status_link
FROM measurements AS m
JOIN runs AS r USING (run_id)
LEFT JOIN trust AS t ON t.measurement_id = m.measurement_id
LEFT JOIN (
    SELECT measurement_id, state, max(date) AS date, max_by(link, (date, position)) AS link
    FROM row_history GROUP BY measurement_id, state
) AS h ON h.measurement_id = m.measurement_id AND h.state = m.status
JOIN sources AS s ON s.bundle_id = m.bundle_id AND s.source = m.source
ORDER BY m.rig_id, m.state_id, m.run_id, m.quantity, m.workload NULLS FIRST, m.protocol,
    m.context_tokens NULLS FIRST, m.measurement_id
"""

_RUNS = """
SELECT r.*, s.url AS source_url, s.author, s.post, s.date, s.kind AS source_kind, b.path,
    d.duplicate_of
FROM runs AS r
LEFT JOIN duplicates AS d USING (run_id)
JOIN bundles AS b USING (bundle_id)
JOIN sources AS s ON s.bundle_id = r.bundle_id AND s.source = 0
ORDER BY r.rig_id, r.state_id, r.run_id
"""

_BANDWIDTHS = """
SELECT b.*, m.measured, m.counts, m.reads_per_gbps
FROM rig_bandwidth AS b LEFT JOIN catalog_bandwidth AS m USING (method)
ORDER BY state_id, m.measured DESC, under_load NULLS FIRST, method, threads DESC NULLS LAST, gbps,
    how, bundle_id
"""

_HISTORY = """
SELECT b.rig_id, s.date, s.target, s.state, s.reason, s."by", s.link
FROM statuses AS s JOIN bundles AS b USING (bundle_id)
ORDER BY b.rig_id, s.date, s.bundle_id, s.position
"""

_REPOSTS = """
SELECT s.run_id, s.url AS source_url, s.author, s.post, s.date, s.kind AS source_kind
FROM run_sources AS s JOIN runs AS r USING (run_id)
WHERE s.bundle_id <> r.bundle_id
ORDER BY s.run_id, s.date NULLS LAST, s.bundle_id, s.source
"""

_COUNTS = """
SELECT (SELECT count(*) FROM bundles) AS bundles, (SELECT count(*) FROM machines) AS rigs,
    (SELECT count(*) FROM rig_states) AS states, (SELECT count(*) FROM runs) AS runs,
    (SELECT count(*) FROM measurements) AS measurements,
    (SELECT count(*) FROM measurements WHERE status <> 'active') AS doubtful,
    (SELECT count(*) FROM comparable) AS comparable,
    (SELECT count(DISTINCT slug) FROM runs) AS slugs,
    (SELECT count(*) FROM (SELECT DISTINCT model, quant FROM runs)) AS variants,
    (SELECT max(date) FROM sources) AS newest
"""
