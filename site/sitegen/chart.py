"""Charts: decode against bandwidth, stated by Altair, drawn by vl-convert at build time."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from models.answer import Point as CurvePoint
from sitegen.points import Point

WIDTH, HEIGHT = 480, 290
"""CSS pixels before scaling: small, so that words stay readable on a phone."""

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


def spec(points: Sequence[Point], curve: Sequence[CurvePoint]) -> dict[str, Any]:
    """State a chart of the points, with the model's curve and band behind them if any."""
    datasets = {
        "points": [point._asdict() for point in points],
        "names": _names(points),
        "curve": [point._asdict() for point in curve],
    }
    return {**_template(with_curve=bool(curve)), "datasets": datasets}


def svg(stated: dict[str, Any]) -> str:
    """Draw a chart on a light page."""
    drawn: str = vl_convert.vegalite_to_svg(stated)
    return drawn


def darkened(drawn: str) -> str:
    """Recolour a chart for a dark page: a fraction of the time of drawing it again."""
    for light, dark in zip(LIGHT, DARK, strict=True):
        drawn = drawn.replace(light, dark)
    return drawn


@cache
def _template(*, with_curve: bool) -> dict[str, Any]:
    """Build the chart without its data, once: checking it costs more than drawing it."""
    layers = [*(_curve() if with_curve else []), *_points(), _words()]
    stated: dict[str, Any] = (
        styled(alt.layer(*layers), WIDTH, HEIGHT).resolve_scale(shape="shared").to_dict()
    )
    return stated


def styled(chart: Any, width: int, height: int) -> Any:  # noqa: ANN401 - altair's own
    """Give a chart its size and the look that all charts share."""
    sized = chart.properties(width=width, height=height, background="transparent")
    return sized.configure(**_config())


def _x(field: str) -> alt.X:
    title = "Read bandwidth, GB/s (each method brought to reads)"
    return alt.X(
        field,
        type="quantitative",
        title=title,
        scale=alt.Scale(zero=True, nice=True),
        axis=alt.Axis(tickCount=8),
    )


def _y(field: str) -> alt.Y:
    return alt.Y(field, type="quantitative", title="Decode, tokens/s")


def _curve() -> list[Any]:
    base = alt.Chart(alt.NamedData(name="curve"))
    band = base.mark_area(color=LIGHT.band, opacity=0.18).encode(
        x=_x("triad_gbps"), y=_y("low"), y2="high:Q"
    )
    line = base.mark_line(color=LIGHT.band, strokeWidth=2, strokeDash=[6, 3]).encode(
        x=_x("triad_gbps"), y=_y("tokens_per_s")
    )
    return [band, line]


def _points() -> list[Any]:
    base = alt.Chart(alt.NamedData(name="points"))
    shape = alt.Shape(
        "method:N",
        title="Bandwidth by",
        scale=alt.Scale(range=_SHAPES),
        legend=alt.Legend(orient="bottom", columns=4),
    )
    ranges = (
        base.transform_filter("datum.low != null && datum.high != null")
        .mark_rule(color=LIGHT.mark, opacity=0.7)
        .encode(x=_x("reads_gbps"), y=_y("low"), y2="high:Q")
    )
    own = "datum.own"
    marks = base.mark_point(strokeWidth=1.6).encode(
        x=_x("reads_gbps"),
        y=_y("tokens_per_s"),
        shape=shape,
        # Hollow: the rate or the bandwidth was inferred, or is the DIMMs' rating.
        fillOpacity=alt.condition("datum.inferred", alt.value(0), alt.value(0.85)),
        fill=alt.condition(own, alt.value(LIGHT.mark), alt.value(LIGHT.soft)),
        stroke=alt.condition(own, alt.value(LIGHT.mark), alt.value(LIGHT.soft)),
        size=alt.condition(own, alt.value(90), alt.value(35)),
        tooltip=[
            alt.Tooltip("label:N", title="Rig"),
            alt.Tooltip("served:N", title="Served as"),
            alt.Tooltip("tokens_per_s:Q", title="Tokens/s", format=".3~g"),
            alt.Tooltip("reads_gbps:Q", title="Reads, GB/s", format=".3~g"),
        ],
    )
    return [ranges, marks]


def _names(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Name the rigs at their highest points, where there are few enough to be read."""
    if len({point.rig_id for point in points}) > MOST_NAMES:
        return []
    upwards = sorted(points, key=lambda one: one.tokens_per_s)
    highest = {(point.rig_id, point.reads_gbps): point for point in upwards}
    middle = max(point.reads_gbps for point in points) / 2
    return [
        {**point._asdict(), "on_the_right": point.reads_gbps > middle} for point in highest.values()
    ]


def _words() -> Any:  # noqa: ANN401 - altair's own
    base = alt.Chart(alt.NamedData(name="names"))
    words = base.mark_text(
        align=alt.ExprRef("datum.on_the_right ? 'right' : 'left'"),
        dx=alt.ExprRef("datum.on_the_right ? -9 : 9"),
        fontSize=10.5,
        color=LIGHT.soft,
        limit=230,
    )
    return words.encode(x=_x("reads_gbps"), y=_y("tokens_per_s"), text="label:N")


def _config() -> dict[str, Any]:
    words = {"labelColor": LIGHT.ink, "titleColor": LIGHT.ink, "labelFontSize": 12}
    return {
        "font": "system-ui, sans-serif",
        "view": {"stroke": LIGHT.grid},
        "axis": {
            **words,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": LIGHT.grid,
            "domainColor": LIGHT.soft,
            "tickColor": LIGHT.soft,
        },
        "legend": {**words, "symbolStrokeColor": LIGHT.mark, "symbolFillColor": LIGHT.mark},
    }
