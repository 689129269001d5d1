"""Which model, quant, engine or slug a spelling means: files, images, containers by their words."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ingest.catalog import Alias, Catalog, Slug, fold

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
    said.pop("dual", None)
    fits = []
    for slug in catalog.slugs.values():
        engine, _, tail = slug.id.partition("/")
        words = Counter(dashed(tail).strip("-").split("-"))
        words.pop("dual", None)
        family = "llama-cpp" if engine.startswith("llamacpp") else engine
        if said == words + Counter(family.split("-")):
            fits.append(slug)
    return fits[0] if len(fits) == 1 else None
