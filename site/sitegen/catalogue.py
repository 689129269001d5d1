"""The catalogue: a slug a row with what it needs, to be filtered by what a rig has."""

from collections import Counter

from ingest.catalog import Slug
from sitegen.config import Launches
from sitegen.escape import NOTHING, Html, joined, text
from sitegen.names import model_name, slug_link
from sitegen.numbers import ABSENT, number, value
from sitegen.page import Page, heading, page, paragraph
from sitegen.record import Record, Row
from sitegen.table import MOST_LISTED, Cell, Column, Line, table, without_empty

CATALOGUE = "catalogue"

COLUMNS = (
    Column("Slug", wide=True),
    Column("Model, quant", wide=True),
    Column("Host RAM, worst, GiB", numeric=True, limit="My host RAM, GiB",
           title="The catalogue's header: all routed experts in host RAM"),
    Column("Expected, GiB", numeric=True, title="Planned on the reference cards"),
    Column("Cards", numeric=True, limit="My cards"),
    Column("Made for"),
    Column("Experts"),
    Column("Drafter", wide=True),
    Column("Expert cache"),
    Column("Context", numeric=True),
    Column("Engine, from build", wide=True),
    Column("Life cycle"),
    Column("Rigs", numeric=True),
)  # fmt: skip


def catalogue_page(record: Record, launches: Launches) -> Page:
    """Make the page: slugs with experts in host RAM, then those all on the cards."""
    rigs = Counter(slug for slug, _ in {(run["slug"], run["rig_id"]) for run in record.runs})
    in_ram = [entry for entry in record.slugs.values() if entry["offload"] != "none"]
    resident = [entry for entry in record.slugs.values() if entry["offload"] == "none"]
    told = (
        "Every slug with what it needs. Give what your rig has, and slugs that need more are "
        "hidden. Worst is all routed experts in host RAM; expected is what the planner leaves "
        "there on the reference cards. Rigs counts machines that have reported a run."
    )
    blocks = [
        paragraph(text(told)),
        heading("Experts in host RAM", "host-ram"),
        _table(record, launches, "Slugs with experts in host RAM", in_ram, rigs),
        heading("All on the cards", "resident"),
        _table(record, launches, "Slugs that stay on the cards", resident, rigs),
    ]
    return page(CATALOGUE, "Catalogue", "Every slug with what it needs of a rig.", blocks)


def _table(
    record: Record, launches: Launches, caption: str, entries: list[Row], rigs: Counter[str]
) -> Html:
    lines = [_line(record, launches, entry, rigs[entry["slug"]]) for entry in entries]
    return table(caption, *without_empty(COLUMNS, lines, ABSENT), most=MOST_LISTED)


def _line(record: Record, launches: Launches, entry: Row, rigs: int) -> Line:
    ram = entry["host_ram_gib"]
    return Line(
        [
            Cell(slug_link(CATALOGUE, entry["slug"]), entry["slug"]),
            text(f"{model_name(record, entry['model'])}, {entry['quant']}"),
            Cell(value(ram), ram),
            _expected(launches, entry),
            Cell(text(entry["cards"]), entry["cards"]),
            text(entry["reference_gpu"]),
            text(entry["offload"]),
            _drafter(entry),
            text("yes") if entry["expert_cache"] else ABSENT,
            Cell(value(entry["ctx"]), entry["ctx"]),
            _engine(launches.shelf.catalog.slugs[entry["slug"]]),
            text(entry["status"]),
            Cell(text(number(rigs)), rigs),
        ]
    )


def _expected(launches: Launches, entry: Row) -> Cell:
    """Tell what the planner leaves in host RAM, where the slug could be planned."""
    found = launches.references.get(entry["slug"])
    if found is None or found.plan is None:
        return Cell(ABSENT)
    gib = found.plan.need.total_gib
    return Cell(text(number(round(gib))), gib)


def _drafter(entry: Row) -> Html:
    if not entry["drafter"]:
        return text("none")
    depth = entry["drafter_depth"]
    return text(f"{entry['drafter']}{f', depth {depth}' if depth is not None else ''}")


def _engine(slug: Slug) -> Html:
    floor = slug.engine_floor
    return joined([text(slug.engine), Html(f"<small>{text(floor)}</small>") if floor else NOTHING])
