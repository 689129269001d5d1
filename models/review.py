"""Everything that a change does to the record and the model: what `rigbook review` reports."""

from pathlib import Path
from typing import NamedTuple

from ingest.changes import Tree
from ingest.judging import Judged, Side, judge
from ingest.misuse import Misuse
from ingest.owners import owners
from ingest.problem import has_errors
from ingest.rows import RUN_ID_CHARS
from ingest.store import build, opened
from models.facts import Facts, facts_of, variant_of
from models.fit import fit, hash_of, read_features
from models.merging import Effect, effect
from models.placing import Placed, placed, told_of
from models.record import FittedModel, load_model
from models.rows import Unusable


class KeptOut(NamedTuple):
    """A new row that the model is not fitted on, and the rules that keep it out."""

    measurement_id: str
    rules: tuple[str, ...]


class Review(NamedTuple):
    """A judged change, with its rows against the model and what a merge does to that.

    Without an `effect` nothing was fitted anew: `refit` tells whether that was asked for.
    """

    judged: Judged
    placed: tuple[Placed, ...]
    unplaced: tuple[Unusable, ...]
    effect: Effect | None
    databases: tuple[Path, Path]
    kept_out: tuple[KeptOut, ...] = ()
    refit: bool = True

    @property
    def refused(self) -> bool:
        """Tell whether anything is an error."""
        return has_errors(self.judged.problems)


def review(
    before: Tree, after: Tree, folder: Path, *, actor: str | None = None, refit: bool = True
) -> Review:
    """Review the change from `before` to `after`; `folder` is where both are written out.

    With `refit` the model is fitted anew where the rows that it is fitted on change.
    """
    judged = judge(before, after, folder, actor=actor)
    databases = _loaded(judged.before), _loaded(judged.after)
    against = _against_the_model(judged, databases, refit=refit)
    return Review(
        judged,
        against.placed,
        against.unplaced,
        against.effect,
        databases,
        against.kept_out,
        refit,
    )


def _loaded(side: Side) -> Path:
    path = side.root / "rigbook.duckdb"
    build(path, side.sound, side.checked.catalog, side.checked.problems, owners(side.root))
    return path


class _Against(NamedTuple):
    placed: tuple[Placed, ...] = ()
    unplaced: tuple[Unusable, ...] = ()
    kept_out: tuple[KeptOut, ...] = ()
    effect: Effect | None = None


def _against_the_model(judged: Judged, databases: tuple[Path, Path], *, refit: bool) -> _Against:
    """Place the new rows by the model as it stands; say what it becomes with them."""
    standing = _standing(judged.before, databases[0], refit=refit)
    if standing is None:
        return _Against()
    catalog = judged.after.checked.catalog
    ids = {one.bundle.id[:RUN_ID_CHARS] for one in judged.added}
    with opened(databases[1]) as connection:
        found = read_features(connection, catalog, facts_of(catalog))
        mine = [
            row
            for row in (*found.used, *found.excluded)
            if _of(row.measurement_id, ids) and variant_of(standing.facts, row.model, row.quant)
        ]
        told = told_of(connection, [row.measurement_id for row in mine])
        changed = hash_of(found.used) != standing.fitted_on["data_hash"]
        merged = fit(connection, catalog) if refit and changed else None
    return _Against(
        tuple(placed(standing, row, told[row.measurement_id]) for row in mine),
        tuple(row for row in found.unusable if _of(row.measurement_id, ids)),
        tuple(KeptOut(row.measurement_id, row.excluded) for row in mine if row.excluded),
        effect(standing, merged) if merged else None,
    )


def _of(measurement_id: str, bundles: set[str]) -> bool:
    return measurement_id.partition("/")[0] in bundles


def _standing(base: Side, database: Path, *, refit: bool) -> FittedModel | None:
    """Find the model of the record as it stands: the one that ships, if it was fitted on it."""
    catalog = base.checked.catalog
    facts: Facts = facts_of(catalog)
    with opened(database) as connection:
        try:
            rows = read_features(connection, catalog, facts).used
        except ValueError:
            return None  # too few rows: there is no model yet
        try:
            model = load_model()
        except (Misuse, FileNotFoundError):
            model = None
        if model and (not refit or model.fitted_on["data_hash"] == hash_of(rows)):
            return model
        return fit(connection, catalog)
