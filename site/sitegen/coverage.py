"""What has been measured where: slugs by platform, and what nobody has reported yet."""

from collections import Counter, defaultdict

from sitegen.escape import Html, text
from sitegen.names import slug_link
from sitegen.numbers import ABSENT, number
from sitegen.page import Page, heading, page, paragraph
from sitegen.record import Record, Row
from sitegen.table import MOST_LISTED, Cell, Column, Line, table

COVERAGE = "coverage"

# Below this read bandwidth, GB/s: two, four and eight channels of the usual memory, roughly.
BANDS = ((70, "up to 70"), (140, "70 to 140"), (280, "140 to 280"), (float("inf"), "above 280"))
NO_BAND = "not reported"


def coverage_page(record: Record) -> Page:
    """Make the coverage page."""
    told = (
        "Machines that have a counting decode rate, for slugs with experts in host RAM, by the "
        "best bandwidth figure of the state, brought to read bandwidth. An empty field is worth "
        "a report."
    )
    blocks = [
        paragraph(text(told)),
        heading("Slugs by bandwidth", "slugs"),
        _grid(record),
        heading("Not measured yet", "missing"),
        _missing(record),
        heading("What is missing in rows", "fields"),
        _fields(record),
    ]
    return page(COVERAGE, "Coverage", "What has been measured where, and what is missing.", blocks)


def band(record: Record, state_id: str) -> str:
    """Name the band that a state's best-known read bandwidth falls in."""
    figures = [
        (not row["measured"], (row["gbps"] or row["high"] or row["low"]) * row["reads_per_gbps"])
        for row in record.bandwidths.get(state_id, [])
        if (row["gbps"] or row["high"] or row["low"]) and row["reads_per_gbps"]
    ]
    if not figures:
        return NO_BAND
    reads_gbps = min(figures)[1]
    return next(name for top, name in BANDS if reads_gbps <= top)


def _grid(record: Record) -> Html:
    rigs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in _decodes(record):
        if row["slug"] in record.slugs and record.slugs[row["slug"]]["offload"] != "none":
            rigs[row["slug"]][band(record, row["state_id"])].add(row["rig_id"])
    names = [name for _, name in BANDS] + [NO_BAND]
    columns = [Column("Slug"), *(Column(name, numeric=True) for name in names)]
    lines = [
        Line([slug_link(COVERAGE, slug), *(_count(len(rigs[slug][name])) for name in names)])
        for slug in sorted(rigs)
    ]
    return table("Machines by slug and read bandwidth, GB/s", columns, lines, most=MOST_LISTED)


def _decodes(record: Record) -> list[Row]:
    return [row for row in record.measurements if row["quantity"] == "decode" and row["counts"]]


def _count(count: int) -> Cell:
    return Cell(text(number(count)) if count else ABSENT, count)


def _missing(record: Record) -> Html:
    measured = {row["slug"] for row in _decodes(record)}
    items = "".join(
        f"<li>{slug_link(COVERAGE, slug)}</li>"
        for slug, entry in record.slugs.items()
        if slug not in measured and entry["offload"] != "none"
    )
    words = "Slugs with experts in host RAM that have no counting decode rate:"
    return Html(f"{paragraph(text(words))}<ul>{items}</ul>") if items else paragraph(text("None."))


def _fields(record: Record) -> Html:
    rows = _decodes(record)
    runs = record.runs_by_id
    known: Counter[str] = Counter()
    for row in rows:
        run, state = runs[row["run_id"]], record.states[row["state_id"]]
        figures = record.bandwidths.get(row["state_id"], [])
        known["Bandwidth, measured"] += any(one["measured"] for one in figures)
        known["Memory rate"] += state["mts"] is not None
        known["Processor in the catalogue"] += state["cpu"] is not None
        known["Cores"] += state["cores"] is not None
        known["Threads"] += run["threads"] is not None
        known["Layers on the CPU"] += run["layers_on_cpu"] is not None
        known["Drafter, or that there was none"] += run["drafter"] is not None
        known["Spread or repetitions"] += row["n"] is not None or row["sd"] is not None
    columns = (
        Column("Field"),
        Column("Rows that state it", numeric=True),
        Column("Of", numeric=True),
    )
    lines = [
        Line([text(name), _count(count), _count(len(rows))]) for name, count in known.most_common()
    ]
    return table("Fields stated for decode rates that count", columns, lines)
