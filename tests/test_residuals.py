import html
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from models.record import FittedModel
from sitegen.fitted import Fitted
from sitegen.record import Record
from sitegen.residuals import (
    ENDS,
    LEFT,
    STEP,
    WIDTH,
    Anchor,
    fitted_rows,
    laid_out,
    ratio,
    residuals,
)  # fmt: skip

SLUG, MODEL, QUANT = "llamacpp/deepseek-flash-dual-q8", "deepseek-v4-flash-0731", "UD-Q8_K_XL"


def anchor(measured: float, predicted: float, rig: str = "one-epyc-7543") -> Anchor:
    return {
        "rig": rig, "slug": SLUG, "model": MODEL, "quant": QUANT, "workload": None,
        "protocol": "club-canonical", "tokens_per_s": measured, "read_gbps": 60.0,
        "left_out_tokens_per_s": predicted, "measured_bandwidth": rig.startswith("one"),
    }  # fmt: skip


def with_anchors(fitted: FittedModel, anchors: list[Anchor]) -> Fitted:
    return Fitted(fitted._replace(anchors=anchors))


def shown(record: Record, fitted: Fitted) -> str:
    found = fitted_rows(fitted, SLUG, MODEL, QUANT)
    return html.unescape("\n".join(residuals(record, f"slugs/{SLUG}", found)))


def test_each_point_is_named_on_hover_and_in_the_table(record: Record, fitted: FittedModel) -> None:
    rows = [anchor(11, 10), anchor(9, 10, "two-epyc-7543"), anchor(20, 10, "<b>gone")]
    found = shown(record, with_anchors(fitted, rows))
    titles = re.findall("<title>(.*?)</title>", found)
    assert len(titles) == 3
    assert titles[1] == (
        "someone: EPYC 7543, workload not stated: 11 tokens/s measured, 10 predicted (+10%)"
    )
    assert "3 decode rates of 3 rigs" in found
    assert "half lie within 10 %, 2 above and 1 below" in found
    assert found.count('<circle class="rated"') == 2
    table = found.partition("<table")[2]
    assert "+100 %" in table
    assert "../../../rigs/two-epyc-7543/" in table


def test_a_rig_name_is_text_in_the_strip(record: Record) -> None:
    rows = [anchor(10, 10, '<script>"&') for _ in range(3)]
    made = "\n".join(residuals(record, "x", rows))
    assert "<script" not in made


def test_few_points_or_no_model_make_no_strip(record: Record, fitted: FittedModel) -> None:
    assert shown(record, with_anchors(fitted, [anchor(1, 1)] * 2)) == ""
    assert shown(record, Fitted(None)) == ""


def test_a_slug_takes_its_own_rows_and_a_variant_all_of_its_weights(fitted: FittedModel) -> None:
    rows = [anchor(1, 1), {**anchor(1, 1), "slug": None}, {**anchor(1, 1), "quant": "Q4_K_M"}]
    model = with_anchors(fitted, rows)
    assert len(fitted_rows(model, SLUG, MODEL, QUANT)) == 2
    assert len(fitted_rows(model, None, MODEL, QUANT)) == 2


def test_the_shipped_model_tells_what_it_would_have_said_unseen(fitted: FittedModel) -> None:
    off = sorted(abs(ratio(row) - 1) for row in fitted.anchors)
    assert 0.02 < off[len(off) // 2] < 0.3


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=80))
def test_no_mark_covers_another_or_leaves_the_strip(ratios: list[float]) -> None:
    marks = laid_out([anchor(value, 1.0) for value in ratios])
    assert len(marks) == len(ratios)
    assert ENDS[0] < 0 < ENDS[1]
    lanes: dict[int, list[float]] = {}
    for mark in marks:
        assert LEFT <= mark.x <= WIDTH - LEFT
        lanes.setdefault(mark.lane, []).append(mark.x)
    for found in lanes.values():
        assert all(b - a >= STEP for a, b in pairwise(found))
