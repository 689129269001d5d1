"""All results: pages, fragments, charts and data files, written into one folder."""

from pathlib import Path

from sitegen.coverage import coverage_page
from sitegen.downloads import DATA, data_page, write_downloads
from sitegen.errors import errors
from sitegen.explore import explore_json
from sitegen.feed import feed
from sitegen.fitted import read_fitted
from sitegen.lists import list_pages
from sitegen.page import write_pages
from sitegen.parts import parts, write_parts
from sitegen.record import read_record
from sitegen.rig import rig_pages
from sitegen.slug import slug_pages
from sitegen.variant import variant_pages


def write_results(db: Path, model: Path | None, folder: Path) -> int:
    """Write everything that mkdocs then builds; return the number of charts."""
    record = read_record(db)
    fitted = read_fitted(model)
    files = write_downloads(db, model, folder / DATA)
    pages = [
        *list_pages(record),
        *slug_pages(record, fitted),
        *variant_pages(record, fitted),
        *rig_pages(record),
        coverage_page(record),
        data_page(files),
    ]
    (folder / DATA / "feed.xml").write_text(feed(record), encoding="utf-8")
    (folder / DATA / "explore.json").write_text(explore_json(record), encoding="utf-8")
    write_pages(pages, folder)
    write_parts(parts(record, errors(fitted)), folder / "parts")
    return sum(len(one.pictures) for one in pages) // 2
