import re
from pathlib import Path

import pytest

from ingest.bundle import Bundle, Status
from ingest.catalog import Catalog
from rigbook.__main__ import VERBS
from rigbook.reference import examples_of, verbs
from sitegen.page import Page, markdown
from sitegen.preformatted import preformatted
from sitegen.reference import reference_pages
from sitegen.reference_bundle import bundle_page
from sitegen.reference_catalog import MEASURED, TABLES
from sitegen.reference_cli import cli_page
from sitegen.reference_python import PACKAGES, modules

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {one.address: one for one in reference_pages(verbs())}


def plain(page: Page) -> str:
    return re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])), markdown(page))


def test_every_verb_has_a_section_with_its_flags_and_its_examples(pages: dict[str, Page]) -> None:
    shown = plain(pages["reference/cli"])
    for verb in VERBS:
        assert f"{{ #{verb} }}" in shown
        section = shown.split(f"{{ #{verb} }}")[1].split("\n## ")[0]
        assert "--help" in section
        assert all(line in section for line in examples_of(verb))


def test_a_site_without_the_command_line_says_so() -> None:
    assert "No verbs." in plain(cli_page(()))


def test_every_field_of_every_part_of_a_bundle_is_told() -> None:
    shown = plain(bundle_page())
    schema = Bundle.model_json_schema()
    every = {"bundle": schema, "status": Status.model_json_schema()}
    every |= {name.lower(): part for name, part in schema["$defs"].items()}
    for name, part in every.items():
        section = shown.split(f"{{ #{name} }}")[1].split("\n## ")[0]
        for field in part["properties"]:
            assert f'<th scope="row">{field}</th>' in section, (name, field)


def test_types_and_limits_read_as_people_say_them() -> None:
    shown = plain(bundle_page())
    for words in ("list of <a href=", "or null", "≥ 0", "single | median | mean", "pattern ^[0-9a"):
        assert words in shown


def test_every_entry_of_the_catalogue_has_a_row_with_its_source(
    pages: dict[str, Page], catalog: Catalog
) -> None:
    for table in TABLES:
        shown = plain(pages[f"reference/catalogue/{table}"])
        for key, entry in getattr(catalog, table).items():
            assert f'<th scope="row">{key}</th>' in shown
            assert entry.source
    for table in MEASURED:
        shown = plain(pages["reference/protocols"])
        assert all(f'<th scope="row">{key}</th>' in shown for key in getattr(catalog, table))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring_and_is_told(
    pages: dict[str, Page], package: str
) -> None:
    shown = plain(pages[f"reference/python/{package}"])
    for module in modules(package):
        assert f"{{ #{module.name} }}" in shown
        for entry in module.entries:
            assert entry.doc, f"{module.name}.{entry.name} has no docstring"
            assert entry.signature.splitlines()[0] in shown


def test_constants_tell_where_they_come_from() -> None:
    (card,) = [one for one in modules("models") if one.name == "models.expert_cache"]
    assert all(entry.doc for entry in card.entries)
    (walk,) = [one for one in modules("sitegen") if one.name == "sitegen.fitted"]
    (steps,) = [entry for entry in walk.entries if entry.name == "STEPS"]
    assert steps.signature == "STEPS = 24"
    assert "smooth" in steps.doc


def test_the_list_leads_to_every_page(pages: dict[str, Page]) -> None:
    index = plain(pages["reference/"])
    for address in pages.keys() - {"reference/"}:
        assert f'href="../{address}/"' in index.replace('href="../../', 'href="../')


def test_lines_and_indents_are_kept_and_mark_up_is_not() -> None:
    shown = preformatted("a\n\n  <b>  c")
    assert "a\n&#32;\n&#32;&#32;&#60;b&#62;&#32;&#32;c" in shown
