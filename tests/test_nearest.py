from models.nearest import FAR, Place, basis_of, distance, nearest, own_rows
from models.record import FittedModel
from models.rows import FitRow
from models.setup import BARE, Target


def placed(fitted: FittedModel, row: FitRow) -> tuple[Target, Place]:
    target = Target(None, {**BARE}, fitted.facts["variants"][row.variant])
    return target, Place(row.inputs, row.inputs.gbps, row.workload)


def anchor(row: FitRow, **change: object) -> dict[str, object]:
    x = row.inputs
    return {
        "rig": row.rig, "slug": None, "model": row.model, "quant": row.quant, "url": row.url,
        "workload": row.workload, "tokens_per_s": row.tokens_per_s, "read_gbps": x.gbps,
        "cores": x.busy_cores, "verified": x.verified, "cpu_share": x.cpu_share,
        "dense_on_cpu": x.dense_on_cpu, "cache_on": x.cache_on, **change,
    }  # fmt: skip


def test_the_same_inputs_are_at_no_distance(fitted: FittedModel, made_rows: list[FitRow]) -> None:
    target, place = placed(fitted, made_rows[0])
    assert distance(anchor(made_rows[0]), target, place) == 0


def test_another_quant_is_nearer_than_another_model(
    fitted: FittedModel, made_rows: list[FitRow]
) -> None:
    target, place = placed(fitted, made_rows[0])
    quant = distance(anchor(made_rows[0], quant="Q2"), target, place)
    model = distance(anchor(made_rows[0], model="other"), target, place)
    assert 0 < quant < model


def test_each_rig_is_shown_once_and_at_the_workload_asked(
    fitted: FittedModel, made_rows: list[FitRow]
) -> None:
    target, place = placed(fitted, made_rows[0])
    rows = [
        anchor(made_rows[0], workload="code", tokens_per_s=1.0),
        anchor(made_rows[0], tokens_per_s=2.0),
        anchor(made_rows[0], rig="b", read_gbps=place.read_gbps * 2),
    ]
    found = nearest(rows, target, place)
    assert (found[0].rig, found[0].tokens_per_s) == (made_rows[0].rig, 2.0)
    assert len(found) == 2


def test_the_basis_says_what_stands_behind(fitted: FittedModel, made_rows: list[FitRow]) -> None:
    target, place = placed(fitted, made_rows[0])
    here = [anchor(made_rows[0])]
    far = [anchor(made_rows[0], read_gbps=place.read_gbps * 2.7183 ** (FAR + 0.1))]
    middle = [anchor(made_rows[0], read_gbps=place.read_gbps * 1.5)]
    for rows, basis in ((here, "measured"), (middle, "interpolated"), (far, "extrapolated")):
        assert basis_of(own_rows(rows, target), nearest(rows, target, place)) == basis
    assert basis_of([], nearest(here, target, place)) == "extrapolated"
