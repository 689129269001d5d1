"""Accidents that people flagged in the record, and how many a prediction would have warned of.

Flags were set by reading the sources, the warnings look at a request only: neither knows the other.
"""

from typing import Any, NamedTuple

import duckdb

from ingest.misuse import Misuse
from models.facts import Facts
from models.predict import predict
from models.record import FittedModel
from models.request import GpuRequest, Request
from models.rig import rig_of

REASONS = {
    "paging": "do not fit the RAM: paging",
    "numa": "memory far from the threads",
    "threads-odd": "odd thread count",
    "threads-over-cores": "more threads than cores",
}
"""Accident → what the reason of a flag says."""

CODES = {
    "does-not-fit", "tight-ram", "file-near-ram", "numa", "threads-odd", "threads-over-cores",
    "half-filled",
}  # fmt: skip
"""The warnings that tell of an accident."""

QUERY = """
SELECT m.measurement_id, m.status, coalesce(m.status_reason, '') AS reason, r.model, r.quant,
    r.offload, r.layers_on_cpu, r.threads, s.memory_gib, coalesce(s.sockets, 1) AS sockets,
    coalesce(s.cores, c.cores * coalesce(s.sockets, 1)) AS cores, c.name AS cpu
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN rig_states AS s ON s.state_id = m.state_id
LEFT JOIN catalog_cpus AS c ON c.cpu = s.cpu
WHERE m.quantity = 'decode' AND m.status IN ('active', 'flagged')
ORDER BY m.measurement_id
"""

ANY_GBPS = 100.0
"""Warnings of accidents do not look at the bandwidth; a request needs one."""


class Found(NamedTuple):
    """Rows of one kind, those that state what a warning needs, and those that are warned of."""

    rows: int
    told: int
    warned: int


def accidents(connection: duckdb.DuckDBPyConnection, model: FittedModel) -> dict[str, Found]:
    """Count the flagged rows by accident; `none` are the active rows, where a warning is false."""
    relation = connection.sql(QUERY)
    rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    kinds = {
        kind: [row for row in rows if row["status"] == "flagged" and reason in row["reason"]]
        for kind, reason in REASONS.items()
    }
    kinds["none"] = [row for row in rows if row["status"] == "active"]
    return {kind: _counted(kind, own, model) for kind, own in kinds.items()}


def _counted(kind: str, rows: list[dict[str, Any]], model: FittedModel) -> Found:
    told = [row for row in rows if kind != "paging" or row["memory_gib"]]
    return Found(len(rows), len(told), sum(bool(CODES & warned(row, model)) for row in rows))


def warned(row: dict[str, Any], model: FittedModel) -> set[str]:
    """Give the codes that `predict` warns with, asked for the rig and launch of a row."""
    request = Request(
        triad_gbps=ANY_GBPS,
        cores=row["cores"] or row["threads"] or 1,
        sockets=row["sockets"],
        threads=row["threads"],
        ram_gib=row["memory_gib"],
        gpus=(GpuRequest("none"),) if row["offload"] == "cpu-only" else (),
    )
    return _of_rig(request, model.facts) | _of_weights(request, row, model)


def _of_rig(request: Request, facts: Facts) -> set[str]:
    return {caution.code for caution in rig_of(request, facts).cautions}


def _of_weights(request: Request, row: dict[str, Any], model: FittedModel) -> set[str]:
    """Ask for the row's weights; weights that the catalogue cannot price are not warned of."""
    layers = None if row["offload"] == "cpu-only" else row["layers_on_cpu"]
    asked = request._replace(model=row["model"], quant=row["quant"], cpu_layers=layers)
    if not (row["model"] and row["quant"]):
        return set()
    try:
        answers = predict(model, None, asked)
    except Misuse:
        return set()
    return {warning.code for answer in answers for warning in answer.warnings}
