"""Charts as pictures: decode against bandwidth, drawn by Altair and vl-convert at build time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from models.answer import Point as CurvePoint
from sitegen.points import Point

WIDTH, HEIGHT = 640, 340

MOST_NAMES = 8
"""More names than this lie over each other."""

# Shapes tell methods apart, so colour carries nothing alone; palettes pass 4.5:1 on their page.
_SHAPES = [
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left", "stroke",
]  # fmt: skip


class Palette(NamedTuple):
    """Colours of one scheme."""

    ink: str
    soft: str
    grid: str
    mark: str
    band: str


LIGHT = Palette(ink="#24323a", soft="#56646b", grid="#dde4e7", mark="#0b5a75", band="#b45309")
DARK = Palette(ink="#dbe4e8", soft="#a9b7be", grid="#37454d", mark="#7fd0ea", band="#ffb877")


def svg(points: Sequence[Point], curve: Sequence[CurvePoint], palette: Palette) -> str:
    """Draw the points, with the model's curve and band behind them when there is one."""
    layers: list[Any] = []
    if curve:
        layers += _curve(curve, palette)
    layers += _points(points, palette)
    chart = (
        alt.layer(*layers)
        .properties(width=WIDTH, height=HEIGHT, background="transparent")
        .resolve_scale(shape="shared")
        .configure(**_config(palette))
    )
    drawn: str = vl_convert.vegalite_to_svg(chart.to_json())
    return drawn


def _x(field: str) -> alt.X:
    title = "Read bandwidth, GB/s (each method brought to reads)"
    return alt.X(
        field,
        type="quantitative",
        title=title,
        scale=alt.Scale(zero=True, nice=True),
        axis=alt.Axis(tickCount=8),
    )


def _curve(curve: Sequence[CurvePoint], palette: Palette) -> list[Any]:
    base = alt.Chart(alt.InlineData(values=[point._asdict() for point in curve]))
    band = base.mark_area(color=palette.band, opacity=0.18).encode(
        x=_x("triad_gbps"), y=alt.Y("low:Q", title="Decode, tokens/s"), y2="high:Q"
    )
    line = base.mark_line(color=palette.band, strokeWidth=2, strokeDash=[6, 3]).encode(
        x=_x("triad_gbps"), y="tokens_per_s:Q"
    )
    return [band, line]


def _points(points: Sequence[Point], palette: Palette) -> list[Any]:
    base = alt.Chart(alt.InlineData(values=[point._asdict() for point in points]))
    methods = sorted({point.method for point in points})
    shape = alt.Shape(
        "method:N",
        title="Bandwidth by",
        scale=alt.Scale(
            domain=methods, range=[_SHAPES[i % len(_SHAPES)] for i in range(len(methods))]
        ),
        legend=alt.Legend(orient="bottom", columns=4),
    )
    ranges = (
        base.transform_filter("datum.low != null && datum.high != null")
        .mark_rule(color=palette.mark, opacity=0.7)
        .encode(x=_x("reads_gbps"), y=alt.Y("low:Q", title="Decode, tokens/s"), y2="high:Q")
    )
    own = "datum.own"
    marks = base.mark_point(strokeWidth=1.6).encode(
        x=_x("reads_gbps"),
        y=alt.Y("tokens_per_s:Q", title="Decode, tokens/s"),
        shape=shape,
        # Hollow: the rate or the bandwidth was inferred, or is the DIMMs' rating.
        fillOpacity=alt.condition("datum.inferred", alt.value(0), alt.value(0.85)),
        fill=alt.condition(own, alt.value(palette.mark), alt.value(palette.soft)),
        stroke=alt.condition(own, alt.value(palette.mark), alt.value(palette.soft)),
        size=alt.condition(own, alt.value(90), alt.value(35)),
    )
    return [ranges, marks, *_names(points, palette)]


def _names(points: Sequence[Point], palette: Palette) -> list[Any]:
    """Name the rigs at their points, where there are few enough to be read."""
    if len({point.rig_id for point in points}) > MOST_NAMES:
        return []
    upwards = sorted(points, key=lambda one: one.tokens_per_s)
    highest = {(point.rig_id, point.reads_gbps): point for point in upwards}
    middle = max(point.reads_gbps for point in points) / 2
    base = alt.Chart(alt.InlineData(values=[point._asdict() for point in highest.values()]))
    right = f"datum.reads_gbps > {middle!r}"
    words = base.mark_text(
        align=alt.ExprRef(f"{right} ? 'right' : 'left'"),
        dx=alt.ExprRef(f"{right} ? -9 : 9"),
        fontSize=10.5,
        color=palette.soft,
        limit=230,
    )
    return [words.encode(x=_x("reads_gbps"), y="tokens_per_s:Q", text="label:N")]


def _config(palette: Palette) -> dict[str, Any]:
    words = {"labelColor": palette.ink, "titleColor": palette.ink, "labelFontSize": 12}
    return {
        "font": "system-ui, sans-serif",
        "view": {"stroke": palette.grid},
        "axis": {
            **words,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": palette.grid,
            "domainColor": palette.soft,
            "tickColor": palette.soft,
        },
        "legend": {**words, "symbolStrokeColor": palette.mark, "symbolFillColor": palette.mark},
    }
