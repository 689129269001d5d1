"""The command line of one server, written for a named build of an engine."""

from typing import NamedTuple

from ingest.catalog import Slug
from launch.config import LaunchConfig
from launch.flags import Flags
from launch.rules import Rule, to_text

GPU_LAYERS = 99
"""More than any model has: all dense layers go to the cards (the reference's value)."""
HOST_DEVICE = "none"
CONTAINER_MODELS = "/models"
UNNAMED = "FIRST-FILE-OF-THE-WEIGHTS.gguf"
"""Stands in a line for a file whose name the author never published."""


class Draft(NamedTuple):
    """A draft model: its file, how it drafts, how far, and whether it stays on the host."""

    file: str
    kind: str
    depth: int
    on_host: bool


class Server(NamedTuple):
    """Everything that a launch line says. None and empty leave a flag out.

    `rules` are the override list; `leading_host_layers` says the same as a count for one card, and
    -1 means all layers.
    """

    build: str
    model: str
    alias: str | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    ctx: int | None = None
    batch: int | None = None
    ubatch: int | None = None
    kv: str | None = None
    threads: int | None = None
    shares: tuple[float, ...] = ()
    devices: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    leading_host_layers: int | None = None
    draft: Draft | None = None
    cache: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    extra: tuple[str, ...] = ()


def argv_of(server: Server, flags: Flags) -> list[str]:
    """Write the arguments of `llama-server`. Raises FlagError where the build cannot say one."""
    says: list[tuple[str, object]] = [
        ("model", server.model),
        ("alias", server.alias),
        ("host", server.host),
        ("port", server.port),
        ("context", server.ctx),
        ("slots", 1),
        ("flash-attention", "on"),
        ("prompt-cache", True if flags.has("prompt-cache", server.build) else None),
        ("load-whole", True),
        ("fit", "off" if flags.has("fit", server.build) else None),
        ("threads", server.threads),
        ("ubatch", server.ubatch),
        ("batch", server.batch),
        *_cache_types(server.kv),
        *_cards(server),
        *_experts(server),
        *_draft(server.draft, flags, server.build),
        ("expert-cache", server.cache),
    ]
    argv = [
        word
        for means, value in says
        if value is not None
        for word in flags.form(means, server.build, value)
    ]
    return [*argv, *server.extra]


def _cache_types(kv: str | None) -> list[tuple[str, object]]:
    """Say the cache's type where it is not the engine's own, f16."""
    return [] if kv in (None, "f16") else [("kv-k", kv), ("kv-v", kv)]


def _cards(server: Server) -> list[tuple[str, object]]:
    if not server.devices:
        return [("gpu-layers", 0)]
    several = len(server.devices) > 1
    return [
        ("gpu-layers", GPU_LAYERS),
        ("split-mode", "layer" if several else None),
        ("tensor-split", ",".join(f"{share:g}" for share in server.shares) if several else None),
    ]


def _experts(server: Server) -> list[tuple[str, object]]:
    if server.leading_host_layers is not None:
        count = server.leading_host_layers
        return [("experts-on-host", True)] if count < 0 else [("leading-experts-on-host", count)]
    return [("override", to_text(server.rules))] if server.rules else []


def _draft(draft: Draft | None, flags: Flags, build: str) -> list[tuple[str, object]]:
    if draft is None:
        return []
    kind = f"draft-{draft.kind}" if flags.has("draft-kind", build) else None
    return [
        ("draft-model", draft.file),
        ("draft-kind", kind),
        ("draft-depth", draft.depth),
        ("draft-device", HOST_DEVICE if draft.on_host else None),
    ]


def reference_server(
    slug: Slug, config: LaunchConfig, models: str, threads: int | None = None
) -> Server:
    """Write what a slug launches, before any placement: `models` is the model folder."""
    pinned = slug.threads if slug.threads and slug.threads.isdecimal() else None
    draft = None
    if slug.drafter and config.drafter_file:
        on_host = slug.drafter.device == "cpu"
        file = f"{models}/{config.drafter_file}"
        draft = Draft(file, slug.drafter.kind, slug.drafter.depth, on_host)
    return Server(
        build=config.build,
        model=f"{models}/{config.model or UNNAMED}",
        alias=config.alias,
        port=slug.port or 8080,
        ctx=slug.ctx,
        batch=slug.batch,
        ubatch=slug.ubatch,
        kv=slug.kv,
        threads=config.threads or (int(pinned) if pinned else threads),
        draft=draft,
        cache="auto" if slug.expert_cache else None,
        environment=tuple(sorted(config.environment.items())),
    )
