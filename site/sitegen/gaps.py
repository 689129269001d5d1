"""What nobody has reported of a slug yet: the rows that would help most."""

from collections.abc import Iterator, Sequence

from sitegen.coverage import BANDS, band
from sitegen.escape import Html, text
from sitegen.page import section
from sitegen.record import Record, Row


def gaps(record: Record, entry: Row, own: Sequence[Row]) -> list[str]:
    """Write the section, for slugs with experts in host RAM; nothing when nothing is missing."""
    missing = list(_missing(record, entry, [row for row in own if row["counts"]]))
    if not missing or entry["offload"] == "none":
        return []
    items = "".join(f"<li>{text(words)}</li>" for words in missing)
    return [section("Nobody has reported", "gaps"), Html(f"<ul>{items}</ul>")]


def _missing(record: Record, entry: Row, rows: Sequence[Row]) -> Iterator[str]:
    decodes = [row for row in rows if row["quantity"] == "decode"]
    canonical = [row for row in decodes if record.protocols[row["protocol"]]["canonical"]]
    for workload in ("narrative", "code"):
        if not any(row["workload"] == workload for row in canonical):
            yield f"canonical decode, {workload}"
    seen = {band(record, row["state_id"]) for row in decodes}
    for _, name in BANDS:
        if name not in seen:
            yield f"decode on a rig with {name} GB/s of read bandwidth, measured"
    wanted = [("prefill", "prefill"), ("ttft", "time to first token")]
    if entry["drafter"]:
        wanted.append(("acceptance", "the drafter's acceptance"))
    if entry["expert_cache"]:
        wanted.append(("hit_rate", "the expert cache's hit rate"))
    for quantity, words in wanted:
        if not any(row["quantity"] == quantity for row in rows):
            yield words
