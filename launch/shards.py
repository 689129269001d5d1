"""The files of one model: a single GGUF, or the numbered parts of a split one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from launch.gguf import GgufError, Header, Source, Tensor, Value, read_header

_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf(?:$|\?))")
SHARD_LIMIT = 1000
"""The largest published models have a few dozen parts."""


class Weights(NamedTuple):
    """All tensors of one model, from every part, with the metadata of the first."""

    files: tuple[str, ...]
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]
    file_bytes: int

    @property
    def architecture(self) -> str:
        """Name the architecture; empty if the file does not."""
        return str(self.metadata.get("general.architecture", ""))

    def setting(self, key: str) -> Value:
        """Look up a metadata value that belongs to the architecture."""
        return self.metadata.get(f"{self.architecture}.{key}")


def part_names(name: str) -> list[str]:
    """List all parts of the split that `name` belongs to; the name alone if it is not split."""
    found = _PART.search(name)
    if not found:
        return [name]
    count = int(found[2])
    if not 1 <= int(found[1]) <= count <= SHARD_LIMIT:
        raise GgufError(f"{name}: part {found[1]} of {found[2]} is no possible split")
    head, tail = name[: found.start()], name[found.end() :]
    return [f"{head}-{part:05d}-of-{count:05d}{tail}" for part in range(1, count + 1)]


def is_url(name: str) -> bool:
    """Tell whether `name` is a web address."""
    return urlsplit(name).scheme in ("http", "https")


def read_weights(name: str, opened: Callable[[str], Source]) -> Weights:
    """Read the headers of every part of the model at path or URL `name`. Raises GgufError."""
    names = part_names(name)
    if not is_url(name) and Path(name).exists():
        missing = [part for part in names if not Path(part).exists()]
        if missing:
            raise GgufError(f"{name}: parts are missing: {', '.join(missing)}; download them")
    headers = [read_header(opened(part)) for part in names]
    _check_split(name, headers)
    tensors = tuple(tensor for header in headers for tensor in header.tensors)
    if len({tensor.name for tensor in tensors}) < len(tensors):
        raise GgufError(f"{name}: a tensor stands in two parts: they are not of one model")
    total = sum(header.file_bytes for header in headers)
    return Weights(tuple(names), headers[0].metadata, tensors, total)


def _check_split(name: str, headers: list[Header]) -> None:
    """Hold the parts against what they say of themselves."""
    stated = headers[0].metadata.get("split.count", 1)
    if type(stated) is not int or stated not in (0, 1, len(headers)):
        raise GgufError(
            f"{name}: says that it has {stated} parts; {len(headers)} found by its name: "
            "keep the names that the parts were published under"
        )
    numbers = [header.metadata.get("split.no", 0) for header in headers]
    if len(headers) > 1 and numbers != list(range(len(headers))):
        raise GgufError(f"{name}: the parts count themselves {numbers}: they are misnamed")
    tensors = headers[0].metadata.get("split.tensors.count")
    found = sum(len(header.tensors) for header in headers)
    if tensors is not None and tensors != found:
        raise GgufError(f"{name}: says that it has {tensors} tensors; its parts hold {found}")
