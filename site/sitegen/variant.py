"""A page a variant: one model at one quant, whoever serves it."""

from collections.abc import Iterator

from sitegen import sections
from sitegen.address import variant_page
from sitegen.comparison import LAUNCHES
from sitegen.escape import NOTHING, Html, joined, text
from sitegen.experiments import of_weights
from sitegen.figure import figures, pictures_of
from sitegen.fitted import Fitted, target_of
from sitegen.names import model_name, slug_link
from sitegen.numbers import ABSENT, inferred, value
from sitegen.page import Page, facts, page, section
from sitegen.record import Record, Row, rows_of
from sitegen.residuals import fitted_rows, residuals
from sitegen.sweep_figure import sweep_figures, sweeps_section

Pair = tuple[str | None, str | None]


_VARIANT_FACTS = (
    ("Routed experts", "routed_gib", "GiB"),
    ("Read for every token besides", "dense_gib", "GiB"),
    ("Bits a routed weight", "routed_bits", ""),
    ("File", "file_gib", "GiB"),
)


def variants(record: Record) -> dict[Pair, list[Row]]:
    """Gather the runs by what was served, models in order of their ids."""
    found: dict[Pair, list[Row]] = {}
    for run in sorted(record.runs, key=lambda run: (run["model"] or "~", run["quant"] or "~")):
        found.setdefault((run["model"], run["quant"]), []).append(run)
    return found


def variant_pages(record: Record, fitted: Fitted) -> Iterator[Page]:
    """Make the page of every model and quant that a run served, or that a slug names."""
    found = variants(record)
    for entry in record.slugs.values():
        found.setdefault((entry["model"], entry["quant"]), [])
    for (model, quant), runs in found.items():
        yield _variant(record, fitted, (model, quant), runs)


def _variant(record: Record, fitted: Fitted, pair: Pair, runs: list[Row]) -> Page:
    model, quant = pair
    address = variant_page(model, quant)
    rows = rows_of(record, runs)
    title = f"{model_name(record, model)}, {quant or 'quant unknown'}"
    rigs = len({run["rig_id"] for run in runs})
    target = target_of(fitted, None, model, quant)
    drawn = figures(record, fitted, address, target, rows)
    swept = sweep_figures(record, address, rows)
    blocks = [
        _facts(record, address, model, quant),
        section("Decode", "decode"),
        sections.decode(record, address, rows, LAUNCHES),
        *(one.shown for one in drawn),
        *residuals(record, address, fitted_rows(fitted, None, model, quant)),
        *sweeps_section(swept),
        sections.oddities(record, runs),
        *sections.quantities(record, address, rows, LAUNCHES),
        sections.others(record, address, rows),
        *sections.verdicts(record, address, runs),
        *sections.failures(record, address, runs),
        *of_weights(record, address, {"model": model, "quant": quant}),
    ]
    return page(
        address,
        title,
        f"{title}: measured tokens/s on {rigs} rigs.",
        blocks,
        pictures_of([*drawn, *swept]),
    )


def _facts(record: Record, address: str, model: str | None, quant: str | None) -> Html:
    pairs = [*_model_facts(record.models.get(model or ""))]
    variant = record.variants.get((model or "", quant or ""))
    if variant:
        guessed = variant["inferred"] or []
        pairs += [
            (term, value(variant[column], guessed=column in guessed, unit=unit))
            for term, column, unit in _VARIANT_FACTS
        ]
    slugs = [
        slug_link(address, entry["slug"])
        for entry in record.slugs.values()
        if (entry["model"], entry["quant"]) == (model, quant)
    ]
    pairs.append(("Slugs", joined(slugs, ", ") if slugs else ABSENT))
    return facts(pairs)


def _model_facts(entry: Row | None) -> list[tuple[str, Html]]:
    if entry is None:
        told = "not in the catalogue: the spelling is not mapped yet"
        return [("Model", text(told))]
    guessed = entry["inferred"] or []

    def shown(column: str, unit: str = "") -> Html:
        return value(entry[column], guessed=column in guessed, unit=unit)

    return [
        ("Family", text(entry["family"])),
        ("Parameters", shown("parameters_b", "billion")),
        ("Layers", shown("layers")),
        ("Experts", _experts(entry, guessed=any("experts" in one for one in guessed))),
    ]


def _experts(entry: Row, *, guessed: bool) -> Html:
    if not entry["experts"]:
        return ABSENT
    words = text(f"{entry['experts']}, {entry['experts_per_token'] or '?'} a token")
    return inferred(words) if guessed else words or NOTHING
