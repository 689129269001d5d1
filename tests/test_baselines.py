import numpy as np

from models.baselines import baselines
from models.facts import Facts
from models.formulas import FORMULAS
from models.rows import FitRow
from models.training import log_speeds


def test_every_formula_stands_as_it_is_and_with_a_constant(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    found = baselines(made_rows, facts)
    for name in FORMULAS:
        assert {name, f"{name}, times a constant"} <= set(found)
    assert {"linear in bandwidth", "median of the variant"} <= set(found)
    assert all(np.isfinite(logs).all() for logs in found.values())


def test_a_constant_comes_from_the_other_machines(facts: Facts, made_rows: list[FitRow]) -> None:
    """Ten times the speed on one machine must not move that machine's own prediction."""
    rig = made_rows[0].rig
    wild = [
        row._replace(tokens_per_s=row.tokens_per_s * (10 if row.rig == rig else 1))
        for row in made_rows
    ]
    name = "MoEspeedcalc, times a constant"
    own = np.array([row.rig == rig for row in made_rows])
    calm, moved = baselines(made_rows, facts)[name], baselines(wild, facts)[name]
    assert np.array_equal(calm[own], moved[own])


def test_the_median_of_a_variant_is_that_of_its_other_machines(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    first = made_rows[0]
    others = [r for r in made_rows if r.variant == first.variant and r.rig != first.rig]
    found = baselines(made_rows, facts)["median of the variant"]
    assert found[0] == np.median(log_speeds(others))
