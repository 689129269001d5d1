"""Numbers that were found → the measurements of a run: units, possible values, no repeats."""

from collections.abc import Iterable, Iterator
from typing import Any

from ingest.catalog import Catalog
from ingest.readers.item import Doubt, Item, Number

MAX_NUMBERS = 5_000


def measurements(
    items: Iterable[Item], catalog: Catalog, doubts: list[Doubt]
) -> Iterator[dict[str, Any]]:
    """List the fields of each measurement; impossible and repeated ones become doubts."""
    seen: dict[tuple[object, ...], Number] = {}
    for item in items:
        if not isinstance(item, Number) or len(seen) >= MAX_NUMBERS:
            continue
        quantity = catalog.quantities[item.fields["quantity"]]
        value = item.fields["value"]
        figures = [item.fields.get(name) for name in ("value", "low", "high")]
        known = [figure for figure in figures if figure is not None]
        if not known or not quantity.low <= min(known) <= max(known) <= quantity.high:
            message = f"{quantity.id} {_shown(known)} {quantity.unit} is impossible"
            doubts.append(Doubt(item.line, message))
            continue
        key = tuple(item.fields.get(name) for name in _SAME)
        other = seen.setdefault(key, item)
        if other is not item:
            if other.fields["value"] != value:
                message = f"{quantity.id} was another on line {other.line}, which was taken"
                doubts.append(Doubt(item.line, message))
            continue
        yield {**item.fields, "unit": quantity.unit, "evidence": {"line": item.line}}


def _shown(figures: Iterable[float]) -> str:
    return " ".join(f"{figure:g}" for figure in figures)


_SAME = (
    *("quantity", "workload", "protocol", "prompt_tokens", "context_tokens", "nominal_tokens"),
    *("streams", "statistic"),
)
