import pytest

from models.parameters import gathered, priors
from models.physics import Inputs
from models.roofline import roofline_tokens_per_s

PRIORS = gathered({p.name: p.value for p in priors(["iq4"], {"mlc-read": 1.0})})
ZEROS = Inputs(*(0.0 for _ in Inputs._fields))
HYBRID = ZEROS._replace(
    routed_gb=4.0, cpu_share=1.0, expert_share=8 / 256, verified=1.0, tokens_per_pass=1.0,
    gbps=80.0, method=0, dense_gb=10.0,
)  # fmt: skip


def test_speed_is_bandwidth_over_host_bytes() -> None:
    assert roofline_tokens_per_s(HYBRID, PRIORS) == pytest.approx(80 / 4, rel=0.03)
    assert roofline_tokens_per_s(HYBRID, PRIORS, 0.5) == pytest.approx(80 / 8, rel=0.03)


def test_dense_bytes_count_where_the_cpu_reads_them() -> None:
    alone = HYBRID._replace(dense_on_cpu=1.0)
    assert roofline_tokens_per_s(alone, PRIORS) == pytest.approx(80 / 14, rel=0.03)


def test_nothing_on_the_host_is_fast_but_finite() -> None:
    assert 100 < roofline_tokens_per_s(HYBRID._replace(cpu_share=0.0), PRIORS) < 10_000
