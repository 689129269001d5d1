"""All results: pages, fragments, charts and data files, written into one folder."""

from pathlib import Path

from sitegen.coverage import coverage_page
from sitegen.downloads import DATA, data_page, write_downloads
from sitegen.errors import errors
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
    files = write_downloads(db, model, folder / DATA)
    pages = [
        *list_pages(record),
        *slug_pages(record),
        *variant_pages(record),
        *rig_pages(record),
        coverage_page(record),
        data_page(files),
    ]
    write_pages(pages, folder)
    write_parts(parts(record, errors(model)), folder / "parts")
    return 0
