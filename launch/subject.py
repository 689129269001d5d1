"""What is to be launched: a slug of the catalogue with its files, or a GGUF."""

from typing import NamedTuple

from ingest.catalog import Catalog, ModelEntry, Slug
from launch.config import LaunchConfig, Launchers
from launch.gguf import Tensor
from launch.line import Server, reference_server
from launch.payload import Payload, catalogue_payload


class PlanError(ValueError):
    """A plan that cannot be made, or whose rules would do something else."""


class Subject(NamedTuple):
    """What is to be launched: its bytes, and the slug and config where there are any.

    `entry` describes a GGUF as the catalogue would.
    """

    payload: Payload
    server: Server
    slug: Slug | None = None
    config: LaunchConfig | None = None
    tensors: tuple[Tensor, ...] | None = None
    entry: ModelEntry | None = None


def slug_subject(slug: Slug, catalog: Catalog, launchers: Launchers, models: str) -> Subject:
    """Take a slug of the catalogue. Raises PlanError where its bytes or files are not known."""
    model = catalog.models[slug.model]
    variant = model.variant(slug.quant)
    payload = catalogue_payload(model, variant) if variant else None
    if payload is None:
        raise PlanError(f"{slug.id}: keeps no experts on the host, or their bytes are not known")
    config = launchers.configs.get(slug.id)
    if config is None:
        raise PlanError(f"{slug.id}: has no reference config, so its files are not known")
    server = reference_server(slug, config, models)
    return Subject(payload, server, slug, config)
