"""What a card spends before it holds any expert: compute buffers, drafter, headroom.

The reference launcher has one measured figure a slug (`reserve`). It is taken apart here, so that
other cards, contexts and batches can be priced:

    reserve = dense share + cache share + ctx x ubatch x 4 B + 800 MiB + 66 MiB

gives 11,254 MiB where the reference measured 11,432 (DeepSeek Q8, two cards, 204,800 tokens,
ubatch 4096), 16,376 against 16,500 (IQ2, drafter included, cache q8_0) and 9,152 against 9,758
(Inkling, 262,144 tokens, ubatch 2048): at most 7 % apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from launch.placement import MARGIN_MIB

if TYPE_CHECKING:
    from ingest.catalog import Residency
    from launch.payload import Payload

MASK_BYTES = 4
"""The attention mask of one physical batch is ctx x ubatch of 4-byte floats."""
COMPUTE_MIB = 800.0
"""Compute buffers beside the mask: 497 to 754 MiB seen on two models, rounded up."""
FIRST_DECODE_MIB = 66.0
"""What the first decoded token adds after boot (measured)."""
FIRST_CARD_EXTRA_MIB = 768.0
"""What the first card holds beside its share (the reference's default)."""
MARGIN_CELLS = 204_800 * 4096
"""Context x ubatch that the margin was measured at (556 MiB died, 896 survived)."""
CACHE_RESERVE_MIB = 1536.0
"""What the expert cache leaves free (measured optimum on 24 GB cards)."""


class Shape(NamedTuple):
    """What is asked of the context."""

    ctx: int
    ubatch: int = 2048
    kv: str | None = None


class Budget(NamedTuple):
    """What each card spends in MiB. `basis` says whether it was measured or derived."""

    fixed_mib: float
    first_card_extra_mib: float
    draft_mib: float
    dense_mib: float
    kv_mib: float
    basis: str
    margin_mib: float = MARGIN_MIB

    def fixed_on(self, card: int) -> float:
        """Add up what card number `card` spends whatever layers it owns, margin included."""
        extra = self.first_card_extra_mib if card == 0 else 0.0
        return self.fixed_mib + self.draft_mib + extra + self.margin_mib


def compute_mib(shape: Shape) -> float:
    """Estimate the compute buffers of a card."""
    return shape.ctx * shape.ubatch * MASK_BYTES / (1 << 20) + COMPUTE_MIB + FIRST_DECODE_MIB


def prefill_margin_mib(shape: Shape) -> float:
    """Give the headroom of a deep prefill, which is what the compute buffers still grow by.

    They swing by 1,128 MiB between graph shapes at `MARGIN_CELLS` (measured), and the mask is what
    swings: a larger context times batch needs proportionally more than the margin measured there.
    """
    return MARGIN_MIB * max(1.0, shape.ctx * shape.ubatch / MARGIN_CELLS)


def drafter_mib(weights_mib: float, cards: int, shape: Shape, *, on_host: bool) -> float:
    """Estimate what a drafter costs each card: its share of the weights, and its own context.

    The context has compute buffers of the target's shape, even with the weights on the host: it
    took about 7.5 GiB over two cards where the target's buffers took 3,948 and 3,697 MiB. At
    204,800 tokens and ubatch 4096 this gives 9,339 MiB where 9,054 and 8,104 were measured on two
    cards, and 6,703 where the reference reserves 6,839 on four.
    """
    if cards == 0:
        return 0.0
    return compute_mib(shape) + (0.0 if on_host else weights_mib / cards)


def derived_budget(payload: Payload, shape: Shape, draft_mib: float) -> Budget:
    """Price a model that no reference figure is known of."""
    return Budget(
        fixed_mib=compute_mib(shape),
        first_card_extra_mib=FIRST_CARD_EXTRA_MIB,
        draft_mib=draft_mib,
        dense_mib=payload.dense_mib,
        kv_mib=payload.kv_mib(shape.ctx, shape.kv),
        basis="derived",
        margin_mib=prefill_margin_mib(shape),
    )


def measured_budget(
    payload: Payload, shape: Shape, residency: Residency, cards: int, *, drafter: bool
) -> Budget:
    """Take the reference's figure apart: what is not a layer's own is what a card spends anyway.

    Valid for the context, batch and number of cards that it was measured with.
    """
    kv = payload.kv_mib(shape.ctx, shape.kv)
    return Budget(
        fixed_mib=max(0.0, residency.reserve_mib - (payload.dense_mib + kv) / cards),
        first_card_extra_mib=residency.first_card_extra_mib,
        draft_mib=residency.draft_mib if drafter else 0.0,
        dense_mib=payload.dense_mib,
        kv_mib=kv,
        basis="measured",
        margin_mib=prefill_margin_mib(shape),
    )
