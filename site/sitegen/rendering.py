"""mkdocs in a process of its own, told what it need not read: long tables and unchanged pages.

    python -m sitegen.rendering CONFIG OUT [PAGES]

PAGES is a file that names the pages of the results to render, one a line; without it all are.

A table of the results is finished HTML. Markdown, the anchors' check and the search index would
each take it apart, only to leave it as it was: nine tenths of a build of many rigs. So tables are
held back while a page is rendered and put in last.
"""

import logging
import re
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, BuildError, ConfigurationError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files, InclusionLevel
from mkdocs.structure.pages import Page

RENDERED = "results"
"""Where the rendered pages lie below the docs."""

_TABLE = re.compile(r'^<div class="frame" .*?^</div>$', re.MULTILINE | re.DOTALL)
_HELD = re.compile(r'<div data-held="(?P<place>[0-9]+)"></div>')
_SOURCE_MAP = re.compile(r"/\*# sourceMappingURL=.*?\*/\s*")
_THEME_SCRIPT = re.compile(r'<script src="(?P<path>[^"]*/javascripts/bundle\.[^"]+)">')
_STYLES = ("stylesheets/main.*.css", "stylesheets/palette.*.css", "rigbook.css")
_STYLE = re.compile(
    r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)'
    r'assets/(?:stylesheets/(?P<theme>main|palette)\.[^"]+|rigbook\.css)">'
)
JOINED = "assets/style.css"
"""The theme's two style sheets and ours in one: nothing is painted before the last is there."""

_ANCHOR = re.compile(r' id="(?P<name>[^"]+)"')


class Shortcut(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Leave out what need not be read; `only` names the pages of the results to render."""

    def __init__(self, only: frozenset[str] | None = None) -> None:
        """Start with no table held."""
        super().__init__()
        self.only = only
        self.held: list[str] = []

    def on_files(self, files: Files, **_: object) -> Files:
        """Exclude what stands already: links still find it, but nobody renders or copies it."""
        if self.only is None:
            return files
        for file in files:
            if file.src_uri.startswith(f"{RENDERED}/") and file.src_uri not in self.only:
                file.inclusion = InclusionLevel.EXCLUDED
        return files

    def on_page_markdown(self, markdown: str, **_: object) -> str:
        """Put a mark where each table stands."""
        return _TABLE.sub(self._hold, markdown)

    def _hold(self, table: re.Match[str]) -> str:
        self.held.append(table[0])
        return f'<div data-held="{len(self.held) - 1}"></div>'

    def on_page_content(self, html: str, *, page: Page, **_: object) -> str:
        """Count a held table's anchors as the page's own."""
        tables = [self.held[int(mark["place"])] for mark in _HELD.finditer(html)]
        within = {name for table in tables for name in _ANCHOR.findall(table)}
        page.present_anchor_ids = (page.present_anchor_ids or set()) | within
        return html

    def on_post_page(self, output: str, **_: object) -> str:
        """Put the tables in, and let the page be painted before the theme's script."""
        page = with_one_style(deferred(output))
        return _HELD.sub(lambda mark: self.held[int(mark["place"])], page)

    def on_post_build(self, *, config: MkDocsConfig, **_: object) -> None:
        """Join the style sheets that every page loads."""
        site = Path(config.site_dir)
        sheets = [path for pattern in _STYLES for path in sorted((site / "assets").glob(pattern))]
        text = "".join(_SOURCE_MAP.sub("", path.read_text("utf-8")) for path in sheets)
        (site / JOINED).write_text(text, "utf-8")


def deferred(page: str) -> str:
    """Have the theme's script run after the page is there, still before our own."""
    return _THEME_SCRIPT.sub(r'<script defer src="\g<path>">', page)


def with_one_style(page: str) -> str:
    """Load the joined style sheet where the theme's first stood, and the others no more."""

    def one(link: re.Match[str]) -> str:
        joined = f'<link rel="stylesheet" href="{link["base"]}{JOINED}">'
        return joined if link["theme"] == "main" else ""

    return _STYLE.sub(one, page)


def main() -> None:
    """Build; complaints go to the log, as mkdocs' own command writes it."""
    config, out, *pages = sys.argv[1:]
    logging.basicConfig(format="%(levelname)-7s -  %(message)s", level=logging.INFO)
    only = frozenset(Path(pages[0]).read_text("utf-8").splitlines()) if pages else None
    try:
        read = load_config(config, site_dir=out)
        read.plugins["rigbook/shortcut"] = Shortcut(only)
        build(read)
    except (Abort, BuildError, ConfigurationError) as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
