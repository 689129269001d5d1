"""What was asked about: slugs by name, the variants of a model, or every slug that offloads."""

from difflib import get_close_matches

from ingest.misuse import Misuse
from models.facts import Facts, variant_key, variant_of
from models.request import Request
from models.setup import BARE, Target

COMMON = ("UD-Q2_K_XL", "Q4_K_M", "Q6_K", "Q8_0")
"""Quants to answer for where a model has none that was measured and none was asked for."""


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
    model = _spelled("--model", request.model, facts["models"])
    quant = _spelled("--quant", request.quant, facts["quants"])
    found = [
        variant
        for variant in facts["variants"].values()
        if model in (None, variant["model"]) and quant in (None, variant["quant"])
    ]
    if not found and model:
        asked = (quant,) if quant else COMMON
        found = [one for name in asked if (one := variant_of(facts, model, name))]
    if not found:
        raise Misuse(f"--quant: no model was measured at {quant}; say which one with --model")
    return [
        Target(None, {**BARE, "model": one["model"], "quant": one["quant"]}, one) for one in found
    ]


def _spelled(flag: str, name: str | None, known: Facts) -> str | None:
    """Take a name whatever its case. Raises Misuse, with the nearest names, for one not known."""
    if name is None or name in known:
        return name
    found = [one for one in known if one.casefold() == name.casefold()]
    if not found:
        raise Misuse(f"{flag}: not in the catalogue: {name!r}; {_nearest_names(name, list(known))}")
    return found[0]


def _nearest_names(asked: str, known: list[str]) -> str:
    close = get_close_matches(asked, known, n=3, cutoff=0.3) or known[:3]
    return f"nearest: {', '.join(close)}"
