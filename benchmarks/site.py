"""Weigh the built site: what a first visit to each kind of page moves over the wire.

    python benchmarks/site.py [build/site]

Sizes are gzipped at level 6, as most hosts send them. The search index counts: the theme fetches
it on every page. Charts are counted apart, since they load when they scroll into view. Where
Lighthouse is installed (`npm install -g lighthouse@12.8.2`), its scores follow.
"""

import gzip
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks import lighthouse
from sitegen.links import references

KINDS = {
    "home": "index.html",
    "slug": "results/slugs/llamacpp/deepseek-flash-dual-q8/index.html",
    "rig": "results/rigs/noonghunna-epyc-7543/index.html",
    "slugs": "results/slugs/index.html",
    "predict": "predict/index.html",
    "explore": "explore/index.html",
    "compare": "compare/index.html",
    "catalogue": "results/catalogue/index.html",
    "variant": "results/variants/deepseek-v4-flash-0731--ud-q8_k_xl/index.html",
    "method": "method/index.html",
}
BUDGET_KIB = 130
"""Over the wire on a first visit, before charts."""

PEERS = "ClickBench's page is under 20 KB before its data, kyuz0's strix-halo page 19 KB."
SEARCH = ("search/search_index.json", "assets/javascripts/workers/search")


def wire_kib(path: Path) -> float:
    """Weigh one file as it is sent."""
    return len(gzip.compress(path.read_bytes(), 6)) / 1024


def loaded(site: Path, page: Path) -> set[Path]:
    """List the files that opening a page fetches."""
    found = set()
    for one in references(page.read_text("utf-8")):
        parts = urlsplit(one.target)
        if one.loaded and not parts.scheme:
            found.add((page.parent / unquote(parts.path)).resolve())
    searched = (path for part in SEARCH for path in site.glob(f"{part}*"))
    return found | {path.resolve() for path in searched if path.is_file() and path.suffix != ".map"}


RATED = ("home", "slug", "rig", "explore", "predict")
"""Kinds of pages that Lighthouse looks at."""


def weigh(site: Path) -> int:
    """Print the weight of each kind of page; count those over the budget."""
    over = 0
    print(f"{'page':<10}{'page KiB':>10}{'theme + own':>13}{'first visit':>13}{'charts':>9}")
    for kind, name in KINDS.items():
        page = site / name
        files = loaded(site, page)
        charts = {path for path in files if "charts" in path.parts}
        own = wire_kib(page)
        rest = sum(wire_kib(path) for path in files - charts)
        drawn = sum(wire_kib(path) for path in charts) / 2  # one of the two schemes is fetched
        over += own + rest > BUDGET_KIB
        print(f"{kind:<10}{own:>10.1f}{rest:>13.1f}{own + rest:>13.1f}{drawn:>9.1f}")
    print(f"budget {BUDGET_KIB} KiB a first visit before charts; {over} over. {PEERS}")
    return over


def rate(site: Path) -> int:
    """Print Lighthouse's scores of some kinds of pages; count those that miss a goal."""
    if not lighthouse.PROGRAM:
        print("Lighthouse is not installed: npm install -g lighthouse@12.8.2")
        return 0
    below = 0
    print(f"{'page':<10}{'  '.join(lighthouse.CATEGORIES)}  layout shift  first paint, s")
    with lighthouse.compressed(site) as address:
        for kind in RATED:
            found = lighthouse.scores(address + KINDS[kind].removesuffix("index.html"))
            below += not found.good
            points = "  ".join(
                f"{found.points[name]:>{len(name)}}" for name in lighthouse.CATEGORIES
            )
            told = f"{found.shift:>12.3f}  {found.first_paint_s:>14.2f}"
            print(f"{kind:<10}{points}  {told}  {' '.join(found.failed)}")
    print(f"goal {lighthouse.GOAL} in each and shift < {lighthouse.MOST_SHIFT}; {below} below")
    return below


def main() -> int:
    """Print what each kind of page weighs and how it rates; 1 if one misses a goal."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    over = weigh(site)
    return 1 if rate(site) + over else 0


if __name__ == "__main__":
    sys.exit(main())
