"""Answers for a few rigs, worked out at build time: the predictor page without JavaScript."""

from typing import NamedTuple

from models.answer import Answer
from models.predict import predict
from models.record import FittedModel
from models.request import GpuRequest, Request
from sitegen.address import from_page, slug_page
from sitegen.escape import Html, inside, text
from sitegen.fitted import Fitted
from sitegen.page import paragraph
from sitegen.table import Cell, Column, Line, table

SHOWN = 4
"""Answers a rig: the fastest of as many models."""


class Example(NamedTuple):
    """A rig that many have, by the words people use for it."""

    words: str
    request: Request


TWO_3090 = (GpuRequest("RTX 3090", 2),)

EXAMPLES = (
    Example(
        "Desktop, DDR5-6000, two channels, 16 cores, 128 GiB, two RTX 3090",
        Request(channels=2, mts=6000, cpu="Ryzen 9 9950X", ram_gib=128, gpus=TWO_3090),
    ),
    Example(
        "Threadripper, DDR4-3200, four channels, 16 cores, 192 GiB, two RTX 3090",
        Request(
            channels=4,
            mts=3200,
            cpu="Threadripper 1950X",
            ram_gib=192,
            gpus=TWO_3090,
        ),
    ),
    Example(
        "EPYC 7543, DDR4-3200, eight channels, 256 GiB, two RTX 3090",
        Request(channels=8, mts=3200, cpu="EPYC 7543", ram_gib=256, gpus=TWO_3090),
    ),
    Example(
        "EPYC 9354, DDR5-4800, twelve channels, 384 GiB, two RTX 5090",
        Request(
            channels=12, mts=4800, cpu="EPYC 9354", ram_gib=384, gpus=(GpuRequest("RTX 5090", 2),)
        ),
    ),
)


def examples(fitted: Fitted) -> Html:
    """Make the table, or say that there is no model yet."""
    if fitted.model is None:
        return paragraph(text("No model has been fitted to this record yet."), "missing")
    columns = (
        Column("Rig", wide=True), Column("Slug", wide=True), Column("Tokens/s", numeric=True),
        Column("80 % interval", numeric=True), Column("Host RAM, GiB", numeric=True),
        Column("Limit"), Column("Evidence"),
    )  # fmt: skip
    lines = [line for example in EXAMPLES for line in _lines(fitted.model, example)]
    return table(
        "Decode speed of narrative text, the fastest slug of each model that fits", columns, lines
    )


def _lines(model: FittedModel, example: Example) -> list[Line]:
    best: dict[str, Answer] = {}
    for one in predict(model, None, example.request):
        if one.fits and not any(warning.code == "few-cards" for warning in one.warnings):
            best.setdefault(one.model, one)
    return [_line(example, one) for one in list(best.values())[:SHOWN]]


def _line(example: Example, one: Answer) -> Line:
    slug = one.slug or ""
    interval = f"{one.low:.1f}–{one.high:.1f}"
    return Line(
        [
            text(example.words),
            # The table stands on /predict/, one level below the root as the home page's parts are.
            inside("../" + from_page("/", slug_page(slug)), slug),
            Cell(text(f"{one.tokens_per_s:.1f}"), one.tokens_per_s),
            Cell(text(interval), one.low),
            Cell(text(f"{one.host_ram_gib:.0f}"), one.host_ram_gib),
            text(one.limit),
            text(f"{one.basis}, {one.rows} own rows"),
        ]
    )
