import json
import random

import numpy as np
import pytest

from models.evaluate import (
    ALONE_UP_TO,
    GROUPS,
    LEARNED,
    ROOFLINE,
    Evaluation,
    LeftOut,
    evaluate,
    groups,
    left_out,
    ships_of,
)
from models.facts import Facts
from models.features import Features
from models.rows import FitRow
from models.scores import score
from models.training import log_speeds


@pytest.fixture(scope="module")
def evaluation(facts: Facts, made_rows: list[FitRow]) -> Evaluation:
    excluded = [row._replace(excluded=("greedy",), rig=f"{row.rig}-x") for row in made_rows[:6]]
    return evaluate(Features(made_rows, excluded, []), facts)


def test_on_rigs_that_follow_the_physics_the_model_beats_the_roofline_and_ships(
    evaluation: Evaluation,
) -> None:
    learned, plain = evaluation.scores[LEARNED]["all"], evaluation.scores[ROOFLINE]["all"]
    assert learned.median_ape < 0.2 < plain.median_ape
    assert set(evaluation.ships.values()) == {"learned"}


def test_every_predictor_is_scored_on_the_same_rows(evaluation: Evaluation) -> None:
    rows = {
        name: by["all"].rows
        for name, by in evaluation.scores.items()
        if not name.endswith("excluded rows too")
    }
    assert set(rows.values()) == {72}
    assert evaluation.scores[f"{LEARNED}, excluded rows too"]["all"].rows == 78
    assert evaluation.excluded == {"greedy": {"club": 3, "hybrid": 3}}


def test_the_evaluation_is_plain_json_with_the_worst_rows(evaluation: Evaluation) -> None:
    plain = evaluation.as_json()
    assert json.loads(json.dumps(plain)) == plain
    worst = [abs(np.log(row["predicted"] / row["measured"])) for row in evaluation.worst]
    assert worst == sorted(worst, reverse=True)


def test_where_the_roofline_is_better_the_roofline_ships(made_rows: list[FitRow]) -> None:
    y = log_speeds(made_rows)
    strata = np.array([row.stratum for row in made_rows])
    learned = np.where(strata == "club", y + 0.5, y + 0.1)
    ships = ships_of(made_rows, LeftOut(learned, y + 0.2, learned))
    assert ships == {"club": "roofline", "hybrid": "learned", "cpu-only": "learned"}


def test_a_stratum_without_rows_ships_the_roofline(made_rows: list[FitRow]) -> None:
    rows = [row for row in made_rows if row.stratum != "club"]
    y = log_speeds(rows)
    assert ships_of(rows, LeftOut(y, y + 1, y))["club"] == "roofline"


def test_without_acceptance_only_drafted_rows_are_predicted_otherwise(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    held = [row for row in made_rows if row.rig in {"rig-00", "rig-01"}]
    out = left_out(made_rows, held, facts)
    drafted = np.array([row.drafter is not None for row in held])
    assert np.array_equal(out.learned[~drafted], out.blind[~drafted])
    assert not np.any(out.learned[drafted] == out.blind[drafted])


def test_a_machine_never_teaches_its_own_prediction(facts: Facts, made_rows: list[FitRow]) -> None:
    """Leakage: a machine ten times as fast must leave its own left-out prediction as it was."""
    rig = made_rows[0].rig
    wild = [
        row._replace(tokens_per_s=row.tokens_per_s * (10 if row.rig == rig else 1))
        for row in made_rows
    ]
    own = [row for row in made_rows if row.rig == rig]
    calm, moved = left_out(made_rows, own, facts), left_out(wild, own, facts)
    assert np.array_equal(calm.learned, moved.learned)
    assert np.array_equal(calm.roofline, moved.roofline)


def test_shuffled_machine_names_flatter_and_the_flattery_shows(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    """With names dealt out at random a machine's rows teach its own: the error must drop."""
    wild = [
        row._replace(tokens_per_s=row.tokens_per_s * factor)
        for row in made_rows
        if row.rig < "rig-12"
        for factor in (2.0 if int(row.rig[-2:]) % 2 else 0.5,)
    ]
    names = [row.rig for row in wild]
    random.Random(1).shuffle(names)  # noqa: S311 - a test
    mixed = [row._replace(rig=name) for row, name in zip(wild, names, strict=True)]
    honest = score(left_out(wild, wild, facts).learned - log_speeds(wild), names)
    flattered = score(left_out(mixed, mixed, facts).learned - log_speeds(mixed), names)
    assert flattered.log_rmse < honest.log_rmse


def test_few_machines_are_left_out_one_by_one_and_many_in_groups() -> None:
    few = [f"rig-{n}" for n in range(ALONE_UP_TO)]
    assert set(groups(few)) == {frozenset({rig}) for rig in few}
    many = [*few, "one more"]
    dealt = groups(many)
    assert len(dealt) == GROUPS
    assert sorted(rig for group in dealt for rig in group) == sorted(many)
    assert {len(group) for group in dealt} == {10, 11}
