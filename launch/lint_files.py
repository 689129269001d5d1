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
    """Find links that lead out of the folder that a container mounts: dangling inside it."""
    for flag, said, path, root in _files(command, known):
        if root is None or not path.exists():
            continue
        real = path.resolve()
        if not real.is_relative_to(root.resolve()):
            yield found(
                command,
                flag,
                f"{said}: is a link out of the mounted {root}, to {real.parent}; the container "
                f"cannot follow it: mount {real.parent}, or put the files themselves there",
            )


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
        return models / inside.name, None
    # A relative name depends on where the line is run, and a container has folders of its own.
    return (None if command.image or not inside.is_absolute() else Path(said)), None


FILE_RULES: tuple[Lint, ...] = (missing_files, escaping_links)
