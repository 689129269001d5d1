"""What was asked about: slugs by name, the variants of a model, or every slug that offloads."""

from difflib import get_close_matches

from ingest.misuse import Misuse
from models.facts import Facts, variant_key
from models.request import Request
from models.setup import BARE, Target


def targets(request: Request, facts: Facts) -> list[Target]:
    """List what was asked for. Raises Misuse, with the nearest names, for what is not there."""
    if request.model or request.quant:
        return _variants(request, facts)
    slugs = request.slugs or tuple(facts["slugs"])
    return [slug_target(slug, facts, "--slug") for slug in slugs]


def slug_target(slug: str, facts: Facts, flag: str) -> Target:
    """Find a slug; `flag` is the one that named it."""
    launch = facts["slugs"].get(slug)
    if launch is None:
        raise Misuse(f"{flag}: no slug {slug!r}; {_nearest_names(slug, list(facts['slugs']))}")
    return Target(slug, launch, facts["variants"][variant_key(launch["model"], launch["quant"])])


def _variants(request: Request, facts: Facts) -> list[Target]:
    found = [
        Target(None, {**BARE, "model": variant["model"], "quant": variant["quant"]}, variant)
        for variant in facts["variants"].values()
        if request.model in (None, variant["model"]) and request.quant in (None, variant["quant"])
    ]
    if not found:
        asked = variant_key(request.model or "?", request.quant or "?")
        names = _nearest_names(asked, list(facts["variants"]))
        raise Misuse(f"--model, --quant: no variant {asked!r} with known bytes; {names}")
    return found


def _nearest_names(asked: str, known: list[str]) -> str:
    close = get_close_matches(asked, known, n=3, cutoff=0.3) or known[:3]
    return f"nearest: {', '.join(close)}"
