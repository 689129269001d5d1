"""The reference: commands, bundle, data dictionary, catalogue, protocols, Python; all derived."""

from collections.abc import Iterable
from pathlib import Path

from ingest.catalog import load_catalog
from ingest.shipped import shipped
from sitegen.address import from_page
from sitegen.dictionary import dictionary_page
from sitegen.escape import Html, inside, text
from sitegen.page import Page, page, paragraph
from sitegen.reference_bundle import bundle_page
from sitegen.reference_catalog import catalog_pages
from sitegen.reference_cli import Verb, cli_page
from sitegen.reference_python import python_pages

REFERENCE = "reference/"


def reference_pages(verbs: Iterable[Verb]) -> list[Page]:
    """Make every page of the reference, and the one that lists them."""
    catalog, _ = load_catalog(Path(shipped("catalog")))
    pages = [
        cli_page(verbs), bundle_page(), dictionary_page(), *catalog_pages(catalog), *python_pages(),
    ]  # fmt: skip
    return [_index(pages), *pages]


def _index(pages: Iterable[Page]) -> Page:
    items = "".join(
        f"<li>{inside(from_page(REFERENCE, one.address), one.title)}: {text(one.description)}</li>"
        for one in pages
    )
    blocks = [paragraph(text(_HEAD)), Html(f"<ul>{items}</ul>")]
    return page(REFERENCE, "Reference", "Commands, formats, data and Python.", blocks)


_HEAD = (
    "Written at each build from the parsers, the types, the schema, the catalogue and the "
    "docstrings themselves, so none of it can be older than the code."
)
