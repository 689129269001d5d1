"""Numbers that were found → measurements."""

import pytest

from ingest.catalog import Catalog
from ingest.readers.item import Doubt, number
from ingest.readers.measured import measurements


def test_a_measurement_has_the_unit_of_its_quantity_and_its_line(catalog: Catalog) -> None:
    (m,) = measurements([number(7, "decode", 9.5, "anecdote", n=None)], catalog, [])
    assert (m["unit"], m["evidence"], m["value"]) == ("tokens/s", {"line": 7}, 9.5)
    assert "n" not in m


@pytest.mark.parametrize("value", [-1.0, 1e9, None])
def test_an_impossible_value_is_a_doubt(value: float | None, catalog: Catalog) -> None:
    doubts: list[Doubt] = []
    assert list(measurements([number(7, "decode", value, "anecdote")], catalog, doubts)) == []
    assert [doubt.line for doubt in doubts] == [7]


def test_the_first_of_two_values_stays_and_the_second_is_told(catalog: Catalog) -> None:
    doubts: list[Doubt] = []
    items = [number(n, "decode", value, "anecdote") for n, value in ((1, 9.0), (2, 9.0), (3, 8.0))]
    assert [m["value"] for m in measurements(items, catalog, doubts)] == [9.0]
    assert [doubt.line for doubt in doubts] == [3]
