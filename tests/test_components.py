import numpy as np

from models.components import ROW_LEAST, components
from models.pooling import CLIP
from models.rows import FitRow


def spread(rows: list[FitRow], rig: float, model: float, row: float) -> dict[str, float]:
    draw = np.random.default_rng(2)
    by_rig = {name: draw.normal(0, rig) for name in sorted({r.rig for r in rows})}
    by_model = {key: draw.normal(0, model) for key in sorted({(r.rig, r.model) for r in rows})}
    left = [by_rig[r.rig] + by_model[r.rig, r.model] + draw.normal(0, row) for r in rows]
    return components(rows, np.array(left))


def machines(rows: list[FitRow]) -> list[FitRow]:
    """Many machines, each with two models and two quants of one of them."""
    kinds = [("a", "q8"), ("a", "q2"), ("b", "q8")]
    return [
        rows[0]._replace(rig=f"r{i}", model=model, quant=quant, variant=f"{model}/{quant}")
        for i in range(150)
        for model, quant in kinds
        for _ in range(2)
    ]


def test_shared_variance_is_found_level_by_level(made_rows: list[FitRow]) -> None:
    found = spread(machines(made_rows), rig=0.1, model=0.2, row=0.1)
    assert 0.005 < found["rig"] < 0.02
    assert 0.035 < found["model"] < 0.075
    assert found["row"] > found["variant"]


def test_levels_nest_whatever_the_errors(made_rows: list[FitRow]) -> None:
    for scale in (0.0, 0.1, 1.0):
        found = spread(machines(made_rows), rig=0.0, model=0.0, row=scale)
        assert 0 <= found["stratum"] <= found["rig"] <= found["model"] <= found["variant"]
        assert found["row"] >= found["variant"] + ROW_LEAST**2


def test_an_accident_counts_up_to_a_factor_of_two(made_rows: list[FitRow]) -> None:
    left = np.zeros(len(made_rows))
    left[0] = 50.0
    assert components(made_rows, left)["row"] <= CLIP**2 / len(made_rows) + ROW_LEAST**2 + 1e-12


def test_what_is_of_one_stratum_only_is_not_shared_with_another(made_rows: list[FitRow]) -> None:
    """Each machine is off one way when drafting and the other way without."""
    rows = [row._replace(stratum=s) for row in machines(made_rows) for s in ("club", "hybrid")]
    left = np.array([0.3 if row.stratum == "club" else -0.3 for row in rows])
    found = components(rows, left)
    assert found["stratum"] == 0
    assert found["rig"] > 0.08
