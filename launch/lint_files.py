"""Lint of the files that a line loads: missing ones, missing parts, links out of the model folder.

Files are looked for only where their folder is on this machine: a line for another machine is not
held against this one.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ingest.problem import Problem
from launch.command import Command
from launch.finding import Known, Lint, found
from launch.gguf import GgufError
from launch.shards import part_names

FILE_FLAGS = ("-m", "-md", "--mmproj", "--lora", "--chat-template-file")


def missing_files(command: Command, known: Known) -> Iterator[Problem]:
    """Find files of the line that are not there, and parts of splits."""
    for flag, said, path, _ in _files(command, known):
        try:
            names = part_names(str(path))
        except GgufError as error:
            yield found(command, flag, str(error))
            continue
        missing = [Path(name).name for name in names if not Path(name).exists()]
        if missing:
            shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
            yield found(
                command,
                flag,
                f"{said}: {len(missing)} of {len(names)} files missing in {path.parent}: {shown}; "
                "download them",
            )


def escaping_links(command: Command, known: Known) -> Iterator[Problem]:
    """Find links that lead out of the model folder: dangling in a container that mounts it."""
    for flag, said, path, root in _files(command, known):
        real = next((real for real in _real_parts(path) if root and _outside_of(real, root)), None)
        if real is None:
            continue
        mounted = "the mounted " if command.mounts else ""
        yield found(
            command,
            flag,
            f"{said}: is a link out of {mounted}{root}, to {real.parent}; "
            f"a container that mounts {root} cannot follow it: mount {real.parent}, or put the "
            "files themselves there",
            "error" if mounted else "flag",
        )


def _real_parts(path: Path) -> list[Path]:
    """Resolve every part of a split that is there."""
    try:
        names = part_names(str(path))
    except GgufError:
        return []
    return [Path(name).resolve() for name in names if Path(name).exists()]


def _outside_of(real: Path, root: Path) -> bool:
    return not real.is_relative_to(root.resolve())


def _files(command: Command, known: Known) -> Iterator[tuple[str, str, Path, Path | None]]:
    """Yield flag, name as said, path on this machine and the mounted folder, where it is here."""
    for flag in FILE_FLAGS:
        for argument in command.all(flag):
            path, root = _outside(command, argument.value, known.models)
            if path is not None and (root or path.parent).is_dir():
                yield flag, argument.value, path, root


def _outside(command: Command, said: str, models: Path | None) -> tuple[Path | None, Path | None]:
    """Find a container's file on the host: below the deepest mount that holds it."""
    inside = PurePosixPath(said)
    for target in sorted(command.mounts, key=len, reverse=True):
        if target and inside.is_relative_to(target):
            host = command.mounts[target]
            root = models or (Path(host) if host else None)
            return (root / inside.relative_to(target), root) if root else (None, None)
    if models:
        return _below(models, inside), models
    # A relative name depends on where the line is run, and a container has folders of its own.
    return (None if command.image or not inside.is_absolute() else Path(said)), None


def _below(models: Path, inside: PurePosixPath) -> Path:
    """Find a file in the model folder: with as much of its own path as is there too."""
    if Path(inside).is_relative_to(models):
        return Path(inside)
    parts = [part for part in inside.parts if part not in ("/", "..")]
    tails = [models.joinpath(*parts[start:]) for start in range(len(parts))]
    return next((tail for tail in tails if tail.parent.is_dir()), models / inside.name)


FILE_RULES: tuple[Lint, ...] = (missing_files, escaping_links)
