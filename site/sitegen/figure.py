"""A chart on a page: the picture in both schemes, a summary in words, and its table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sitegen.address import from_page, rig_page
from sitegen.chart import darkened, spec, svg
from sitegen.escape import Html, inside, text
from sitegen.fitted import Fitted, comparable, curve_of, reads_factor, told
from sitegen.live import live
from sitegen.numbers import inferred, number, span
from sitegen.page import CHARTS, Picture, picture
from sitegen.points import Cloud, Point, clouds
from sitegen.record import Record, Row
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table

MOST = 4
"""Charts on one page; further protocols and workloads stand in the tables."""


class Figure(NamedTuple):
    """What goes into the page, and its pictures."""

    shown: Html
    pictures: tuple[Picture, ...]


def figures(
    record: Record,
    fitted: Fitted,
    address: str,
    target: str | None,
    own: Sequence[Row],
    *,
    kin: Sequence[Row] = (),
) -> list[Figure]:
    """Draw decode against bandwidth, one chart a protocol and workload."""
    found = clouds(record, own, kin, lambda figure: reads_factor(fitted, figure))[:MOST]
    return [
        _figure(fitted, address, _curve_target(record, fitted, target, cloud), cloud)
        for cloud in found
    ]


def _curve_target(record: Record, fitted: Fitted, target: str | None, cloud: Cloud) -> str | None:
    canonical = bool(record.protocols[cloud.protocol]["canonical"])
    return target if target and comparable(fitted, target, canonical=canonical) else None


def pictures_of(drawn: Sequence[Figure]) -> list[Picture]:
    """List the files of some figures."""
    return [one for figure in drawn for one in figure.pictures]


def _figure(fitted: Fitted, address: str, target: str | None, cloud: Cloud) -> Figure:
    curve = curve_of(fitted, target, cloud)
    name = f"{cloud.protocol}--{cloud.workload or 'any'}"
    words = summary(cloud)
    if target and curve:
        words = f"{words} {told(target, cloud)}"
    return framed(address, name, spec(cloud.points, curve), words, _table(address, cloud))


def framed(
    address: str,
    name: str,
    stated: dict[str, Any],
    words: str,
    tabled: Html,
    *,
    kind: str = "chart",
) -> Figure:
    """Put a drawing into a page: both schemes, its summary, and its table below.

    What the pictures were drawn of lies beside them, for the live chart.
    """
    light = svg(stated)
    stem = "--".join((*address.split("/"), name))
    pictures = (
        picture(f"{stem}.svg", light)._replace(spec=live(stated)),
        picture(f"{stem}.dark.svg", darkened(light)),
    )
    images = "".join(
        f'<img class="{scheme}" src="{text(from_page(address, CHARTS) + drawn.name)}"'
        f' alt="{text(words)}" width="{drawn.width}" height="{drawn.height}" loading="lazy">'
        for scheme, drawn in zip(("light", "dark"), pictures, strict=True)
    )
    caption = Html(f"<figcaption>{text(words)}</figcaption>")
    address_of_spec = text(f"{from_page(address, CHARTS)}{stem}.json")
    chart = (
        f'<figure class="{kind}" data-chart="{address_of_spec}" data-search-exclude>'
        f"{images}{caption}</figure>"
    )
    return Figure(Html(f"{chart}\n{tabled}"), pictures)


def title(cloud: Cloud) -> str:
    """Name a chart by what its points share."""
    return f"Decode against bandwidth, {cloud.workload or 'workload not stated'}, {cloud.protocol}"


def summary(cloud: Cloud) -> str:
    """Say in words what the picture shows."""
    rigs = len({point.rig_id for point in cloud.points})
    reads = [point.reads_gbps for point in cloud.points]
    others = any(not point.own for point in cloud.points)
    rates = [point.tokens_per_s for point in cloud.points]
    return (
        f"{title(cloud)}: {len(cloud.points)} points of {rigs} "
        f"{'rig' if rigs == 1 else 'rigs'}, "
        f"{span(min(reads), max(reads))} GB/s, {span(min(rates), max(rates))} tokens/s. "
        "Hollow marks: inferred, or a rated bandwidth."
        f"{' Small grey marks: same weights, other launch.' if others else ''}"
    )


def _table(address: str, cloud: Cloud) -> Html:
    columns = (
        Column("Rig"), Column("Served as"), Column("Decode, tokens/s", numeric=True),
        Column("Read bandwidth, GB/s", numeric=True), Column("Bandwidth as stated"),
    )  # fmt: skip
    lines = [
        _line(address, point) for point in sorted(cloud.points, key=lambda one: one.reads_gbps)
    ]
    return folded(f"The points of this chart ({len(lines)})", table(title(cloud), columns, lines))


def _line(address: str, point: Point) -> Line:
    reads = text(number(point.reads_gbps))
    return Line(
        [
            Cell(inside(from_page(address, rig_page(point.rig_id)), point.label), point.label),
            text(point.served),
            Cell(text(number(point.tokens_per_s)), point.tokens_per_s),
            Cell(inferred(reads) if point.inferred else reads, point.reads_gbps),
            text(point.stated),
        ]
    )
