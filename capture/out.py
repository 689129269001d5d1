"""The working folder of a run: its journal, the server's log, and the bundle made of them."""

import shutil
from datetime import UTC, date, datetime
from pathlib import Path

from capture.journal import Journal
from capture.report import Drafted, drafted
from ingest.catalog import Catalog
from ingest.filing import write_draft
from ingest.misuse import Misuse

JOURNAL, BUNDLES, LOG = "journal.jsonl", "bundle", "server.log"


def today() -> date:
    """Tell a date that is in the future nowhere: the earlier of here and Greenwich."""
    return min(datetime.now(UTC).date(), datetime.now().astimezone().date())


class Out:
    """One folder; a run that is continued is continued here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise Misuse(f"{path} is a file; --out takes a folder")
        try:
            self.journal = Journal(path / JOURNAL)
        except ValueError as error:
            raise Misuse(f"{path / JOURNAL} is damaged ({error}); choose another --out") from error

    @property
    def log(self) -> Path:
        """Tell where a server that we start writes."""
        return self.path / LOG

    def write(self, catalog: Catalog, submitter: str | None = None) -> tuple[Path, Drafted]:
        """Make the bundle anew: a longer journal is another bundle, and the old one goes."""
        made = drafted(self.journal.lines, catalog, today(), submitter)
        bundles = self.path / BUNDLES
        if bundles.is_dir():
            shutil.rmtree(bundles)
        write_draft(bundles, made.draft)
        return bundles / made.draft.folder, made
