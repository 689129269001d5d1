"""All results: pages, fragments, charts and data files, written into one folder."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from ingest.misuse import Misuse
from ingest.problem import Problem
from launch.ask import shipped_shelf
from sitegen.browser import browser_json
from sitegen.catalogue import catalogue_page
from sitegen.config import plan_launches
from sitegen.coverage import coverage_page
from sitegen.downloads import DATA, data_page, write_downloads
from sitegen.errors import errors
from sitegen.examples import examples
from sitegen.explore import explore_json
from sitegen.feed import feed
from sitegen.fitted import Fitted, read_fitted
from sitegen.lists import list_pages
from sitegen.live import BUNDLE, bundle
from sitegen.notebook_page import analysis_page
from sitegen.package import File
from sitegen.page import CHARTS, Page, write_pages
from sitegen.parts import parts, write_parts
from sitegen.record import Record, read_record
from sitegen.redirect import redirect_problems, write_redirects
from sitegen.reference import reference_pages
from sitegen.reference_cli import Verb
from sitegen.rig import rig_pages
from sitegen.side_by_side import side_by_side_json
from sitegen.slug import slug_page_of, slug_pages
from sitegen.variant import variant_pages


class Results(NamedTuple):
    """What was written, and what is wrong with it."""

    charts: int
    problems: tuple[Problem, ...] = ()


def write_results(
    db: Path,
    model: Path | None,
    folder: Path,
    moved: dict[str, str] | None = None,
    *,
    verbs: Sequence[Verb] = (),
    notebook: Path | None = None,
) -> Results:
    """Write everything that mkdocs then builds; `moved` maps old addresses to new ones.

    `verbs` are the command line's own words: this package stands below it and cannot ask.
    """
    record = read_record(db)
    fitted = read_fitted(model)
    files = write_downloads(db, model, folder / DATA)
    analysis, doubts = analysis_page(notebook, folder / DATA)
    written = write_pages(_pages(record, fitted, files, verbs, analysis), folder)
    (folder / CHARTS).mkdir(exist_ok=True)
    (folder / CHARTS / BUNDLE).write_text(bundle(), encoding="utf-8")
    (folder / DATA / "feed.xml").write_text(feed(record), encoding="utf-8")
    (folder / DATA / "explore.json").write_text(explore_json(record), encoding="utf-8")
    if fitted.model:
        answers = browser_json(fitted.model, record)
        (folder / DATA / "predictor.json").write_text(answers, encoding="utf-8")
    (folder / DATA / "compare.json").write_text(side_by_side_json(record), encoding="utf-8")
    shown = parts(record, errors(fitted)) | {"examples.html": examples(fitted)}
    write_parts(shown, folder / "parts")
    problems = redirect_problems(moved or {}, set(written))
    if not problems:
        write_redirects(moved or {}, folder)
    # Each chart has two pictures: for light pages and for dark ones.
    return Results(sum(written.values()) // 2, (*doubts, *problems))


def _pages(
    record: Record, fitted: Fitted, files: list[File], verbs: Sequence[Verb], analysis: Page
) -> Iterator[Page]:
    """Make the pages kind by kind, so that those of one kind only are held at a time."""
    launches = plan_launches(record, shipped_shelf())
    yield from list_pages(record)
    yield from slug_pages(record, fitted, launches)
    yield from variant_pages(record, fitted)
    yield from rig_pages(record)
    yield catalogue_page(record, launches)
    yield coverage_page(record)
    yield data_page(files)
    yield from reference_pages(verbs)
    yield analysis


def write_one(db: Path, model: Path | None, folder: Path, slug: str) -> Results:
    """Write the page of one slug anew into a folder of results, whose files may be links.

    Raises Misuse when there is no such slug.
    """
    record = read_record(db)
    if slug not in record.slugs:
        near = ", ".join(get_close_matches(slug, record.slugs, n=3, cutoff=0.3)) or "none"
        raise Misuse(f"--only {slug}: no such slug; nearest: {near}")
    asked = record._replace(slugs={slug: record.slugs[slug]})
    launches = plan_launches(asked, shipped_shelf())
    one = slug_page_of(record, read_fitted(model), launches, slug)
    (folder / f"{one.address}.md").unlink(missing_ok=True)
    for drawn in one.pictures:
        for file in drawn.files():
            (folder / CHARTS / file).unlink(missing_ok=True)
    write_pages([one], folder)
    return Results(len(one.pictures) // 2)
