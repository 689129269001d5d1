"""The name of a served file → model and quant of the catalogue: inferred, never guessed far."""

import re
from collections.abc import Iterable

from ingest.bundle import Weights
from ingest.catalog import Catalog
from ingest.readers.names import quant_of_ftype

SHARD = re.compile(r"[-_.]?0*\d{1,5}-of-\d{1,5}$")
HOLLOW = frozenset("instruct it chat gguf hf moe base ud i1 imatrix".split())  # noqa: SIM905 - words
"""Words that publishers add to a model's name without making it another one."""


def words_of(name: str) -> list[str]:
    """Split a name where its letters and digits stop: a dot between digits stays (`v4.1`)."""
    return re.findall(r"[a-z0-9]+(?:\.[0-9]+)*", name.casefold())


def quant_in(stem: str, quants: Iterable[str]) -> str | None:
    """Find the longest quant that stands as a whole in a file's name."""
    found = [
        quant
        for quant in quants
        if re.search(rf"(?<![a-z0-9]){re.escape(quant.casefold())}(?![a-z0-9])", stem.casefold())
    ]
    return max(found, key=len, default=None)


def weights_of(
    catalog: Catalog,
    name: str,
    gib: float | None = None,
    told: tuple[str | None, str | None] = (None, None),
    ftype: str | None = None,
) -> Weights:
    """Say what a served file or model id is; `told` are the owner's ids, `ftype` its own word."""
    stem = SHARD.sub("", re.sub(r"\.(gguf|safetensors)$", "", name, flags=re.IGNORECASE))
    named = quant_in(stem, catalog.quants)
    # The server's own word for the type of its weights is coarser than a file's name.
    quant = told[1] or named or (quant_of_ftype(catalog, ftype) if ftype else None)
    model = told[0] or _model(catalog, _without(stem.rsplit("/", 1)[-1], named))
    is_file = name.casefold().endswith((".gguf", ".safetensors"))
    return Weights(
        model=model, quant=quant, spelled=name[:300], file=name[:300] if is_file else None, gib=gib
    )


def _without(stem: str, quant: str | None) -> str:
    if quant is None:
        return stem
    return re.sub(re.escape(quant), " ", stem, flags=re.IGNORECASE)


def _model(catalog: Catalog, name: str) -> str | None:
    """Find the one model whose id, name or spelling has exactly these words."""
    wanted = _telling(name)
    spelled = [(entry.id, key) for key, entry in catalog.models.items()]
    spelled += [(entry.name, key) for key, entry in catalog.models.items()]
    spelled += [(alias.spelled, alias.to) for alias in catalog.model_aliases if alias.to]
    found = {key for text, key in spelled if _telling(text) == wanted}
    return found.pop() if len(found) == 1 and wanted else None


def _telling(name: str) -> list[str]:
    return [word for word in words_of(name) if word not in HOLLOW]
