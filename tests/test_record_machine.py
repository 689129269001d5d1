import json
from typing import Any

import pytest

from ingest.catalog import Catalog
from ingest.record.machine import facts_of, machine_of, states
from ingest.record.row import Collected, merged

CARDS = [{"model": "RTX 3090", "count": 2, "power_w": 250}]


def machine(catalog: Catalog, file: str = "club-threads", **told: object) -> tuple[str, bool]:
    row: dict[str, Any] = {"source": "github.com/a/b/issues/1", "handle": "Ada"} | told
    (one,) = merged([Collected(file, 1, json.dumps(row), row)], catalog)
    found = machine_of(one, catalog)
    return found.key, found.inferred


def test_a_club_machine_is_its_handle_and_processor(catalog: Catalog) -> None:
    spelled = machine(catalog, cpu="AMD EPYC 7302P 16-Core Processor", gpus=CARDS)
    assert spelled == ("ada-epyc-7302p", False)
    assert machine(catalog, cpu="EPYC 7302P") == spelled


def test_without_a_processor_it_is_the_cards_and_inferred(catalog: Catalog) -> None:
    assert machine(catalog, gpus=CARDS) == ("ada-2x-rtx-3090", True)


def test_a_processor_that_the_catalogue_does_not_know_keeps_its_own_name(catalog: Catalog) -> None:
    assert machine(catalog, cpu="Quux 9000") == ("ada-quux-9000", False)


def test_a_community_row_keeps_its_collections_grouping(catalog: Catalog) -> None:
    told = machine(catalog, "community-offload", rig="2x6980p", cpu="Intel Xeon 6980P")
    assert told == ("public-2x6980p", False)


def test_reclocked_memory_is_a_new_state() -> None:
    row = {"ram_type": "DDR5", "ram_gb": 128, "gpus": CARDS}
    slow, fast = states([row | {"ram_mts": 3600}, row | {"ram_mts": 4400}])
    assert slow != fast


def test_seven_of_eight_channels_are_a_state_of_their_own() -> None:
    row = {"ram_type": "DDR4", "ram_mts": 3200}
    assert len(set(states([row | {"channels_populated": n} for n in (7, 8)]))) == 2


def test_a_row_that_tells_less_joins_the_one_state_it_agrees_with() -> None:
    full = {"ram_type": "DDR4", "ram_mts": 3200, "ram_gb": 128, "gpus": CARDS}
    assert len(set(states([{"ram_gb": 123}, full, {"gpus": CARDS}]))) == 1


def test_a_row_that_agrees_with_two_states_is_neither() -> None:
    found = states([{"ram_mts": 3600}, {"ram_mts": 4400}, {"ram_type": "DDR5"}])
    assert len(set(found)) == 3


@pytest.mark.parametrize(("gib", "same"), [(123, True), (128, True), (64, False)])
def test_fitted_and_visible_memory_are_the_same_but_half_is_not(gib: float, *, same: bool) -> None:
    assert (len(set(states([{"ram_gb": 128}, {"ram_gb": gib}]))) == 1) is same


def test_facts_tell_only_what_the_row_tells() -> None:
    assert facts_of({}).told == 0
    assert facts_of({"gpus": CARDS}).watts == "250"
