import re
import xml.etree.ElementTree as ET

import pytest

from models.answer import Point as CurvePoint
from sitegen.chart import DARK, LIGHT, MOST_NAMES, Palette, darkened, spec, svg
from sitegen.points import Point


def point(name: str, reads_gbps: float, *, inferred: bool = False, own: bool = True) -> Point:
    return Point(
        rig_id=name, label=name, served="x", reads_gbps=reads_gbps, stated="x", method="triad-v1",
        cores=16, tokens_per_s=reads_gbps / 5, low=None, high=None, inferred=inferred, own=own,
    )  # fmt: skip


POINTS = [
    point("<b>&one", 50.0),
    point("two", 100.0, inferred=True),
    point("three", 150.0, own=False),
]
CURVE = [CurvePoint(gbps, gbps / 6, gbps / 8, gbps / 4) for gbps in (40.0, 100.0, 160.0)]


def symbols(drawn: str) -> list[dict[str, str]]:
    root = ET.fromstring(drawn)  # noqa: S314 - drawn here
    return [one.attrib for one in root.iter() if "point" in one.get("aria-roledescription", "")]


def test_a_chart_is_well_formed_whatever_a_rig_is_called() -> None:
    texts = [one.text for one in ET.fromstring(svg(spec(POINTS, []))).iter()]  # noqa: S314 - drawn here
    assert "<b>&one" in texts


def test_inferred_points_are_hollow_and_other_launches_smaller_and_grey() -> None:
    one, two, three = symbols(svg(spec(POINTS, [])))
    assert float(one["fill-opacity"]) > 0.5
    assert float(two["fill-opacity"]) == 0
    assert (one["stroke"], three["stroke"]) == (LIGHT.mark, LIGHT.soft)
    assert len(one["d"]) > 0


def test_the_curve_has_a_line_and_a_band() -> None:
    with_curve, without = svg(spec(POINTS, CURVE)), svg(spec(POINTS, []))
    assert "mark-area" in with_curve
    assert 'stroke-dasharray="6,3"' in with_curve
    assert "mark-area" not in without


def test_a_picture_asks_for_nothing_outside_and_runs_nothing() -> None:
    drawn = darkened(svg(spec(POINTS, CURVE)))
    assert not re.search(r"<script|@import|<image|url\((?!#)", drawn)
    assert set(re.findall(r"https?://[^\"]*", drawn)) <= {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
    }  # fmt: skip


def test_many_rigs_are_not_named_over_each_other() -> None:
    crowd = [point(f"rig {n}", 10.0 * n) for n in range(1, MOST_NAMES + 2)]
    assert ">rig 1<" in svg(spec(crowd[:MOST_NAMES], []))
    assert ">rig 1<" not in svg(spec(crowd, []))


def test_a_dark_page_gets_every_colour_of_its_own() -> None:
    light = svg(spec(POINTS, CURVE))
    dark = darkened(light)
    colours = set(re.findall(r"#[0-9a-f]{6}", dark))
    assert colours <= set(DARK)
    assert set(re.findall(r"#[0-9a-f]{6}", light)) <= set(LIGHT)
    assert darkened(dark) == dark


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#ffffff"), (DARK, "#1e2129")])
def test_words_and_marks_pass_contrast_on_their_page(palette: Palette, page: str) -> None:
    for colour in (palette.ink, palette.soft, palette.mark, palette.band):
        high, low = sorted((luminance(colour), luminance(page)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour
