"""The reference launch configs: one file a slug, below `data/launchers/<engine>/`.

A config holds what the catalogue's slug does not: the build, the files, the container and where the
weights come from. Cards, context, batches, drafter and residency stand with the slug.
"""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ingest.catalog import Catalog, Count, Entry, Key, Natural, Slug, SlugId
from ingest.problem import Problem
from launch.flags import Flags, checked, load_flags, read_toml

RelativePath = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$")
]
"""A path below the model folder; it cannot lead out of it."""
EnvironmentName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]


class Download(Entry):
    """Where the weights come from: a repository, and which of its files."""

    repo: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")]
    include: Annotated[tuple[str, ...], Field(min_length=1)]
    folder: RelativePath
    revision: str | None = None
    sha256: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = Field(
        default_factory=dict
    )


class LaunchConfig(Entry):
    """How one slug is launched by its author.

    `model` and `drafter_file` are paths below the model folder. `threads` is set where the author
    pins a number. `default_threads` serves when a compose file is started by hand. `unpublished`
    lists what the author never named: a plan then asks for the weights' file, and drafts nothing.
    """

    slug: SlugId
    build: Key
    model: RelativePath | None = None
    drafter_file: RelativePath | None = None
    drafter_cards: tuple[Count, ...] = ()
    alias: str
    container: Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9_.-]+$")]
    threads: Natural | None = None
    default_threads: Natural = 8
    shm_size: str | None = None
    host_ipc: bool = False
    environment: dict[EnvironmentName, str] = Field(default_factory=dict)
    downloads: tuple[Download, ...] = ()
    unpublished: tuple[Literal["model", "drafter_file", "downloads"], ...] = ()


class Launchers(NamedTuple):
    """All reference configs by slug, and the flags that their lines are written with."""

    configs: dict[str, LaunchConfig]
    flags: Flags


def load_launchers(root: Path, catalog: Catalog) -> tuple[Launchers, list[Problem]]:
    """Read and check every config below `root`; all problems are listed, bad ones left out."""
    flags, problems = load_flags(root / "flags.toml")
    configs: dict[str, LaunchConfig] = {}
    for path in sorted(root.glob("*/*.toml")):
        for config in checked(path, "", read_toml(path, problems), LaunchConfig, problems):
            problems += config_problems(path, root, config, catalog, flags)
            configs[config.slug] = config
    return Launchers(configs, flags), problems


def config_problems(
    path: Path, root: Path, config: LaunchConfig, catalog: Catalog, flags: Flags
) -> list[Problem]:
    """List what in a config contradicts its place, the catalogue or the flags."""
    said: list[tuple[str, str]] = []
    here = path.relative_to(root).with_suffix("").as_posix()
    if here != config.slug:
        said.append(("slug", f"should be the file's place, {here!r}, got {config.slug!r}"))
    slug, build = catalog.slugs.get(config.slug), flags.builds.get(config.build)
    if slug is None:
        said.append(("slug", f"names {config.slug!r}, which the catalogue does not have"))
    if build is None:
        said.append(("build", f"names {config.build!r}, which flags.toml does not have"))
    if slug and build and slug.engine != build.engine:
        said.append(("build", f"is of {build.engine}, but the slug is served by {slug.engine}"))
    said += [(field, message) for field, message in _absences(config, slug) if message]
    return [Problem(str(path), where, message) for where, message in said]


def _absences(config: LaunchConfig, slug: Slug | None) -> list[tuple[str, str | None]]:
    """Hold every field that may be absent to what is said to be unpublished."""
    drafts = slug is not None and slug.drafter is not None
    wanted = {"model": True, "drafter_file": drafts, "downloads": True}
    return [
        (field, _absence(field, wanted=need, config=config))
        for field, need in wanted.items()
        if slug is not None
    ]


def _absence(field: str, *, wanted: bool, config: LaunchConfig) -> str | None:
    there, unpublished = bool(getattr(config, field)), field in config.unpublished
    if there and unpublished:
        return "stands here, but is listed as unpublished"
    if field == "drafter_file" and there != wanted and not unpublished:
        return "must stand exactly where the slug has a drafter, or be listed as unpublished"
    if wanted and not there and not unpublished:
        return "is missing; give it, or list it as unpublished"
    return None
