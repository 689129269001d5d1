"""From a rig and a slug (or a GGUF) to a placement, a gate and a launch line."""

from typing import NamedTuple

from ingest.catalog import SlugDrafter
from launch.budget import Budget, Shape, derived_budget, drafter_mib, measured_budget
from launch.config import Launchers
from launch.formats import Launch
from launch.gate import Need, host_need
from launch.landing import Landing, disagreements, simulate
from launch.layout import (
    Layout,
    even_layers,
    lay_out,
    loaded,
    reference_placement,
    split_of,
)
from launch.line import Server, argv_of
from launch.notes import cache_notes, unpublished_notes
from launch.payload import stand_in_tensors
from launch.rules import cpu_moe_rules, leading_layers, rules_for
from launch.subject import PlanError, Subject
from launch.verdict import Fit, Memory, card_fit, host_fit

CONTEXT = 32_768
"""Context of a model that no slug sets one for."""
UBATCH = 2048


class Cards(NamedTuple):
    """The cards to be used: free MiB of each, and the names that the engine has for them."""

    free_mib: tuple[float, ...] = ()
    devices: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


class Wish(NamedTuple):
    """What a person asks beside slug and rig; None leaves it to the slug."""

    ctx: int | None = None
    ubatch: int | None = None
    kv: str | None = None
    depth: int | None = None
    threads: int | None = None
    cores: int | None = None
    build: str | None = None
    port: int | None = None
    reference: bool = False


class Plan(NamedTuple):
    """A plan: what goes where, whether it fits, and the line."""

    subject: Subject
    shape: Shape
    cards: Cards
    layout: Layout
    budget: Budget
    need: Need
    host: Fit
    card: Fit
    server: Server
    landing: Landing
    basis: str
    notes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool | None:
        """Tell whether host and cards both hold it; None where one is not known."""
        if False in (self.host.fits, self.card.fits):
            return False
        return None if self.host.fits is None else True


def make_plan(
    subject: Subject,
    cards: Cards,
    memory: Memory,
    wish: Wish,
    smaller: tuple[tuple[str, float], ...] = (),
) -> Plan:
    """Place, price and write the line.

    Raises PlanError if the rules of the line would do anything else than what is planned.
    """
    if not subject.payload.bundles_mib:
        raise PlanError(
            f"{subject.payload.name}: is dense, so no rule can place experts; use -ngl alone"
        )
    used, notes = _used_cards(subject, cards)
    notes += [*cache_notes(subject.payload), *unpublished_notes(subject)]
    server = _wished(subject.server, wish)
    shape = Shape(server.ctx or CONTEXT, server.ubatch or UBATCH, server.kv)
    drafter = subject.slug.drafter if subject.slug and server.draft else None
    budget = _budget(subject, shape, used, server, drafter)
    layout = _layout(subject, used, budget, wish, drafter=drafter is not None)
    server = _placed(server._replace(ctx=shape.ctx, ubatch=shape.ubatch), layout, used, subject)
    landing = _simulated(subject, layout, used, server)
    need = _need(subject, layout, budget, server, on_cards=bool(used.free_mib))
    return Plan(
        subject,
        shape,
        used,
        layout,
        budget,
        need,
        host_fit(need, memory, smaller),
        card_fit(layout, used.free_mib, budget.margin_mib, smaller),
        server,
        landing,
        "extrapolated" if subject.payload.inferred or unpublished_notes(subject) else budget.basis,
        tuple(notes),
    )


def _need(
    subject: Subject, layout: Layout, budget: Budget, server: Server, *, on_cards: bool
) -> Need:
    """Price the host: what no card is meant to hold, and a drafter that stays on the host."""
    drafter = subject.slug.drafter if subject.slug and server.draft else None
    on_host = server.draft is not None and (server.draft.on_host or not on_cards)
    need = host_need(
        layout.placement.host_mib,
        subject.payload.embedding_mib / 1024,
        drafter.file_gib if drafter and on_host else None,
    )._replace(prediction_gib=subject.payload.prediction_mib / 1024)
    if on_cards:
        return need
    return need._replace(dense_gib=(budget.dense_mib + budget.kv_mib + budget.fixed_mib) / 1024)


def _used_cards(subject: Subject, cards: Cards) -> tuple[Cards, list[str]]:
    """Restrict the host's cards to those that the slug is made for."""
    wanted = subject.slug.cards if subject.slug else len(cards.free_mib)
    have = len(cards.free_mib)
    if have > wanted:
        used = Cards(cards.free_mib[:wanted], cards.devices[:wanted], cards.numbers[:wanted])
        return used, [f"the slug uses {wanted} of the {have} cards"]
    if 0 < have < wanted:
        return cards, [f"the slug is made for {wanted} cards, there are {have}: derived"]
    return cards, []


def _wished(server: Server, wish: Wish) -> Server:
    changes = {
        field: value
        for field in ("ctx", "ubatch", "kv", "threads", "build", "port")
        if (value := getattr(wish, field)) is not None
    }
    server = server._replace(**changes)
    if wish.threads is None and wish.cores is not None:
        # One thread a physical core, or the author's own number where the host has the cores.
        server = server._replace(threads=min(server.threads or wish.cores, wish.cores))
    if wish.ubatch is not None:
        server = server._replace(batch=max(server.batch or 0, wish.ubatch))
    if wish.depth == 0 or server.draft is None:
        return server._replace(draft=None)
    if wish.depth is not None:
        server = server._replace(draft=server.draft._replace(depth=wish.depth))
    return server


def _budget(
    subject: Subject, shape: Shape, cards: Cards, server: Server, drafter: SlugDrafter | None
) -> Budget:
    """Take the reference's measured costs where they were measured for this; else derive them."""
    slug = subject.slug
    same = slug is not None and (slug.ctx, slug.ubatch, slug.kv, slug.cards) == (
        shape.ctx, shape.ubatch, shape.kv, len(cards.free_mib))  # fmt: skip
    if slug and slug.residency and same:
        used = drafter is not None
        return measured_budget(
            subject.payload, shape, slug.residency, len(cards.free_mib), drafter=used
        )
    draft = 0.0
    if drafter and server.draft:
        weights = (drafter.file_gib or 0.0) * 1024
        draft = drafter_mib(weights, len(cards.free_mib), shape, on_host=server.draft.on_host)
    return derived_budget(subject.payload, shape, draft)


def _layout(subject: Subject, cards: Cards, budget: Budget, wish: Wish, *, drafter: bool) -> Layout:
    payload, slug = subject.payload, subject.slug
    if not wish.reference:
        # A cache takes what room there is: it copies experts, and none moves.
        cached = slug is not None and slug.expert_cache and slug.residency is None
        return lay_out(payload, cards.free_mib, budget, pin=not cached)
    if slug is None or slug.residency is None:
        raise PlanError("--reference: the slug has no residency of the reference launcher")
    number = len(cards.free_mib)
    placed = reference_placement(payload, slug.residency, cards.free_mib, drafter=drafter)
    on_cards = placed.on_cards or ((),) * number
    return loaded(payload, on_cards, even_layers(payload, number), cards.free_mib, budget)


def _placed(server: Server, layout: Layout, cards: Cards, subject: Subject) -> Server:
    """Add what the placement says: devices, shares, and rules (or a count on one card)."""
    if not layout.fits or not cards.free_mib:
        return server._replace(leading_host_layers=-1) if subject.payload.bundles_mib else server
    placed = server._replace(devices=cards.devices, shares=tuple(map(float, layout.layers)))
    count = leading_layers(layout.placement, list(subject.payload.bundles_mib))
    if count is not None:
        everything = not any(layout.placement.on_cards)
        return placed._replace(leading_host_layers=-1 if everything else count)
    return placed._replace(rules=tuple(rules_for(layout.placement, cards.devices)))


def _simulated(subject: Subject, layout: Layout, cards: Cards, server: Server) -> Landing:
    """Run the line's rules against the tensors, and refuse any outcome but the planned one."""
    payload = subject.payload
    tensors = subject.tensors or stand_in_tensors(payload)
    rules = list(server.rules)
    if server.leading_host_layers is not None:
        count = server.leading_host_layers
        rules = cpu_moe_rules(None if count < 0 else count)
    devices = cards.devices if server.devices else ()
    split = split_of(layout.layers, payload.blocks, devices)
    landing = simulate(tensors, rules, split)
    wrong = disagreements(landing, layout.placement, cards.devices)
    if wrong:
        raise PlanError(f"{payload.name}: the rules would not do what is planned: {wrong[0]}")
    return landing


def launch_of(plan: Plan, launchers: Launchers) -> Launch:
    """Turn a plan into a launch, ready for any format."""
    server, config = plan.server, plan.subject.config
    build = launchers.flags.builds.get(server.build)
    environment = dict(server.environment)
    if len(plan.cards.devices) > 1 and plan.cards.devices[0].startswith("CUDA"):
        # Devices in the order of nvidia-smi: by default CUDA puts the fastest first.
        environment.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    return Launch(
        name=config.container if config else "llama-server",
        argv=tuple(argv_of(server, launchers.flags)),
        environment=tuple(sorted(environment.items())),
        port=server.port,
        image=build.image if build else None,
        cards=plan.cards.numbers if server.devices else (),
        shm_size=config.shm_size if config else None,
        host_ipc=config.host_ipc if config else False,
    )
