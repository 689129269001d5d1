import pytest

from models.assumptions import BEFORE, assumptions
from models.drafting import accepted_share, alpha_of
from models.rows import FitRow


def drafted(row: FitRow, rig: str, share: float, workload: str = "code") -> FitRow:
    x = row.inputs._replace(verified=6.0, drafted=5.0)
    return row._replace(
        rig=rig, drafter="dspark", accepted=share, workload=workload, inputs=x, hit_rate=None
    )


def test_without_data_the_priors_stand(made_rows: list[FitRow]) -> None:
    none = assumptions([row for row in made_rows if row.drafter is None])
    assert none["acceptance"] == BEFORE["acceptance"]
    assert none["hit_rate"]["other"] == pytest.approx(BEFORE["hit_rate"]["other"])


def test_a_drafter_learns_from_its_rows_and_a_workload_from_its_own(
    made_rows: list[FitRow],
) -> None:
    rows = [drafted(made_rows[0], f"r{i}", 0.7) for i in range(9)]
    rows += [drafted(made_rows[0], f"r{i}", 0.33, "narrative") for i in range(9)]
    found = assumptions(rows)["acceptance"]
    assert accepted_share(found["dspark/code"]["alpha"], 5) == pytest.approx(0.7, abs=0.04)
    assert accepted_share(found["dspark/narrative"]["alpha"], 5) == pytest.approx(0.33, abs=0.04)


def test_a_machine_with_many_rows_has_one_vote(made_rows: list[FitRow]) -> None:
    one = drafted(made_rows[0], "a", 0.7)
    other = drafted(made_rows[0], "b", 0.3)
    few, many = assumptions([one, other]), assumptions([one] * 30 + [other])
    assert few["acceptance"]["dspark"] == pytest.approx(many["acceptance"]["dspark"])


def test_gamma_is_read_off_stated_hits(made_rows: list[FitRow]) -> None:
    row = made_rows[0]._replace(hit_rate=1 - 0.8**3, coverage=0.2)
    rows = [row._replace(rig=f"r{i}") for i in range(20)]
    assert assumptions(rows)["hit_rate"]["gamma"][row.model] == pytest.approx(3.0, abs=0.2)


def test_hits_of_all_or_nothing_teach_nothing(made_rows: list[FitRow]) -> None:
    rows = [made_rows[0]._replace(hit_rate=1.0, coverage=0.5)]
    rows += [made_rows[0]._replace(hit_rate=0.0, coverage=0.5)]
    assert assumptions(rows)["hit_rate"]["gamma"] == {}


def test_the_chance_is_position_wise() -> None:
    assert alpha_of(0.33, 5) > 0.6
