"""Judge a change by the record alone: what it touches, whose it is, and every problem it brings.

Both trees are written to folders of their own and checked as data; nothing of the change is run.
Its catalogue is held against the one that stands: a change may not make itself plausible.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.catalog import Catalog
from ingest.changes import Tree, changes, write_out
from ingest.check import Checked, check
from ingest.duplicates import duplicate_problems, of_bundles
from ingest.folder import RAW_FILES, Filed
from ingest.owners import CODEOWNERS, owners
from ingest.problem import Problem, Severity
from ingest.redact import redact
from ingest.rules import rule_problems
from ingest.submission import CATALOG, REPORTS, Submission, owner_problems, scope_problems

PLACEHOLDER = re.compile(r"<(USER|HOST|REDACTED|EMAIL|MAC|IP|UUID|SERIAL)>")
"""What redaction leaves in the place of what it took out."""


class Side(NamedTuple):
    """One tree, written out and checked."""

    root: Path
    checked: Checked

    @property
    def by_folder(self) -> dict[str, Filed]:
        """Give its bundles by their folder below the reports."""
        return {filed.path: filed for filed in self.checked.filed}

    @property
    def sound(self) -> list[Filed]:
        """List the bundles without errors: what is refused is not loaded, placed or fitted."""
        bad = {problem.path for problem in self.checked.problems if problem.severity == "error"}
        return [filed for filed in self.checked.filed if f"{filed.path}/report.json" not in bad]


class Judged(NamedTuple):
    """A change, judged: `problems` concern what it does; the rest of the record is not its."""

    before: Side
    after: Side
    submission: Submission
    problems: tuple[Problem, ...]
    added: tuple[Filed, ...]
    redacted: dict[str, int]

    @property
    def machines(self) -> set[str]:
        """Name the machines of every bundle that is touched, states included."""
        sides = (self.before.by_folder, self.after.by_folder)
        return {
            side[path].bundle.rig.machine
            for path in self.submission.folders
            for side in sides
            if path in side
        }


def judge(before: Tree, after: Tree, folder: Path, *, actor: str | None = None) -> Judged:
    """Judge the change from `before` to `after`; `folder` is where both are written out.

    `actor` is who asks for the change; who the maintainers are is said by `before` alone.
    """
    base, head = _side(before, folder / "before"), _side(after, folder / "after")
    submission = Submission(changes(before, after), actor, owners(base.root))
    touched = [head.by_folder[path] for path in submission.folders if path in head.by_folder]
    added = tuple(one for one in touched if one.path not in base.by_folder)
    problems = [
        *scope_problems(submission),
        *owner_problems(submission, base.by_folder, head.by_folder),
        *_touched(base, head, submission),
        *_by_the_standing_catalog(touched, base.checked.catalog, head.checked.catalog),
        *_unredacted(head.root, added),
    ]
    return Judged(
        before=base,
        after=head,
        submission=submission,
        problems=tuple(dict.fromkeys(problems)),
        added=added,
        redacted=_redactions(head.root, added),
    )


def _side(tree: Tree, root: Path) -> Side:
    root.mkdir(parents=True)
    write_out(tree, ("data/", str(CODEOWNERS)), root)
    checked = check([root / "data"])
    repeated = duplicate_problems(of_bundles(checked.filed, checked.catalog))
    return Side(root, checked._replace(problems=(*checked.problems, *repeated)))


def _touched(base: Side, head: Side, submission: Submission) -> list[Problem]:
    """List what the check finds in what the change touches, and what is new anywhere else.

    A new bundle can make an old one a repeat of it: that is a finding about the change.
    """
    starts = tuple(f"{REPORTS}{folder}" for folder in submission.folders)
    if any(change.path.startswith(CATALOG) for change in submission.changes):
        starts = (*starts, CATALOG)
    known = set(_problems(base))
    return [
        problem
        for problem in _problems(head)
        if problem.path.startswith(starts) or problem not in known
    ]


def _problems(side: Side) -> list[Problem]:
    """List the problems of a side by paths of the repository."""
    prefix = f"{side.root}/"
    return [
        problem._replace(
            path=problem.path.removeprefix(prefix)
            if problem.path.startswith("/")
            else f"{REPORTS}{problem.path}",
            message=problem.message.replace(prefix, ""),
        )
        for problem in side.checked.problems
    ]


def _by_the_standing_catalog(
    added: Sequence[Filed], standing: Catalog, own: Catalog
) -> list[Problem]:
    """List the errors that only the change's own catalogue makes go away."""
    found = []
    for filed in added:
        kept = set(rule_problems(filed, own))
        for problem in rule_problems(filed, standing):
            if problem.severity == "error" and problem not in kept:
                unknown = problem.message.startswith("the catalogue has no")
                text = f"holds only with this change's own catalogue: {problem.message}"
                severity: Severity = "flag" if unknown else "error"
                found.append(Problem(f"{REPORTS}{problem.path}", problem.where, text, severity))
    return found


def _raw_files(root: Path, added: Sequence[Filed]) -> list[tuple[str, str]]:
    files = [f"{REPORTS}{one.path}/{name}" for one in added for name in RAW_FILES]
    return [(path, (root / path).read_text("utf-8")) for path in files if (root / path).is_file()]


def _unredacted(root: Path, added: Sequence[Filed]) -> list[Problem]:
    """List what redaction would still take out of the raw text."""
    return [
        Problem(path, f"line {one.line}", f"holds a {one.kind}; redact the text and submit it anew")
        for path, text in _raw_files(root, added)
        for one in redact(text).taken
    ]


def _redactions(root: Path, added: Sequence[Filed]) -> dict[str, int]:
    marks = (mark for _, text in _raw_files(root, added) for mark in PLACEHOLDER.findall(text))
    return dict(sorted(Counter(marks).items()))
