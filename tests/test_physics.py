import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.parameters import Parameters, gathered, priors
from models.physics import Inputs, effective_gbps, parts, tokens_per_s, union_growth

VALUES = {p.name: p.value for p in priors(["iq4", "mxfp4"], {"mlc-read": 1.0, "stream": 1.33})}
PRIORS: Parameters = gathered(VALUES)
# DeepSeek-V4-Flash at UD-Q8_K_XL, all experts on the host of a 32-core rig with two cards.
HYBRID = Inputs(
    routed_gb=3.45, routed_gweights=6.49, cpu_share=1.0, hit_rate=0.0, dense_gb=12.6,
    dense_gweights=6.4, dense_on_cpu=0.0, layers_on_cpu=43.0, layers=43.0, expert_share=6 / 256,
    verified=1.0, drafted=0.0, drafter_on_cpu=0.0, tokens_per_pass=1.0, gbps=155.0, method=0,
    sockets_log2=0.0, busy_cores=28.0, core_speed=0.85, kernel=1, intel=0.0, gpu_gbps=936.0,
    gpus_log2=1.0, gpus_beyond_two=0.0, cache_on=0.0, context_10k=0.0,
)  # fmt: skip


def test_the_parts_of_a_pass_add_up_with_memory_and_compute_as_a_2_norm() -> None:
    cost = parts(HYBRID, PRIORS)
    assert cost.experts == pytest.approx((cost.memory**2 + cost.compute**2) ** 0.5)
    rest = cost.hand_off + cost.gpu + cost.drafter + cost.fixed
    assert cost.total == pytest.approx(cost.experts + rest)
    assert tokens_per_s(HYBRID, PRIORS) == pytest.approx(1 / cost.total)


def test_the_reference_rig_without_drafter_decodes_near_its_published_ten() -> None:
    seven_of_eight_channels = HYBRID._replace(gbps=93.0, busy_cores=24.0)
    assert 9 < tokens_per_s(seven_of_eight_channels, PRIORS) < 14


def test_one_token_reads_its_experts_once_and_more_read_less_than_each_alone() -> None:
    assert union_growth(1.0, 6 / 256) == pytest.approx(1.0)
    assert 2.2 < union_growth(4.0, 8 / 256) < 3.0
    assert union_growth(2.0, 1.0) == pytest.approx(1.0)


def test_drafted_verification_costs_compute_for_every_token_but_bytes_for_the_union() -> None:
    drafted = HYBRID._replace(verified=6.0)
    alone, many = parts(HYBRID, PRIORS), parts(drafted, PRIORS)
    assert many.compute == pytest.approx(6 * alone.compute)
    assert many.memory < 6 * alone.memory


def test_floats_and_arrays_give_the_same_numbers() -> None:
    other = HYBRID._replace(cpu_share=0.5, gbps=52.0, kernel=0, method=1)
    stacked = Inputs(*(np.array(pair) for pair in zip(HYBRID, other, strict=True)))
    arrays = PRIORS._replace(kernel=np.array(PRIORS.kernel), method=np.array(PRIORS.method))
    both = tokens_per_s(stacked, arrays)
    assert both == pytest.approx([tokens_per_s(x, PRIORS) for x in (HYBRID, other)], rel=1e-12)


def test_a_second_socket_adds_little() -> None:
    one = effective_gbps(HYBRID, PRIORS)
    two = effective_gbps(HYBRID._replace(gbps=310.0, sockets_log2=1.0), PRIORS)
    assert 0.8 < two / one < 1.3


@given(
    field=st.sampled_from(["gbps", "busy_cores", "core_speed", "gpu_gbps", "hit_rate"]),
    more=st.floats(1.0, 4.0),
)
def test_more_of_a_resource_never_slows_decoding(field: str, more: float) -> None:
    start = HYBRID._replace(hit_rate=0.2)
    better = start._replace(**{field: min(1.0, 0.2 * more)} if field == "hit_rate" else {})
    if field != "hit_rate":
        better = start._replace(**{field: getattr(start, field) * more})
    assert tokens_per_s(better, PRIORS) >= tokens_per_s(start, PRIORS) * (1 - 1e-12)


@given(layers=st.integers(0, 43))
def test_fewer_layers_on_the_host_are_never_slower(layers: int) -> None:
    fewer = HYBRID._replace(cpu_share=layers / 43, layers_on_cpu=float(layers))
    assert tokens_per_s(fewer, PRIORS) >= tokens_per_s(HYBRID, PRIORS) * (1 - 1e-12)
