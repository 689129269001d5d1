"""Turn the issue of the event into bundles below `out/reports/`, and tell what came of it.

It may write nothing but `out/`: another job, which runs none of this text, proposes the files.
"""

import os
import sys
from pathlib import Path

from event import HANDLE, at, event, matching, number, refuse, repository

from ingest.bundle import Source
from ingest.catalog import load_catalog
from ingest.filing import draft, write_draft
from ingest.problem import has_errors
from ingest.readers.reader import read
from ingest.readers.reading import Reading
from sitegen.comment import code

LISTED = 50


def main() -> int:
    """Read, file, tell; 1 if nothing could be made of the issue."""
    payload = event()
    issue, author = number(payload, "issue.number"), matching(payload, "issue.user.login", HANDLE)
    body = at(payload, "issue.body")
    if not isinstance(body, str):
        refuse("issue.body should be text")
    out = Path(os.environ.get("OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    source = Source(kind="issue", url=f"github.com/{repository()}/issues/{issue}", author=author)
    catalog, _ = load_catalog(Path("data/catalog"))
    reading = read(body.encode(), source, catalog, None)
    for one in reading.understood:
        bundle = one.bundle.model_copy(update={"submitter": author})
        write_draft(out / "reports", draft(bundle, f"issue-{issue}", ("report.md", one.text)))
    (out / "number").write_text(f"{issue}\n")
    (out / "summary.md").write_text(summary(reading), encoding="utf-8")
    return 1 if has_errors(reading.problems) or not reading.understood else 0


def summary(reading: Reading) -> str:
    """Tell what was read, redacted and not understood."""
    lines = [f"Read {len(reading.understood)} bundle(s) from this issue."]
    lines += [f"- {code(p.where or p.path)}: {code(p.message)}" for p in reading.problems[:LISTED]]
    if reading.redacted:
        lines.append(f"\n{len(reading.redacted)} names, hosts or keys were taken out of the text.")
    if reading.unread:
        lines.append("\nNot understood:\n")
        lines += [f"- line {one.line}: {code(one.text)}" for one in reading.unread[:LISTED]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
