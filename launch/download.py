"""What to download for a slug, and the command for it. Nothing here downloads."""

import shlex
from typing import NamedTuple

from ingest.catalog import Catalog
from launch.config import Download, LaunchConfig
from launch.shards import part_names
from launch.subject import Subject


class DownloadPlan(NamedTuple):
    """Files of one repository: the command, the files known by name, hashes where published."""

    repo: str
    command: str
    files: tuple[str, ...]
    sha256: dict[str, str]


def download_plans(config: LaunchConfig, models: str) -> list[DownloadPlan]:
    """Write the commands that fetch everything a config needs, below the folder `models`."""
    needed = list(part_names(config.model)) if config.model else []
    if config.drafter_file:
        needed.append(config.drafter_file)
    return [_plan(download, needed, models) for download in config.downloads]


def _plan(download: Download, needed: list[str], models: str) -> DownloadPlan:
    folder = download.folder + "/"
    files = [name.removeprefix(folder) for name in needed if name.startswith(folder)]
    words = ["hf", "download", download.repo]
    for pattern in download.include:
        words += ["--include", pattern]
    if download.revision:
        words += ["--revision", download.revision]
    words += ["--local-dir", f"{models}/{download.folder}"]
    return DownloadPlan(download.repo, shlex.join(words), tuple(files), dict(download.sha256))


def size_gib(subject: Subject, catalog: Catalog) -> float | None:
    """Add up what will be transferred; None where the size of the weights is not known."""
    slug = subject.slug
    variant = catalog.models[slug.model].variant(slug.quant) if slug else None
    if slug is None or variant is None or variant.file_gib is None:
        return None
    return variant.file_gib + ((slug.drafter.file_gib or 0.0) if slug.drafter else 0.0)


def download_lines(subject: Subject, catalog: Catalog, models: str) -> list[str]:
    """Describe the download for a person."""
    gib = size_gib(subject, catalog)
    total = f"about {gib:.0f} GiB" if gib else "size not known"
    said = [f"download ({total}; nothing is fetched by this command):"]
    if subject.config and "downloads" in subject.config.unpublished:
        said.append("  the author names no repository: look for the model and quant by name")
    for plan in download_plans(subject.config, models) if subject.config else []:
        said.append(f"  {plan.command}")
        said += [
            f"    {name}  sha256 {plan.sha256.get(name, 'not recorded')}" for name in plan.files
        ]
    return said
