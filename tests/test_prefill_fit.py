from collections.abc import Iterator

import duckdb
import numpy as np
import pytest

from ingest.catalog import Catalog
from ingest.store import create
from models.facts import Facts
from models.prefill import Reading, prefill_tokens_per_s
from models.prefill_fit import PRIORS, PrefillRow, fit_prefill, fitted_parameters, prefill_rows

TRUTH = {"stream_gbps": 60.0, "gweights_per_gb": 5.0, "depth": 0.05}


@pytest.fixture
def rows() -> list[PrefillRow]:
    draw = np.random.default_rng(1)
    found = []
    for rig in range(30):
        for _ in range(3):
            x = Reading(
                draw.uniform(50, 400),
                draw.choice([512, 2048, 4096]),
                13.0,
                936.0,
                draw.choice([0.5, 4.5]),
            )
            speed = prefill_tokens_per_s(x, TRUTH) * np.exp(draw.normal(0, 0.05))
            found.append(PrefillRow(f"rig-{rig}", float(speed), x))
    return found


def test_what_was_put_in_is_found_again(rows: list[PrefillRow]) -> None:
    assert fitted_parameters(rows) == pytest.approx(TRUTH, rel=0.2)
    found = fit_prefill(rows)
    assert found["error"]["median_ape"] < 0.08
    low, high = found["interval"]["0.8"]
    assert -0.2 < low < 0 < high < 0.2


def test_without_rows_the_priors_stand() -> None:
    assert fitted_parameters([]) == {name: value for name, (value, _) in PRIORS.items()}


@pytest.fixture
def empty(catalog: Catalog) -> Iterator[duckdb.DuckDBPyConnection]:
    assert catalog
    with duckdb.connect() as connection:
        create(connection)
        yield connection


def test_a_record_without_prefills_gives_no_rows(
    empty: duckdb.DuckDBPyConnection, facts: Facts
) -> None:
    assert prefill_rows(empty, [], facts) == []
