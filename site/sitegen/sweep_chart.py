"""Sweeps as pictures: a line a rig, told apart by dash and shape as well as colour."""

import copy
from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt

from sitegen.chart import LIGHT, styled
from sitegen.sweeps import MOST, Sweep, Trace

_COLOURS = [LIGHT.mark, LIGHT.band, LIGHT.soft, LIGHT.mark, LIGHT.band, LIGHT.soft][:MOST]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [10, 4]][:MOST]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"][:MOST]

WIDTH, HEIGHT = 340, 240
"""CSS pixels before scaling: small, so that the names in the legend stay readable."""

LABEL_LIMIT = 340
"""CSS pixels of a name in the legend: the whole width of the chart."""


def sweep_spec(sweep: Sweep, lines: Sequence[Trace]) -> dict[str, Any]:
    """State a chart of the lines."""
    points = [
        {"line": line.label, "x": step.x, "y": step.tokens_per_s}
        for line in lines
        for step in line.steps
    ]
    return {**_filled(sweep, [line.label for line in lines]), "datasets": {"points": points}}


def _filled(sweep: Sweep, names: list[str]) -> dict[str, Any]:
    """Put axis titles and names into a copy of the chart: building it anew costs more."""
    spec = copy.deepcopy(_template())
    for layer in spec["layer"]:
        encoding = layer["encoding"]
        encoding["x"]["title"] = sweep.axis
        encoding["y"]["title"] = f"{sweep.title.partition(' ')[0]}, tokens/s"
        for channel in ("color", "strokeDash", "shape"):
            if channel in encoding:
                scale = encoding[channel]["scale"]
                scale["domain"], scale["range"] = names, scale["range"][: len(names)]
    return spec


@cache
def _template() -> dict[str, Any]:
    legend = alt.Legend(orient="bottom", columns=1, title=None, labelLimit=LABEL_LIMIT)
    base = alt.Chart(alt.NamedData(name="points")).encode(
        x=alt.X("x:Q", title="", axis=alt.Axis(tickCount=6, format="~s")),
        y=alt.Y("y:Q", title="", scale=alt.Scale(zero=True)),
        color=_scaled(alt.Color, _COLOURS, legend),
    )
    line = base.mark_line(strokeWidth=2).encode(
        # No legend of its own: dashes would tear the outlines of the legend's shapes.
        strokeDash=_scaled(alt.StrokeDash, _DASHES, None)
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=_scaled(alt.Shape, _SHAPES, legend),
        tooltip=[
            alt.Tooltip("line:N", title="Rig"),
            alt.Tooltip("x:Q", title="At"),
            alt.Tooltip("y:Q", title="Tokens/s", format=".3~g"),
        ],
    )
    spec: dict[str, Any] = styled(alt.layer(line, marks), WIDTH, HEIGHT).to_dict()
    return spec


def _scaled(
    channel: Any,  # noqa: ANN401 - one of altair's channels
    values: list[Any],
    legend: alt.Legend | None,
) -> Any:  # noqa: ANN401 - altair's own
    """Give each line its own value of a channel, in their order; names come later."""
    scale = alt.Scale(domain=[""] * len(values), range=values)
    return channel("line:N", scale=scale, legend=legend, sort=None)
