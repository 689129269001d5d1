"""What a browser draws a chart of: its Vega-Lite statement, and Vega itself from our own origin."""

import json
from typing import Any

import vl_convert

from sitegen.chart import DARK, LIGHT

BUNDLE = "vega.js"
"""Beside the charts; `assets/charts.js` fetches it when the first one scrolls into view."""


def live(stated: dict[str, Any]) -> str:
    """Write a chart's statement, with the colours that a dark page has instead."""
    dark = dict(zip(LIGHT, DARK, strict=True))
    return json.dumps({**stated, "usermeta": {"dark": dark}}, separators=(",", ":"))


def bundle() -> str:
    """Give Vega, Vega-Lite and vega-embed as one module: vl-convert carries them."""
    script: str = vl_convert.javascript_bundle("export { vegaEmbed };")
    return script
