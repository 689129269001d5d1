import pytest

from ingest.misuse import Misuse
from models.curve import curve
from models.predict import predict
from models.record import FittedModel
from models.request import Request

ASKED = Request(cores=16, triad_method="triad-v1")
SLUG = "llamacpp/deepseek-flash-dual-q8"


def test_a_curve_rises_with_bandwidth_inside_its_band(fitted: FittedModel) -> None:
    points = curve(fitted, None, SLUG, ASKED._replace(threads=16), [30, 60, 120, 240])
    speeds = [point.tokens_per_s for point in points]
    assert speeds == sorted(speeds)
    assert all(point.low < point.tokens_per_s < point.high for point in points)


def test_a_point_is_what_predict_says(fitted: FittedModel) -> None:
    (point,) = curve(fitted, None, SLUG, ASKED, [52])
    (answer,) = predict(fitted, None, ASKED._replace(triad_gbps=52, slugs=(SLUG,)))
    assert (point.tokens_per_s, point.low) == (answer.tokens_per_s, answer.low)


def test_a_variant_has_a_curve_too_and_an_unknown_name_is_refused(fitted: FittedModel) -> None:
    assert len(curve(fitted, None, "deepseek-r1/Q4_K_M", ASKED, [100, 200])) == 2
    with pytest.raises(Misuse, match="no slug"):
        curve(fitted, None, "deepseek-r1/Q9", ASKED, [100])
