"""Where a row comes from: who told it, who told it again, and how far it can be trusted."""

from collections.abc import Sequence

from sitegen.address import from_page, rig_page
from sitegen.escape import Html, inside, joined, text
from sitegen.record import Record, Row
from sitegen.run import source


def origin(record: Record, page: str, run: Row, figures: Sequence[Row]) -> Html:
    """Write the sources of some figures of one run, with every place that published them again."""
    links = list(dict.fromkeys(source(row) for row in figures))
    again = [Html(f"also {source(row)}") for row in record.reposts.get(run["run_id"], ())]
    notes = [_small(note) for note in (*again, *_notes(record, page, run, figures))]
    return joined([*links, *notes], "<br>")


def _small(shown: Html) -> Html:
    return Html(f"<small>{shown}</small>")


def _notes(record: Record, page: str, run: Row, figures: Sequence[Row]) -> list[Html]:
    """Tell of a run that repeats another, of one that did not end well, and of the trust in it."""
    notes = []
    if run["duplicate_of"]:
        other = record.runs_by_id[run["duplicate_of"]]["rig_id"]
        address = from_page(page, rig_page(other))
        notes.append(Html(f"repeats {inside(address, record.machines[other]['label'])}"))
    if run["outcome"] != "ok":
        notes.append(text(f"run {run['outcome']}"))
    trusted = [row for row in figures if row["trust"]]
    if trusted:
        notes.append(text(max(trusted, key=lambda row: row["trust_level"])["trust"]))
    return notes
