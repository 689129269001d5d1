"""A page a slug: its own runs, and apart from them the same weights launched otherwise."""

from collections.abc import Iterator

from sitegen import experiments, sections
from sitegen.address import from_page, slug_page, variant_page
from sitegen.comparison import LAUNCHES, OWN, Show
from sitegen.config import Launches, config
from sitegen.escape import Html, inside, text
from sitegen.figure import Figure, figures, pictures_of
from sitegen.fitted import Fitted, target_of
from sitegen.gaps import gaps
from sitegen.lead import lead
from sitegen.names import model_name
from sitegen.numbers import ABSENT, number, value
from sitegen.page import Page, facts, page, paragraph, section
from sitegen.record import Record, Row, rows_of
from sitegen.residuals import fitted_rows, residuals
from sitegen.sweep_figure import sweep_figures, sweeps_section


def slug_pages(record: Record, fitted: Fitted, launches: Launches) -> Iterator[Page]:
    """Make the page of every slug of the catalogue, with rows or without."""
    for entry in record.slugs.values():
        yield _slug(record, fitted, launches, entry)


def slug_page_of(record: Record, fitted: Fitted, launches: Launches, slug: str) -> Page:
    """Make the page of one slug; raises KeyError when the catalogue has no such slug."""
    return _slug(record, fitted, launches, record.slugs[slug])


def _slug(record: Record, fitted: Fitted, launches: Launches, entry: Row) -> Page:
    slug = entry["slug"]
    address = slug_page(slug)
    own = [run for run in record.runs if run["slug"] == slug]
    kin = [run for run in record.runs if run["slug"] != slug and same_weights(run, entry)]
    rows = rows_of(record, own)
    target = target_of(fitted, slug, entry["model"], entry["quant"])
    others = rows_of(record, kin)
    drawn = figures(record, fitted, address, target, rows, kin=others)
    swept, beside = sweep_figures(record, address, rows), _beside_sweeps(record, address, others)
    blocks = [
        *lead(record, fitted, entry, target, rows),
        catalogue_facts(record, address, entry),
        *_own(record, address, own, rows, drawn),
        *residuals(record, address, fitted_rows(fitted, slug, entry["model"], entry["quant"])),
        *sweeps_section(swept),
        *config(record, launches, address, entry, own),
        *gaps(record, entry, rows),
        *_kin(record, address, kin, beside),
        *experiments.of_weights(record, address, entry),
    ]
    name = model_name(record, entry["model"])
    rigs = len({run["rig_id"] for run in own})
    description = f"{slug}: measured tokens/s of {name} ({entry['quant']}) on {rigs} rigs."
    return page(address, slug, description, blocks, pictures_of([*drawn, *swept, *beside]))


def same_weights(run: Row, entry: Row) -> bool:
    """Tell whether a run served the weights of a slug."""
    return bool(run["model"] == entry["model"] and run["quant"] == entry["quant"])


def catalogue_facts(record: Record, address: str, entry: Row) -> Html:
    """Tell what the catalogue says of a slug."""
    variant = variant_page(entry["model"], entry["quant"])
    words = f"{model_name(record, entry['model'])}, {entry['quant']}"
    ram = entry["host_ram_gib"]
    return facts(
        [
            ("Variant", inside(from_page(address, variant), words)),
            ("Engine", text(entry["engine"])),
            ("Reference cards", text(f"{entry['cards']} × {entry['reference_gpu']}")),
            ("Experts in host RAM", text(entry["offload"])),
            ("Host RAM, worst case", value(ram, unit="GiB")),
            ("Drafter", _drafter(entry)),
            ("Context", text(number(entry["ctx"])) or ABSENT),
            ("Life cycle", text(entry["status"])),
        ]
    )


def _drafter(entry: Row) -> Html:
    if not entry["drafter"]:
        return text("none")
    depth = f", depth {entry['drafter_depth']}" if entry["drafter_depth"] is not None else ""
    return text(f"{entry['drafter']}{depth}")


def _own(
    record: Record, address: str, runs: list[Row], rows: list[Row], drawn: list[Figure]
) -> list[str]:
    return [
        section("Decode", "decode"),
        sections.decode(record, address, rows),
        *(one.shown for one in drawn),
        sections.oddities(record, runs),
        *_beside(record, address, rows),
        *sections.verdicts(record, address, runs),
        *sections.failures(record, address, runs),
    ]


def _beside(record: Record, address: str, rows: list[Row], show: Show = OWN) -> list[str]:
    shown = [
        *sections.quantities(record, address, rows, show),
        sections.others(record, address, rows),
    ]
    return [block for block in shown if block]


def _beside_sweeps(record: Record, address: str, rows: list[Row]) -> list[Figure]:
    return sweep_figures(record, address, rows, "other-")


def _kin(record: Record, address: str, runs: list[Row], swept: list[Figure]) -> list[str]:
    if not runs:
        return []
    told = (
        "These rigs served the same weights, but with another engine, cache, drafter or placement "
        "than this slug's, or their report does not say. They are not this slug's results."
    )
    rows = rows_of(record, runs)
    return [
        section("Same weights, other launch", "other-launch"),
        paragraph(text(told)),
        sections.decode(record, address, rows, LAUNCHES),
        *(one.shown for one in swept),
        *_beside(record, address, rows, LAUNCHES),
        *sections.failures(record, address, runs),
    ]
