"""The residual strip: how far each rate lies from what a model that never saw its rig says."""

from collections.abc import Sequence
from math import log
from typing import Any, NamedTuple

from sitegen.address import from_page, rig_page
from sitegen.escape import Html, inside, text
from sitegen.fitted import Fitted
from sitegen.numbers import number, percent
from sitegen.page import section
from sitegen.record import Record
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table

Anchor = dict[str, Any]

LEAST = 3
"""Fewer points than this are no distribution."""

WIDTH, LEFT, STEP, RADIUS, FOOT = 480, 16, 11, 5, 30
"""CSS pixels: the strip, its margin, the height of a lane, a mark, and the axis below."""

LANES = 3
"""A strip is at least as high as this many marks."""

TICKS = (-0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
"""Shares by which measured is below or above predicted; the axis is of ratios, so logarithmic."""

ENDS = (log(0.4), log(2.5))
"""The strip shows 0.4 to 2.5 times the prediction; what lies beyond stands at its end."""


class Mark(NamedTuple):
    """One rate on the strip: its lane counts up from the axis."""

    anchor: Anchor
    x: float
    lane: int


def residuals(record: Record, address: str, found: Sequence[Anchor]) -> list[str]:
    """Write the section for some fitted rows, if there are enough."""
    if len(found) < LEAST:
        return []
    marks = laid_out(found)
    words = summary(found)
    caption = f"<figcaption>{text(words)}</figcaption>"
    strip = f'<figure class="strip" data-search-exclude>{_svg(record, marks, words)}{caption}'
    tabled = _table(record, address, found)
    return [
        section("Measured against predicted", "residuals"),
        Html(f"{strip}</figure>\n{folded(f'The points of this strip ({len(found)})', tabled)}"),
    ]


def fitted_rows(
    fitted: Fitted, slug: str | None, model: str | None, quant: str | None
) -> list[Anchor]:
    """Pick the rows that the model was fitted on, of a slug or of a variant."""
    rows = fitted.model.anchors if fitted.model else []
    return [
        row
        for row in rows
        if (row["slug"] == slug if slug else (row["model"], row["quant"]) == (model, quant))
    ]


def ratio(anchor: Anchor) -> float:
    """Divide measured by predicted."""
    return float(anchor["tokens_per_s"] / anchor["left_out_tokens_per_s"])


def summary(found: Sequence[Anchor]) -> str:
    """Say in words what the strip shows."""
    rigs = len({row["rig"] for row in found})
    off = sorted(abs(ratio(row) - 1) for row in found)
    above = sum(ratio(row) > 1 for row in found)
    return (
        f"{len(found)} decode rates of {rigs} {'rig' if rigs == 1 else 'rigs'} against a model "
        f"that never saw the rig: half lie within {percent(round(off[len(off) // 2], 3))}, "
        f"{above} above and {len(found) - above} below. Right of 0 % is faster than predicted. "
        "Hollow marks: rated bandwidth."
    )


def laid_out(found: Sequence[Anchor]) -> list[Mark]:
    """Put each mark into the lowest lane where it covers no other."""
    ends: list[float] = []
    marks = []
    for row in sorted(found, key=ratio):
        x = _x(log(ratio(row)))
        lane = next((at for at, end in enumerate(ends) if x - end >= STEP), len(ends))
        ends[lane:] = [x, *ends[lane + 1 :]]
        marks.append(Mark(row, x, lane))
    return marks


def _x(logarithm: float) -> float:
    low, high = ENDS
    share = (min(max(logarithm, low), high) - low) / (high - low)
    return LEFT + share * (WIDTH - 2 * LEFT)


def _svg(record: Record, marks: Sequence[Mark], words: str) -> str:
    floor = max(max(mark.lane for mark in marks) + 1, LANES) * STEP + RADIUS
    ticks = "".join(_tick(share, floor) for share in TICKS)
    shown = "".join(_mark(record, mark, floor) for mark in marks)
    size = f'viewBox="0 0 {WIDTH} {floor + FOOT}" width="{WIDTH}" height="{floor + FOOT}"'
    return f'<svg {size} role="img" aria-label="{text(words)}">{ticks}{shown}</svg>'


def _tick(share: float, floor: int) -> str:
    x = f"{_x(log(1 + share)):.1f}"
    kind = "zero" if share == 0 else "tick"
    words = text(f"{share:+.0%}".replace("%", " %") if share else "0 %")
    line = f'<line class="{kind}" x1="{x}" x2="{x}" y1="0" y2="{floor}"></line>'
    return f'{line}<text x="{x}" y="{floor + 18}" text-anchor="middle">{words}</text>'


def _mark(record: Record, mark: Mark, floor: int) -> str:
    row = mark.anchor
    y = floor - mark.lane * STEP - RADIUS - 1
    kind = "measured" if row["measured_bandwidth"] else "rated"
    title = f"{_label(record, row)}, {row['workload'] or 'workload not stated'}: {_told(row)}"
    return (
        f'<circle class="{kind}" cx="{mark.x:.1f}" cy="{y}" r="{RADIUS - 0.8}">'
        f"<title>{text(title)}</title></circle>"
    )


def _label(record: Record, row: Anchor) -> str:
    machine = record.machines.get(row["rig"])
    return str(machine["label"]) if machine else str(row["rig"])


def _told(row: Anchor) -> str:
    return (
        f"{number(row['tokens_per_s'])} tokens/s measured, "
        f"{number(row['left_out_tokens_per_s'])} predicted ({ratio(row) - 1:+.0%})"
    )


def _table(record: Record, address: str, found: Sequence[Anchor]) -> Html:
    columns = (
        Column("Rig"), Column("Measured, tokens/s", numeric=True),
        Column("Predicted", numeric=True), Column("Off by", numeric=True), Column("Workload"),
        Column("Protocol"), Column("Read bandwidth, GB/s", numeric=True),
    )  # fmt: skip
    lines = [_line(record, address, row) for row in sorted(found, key=ratio)]
    return table("Measured against predicted, decode", columns, lines)


def _line(record: Record, address: str, row: Anchor) -> Line:
    label = _label(record, row)
    known = row["rig"] in record.machines
    rig = inside(from_page(address, rig_page(row["rig"])), label) if known else text(label)
    off = ratio(row) - 1
    return Line(
        [
            Cell(rig, label.lower()),
            Cell(text(number(row["tokens_per_s"])), row["tokens_per_s"]),
            Cell(text(number(row["left_out_tokens_per_s"])), row["left_out_tokens_per_s"]),
            Cell(text(f"{off:+.0%}".replace("%", " %")), off),
            text(row["workload"] or "not stated"),
            text(row["protocol"]),
            Cell(text(number(row["read_gbps"])), row["read_gbps"]),
        ]
    )
