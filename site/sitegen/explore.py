"""Every measurement in one compact file, for the page that searches, sorts and exports them."""

import json
from typing import Any

from sitegen.address import rig_page
from sitegen.escape import outside
from sitegen.record import Record, Row
from sitegen.state import best_figure, central

COLUMNS = (
    "rig", "rig_page", "served", "model", "quantity", "workload", "protocol", "value", "low",
    "high", "unit", "how", "n", "context_tokens", "streams", "gbps", "method", "cpu", "cores",
    "cards", "threads", "engine", "drafter", "status", "reason", "author", "url",
)  # fmt: skip
"""Names are published: they are added to, never renamed."""


def explore_json(record: Record) -> str:
    """Write columns and rows; the same record gives the same bytes."""
    runs = record.runs_by_id
    rows = [_row(record, row, runs[row["run_id"]]) for row in record.measurements]
    document = {"schema": "rigbook.explore/1", "columns": COLUMNS, "rows": rows}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"


def _row(record: Record, row: Row, run: Row) -> list[Any]:
    state = record.states[row["state_id"]]
    figure = best_figure(record, row["state_id"], row["bundle_id"])
    return [
        record.machines[row["rig_id"]]["label"],
        rig_page(row["rig_id"]),
        run["slug"] or " ".join(filter(None, (run["model"], run["quant"]))) or None,
        run["model"],
        *(row[name] for name in ("quantity", "workload", "protocol", "value", "low", "high")),
        *(row[name] for name in ("unit", "how", "n", "context_tokens", "streams")),
        central(figure) if figure else None,
        figure["method"] if figure else None,
        *(state[name] for name in ("cpu_model", "cores", "gpu_names")),
        *(run[name] for name in ("threads", "engine", "drafter")),
        row["status"],
        row["status_reason"],
        row["author"],
        outside(row["source_url"]),
    ]
