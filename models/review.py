"""Everything that a change does to the record and the model: what `rigbook review` reports.

Both trees are written to folders of their own, checked as data, and loaded into databases of their
own. Nothing of the change is run. Its catalogue is held against the one that stands: a change may
not make itself plausible.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.catalog import Catalog
from ingest.changes import Change, Tree, changes, write_out
from ingest.check import Checked, check
from ingest.folder import RAW_FILES, Filed
from ingest.misuse import Misuse
from ingest.owners import CODEOWNERS, owners
from ingest.problem import Problem, Severity, has_errors
from ingest.redact import redact
from ingest.rules import rule_problems
from ingest.store import build, opened
from ingest.submission import CATALOG, REPORTS, Submission, owner_problems, scope_problems
from models.facts import Facts, facts_of
from models.fit import fit, hash_of, read_features
from models.merging import Effect, effect
from models.placing import Placed, placed, told_of
from models.record import FittedModel, load_model
from models.rows import Unusable

PLACEHOLDER = re.compile(r"<(USER|HOST|REDACTED|EMAIL|MAC|IP|UUID|SERIAL)>")
"""What redaction leaves in the place of what it took out."""


class Review(NamedTuple):
    """A change, judged. `problems` concern what it touches; the rest of the record is not its."""

    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]
    added: tuple[Filed, ...]
    redacted: dict[str, int]
    placed: tuple[Placed, ...]
    unplaced: tuple[Unusable, ...]
    effect: Effect | None
    databases: tuple[Path, Path]

    @property
    def refused(self) -> bool:
        """Tell whether anything is an error."""
        return has_errors(self.problems)


class _Side(NamedTuple):
    """One tree, written out and checked."""

    root: Path
    checked: Checked
    database: Path

    @property
    def by_folder(self) -> dict[str, Filed]:
        return {filed.path: filed for filed in self.checked.filed}


def review(
    before: Tree, after: Tree, folder: Path, *, actor: str | None = None, refit: bool = True
) -> Review:
    """Judge the change from `before` to `after`; `folder` is where both are written out.

    `actor` is who asks for the change; who the maintainers are is said by `before` alone. With
    `refit` the model is fitted anew where the rows that it is fitted on change.
    """
    base, head = _side(before, folder / "before"), _side(after, folder / "after")
    submission = Submission(changes(before, after), actor, owners(base.root))
    added = [head.by_folder[path] for path in submission.folders if path in head.by_folder]
    problems = [
        *scope_problems(submission),
        *owner_problems(submission, base.by_folder, head.by_folder),
        *_touched(head, submission),
        *_by_the_standing_catalog(added, base.checked.catalog, head.checked.catalog),
        *_unredacted(head.root, added),
    ]
    new = [one for one in added if one.path not in base.by_folder]
    rows, unplaced, merged = _against_the_model(base, head, new, refit=refit)
    return Review(
        changes=tuple(submission.changes),
        problems=tuple(dict.fromkeys(problems)),
        added=tuple(new),
        redacted=_redactions(head.root, new),
        placed=tuple(rows),
        unplaced=tuple(unplaced),
        effect=merged,
        databases=(base.database, head.database),
    )


def _side(tree: Tree, root: Path) -> _Side:
    root.mkdir(parents=True)
    write_out(tree, ("data/", str(CODEOWNERS)), root)
    checked = check([root / "data"])
    database = root / "rigbook.duckdb"
    build(database, _sound(checked), checked.catalog, checked.problems, owners(root))
    return _Side(root, checked, database)


def _sound(checked: Checked) -> list[Filed]:
    """List the bundles without errors: what is refused is not loaded, placed or fitted."""
    bad = {problem.path for problem in checked.problems if problem.severity == "error"}
    return [filed for filed in checked.filed if f"{filed.path}/report.json" not in bad]


def _touched(head: _Side, submission: Submission) -> list[Problem]:
    """List what the check found in what the change touches, by paths of the repository."""
    starts = tuple(f"{REPORTS}{folder}" for folder in submission.folders)
    if any(change.path.startswith(CATALOG) for change in submission.changes):
        starts = (*starts, CATALOG)
    prefix = f"{head.root}/"
    found = []
    for problem in head.checked.problems:
        whole = problem.path.startswith("/")
        path = problem.path.removeprefix(prefix) if whole else f"{REPORTS}{problem.path}"
        if path.startswith(starts):
            found.append(problem._replace(path=path, message=problem.message.replace(prefix, "")))
    return found


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


def _against_the_model(
    base: _Side, head: _Side, new: Sequence[Filed], *, refit: bool
) -> tuple[list[Placed], list[Unusable], Effect | None]:
    """Place the new rows by the model without them; say what it becomes with them."""
    facts = facts_of(head.checked.catalog)
    standing = _standing(base, refit=refit)
    if standing is None:
        return [], [], None
    ids = {one.bundle.id[:12] for one in new}
    with opened(head.database) as connection:
        found = read_features(connection, head.checked.catalog, facts)
        mine = [
            row for row in (*found.used, *found.excluded)
            if row.measurement_id.split("/")[0] in ids and row.variant in standing.facts["variants"]
        ]  # fmt: skip
        told = told_of(connection, [row.measurement_id for row in mine])
        rows = [placed(standing, row, told[row.measurement_id]) for row in mine]
        unplaced = [row for row in found.unusable if row.measurement_id.split("/")[0] in ids]
        changed = hash_of(found.used) != standing.fitted_on["data_hash"]
        merged = fit(connection, head.checked.catalog) if refit and changed else None
    return rows, unplaced, effect(standing, merged) if merged else None


def _standing(base: _Side, *, refit: bool) -> FittedModel | None:
    """Find the model of the record as it stands: the one that ships, if it was fitted on it."""
    facts: Facts = facts_of(base.checked.catalog)
    with opened(base.database) as connection:
        try:
            rows = read_features(connection, base.checked.catalog, facts).used
        except ValueError:
            return None  # too few rows: there is no model yet
        try:
            model = load_model()
        except (Misuse, FileNotFoundError):
            model = None
        if model and (not refit or model.fitted_on["data_hash"] == hash_of(rows)):
            return model
        return fit(connection, base.checked.catalog)
