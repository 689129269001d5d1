from models.coverage import nested_coverage
from models.facts import Facts
from models.rows import FitRow


def test_intervals_hold_on_machines_that_neither_fit_nor_bracket_saw(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    found = nested_coverage(made_rows, facts)
    assert set(found) == {"0.5", "0.8", "0.9"}
    assert 0.6 < found["0.8"]["all"].by_rig <= 1
    assert found["0.5"]["all"].width < found["0.8"]["all"].width <= found["0.9"]["all"].width
    assert {"all", "club", "hybrid", "cpu-only"} == set(found["0.8"])
    assert found["0.8"]["all"].rows == len(made_rows)
