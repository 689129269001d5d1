import pytest

from models.formulas import (
    FORMULAS,
    Case,
    fabiocicerchia,
    llmfit,
    llmfit_told,
    moespeedcalc,
    ram_roofline,
    whichllm,
)

# DeepSeek-V4-Flash at UD-Q8_K_XL on two RTX 5090 and a Threadripper PRO 3975WX at 88 GB/s.
CASE = Case(
    read_gbps=88, gpu_gbps=1792, vram_gb=68.7, cores=32, cpu_only=False, active=13, routed=6.49,
    all=284, routed_total=277, routed_gb=3.45, dense_gb=3.06, file_gb=151, quant="UD-Q8_K_XL",
)  # fmt: skip


def test_the_published_hand_checks_come_out() -> None:
    """5.0, 11.8, 11.3 and 13.5 tokens/s, each formula read as the hand check read it."""
    assert llmfit_told(CASE) == pytest.approx(5.0, abs=0.1)
    assert llmfit(CASE) < llmfit_told(CASE)
    assert whichllm(CASE._replace(quant="MXFP4")) == pytest.approx(11.8, abs=0.1)
    assert fabiocicerchia(CASE) == pytest.approx(11.3, abs=1.5)
    assert ram_roofline(CASE) == pytest.approx(13.5, abs=0.1)
    assert 20 < moespeedcalc(CASE) < 45


def test_cpu_only_has_formulas_of_its_own() -> None:
    alone = CASE._replace(cpu_only=True)
    assert llmfit(alone) == pytest.approx(70 / 13 * 0.8 * 1.1 * 0.3)
    assert llmfit(alone) == llmfit_told(alone)
    assert moespeedcalc(alone) == ram_roofline(alone)
    assert whichllm(alone) == pytest.approx(18 / 13)


@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_gives_a_positive_speed(name: str) -> None:
    for cpu_only in (True, False):
        assert FORMULAS[name](CASE._replace(cpu_only=cpu_only)) > 0
