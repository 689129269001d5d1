"""One query over the database gives the rows to fit on; rules on inputs keep some out.

The rules stand in `data/catalog/exclusions.toml`, each an SQL predicate over the columns of
`features.sql`. A rule that names `tokens_per_s` is refused: rows are never judged by their result.
"""

from collections import Counter
from importlib import resources
from typing import Any, NamedTuple

import duckdb

from ingest.catalog import Catalog, Exclusion
from models.facts import Facts
from models.rows import FitRow, Unusable, fit_row


class Features(NamedTuple):
    """The rows: those to fit, those a rule keeps out, those that cannot be priced."""

    used: list[FitRow]
    excluded: list[FitRow]
    unusable: list[Unusable]

    def excluded_by_rule(self) -> dict[str, dict[str, int]]:
        """Count the excluded rows by rule and stratum; a row counts for each rule that fits."""
        counts: dict[str, Counter[str]] = {}
        for row in self.excluded:
            for rule in row.excluded:
                counts.setdefault(rule, Counter())[row.stratum] += 1
        return {rule: dict(sorted(found.items())) for rule, found in sorted(counts.items())}

    def unusable_by_reason(self) -> dict[str, int]:
        """Count the rows that cannot be priced by the reason."""
        return dict(sorted(Counter(row.reason for row in self.unusable).items()))


def query(exclusions: dict[str, Exclusion]) -> str:
    """Write the one query: the features, with the list of rules that fit each row."""
    for rule in exclusions.values():
        if "tokens_per_s" in rule.where:
            raise ValueError(
                f"exclusion {rule.id}: a rule looks at inputs only, never at the speed"
            )
    features = resources.files("models").joinpath("features.sql").read_text("utf-8")
    cases = ", ".join(
        f"CASE WHEN ({rule.where}) THEN '{rule.id}' END" for rule in exclusions.values()
    )
    return (
        f"SELECT *, list_filter([{cases}]::VARCHAR[], lambda rule: rule IS NOT NULL) AS rules"  # noqa: S608 - reviewed catalogue
        f" FROM ({features}) AS decode_features ORDER BY measurement_id"
    )


def features(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Facts, defaults: Facts
) -> Features:
    """Read the rows of the database and sort them."""
    relation = connection.sql(query(catalog.exclusions))
    columns = relation.columns
    raw: list[dict[str, Any]] = [
        dict(zip(columns, values, strict=True)) for values in relation.fetchall()
    ]
    found = [fit_row(row, facts, defaults) for row in raw]
    priced = [row for row in found if isinstance(row, FitRow)]
    return Features(
        used=[row for row in priced if not row.excluded],
        excluded=[row for row in priced if row.excluded],
        unusable=[row for row in found if isinstance(row, Unusable)],
    )
