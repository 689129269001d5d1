"""What was really served, from the clues of a text: weights, engine, slug.

The file that the process opened decides over the served id, and both over the container's name:
weights are swapped under a name more often than names are changed.
"""

import re
from collections.abc import Iterator, Sequence

from ingest.catalog import Catalog, Slug
from ingest.readers.item import Clue, Doubt, Fact, Item
from ingest.readers.names import (
    base_name,
    find_engine,
    find_model,
    find_quant,
    quant_of_ftype,
    slug_of_container,
)


def identify(clues: Sequence[Clue], catalog: Catalog) -> Iterator[Item]:
    """Turn the clues of one run into facts on weights, engine and slug."""
    first: dict[str, Clue] = {}
    for clue in clues:
        first.setdefault(clue.kind, clue)
    facts = list(_weights(first, clues, catalog))
    yield from facts
    ranked = sorted((f for f in facts if isinstance(f, Fact)), key=lambda f: -f.rank)
    served = {fact.at.removeprefix("weights."): fact.value for fact in ranked}
    slug, name = _slug(first, catalog)
    if name:
        yield Fact("named", name.value, name.line)
    if slug and name:
        yield from _slug_facts(slug, name, served, first)
    yield from _engine(first)


def _weights(first: dict[str, Clue], clues: Sequence[Clue], catalog: Catalog) -> Iterator[Item]:
    paths = [clue for clue in clues if clue.kind == "model_path"]
    names = {base_name(clue.value) for clue in paths}
    if len(names) > 1:
        yield Doubt(paths[-1].line, f"several files were served: {', '.join(sorted(names))[:300]}")
    if paths:
        path = paths[0]
        yield Fact("weights.file", path.value, path.line)
        yield Fact("weights.spelled", base_name(path.value) or path.value, path.line)
        yield from _model_and_quant(path, catalog)
    if "told_model" in first:
        told = first["told_model"]
        yield Fact("weights.spelled", told.value, told.line, rank=1)
        yield from _model_and_quant(told, catalog)
    yield from _names(first, paths, catalog)
    for rank, kind in enumerate(("ftype", "model_type"), start=3):
        quant = quant_of_ftype(catalog, first[kind].value) if kind in first else None
        if quant:
            yield Fact("weights.quant", quant, first[kind].line, rank)


def _names(first: dict[str, Clue], paths: Sequence[Clue], catalog: Catalog) -> Iterator[Item]:
    """Read the names that a server goes by: less sure than the file it opened."""
    for kind in ("general_name", "model_type", "served_id"):
        if kind in first:
            named = first[kind]
            yield Fact("weights.spelled", named.value, named.line, rank=2)
            quant = find_quant(catalog, named.value)
            if quant:
                yield Fact(
                    "weights.quant", quant, named.line, 6, "inferred", "from the served name"
                )
            model = find_model(catalog, named.value)
            if model and not _has_longer(catalog, model):
                yield Fact("weights.model", model, named.line, rank=2, how="inferred")
            elif model and paths:
                yield from _by_quant(model, paths[0], named, catalog)


def _model_and_quant(path: Clue, catalog: Catalog) -> Iterator[Item]:
    for rank, spelling in enumerate((base_name(path.value), path.value)):
        model, quant = find_model(catalog, spelling), find_quant(catalog, spelling)
        if model:
            yield Fact("weights.model", model, path.line, rank)
        if quant:
            yield Fact("weights.quant", quant, path.line, rank)


def _has_longer(catalog: Catalog, model: str) -> bool:
    """Tell whether a served id may be short for another model: `deepseek-v4-flash` is."""
    return any(other.startswith(f"{model}-") for other in catalog.models)


def _by_quant(short: str, path: Clue, named: Clue, catalog: Catalog) -> Iterator[Item]:
    """Tell which model a short served id means, where only one slug has it at the file's quant."""
    quant = find_quant(catalog, base_name(path.value)) or find_quant(catalog, path.value)
    fits = {
        slug.model
        for slug in catalog.slugs.values()
        if slug.model.startswith(short) and quant and slug.quant in (quant, f"UD-{quant}")
    }
    if len(fits) == 1:
        note = f"the only slug that serves {named.value} at {quant}"
        yield Fact("weights.model", fits.pop(), named.line, 3, "inferred", note)


# kinds of clue that name a container, best first; what autodetection picked may be unrelated
_NAMING = ("slug", "container", "autodetected")


def _slug(first: dict[str, Clue], catalog: Catalog) -> tuple[Slug | None, Clue | None]:
    for kind in _NAMING:
        clue = first.get(kind)
        if not clue:
            continue
        if kind == "slug":
            known = catalog.slugs.get(clue.value)
            if known:
                return known, clue
            continue
        return slug_of_container(catalog, clue.value), clue
    return None, None


def _slug_facts(
    slug: Slug, clue: Clue, served: dict[str, str], first: dict[str, Clue]
) -> Iterator[Item]:
    model, quant = served.get("model", slug.model), served.get("quant", slug.quant)
    if (model, quant) != (slug.model, slug.quant):
        yield Doubt(
            clue.line,
            f"named {clue.value}, which serves {slug.model} {slug.quant}, but this run served"
            f" {model} {quant}: no slug",
        )
        if "model" not in served:
            note = f"from the name {clue.value}, whose weights were swapped"
            yield Fact("weights.model", slug.model, clue.line, 5, "inferred", note)
        return
    for key, value in (("model", slug.model), ("quant", slug.quant)):
        if key not in served:
            note = f"from the slug {slug.id}"
            yield Fact(f"weights.{key}", value, clue.line, 4, "inferred", note)
    if "flags_differ" in first or "unrecognised" in first:
        yield Doubt(clue.line, f"launched unlike the recipe of {slug.id}: no slug", "note")
        return
    sure = clue.kind == "slug"
    yield Fact("slug", slug.id, clue.line, 0, "reported" if sure else "inferred")
    if slug.drafter and any(kind in first for kind in ("drafter_on", "drafts", "drafted")):
        yield Fact(
            "launch.drafter.kind", slug.drafter.kind, clue.line, 3, "inferred", f"from {slug.id}"
        )


# kinds of clue that tell the engine, best first
ENGINE_CLUES = ("image", "engine_kind", "container", "fork_line", "engine_line")
# An image's tag: a build of llama.cpp, or a release.
_BUILD = re.compile(
    r"\b(b[0-9]{4,6})\b|[:-](v[0-9]{1,3}\.[0-9]{1,3}[A-Za-z0-9.+-]{0,40})$", re.ASCII
)


def _engine(first: dict[str, Clue]) -> Iterator[Item]:
    for clue in (first[kind] for kind in ENGINE_CLUES if kind in first):
        engine = find_engine(clue.value)
        if engine:
            named = clue.kind not in ("image", "engine_kind")
            yield Fact("engine.name", engine, clue.line, 0, "inferred" if named else "reported")
            yield Fact("engine.spelled", clue.value, clue.line)
            break
    image = first.get("image")
    tagged = _BUILD.search(image.value) if image else None
    if image and tagged:
        yield Fact("engine.build", tagged[1] or tagged[2], image.line, 0 if tagged[1] else 4)
    for rank, kind in enumerate(("vllm_version", "build_tag", "commit"), start=1):
        stated = first.get(kind)
        # The tag of an upstream image is the release of its Ubuntu.
        if stated and not re.fullmatch(r"[0-9]{2}\.[0-9]{2}", stated.value):
            yield Fact("engine.build", stated.value, stated.line, rank)
