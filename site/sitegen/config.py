"""The config section of a slug page: its reference launch, and which runs were measured on it."""

from collections.abc import Iterable
from typing import NamedTuple

from launch.ask import Ask, Shelf, plan_for
from launch.download import download_lines
from launch.formats import FORMATS
from launch.plan import Plan, launch_of
from launch.subject import PlanError
from launch.told import lines as told_lines
from sitegen.address import from_page, rig_page
from sitegen.escape import Html, joined, text, verbatim
from sitegen.numbers import ABSENT, measured
from sitegen.page import paragraph, section
from sitegen.record import Record, Row
from sitegen.run import rig
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table, without_empty

MODELS = "/models"
"""Where a launch line looks for the weights, until a person says otherwise."""

NAMES = {
    "argv": "As a line for the shell",
    "compose": "As a compose file",
    "systemd": "As a systemd unit",
    "llama-swap": "As an entry for llama-swap",
}

BASES = {
    "measured": "The memory budget was measured with this very launch.",
    "derived": "The memory budget was derived from tensor sizes; nobody has measured it so.",
    "extrapolated": "Sizes of this model were inferred: check the first boot's memory.",
}


class Reference(NamedTuple):
    """A slug's reference launch: a plan, or why there is none."""

    plan: Plan | None
    reason: str


class Launches(NamedTuple):
    """What ships, and the reference launch of every slug with experts in host RAM."""

    shelf: Shelf
    references: dict[str, Reference]


def plan_launches(record: Record, shelf: Shelf) -> Launches:
    """Plan every slug once: slug pages and the catalogue both show it."""
    in_ram = [entry for entry in record.slugs.values() if entry["offload"] != "none"]
    return Launches(shelf, {entry["slug"]: reference(shelf, entry) for entry in in_ram})


def reference(shelf: Shelf, entry: Row) -> Reference:
    """Plan a slug on its reference cards; the host's memory is the visitor's, so it stays open."""
    try:
        plan = plan_for(Ask(slug=entry["slug"]), shelf)
    except PlanError as error:
        return Reference(None, str(error))
    return Reference(plan, "")


def config(
    record: Record, launches: Launches, address: str, entry: Row, runs: list[Row]
) -> list[str]:
    """Write the section, for slugs with experts in host RAM."""
    if entry["slug"] not in launches.references:
        return []
    plan, reason = launches.references[entry["slug"]]
    head = section("Config", "config")
    if plan is None:
        return [head, paragraph(text(f"No launch line: {reason}."), "missing")]
    return [head, *_launch(launches.shelf, entry, plan), measured_on(record, address, plan, runs)]


def _launch(shelf: Shelf, entry: Row, plan: Plan) -> list[Html]:
    """Write the line open and its other forms folded; where it does not fit, only the reason."""
    cards = f"{entry['cards']} × {entry['reference_gpu']}"
    told = f"For {cards}, build {plan.server.build}. {BASES[plan.basis]}"
    yours = f"rigbook plan --slug {entry['slug']} --gpu 'YOUR CARD' --ram GIB"
    facts = folded("What lands where, and whether it fits", code(told_lines(plan)))
    fetched = folded("What to download", code(download_lines(plan.subject, shelf.catalog, MODELS)))
    if "model" in (plan.subject.config.unpublished if plan.subject.config else ()):
        yours += " --weights FIRST-FILE"
    ask = Html(f"{text('For your own cards and memory:')} <code>{text(yours)}</code>")
    if plan.card.fits is False:
        why = f"No line for these cards: {plan.card.said}."
        return [paragraph(text(told)), paragraph(text(why), "missing"), facts, paragraph(ask)]
    launch = launch_of(plan, shelf.launchers)
    first, *others = [
        (NAMES[name], code(write(launch).splitlines())) for name, write in FORMATS.items()
    ]
    return [
        paragraph(joined([basis(plan), text(told)])),
        first[1],
        *(folded(name, shown) for name, shown in others),
        facts,
        fetched,
        paragraph(ask),
    ]


def basis(plan: Plan) -> Html:
    """Mark what a line rests on."""
    return Html(f'<span class="basis {text(plan.basis)}">{text(plan.basis)}</span>')


def code(shown: Iterable[str]) -> Html:
    """Write lines to be copied. Its frame scrolls sideways, by key too."""
    block = verbatim("\n".join(shown))
    return Html(f'<pre class="launch" tabindex="0" data-search-exclude><code>{block}</code></pre>')


def differences(plan: Plan, run: Row) -> list[str]:
    """Name what a run stated otherwise than the reference; what it did not state is no news."""
    draft = plan.server.draft
    wanted = {
        "build": (run["engine_build"], plan.server.build),
        "context": (run["ctx"], plan.shape.ctx),
        "ubatch": (run["ubatch"], plan.shape.ubatch),
        "cache": (run["kv"], plan.shape.kv or "f16"),
        "drafter": (run["drafter"] and run["drafter"] != "none", draft is not None),
        "draft depth": (run["drafter_depth"], draft.depth if draft else None),
        "layers in RAM": (run["layers_on_cpu"], len(plan.layout.placement.on_cpu)),
        "cards": (run["gpus_used"], len(plan.cards.free_mib)),
    }
    return [
        f"{name} {_plain(had)}, not {_plain(should)}"
        for name, (had, should) in wanted.items()
        if had is not None and should is not None and had != should
    ]


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else str(value)


def measured_on(record: Record, address: str, plan: Plan, runs: list[Row]) -> Html:
    """List the slug's runs with their decode rates and what they set otherwise."""
    rates = {
        run["run_id"]: [
            row
            for row in record.rows_by_run.get(run["run_id"], ())
            if row["quantity"] == "decode" and row["streams"] in (None, 1)
        ]
        for run in runs
    }
    found = [run for run in runs if rates[run["run_id"]]]
    if not found:
        return paragraph(text("Nobody has reported a decode rate on this config yet."), "missing")
    columns = (Column("Rig"), Column("Decode, tokens/s"), Column("Set otherwise than here"))
    written = [
        Line([_rig(record, address, run), _rates(rates[run["run_id"]]), _otherwise(plan, run)])
        for run in found
    ]
    caption = f"Measured on this config ({len(found)} runs)"
    return table(caption, *without_empty(columns, written, ABSENT))


def _rig(record: Record, address: str, run: Row) -> Cell:
    label = record.machines[run["rig_id"]]["label"]
    return rig(run, label, from_page(address, rig_page(run["rig_id"])))


def _rates(rows: list[Row]) -> Cell:
    shown = [
        joined([measured(row), text(f"{row['workload'] or 'not stated'}, {row['protocol']}")])
        for row in rows
    ]
    return Cell(joined(shown, "<br>"), rows[0]["central"])


def _otherwise(plan: Plan, run: Row) -> Cell:
    found = differences(plan, run)
    return Cell(text("; ".join(found)) if found else ABSENT, float(len(found)))
