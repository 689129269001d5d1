"""Old addresses → small pages that lead on, without any script."""

import tomllib
from pathlib import Path

from ingest.problem import Problem
from sitegen.address import from_page
from sitegen.escape import inside, text

NAME = "site/redirects.toml"


def read_redirects(root: Path) -> dict[str, str]:
    """Read the map of moved addresses; a checkout without one has none."""
    path = root / NAME
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def redirect_problems(moved: dict[str, str], pages: set[str]) -> list[Problem]:
    """List redirects that hide a page or lead to none."""
    hiding = [
        Problem(NAME, old, "is a page again; take its redirect out")
        for old in moved
        if old in pages
    ]
    leading = [
        Problem(NAME, old, f"leads to {new!r}, which is no page; give the address it has now")
        for old, new in moved.items()
        if new not in pages
    ]
    return hiding + leading


def write_redirects(moved: dict[str, str], folder: Path) -> None:
    """Write a page at every old address; mkdocs copies it as it is."""
    for old, new in moved.items():
        target = from_page(old, new)
        path = folder / old / "index.html"
        path.parent.mkdir(parents=True)
        path.write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title>'
            f'<meta http-equiv="refresh" content="0; url={text(target)}"></head>'
            f"<body><p>This page moved: {inside(target, new)}</p></body></html>\n",
            encoding="utf-8",
        )
