"""The rules that every submission is held to, as a table: each rule's docstring is its row."""

import ingest.check  # noqa: F401 - registers every rule
from ingest.rules import RULES
from sitegen.escape import Html, text
from sitegen.table import Cell, Column, Line, table

MEANS = {
    "error": "refused",
    "flag": "kept, marked doubtful",
    "note": "told",
}
_ORDER = tuple(MEANS)


def rules() -> Html:
    """List the rules, the gravest first."""
    lines = [
        Line([
            text((rule.check.__doc__ or "").partition("\n")[0]),
            Cell(text(MEANS[rule.severity]), _ORDER.index(rule.severity)),
            text(rule.name),
        ])
        for rule in sorted(RULES, key=lambda rule: (_ORDER.index(rule.severity), rule.name))
    ]  # fmt: skip
    columns = (Column("Rule"), Column("A breach is"), Column("Name"))
    return table("Rules of the check", columns, lines)
