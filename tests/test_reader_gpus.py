"""The cards of a report."""

import pytest

from tests.reading import REPORT, Reader, only

CARD = "- **GPU {i}:** {name} | {mib} MiB | driver 1 | VBIOS x | persistence=Enabled\n"
POWER = "  - **Power:** {power}\n"


def test_unlike_cards_keep_their_own_figures(reading: Reader) -> None:
    text = "".join(
        (
            CARD.format(i=0, name="NVIDIA GeForce RTX 3090", mib=24576),
            POWER.format(power="limit=300.00 W (85% of 350.00 W default, max=366.00 W)"),
            "  - **PCIe:** x16 lanes negotiated (GPU max x16, Gen up to 4)\n",
            CARD.format(i=1, name="Tesla P40", mib=23040),
            POWER.format(power="limit=180,50 W (default=250,00 W, max=250,00 W)"),
        )
    )
    cards = only(reading(text)).rig.gpus
    assert isinstance(cards, tuple)
    assert [(c.name, c.vram_mib, c.power_w, c.power_default_w, c.link) for c in cards] == [
        ("NVIDIA GeForce RTX 3090", 24576, 300, 350, "x16 of x16, up to gen4"),
        ("Tesla P40", 23040, 180.5, 250, None),
    ]


@pytest.mark.parametrize("power", ["limit=[N/A] W (default=[N/A] W)", "limit=0.00 W"])
def test_what_the_driver_does_not_tell_is_unknown(power: str, reading: Reader) -> None:
    text = CARD.format(i=0, name="RTX 3090", mib=24576) + POWER.format(power=power)
    cards = only(reading(text)).rig.gpus
    assert isinstance(cards, tuple)
    assert (cards[0].power_w, cards[0].power_default_w) == (None, None)


def test_the_link_under_load_counts_more_than_the_idle_one(reading: Reader) -> None:
    load = "========== CAPTURE: PCIe ==========\n    GPU0 gen=4/4 width=8/16\n"
    cards = only(reading(REPORT + load)).rig.gpus
    assert isinstance(cards, tuple)
    assert cards[0].link == "gen4 x8"
