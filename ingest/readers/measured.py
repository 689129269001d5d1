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
        if not quantity.low <= value <= quantity.high:
            doubts.append(
                Doubt(item.line, f"{quantity.id} {value:g} {quantity.unit} is impossible")
            )
            continue
        key = tuple(item.fields.get(name) for name in _SAME)
        other = seen.setdefault(key, item)
        if other is not item:
            if other.fields["value"] != value:
                doubts.append(
                    Doubt(
                        item.line,
                        f"{quantity.id} was {other.fields['value']:g} on line {other.line}",
                    )
                )
            continue
        yield {**item.fields, "unit": quantity.unit, "evidence": {"line": item.line}}


_SAME = (
    *("quantity", "workload", "protocol", "prompt_tokens", "context_tokens", "nominal_tokens"),
    *("streams", "statistic"),
)
