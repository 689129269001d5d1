"""The picture of README.md: errors on machines left out, beside what the model has to beat.

It is drawn from a model file alone, so it changes when the model does and with nothing else.
"""

from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from models.record import FittedModel, load_model
from sitegen.chart import LIGHT, darkened
from sitegen.errors import ALL

OURS = "Rigbook"
WIDTH = 420
WORST = 1.0
"""Errors beyond 100 % are drawn at the edge: their bars would hide all others."""


def cover(model: FittedModel) -> str:
    """Draw the picture for light pages."""
    base = alt.Chart(alt.InlineData(values=_bars(model)))
    order = alt.Y("predictor:N", sort=None, title=None, axis=alt.Axis(labelLimit=330, ticks=False))
    scale = alt.Scale(domain=[0, WORST])
    title = "Error on machines left out: bar = median, tick = 80 % are below"
    x = alt.X("median:Q", title=title, scale=scale, axis=alt.Axis(format=".0%", tickCount=5))
    colour = alt.condition(
        f"datum.predictor === '{OURS}'", alt.value(LIGHT.mark), alt.value(LIGHT.soft)
    )
    bars = base.mark_bar(height=13).encode(x=x, y=order, color=colour)
    ticks = base.mark_tick(color=LIGHT.band, thickness=3, size=15).encode(x="p80:Q", y=order)
    words = {"labelColor": LIGHT.ink, "titleColor": LIGHT.ink, "labelFontSize": 12}
    axis: dict[str, Any] = {**words, "titleFontWeight": "normal", "gridColor": LIGHT.grid}
    drawn: str = vl_convert.vegalite_to_svg(
        alt.layer(bars, ticks)
        .properties(width=WIDTH, background="transparent")
        .configure(font="system-ui, sans-serif", axis=axis, view={"stroke": None})
        .to_dict()
    )
    return drawn


def _bars(model: FittedModel) -> list[dict[str, Any]]:
    """List the predictors, the best first; variants of our own are for the method page."""
    told = [
        {
            "predictor": name,
            "median": min(by[ALL]["median_ape"], WORST),
            "p80": min(by[ALL]["p80_ape"], WORST),
        }
        for name, by in model.evaluation["scores"].items()
        if name == OURS or not name.startswith(OURS)
    ]
    return sorted(told, key=lambda one: (one["median"], one["predictor"]))


def write_cover(model: Path, folder: Path) -> None:
    """Write the picture of the model file for light and for dark pages into `folder`."""
    light = cover(load_model(model))
    (folder / "cover.svg").write_text(f"{light}\n", encoding="utf-8")
    (folder / "cover.dark.svg").write_text(f"{darkened(light)}\n", encoding="utf-8")
