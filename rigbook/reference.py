"""What the command line says of itself, for the page that lists every verb."""

from rigbook.__main__ import VERBS, module_of, parser_of
from sitegen.reference_cli import Verb

HELP_COLUMNS = 100
"""Width of the help on a page: wide enough for one flag a line."""


def verbs() -> list[Verb]:
    """Tell each verb as its parser does."""
    return [
        Verb(name, summary, parser_of(name, columns=HELP_COLUMNS).format_help())
        for name, summary in VERBS.items()
    ]


def examples_of(verb: str) -> list[str]:
    """List the example lines of a verb's help."""
    told: str = module_of(verb).EXAMPLES
    return [line.strip() for line in told.splitlines()[1:]]
