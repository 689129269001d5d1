"""What a change may touch, and whose: the scope of a submission.

A submission adds folders below `data/reports/` and lines at the end of `status.jsonl` files. All
else is a change of the project: a maintainer's, or a request of its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from ingest.bundle import Bundle, Status
from ingest.changes import Change, Entry, plain
from ingest.folder import FILES, MAX_FILE_BYTES, Filed
from ingest.owners import fold_handle, may_withdraw
from ingest.problem import Problem

REPORTS = "data/reports/"
CATALOG = "data/catalog/"

MAX_BUNDLES = 20
"""More bundles than this in one request are more than a person reads at once."""


class Submission(NamedTuple):
    """A change and who asks for it: `actor` None where it is not known (a local run)."""

    changes: Sequence[Change]
    actor: str | None
    maintainers: frozenset[str]

    @property
    def by_maintainer(self) -> bool:
        """Tell whether a maintainer asks."""
        return self.actor is not None and fold_handle(self.actor) in self.maintainers

    @property
    def reports(self) -> list[Change]:
        """List what it touches below the reports."""
        return [change for change in self.changes if change.path.startswith(REPORTS)]

    @property
    def folders(self) -> list[str]:
        """List the bundle folders it touches, below the reports."""
        parts = [change.path.removeprefix(REPORTS).split("/") for change in self.reports]
        return list(dict.fromkeys("/".join(part[:2]) for part in parts if len(part) > 2))


def scope_problems(one: Submission) -> list[Problem]:
    """List what is touched that may not be, and what is no plain file."""
    problems = [problem for change in one.changes for problem in _path_problems(change)]
    problems += [problem for change in one.reports for problem in _append_problems(change)]
    problems += _elsewhere(one)
    if len(one.folders) > MAX_BUNDLES:
        text = f"{len(one.folders)} bundles in one request; at most {MAX_BUNDLES}: split it"
        problems.append(Problem(REPORTS, "", text, "flag"))
    return problems


def _path_problems(change: Change) -> Iterator[Problem]:
    after = change.after
    if after is None:
        return
    if not plain(change.path):
        yield Problem(change.path, "", "a path is of letters, digits, `.`, `_` and `-`; rename it")
    if after.kind in ("link", "submodule", "other"):
        yield Problem(change.path, "", f"is a {after.kind}, not a plain file; remove it")
    if not change.path.startswith(REPORTS):
        return
    if after.kind == "executable":
        yield Problem(change.path, "", "is executable; a report is text: chmod -x")
    if after.size > MAX_FILE_BYTES:
        text = f"should be at most {MAX_FILE_BYTES:,} bytes, got {after.size:,}; cut the log"
        yield Problem(change.path, "", text)
    parts = change.path.removeprefix(REPORTS).split("/")
    if len(parts) != 3 or parts[-1] not in FILES:
        text = f"should be <machine>/<bundle>/ and one of {', '.join(FILES)}; remove it"
        yield Problem(change.path, "", text)


def _append_problems(change: Change) -> Iterator[Problem]:
    """Hold a bundle to be append-only: what lies there stays, states are added at the end."""
    if change.before is None:
        return
    if not change.path.endswith("/status.jsonl"):
        yield Problem(
            change.path,
            "",
            f"is {change.word}, but bundles are only added to; restore it, submit a new bundle, and"
            " mark the old row superseded or retracted in status.jsonl",
        )
    elif change.after is None or not _content(change.after).startswith(_content(change.before)):
        yield Problem(
            change.path,
            "",
            "its lines are only added to; restore them, and say at the end what holds now",
        )


def _content(entry: Entry | None) -> bytes:
    """Read a file that is small enough to be one of a bundle; else it reads as empty."""
    return entry.read() if entry and entry.size <= MAX_FILE_BYTES else b""


def _elsewhere(one: Submission) -> Iterator[Problem]:
    """Tell what a request touches beside reports; with reports, a contributor may not."""
    outside = [c.path for c in one.changes if not c.path.startswith(REPORTS)]
    if one.by_maintainer or not outside:
        return
    for path in outside:
        mixed = one.reports and not path.startswith(CATALOG)
        what = "the workflows" if path.startswith(".github/") else "the project itself"
        what = "the catalogue" if path.startswith(CATALOG) else what
        if mixed:
            text = f"changes {what} beside a report; put it into a request of its own"
            yield Problem(path, "", text, "error")
        else:
            text = f"changes {what}: a maintainer reads it line by line"
            yield Problem(path, "", text, "flag")


def owner_problems(
    one: Submission, before: Mapping[str, Filed], after: Mapping[str, Filed]
) -> list[Problem]:
    """List what a contributor does in another person's name; both maps go by folder."""
    if one.actor is None or one.by_maintainer:
        return []
    problems: list[Problem] = []
    owners = _machine_owners(before.values())
    for folder in one.folders:
        filed = after.get(folder)
        if filed is not None and folder not in before:
            problems += _name_problems(one.actor, filed, owners.get(filed.bundle.rig.machine, {}))
    for change in one.reports:
        folder = change.path.removeprefix(REPORTS).rpartition("/")[0]
        known = after.get(folder) or before.get(folder)
        if change.path.endswith("/status.jsonl") and change.after and known:
            problems += _status_problems(one, change, known.bundle)
    return problems


def _machine_owners(filed: Iterable[Filed]) -> dict[str, Counter[str]]:
    owners: dict[str, Counter[str]] = {}
    for one in filed:
        who = one.bundle.submitter or one.bundle.sources[0].author
        owners.setdefault(one.bundle.rig.machine, Counter())[fold_handle(who or "")] += 1
    return owners


def _name_problems(actor: str, filed: Filed, owners: Mapping[str, int]) -> Iterator[Problem]:
    path, named = f"{REPORTS}{filed.path}/report.json", filed.bundle.submitter
    if named is None:
        yield Problem(path, "submitter", f"is missing; name yourself, {actor!r}, or ask to be left"
                      " out", "flag")  # fmt: skip
    elif fold_handle(named) != fold_handle(actor):
        yield Problem(path, "submitter", f"names {named!r}, but {actor!r} asks; submit in your own"
                      " name and credit others in sources[].author")  # fmt: skip
    known = {owner for owner in owners if owner}
    if known and fold_handle(actor) not in known:
        machine, told = filed.bundle.rig.machine, ", ".join(sorted(known))
        yield Problem(path, "rig.machine", f"{machine!r} is a machine of {told}; if yours is"
                      " another, give it another name", "flag")  # fmt: skip


def _status_problems(one: Submission, change: Change, bundle: Bundle) -> Iterator[Problem]:
    """Hold the lines that a change adds to who may write them."""
    if change.after is None or one.actor is None:
        return
    old = _content(change.before)
    added = _content(change.after).removeprefix(old).splitlines()
    for number, line in enumerate(added, start=len(old.splitlines()) + 1):
        place = f"{change.path}:{number}"
        try:
            status = Status.model_validate_json(line)
        except ValidationError:
            continue  # named by the check of the folder
        if fold_handle(status.by) != fold_handle(one.actor):
            yield Problem(
                place, "by", f"names {status.by!r}, but {one.actor!r} asks; name yourself"
            )
        if status.state != "flagged" and not may_withdraw(bundle, one.actor, one.maintainers):
            who = f"{bundle.submitter} or a maintainer" if bundle.submitter else "a maintainer"
            text = f"only {who} may say {status.state}; say flagged, with your reason"
            yield Problem(place, "state", text)
