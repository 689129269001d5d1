from pathlib import Path

import pytest

from ingest.misuse import Misuse
from models.record import FittedModel
from sitegen.fitted import (
    MARGIN,
    SOME_CORES,
    Fitted,
    cores_of,
    curve_of,
    read_fitted,
    reads_factor,
    target_of,
    told,
)
from sitegen.points import Cloud, Point

SLUG = "llamacpp/deepseek-flash-dual-q8"
MODEL, QUANT = "deepseek-v4-flash-0731", "UD-Q8_K_XL"


def cloud(*reads: float, cores: int | None = 16) -> Cloud:
    points = [
        Point("x", "x", "x", one, "x", "triad-v1", cores, one / 5, None, None, False, True)  # noqa: FBT003 - a record
        for one in reads
    ]
    return Cloud("club-canonical", "narrative", tuple(points))


def test_the_curve_covers_the_points_and_rises_inside_its_band(fitted: FittedModel) -> None:
    line = curve_of(Fitted(fitted), SLUG, cloud(60.0, 200.0))
    assert line[0].triad_gbps == pytest.approx(60 / MARGIN)
    assert line[-1].triad_gbps == pytest.approx(200 * MARGIN)
    assert line[-1].tokens_per_s > line[0].tokens_per_s
    assert all(point.low < point.tokens_per_s < point.high for point in line)


def test_a_variant_without_a_slug_has_a_curve_too(fitted: FittedModel) -> None:
    target = target_of(Fitted(fitted), None, MODEL, QUANT)
    assert target == f"{MODEL}/{QUANT}"
    assert curve_of(Fitted(fitted), target, cloud(60.0, 200.0))


def test_what_the_model_does_not_know_has_no_curve(fitted: FittedModel) -> None:
    assert target_of(Fitted(fitted), SLUG, MODEL, QUANT) == SLUG
    assert target_of(Fitted(fitted), None, "no-such-model", QUANT) is None
    assert target_of(Fitted(fitted), None, None, None) is None
    assert target_of(Fitted(None), SLUG, MODEL, QUANT) is None
    assert curve_of(Fitted(None), SLUG, cloud(60.0)) == []


def test_a_methods_figure_becomes_reads_by_the_fitted_term(fitted: FittedModel) -> None:
    figure = {"method": "triad-v1", "reads_per_gbps": 4 / 3}
    fitted_term = fitted.parameters["method.triad-v1"]["value"]
    assert reads_factor(Fitted(fitted), figure) == fitted_term
    assert reads_factor(Fitted(None), figure) == 4 / 3
    assert reads_factor(Fitted(fitted), {"method": "odd", "reads_per_gbps": None}) is None


def test_a_curve_is_for_the_cores_of_its_rigs_and_says_so() -> None:
    assert cores_of(cloud(1.0, 2.0, cores=32)) == 32
    assert cores_of(cloud(1.0, cores=None)) == SOME_CORES
    assert "on 32 cores" in told(SLUG, cloud(1.0, cores=32))


def test_a_file_that_is_no_model_is_misuse(tmp_path: Path) -> None:
    wrong = tmp_path / "model.json"
    wrong.write_text("{}")
    with pytest.raises(Misuse, match="rigbook fit"):
        read_fitted(wrong)
    assert read_fitted(None) == Fitted(None)
