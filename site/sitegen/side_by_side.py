"""Every rate that counts in one compact file, with the guard's fields, for the compare page.

The fields that must agree are `ingest.comparable`'s: they are exported with the rows, so that the
page refuses exactly what `rigbook compare` refuses.
"""

import json
from collections.abc import Iterable
from typing import Any

from ingest.comparable import STRICT, TOLD, WITHIN
from sitegen.address import rig_page
from sitegen.numbers import number
from sitegen.record import Record, Row
from sitegen.state import best_figure, central

GUARDED = (*STRICT, *TOLD)
COLUMNS = ("state", "served", "central", "low", "high", "n", *GUARDED, *WITHIN.values())
"""Names are published: they are added to, never renamed."""


def side_by_side_json(record: Record) -> str:
    """Write states and rows; the same record gives the same bytes."""
    rows = _rows(record)
    states = sorted({row["state"] for row in rows})
    document = {
        "schema": "rigbook.compare-rows/1",
        "strict": STRICT,
        "told": TOLD,
        "within": WITHIN,
        "states": [_state(record, record.states[state_id]) for state_id in states],
        "rows": len(rows),
        "columns": {name: packed(row[name] for row in rows) for name in COLUMNS},
    }
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"


def packed(cells: Iterable[Any]) -> dict[str, list[Any]]:
    """Write a column as its distinct values and an index a row: most repeat a few."""
    places: dict[str, int] = {}
    values: list[Any] = []
    index = []
    for cell in cells:
        key = json.dumps(cell)
        if key not in places:
            places[key] = len(values)
            values.append(cell)
        index.append(places[key])
    return {"values": values, "index": index}


def _rows(record: Record) -> list[Row]:
    known = {row["measurement_id"]: row for row in record.measurements if row["counts"]}
    return [
        {**row, "state": row["state_id"], "served": _served(known[row["measurement_id"]])}
        for row in record.guarded
        if row["measurement_id"] in known
    ]


def _served(row: Row) -> str | None:
    return row["slug"] or " ".join(filter(None, (row["model"], row["quant"]))) or None


def _state(record: Record, state: Row) -> dict[str, Any]:
    """Tell of a rig state what stands above the comparison."""
    figure = best_figure(record, state["state_id"])
    bandwidth = f"{number(central(figure))} GB/s by {figure['method']}" if figure else None
    memory = [
        f"{number(state['memory_gib'])} GiB" if state["memory_gib"] else None,
        state["memory_kind"],
        f"{number(state['mts'])} MT/s" if state["mts"] else None,
    ]
    return {
        "id": state["state_id"],
        "rig": state["rig_id"],
        "label": record.machines[state["rig_id"]]["label"],
        "state": state["state"],
        "page": rig_page(state["rig_id"]),
        "Processor": state["cpu_model"],
        "Cores": state["cores"],
        "Memory": ", ".join(part for part in memory if part) or None,
        "Bandwidth": bandwidth,
        "Cards": "none" if state["gpu_count"] == 0 else state["gpu_names"],
    }
