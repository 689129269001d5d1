"""The command-line page: one section a verb, from the parsers that answer `--help`."""

from collections.abc import Iterable
from typing import NamedTuple

from sitegen.escape import inside, joined, text
from sitegen.page import Page, heading, page, paragraph
from sitegen.preformatted import preformatted

CLI = "reference/cli"


class Verb(NamedTuple):
    """A verb as the command line tells it."""

    name: str
    summary: str
    help: str


def cli_page(verbs: Iterable[Verb]) -> Page:
    """Make the page; a site that is built without the command line has no sections."""
    shown = list(verbs)
    links = [inside(f"#{verb.name}", verb.name) for verb in shown]
    blocks: list[str] = [
        paragraph(text(_EXITS)),
        paragraph(joined(links, " · ")) if links else paragraph(text("No verbs."), "missing"),
    ]
    for verb in shown:
        blocks += [
            heading(verb.name, verb.name),
            paragraph(text(f"{verb.summary[:1].upper()}{verb.summary[1:]}.")),
            preformatted(verb.help),
        ]
    return page(CLI, "Commands", "Every verb of rigbook, its flags and two examples.", blocks)


_EXITS = (
    "Exit codes: 0 done (flags and notes included), 1 the input has errors (all are listed, then "
    "counted), 2 misuse, 130 interrupted. The answer goes to stdout, talk to stderr; --json prints "
    "one JSON document and nothing else. `predict …` is `rigbook predict …`."
)
