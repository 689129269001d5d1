"""Read new threads with a label into bundles below `out/reports/`.

`THREADS` says where: `owner/name:label`, several with commas between. A thread that the record has
as a source is passed over. Figures carry over, other people's sentences do not: the raw text kept
is the collected rows.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from api import call
from event import HANDLE, REPOSITORY, refuse

from ingest.bundle import Bundle, Source, bundle_id
from ingest.catalog import Catalog, load_catalog
from ingest.filing import draft, write_draft
from ingest.folder import bundle_folders
from ingest.readers.reader import read

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,49}")
MAX_THREADS = 10
"""As many as a person reads at once; the rest waits for the next run."""


def main() -> int:
    """List, read, file."""
    out = Path(os.environ.get("OUT", "out"))
    (out / "reports").mkdir(parents=True, exist_ok=True)
    catalog, _ = load_catalog(Path("data/catalog"))
    known, found = _known(Path("data/reports")), 0
    for where in filter(None, os.environ.get("THREADS", "").split(",")):
        name, _, label = where.strip().partition(":")
        if not REPOSITORY.fullmatch(name) or not LABEL.fullmatch(label):
            refuse(f"THREADS should be owner/name:label, got {where!r}")
        for thread in call("GET", f"/repos/{name}/issues?labels={quote(label)}&per_page=100"):
            url = f"github.com/{name}/issues/{int(thread['number'])}"
            if found < MAX_THREADS and url not in known:
                found += _file(thread, url, catalog, out / "reports")
    (out / "summary.md").write_text(f"{found} threads that the record does not have.\n")
    sys.stdout.write(f"{found} new threads\n")
    return 0


def _known(reports: Path) -> set[str]:
    """List the addresses that the record has as sources."""
    found = set()
    for folder in bundle_folders(reports):
        document = json.loads((folder / "report.json").read_text("utf-8"))
        found |= {source["url"].partition("#")[0] for source in document["sources"]}
    return found


def _file(thread: dict[str, Any], url: str, catalog: Catalog, reports: Path) -> bool:
    """File what a thread's first post tells; False where it tells nothing."""
    author = str(thread["user"]["login"])
    if not HANDLE.fullmatch(author):
        return False
    source = Source(kind="issue", url=url, author=author, date=str(thread["created_at"])[:10])
    reading = read(str(thread["body"] or "").encode(), source, catalog, None)
    for one in reading.understood:
        bundle, rows = collected(one.bundle)
        write_draft(reports, draft(bundle, url.partition("/")[2], ("rows.jsonl", rows)))
    return bool(reading.understood)


def collected(bundle: Bundle) -> tuple[Bundle, str]:
    """Keep the figures as rows instead of the text: no line of the text is pointed at."""
    rows = "".join(
        json.dumps({"run": run.id, **m.model_dump(mode="json", exclude_defaults=True,
                                                  exclude={"evidence"})}) + "\n"
        for run in bundle.runs
        for m in run.measurements
    )  # fmt: skip
    document = without_lines(bundle.model_dump(mode="json", exclude_defaults=True))
    document.pop("submitter", None)  # who writes elsewhere has submitted nothing here
    document["id"] = bundle_id([source.url for source in bundle.sources], rows)
    return Bundle.model_validate(document), rows


def without_lines(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Drop every `line` and free note from evidence and provenance."""
    if isinstance(value, dict):
        return {key: without_lines(inner) for key, inner in value.items() if key != "line"}
    if isinstance(value, list):
        return [without_lines(inner) for inner in value]
    return value


if __name__ == "__main__":
    sys.exit(main())
