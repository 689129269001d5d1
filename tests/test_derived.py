import pytest

from benchmarks.derived import grown, keystrokes, reports
from ingest.catalog import Catalog
from models.rows import FitRow


def test_rows_are_repeated_on_machines_of_other_names(made_rows: list[FitRow]) -> None:
    many = grown(made_rows, 2 * len(made_rows) + 1)
    assert len(many) == 2 * len(made_rows) + 1
    assert len({row.rig for row in many}) == 2 * len({row.rig for row in made_rows}) + 1


def test_a_reader_is_timed_by_size(catalog: Catalog) -> None:
    one, two = reports(catalog, [1, 2])
    assert two["bytes"] == 2 * one["bytes"]
    assert one["cpu_s"] > 0


@pytest.mark.node
def test_keystrokes_are_answered() -> None:
    (row,) = keystrokes()
    assert 0 < row["p50_ms"] <= row["p95_ms"]
