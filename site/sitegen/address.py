"""Where each page lives. Addresses never change: slugs, rigs and variants keep theirs."""

import hashlib
import re

UNKNOWN = "unknown"
_SUM_CHARS = 6
_TAKEN = ("index", "readme")  # mkdocs makes these the page of their folder


def slug_page(slug: str) -> str:
    """Name the page of a slug below the results: `slugs/<engine>/<name>`."""
    return f"slugs/{slug}"


def rig_page(rig_id: str) -> str:
    """Name the page of a machine: `rigs/<rig_id>`. Its key is a path segment by its schema."""
    return f"rigs/{_free(rig_id)}"


def variant_page(model: str | None, quant: str | None) -> str:
    """Name the page of a variant: `variants/<model>--<quant>`."""
    return f"variants/{_free(model or UNKNOWN)}--{_segment(quant or UNKNOWN)}"


def _segment(name: str) -> str:
    """Fold a name to a path segment; one that loses more than case gets a sum, to stay unique."""
    folded = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "x"
    if folded == name.lower():
        return folded
    return f"{folded}-{hashlib.sha256(name.encode()).hexdigest()[:_SUM_CHARS]}"


def _free(name: str) -> str:
    return f"{name}-" if name in _TAKEN else name


HOME = "/"
METHOD = "/method/"
"""Hand-written pages, which stand above the results."""


def from_page(page: str, target: str) -> str:
    """Give the relative address of page `target` as seen from `page`, both below the results.

    Every page is a folder of its own (`rigs/x/`), so a page named `a/b` is two levels deep; an
    index page (`rigs/`) is written with its final slash and is one level deep.
    """
    if page.startswith("/"):
        return "../" * (page.count("/") - 1) + f"results/{target.rstrip('/')}/"
    return "../" * page.rstrip("/").count("/") + "../" + target.rstrip("/") + "/"
