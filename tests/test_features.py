import copy
from collections.abc import Callable
from datetime import date
from typing import Any

import duckdb
import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog, Exclusion
from ingest.folder import Filed
from ingest.store import create, fill
from models.assumptions import BEFORE
from models.facts import Facts
from models.features import Features, features, query

Read = Callable[..., Features]


@pytest.fixture
def read(catalog: Catalog, facts: Facts, filed: Callable[..., Filed]) -> Read:
    def _read(document: dict[str, Any], *statuses: Status, of: Catalog = catalog) -> Features:
        with duckdb.connect() as connection:
            create(connection)
            fill(connection, [filed(document, statuses)], of)
            return features(connection, of, facts, BEFORE)

    return _read


def flagged(target: str) -> Status:
    return Status(target=target, state="flagged", reason="x", date=date(2026, 1, 1), by="y")


def test_a_row_carries_rig_run_and_what_was_measured_beside(
    read: Read, document: dict[str, Any]
) -> None:
    (row,) = read(document).used
    assert (row.rig, row.slug) == ("someone-epyc-7543", "llamacpp/deepseek-flash-dual-q8")
    assert (row.tokens_per_s, row.accepted, row.inputs.gbps) == (17.1, 0.33, 116)
    assert (row.inputs.busy_cores, row.inputs.gpus_log2, row.measured_bandwidth) == (28, 1, True)


@pytest.mark.parametrize("target", ["", "/runs/0", "/runs/0/measurements/0"])
def test_a_flag_on_bundle_run_or_measurement_keeps_the_row_out(
    read: Read, document: dict[str, Any], target: str
) -> None:
    assert len(read(document).used) == 1
    assert read(document, flagged(target)) == Features([], [], [])


def test_a_range_counts_by_its_middle(read: Read, document: dict[str, Any]) -> None:
    del document["runs"][0]["measurements"][0]["value"]
    assert read(document).used[0].tokens_per_s == pytest.approx(17.05)


def test_a_run_on_one_socket_of_two_gets_half_the_cores(
    read: Read, document: dict[str, Any]
) -> None:
    document["rig"]["cpu"] |= {"sockets": 2, "cores": 64}
    document["rig"]["memory"] |= {"channels_populated": 16, "channels_total": 16}
    document["rig"]["memory"]["bandwidth"][0]["gbps"] = 300
    document["runs"][0]["launch"]["sockets_used"] = 1
    (row,) = read(document).used
    assert (row.cores, row.inputs.sockets_log2, row.inputs.gbps) == (32, 0, 150)


def test_without_a_measured_figure_channels_by_rate_stand_in(
    read: Read, document: dict[str, Any]
) -> None:
    del document["rig"]["memory"]["bandwidth"]
    (row,) = read(document).used
    assert (row.measured_bandwidth, row.inputs.gbps) == (False, 204.8)


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (lambda d: d["runs"][0]["measurements"][0].update(protocol="greedy-completion"), "greedy"),
        (lambda d: d["runs"][0]["measurements"][0].update(context_tokens=40000), "deep-context"),
        (lambda d: d["runs"][0]["measurements"][0].update(streams=4), "streams"),
        (lambda d: d["runs"][0]["launch"].update(threads=48), "threads-over-cores"),
        (lambda d: d["runs"][0]["launch"].update(threads=27), "threads-odd"),
    ],
)
def test_a_rule_keeps_a_row_out_and_names_itself(
    read: Read, document: dict[str, Any], edit: Callable[[dict[str, Any]], None], rule: str
) -> None:
    changed = copy.deepcopy(document)
    edit(changed)
    found = read(changed)
    assert found.used == []
    assert rule in found.excluded_by_rule()


def test_resident_runs_are_not_asked_about(read: Read, document: dict[str, Any]) -> None:
    document["runs"][0]["launch"]["offload"] = {"kind": "resident"}
    found = read(document)
    assert (found.used, found.excluded, found.unusable) == ([], [], [])


def test_a_rule_that_looks_at_the_speed_is_refused() -> None:
    rule = Exclusion(id="bad", meaning="x", where="tokens_per_s < 2", source=("x",))
    with pytest.raises(ValueError, match="never at the speed"):
        query({"bad": rule})


def test_the_committed_rules_look_at_inputs_only(catalog: Catalog) -> None:
    assert catalog.exclusions
    assert "tokens_per_s" not in " ".join(rule.where for rule in catalog.exclusions.values())


def test_the_rig_has_a_name_for_why_a_row_cannot_be_priced(
    read: Read, document: dict[str, Any]
) -> None:
    document["runs"][0]["weights"] = {"spelled": "something"}
    assert read(document).unusable_by_reason() == {"no bytes known of its weights": 1}
