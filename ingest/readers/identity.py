"""What was really served, from the clues of a text: weights, engine, slug.

The file that the process opened decides over the served id, and both over the container's name:
weights are swapped under a name more often than names are changed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ingest.catalog import Alias, Catalog, Slug, fold
from ingest.readers.item import Clue, Doubt, Fact, Item

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_SHARD = re.compile(r"-[0-9]{5}-of-[0-9]{5}(?=\.gguf$|$)", re.ASCII)

# fragment of an image or container name → engine; the first that fits
ENGINES = (
    ("llamacpp-club3090", "llamacpp-club3090"),
    ("ik_llama", "ik_llama.cpp"),
    ("ik-llama", "ik_llama.cpp"),
    ("beellama", "beellama"),
    ("buun-llama", "buun-llama-cpp"),
    ("ggml-org/llama.cpp", "llama.cpp"),
    ("llama.cpp", "llama.cpp"),
    ("shvllm", "shvllm"),
    ("htsglang", "htsglang"),
    ("ktransformers", "ktransformers"),
    ("exllamav3", "exllamav3"),
    ("ollama", "ollama"),
    ("sglang", "sglang"),
    ("vllm", "vllm"),
    ("llama-cpp", "llama.cpp"),
    ("llamacpp", "llama.cpp"),
)


def dashed(spelling: str) -> str:
    """Write a name as lower-case words between dashes: `-deepseek-v4-flash-0731-`."""
    return f"-{_NOT_WORD.sub('-', spelling.casefold()).strip('-')}-"


def base_name(path: str) -> str:
    """Take the file's own name, without shard numbers and suffix."""
    name = path.rstrip("/").rpartition("/")[2]
    return _SHARD.sub("", name).removesuffix(".gguf")


def find_id(spelling: str, ids: Iterable[tuple[str, str]]) -> str | None:
    """Find the longest of `ids` (dashed, id) whose words stand together in `spelling`."""
    name = dashed(spelling)
    fits = [(len(words), found) for words, found in ids if words in name]
    return max(fits)[1] if fits else None


@lru_cache(maxsize=4)
def _dashed_ids(ids: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((dashed(one), one) for one in ids)


def find_model(catalog: Catalog, spelling: str) -> str | None:
    """Find the catalogue model that a file, directory or served name means."""
    aliased = _alias(catalog.model_aliases, spelling)
    return aliased or find_id(spelling, _dashed_ids(tuple(catalog.models)))


def find_quant(catalog: Catalog, spelling: str) -> str | None:
    """Find the catalogue quant that a name means."""
    aliased = _alias(catalog.quant_aliases, spelling)
    return aliased or find_id(spelling, _dashed_ids(tuple(catalog.quants)))


_FTYPE = re.compile(r"\b(I?Q[0-9]_[A-Z0-9_]{1,6}|BF16|F16|MXFP4)(?: - (Large|Medium|Small))?")


def quant_of_ftype(catalog: Catalog, ftype: str) -> str | None:
    """Find the quant that llama.cpp's own words mean: `Q4_K - Medium` → Q4_K_M."""
    found = _FTYPE.search(ftype[:200])
    if not found:
        return None
    sized = f"{found[1]}_{found[2][0]}" if found[2] else found[1]
    return next((quant for quant in (sized, found[1]) if quant in catalog.quants), None)


def find_engine(name: str) -> str | None:
    """Find the engine that an image or container name means."""
    folded = name.casefold()
    return next((engine for fragment, engine in ENGINES if fragment in folded), None)


def _alias(aliases: Iterable[Alias], spelling: str) -> str | None:
    wanted = fold(spelling)
    return next((a.to for a in aliases if a.to and not a.model and fold(a.spelled) == wanted), None)


def slug_of_container(catalog: Catalog, name: str) -> Slug | None:
    """Find the slug whose compose file gives its container this name.

    The container has the slug's words in another order, without `dual`, behind its engine's name.
    """
    said = Counter(dashed(name).strip("-").split("-"))
    fits = []
    for slug in catalog.slugs.values():
        engine, _, tail = slug.id.partition("/")
        words = Counter(dashed(tail).strip("-").split("-"))
        words.pop("dual", None)
        family = "llama-cpp" if engine.startswith("llamacpp") else engine
        if said == words + Counter(family.split("-")):
            fits.append(slug)
    return fits[0] if len(fits) == 1 else None


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
    if slug.drafter and "drafter_on" in first:
        yield Fact(
            "launch.drafter.kind", slug.drafter.kind, clue.line, 3, "inferred", f"from {slug.id}"
        )


# kinds of clue that tell the engine, best first
ENGINE_CLUES = ("image", "engine_kind", "container", "engine_line")
_BUILD = re.compile(r"\b(b[0-9]{4,6})\b", re.ASCII)


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
        yield Fact("engine.build", tagged[1], image.line)
    for rank, kind in enumerate(("vllm_version", "build_tag", "commit"), start=1):
        stated = first.get(kind)
        # The tag of an upstream image is the release of its Ubuntu.
        if stated and not re.fullmatch(r"[0-9]{2}\.[0-9]{2}", stated.value):
            yield Fact("engine.build", stated.value, stated.line, rank)
