import pytest

from models.limit import limit_of
from models.parameters import gathered, priors
from models.physics import tokens_per_s
from models.rows import FitRow

PRIORS = gathered({p.name: p.value for p in priors(["k-quant"], {"mlc-read": 1.0})})


def test_shares_add_up_and_the_largest_binds(made_rows: list[FitRow]) -> None:
    for row in made_rows[:9]:
        limit = limit_of(row.inputs._replace(kernel=0, method=0), PRIORS)
        assert sum(limit.time_share.values()) == pytest.approx(1)
        assert limit.time_share[limit.name] == max(limit.time_share.values())


def test_slow_memory_binds_by_bandwidth_and_one_core_by_compute(made_rows: list[FitRow]) -> None:
    x = made_rows[0].inputs._replace(kernel=0, method=0)
    assert limit_of(x._replace(gbps=10.0, busy_cores=64.0), PRIORS).name == "ram-bandwidth"
    assert limit_of(x._replace(gbps=500.0, busy_cores=1.0), PRIORS).name == "cpu-compute"


def test_the_wall_is_faster_than_what_is_reached(made_rows: list[FitRow]) -> None:
    x = made_rows[0].inputs._replace(kernel=0, method=0, gbps=10.0)
    assert limit_of(x, PRIORS).wall_tokens_per_s > tokens_per_s(x, PRIORS)
