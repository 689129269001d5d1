from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.cards import Cards
from capture.cpu import topology
from capture.host import is_laptop, load
from capture.rig import Pasted, Probed, probe, rig_of
from capture.tree import Tree
from ingest.catalog import Catalog

TreeOf = Callable[[str], Tree]
NO_CARDS = Cards((), "NVML")

ROOT_TEXT = """Handle 0x0011, DMI type 17, 92 bytes
Memory Device
\tTotal Width: 72 bits
\tSize: 32 GiB
\tLocator: A1
\tBank Locator: Not Specified
\tType: DDR4
\tSpeed: 3200 MT/s
\tConfigured Memory Speed: 2666 MT/s
"""


def probed(tree: Tree, catalog: Catalog, pasted: Pasted | None = None) -> Probed:
    return probe(tree, NO_CARDS, catalog, pasted or Pasted())


@pytest.mark.parametrize(
    ("name", "sockets", "cores", "threads", "llc_mib"),
    [
        ("one-socket", 1, 32, 64, 256),
        ("two-sockets", 2, 40, 80, 54),
        ("guest", 4, 16, 16, 64),
        ("laptop", 1, 16, 32, 64),
        ("smt-off", 1, 32, 32, 128),
    ],
)
def test_topology_counts_online_cores_over_all_sockets(
    tree: TreeOf, name: str, sockets: int, cores: int, threads: int, llc_mib: int
) -> None:
    found = topology(tree(name))
    assert (found.sockets, len(found.cores), found.threads) == (sockets, cores, threads)
    assert found.llc_bytes == llc_mib * 1024**2


def test_cores_know_their_node_and_their_siblings(tree: TreeOf) -> None:
    cores = topology(tree("two-sockets")).cores
    assert {(core.socket, core.node) for core in cores} == {(0, 0), (1, 1)}
    assert cores[0].threads == (0, 40)


EXPECTED: dict[str, dict[str, Any]] = {
    "one-socket": {
        "cpu.model": "AMD EPYC 7543 32-Core Processor", "cpu.guest": False, "memory.kind": "DDR4",
        "memory.channels_populated": 8, "memory.channels_total": 8, "memory.numa_nodes": 1,
        "environment": "bare metal, Supermicro H12SSL-i",
        "os": "Ubuntu 24.04.1 LTS · Linux 6.8.0-45-generic",
    },
    "two-sockets": {"memory.channels_populated": 12, "memory.channels_total": 12,
                    "memory.numa_nodes": 2, "cpu.generation": "skylake-x"},
    "guest": {"cpu.guest": True, "environment": "KVM", "memory.gib": 125.79},
    "laptop": {"environment": "laptop, LENOVO LNVNB161216", "cpu.guest": False,
               "memory.thp": "enabled=always · shmem_enabled=never · defrag=madvise"},
    "smt-off": {"cpu.threads": 32},
    "seven-of-eight": {
        "memory.channels_populated": 7, "memory.channels_total": 8, "memory.dimms": "7× 64 GiB",
        "memory.mts": 2933, "memory.kind": "DDR4",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_rig_is_probed_without_root(tree: TreeOf, catalog: Catalog, name: str) -> None:
    fields = probed(tree(name), catalog).learned.fields
    assert {at: fields[at].value for at in EXPECTED[name]} == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_every_field_of_the_rig_says_how_it_was_learned(
    tree: TreeOf, catalog: Catalog, name: str
) -> None:
    learned = probed(tree(name), catalog).learned
    rig, provenance = rig_of(learned, catalog, (None, None))
    assert all(told.note for told in provenance.values())
    assert len(provenance) == len(learned.fields)
    assert provenance["/rig/cpu/model"].how == "measured"
    assert rig.cpu.cores is not None


def test_what_only_the_catalogue_knows_is_inferred(tree: TreeOf, catalog: Catalog) -> None:
    fields = probed(tree("smt-off"), catalog).learned.fields
    assert (fields["memory.channels_total"].value, fields["memory.channels_total"].how) == (
        8,
        "inferred",
    )
    assert "memory.channels_populated" not in fields


def test_root_is_asked_for_where_it_would_add_something(tree: TreeOf, catalog: Catalog) -> None:
    assert "sudo dmidecode" in probed(tree("one-socket"), catalog).asks[0]
    assert probed(tree("seven-of-eight"), catalog).asks == ()
    assert probed(tree("guest"), catalog).asks == ()


def test_pasted_text_of_root_fills_what_was_asked_for(tree: TreeOf, catalog: Catalog) -> None:
    found = probed(tree("one-socket"), catalog, Pasted(dmidecode=ROOT_TEXT))
    field = found.learned.fields["memory.mts"]
    assert (field.value, field.how, field.way) == (2666, "reported", "pasted dmidecode")
    assert found.asks == ()


def test_ways_that_differ_are_told(tree: TreeOf, catalog: Catalog) -> None:
    text = ROOT_TEXT.replace("DDR4", "DDR5")
    (doubt,) = probed(tree("one-socket"), catalog, Pasted(dmidecode=text)).learned.doubts[:1]
    assert doubt.startswith("memory.kind: pasted dmidecode says DDR5, EDAC says DDR4")


def test_a_machine_is_named_by_its_parts_and_never_by_its_owner(
    tree: TreeOf, catalog: Catalog
) -> None:
    rig, _ = rig_of(probed(tree("seven-of-eight"), catalog).learned, catalog, (None, None))
    assert (rig.machine, rig.state) == ("epyc-7532", "ddr4-2933-7ch-440gib")
    named, _ = rig_of(probed(tree("laptop"), catalog).learned, catalog, ("../My Box", None))
    assert named.machine == "my-box"


def test_swap_load_and_the_lid_are_read(tree: TreeOf) -> None:
    laptop = tree("laptop")
    assert load(laptop) == (2.31, 512.0)
    assert is_laptop(laptop)
    assert not is_laptop(tree("one-socket"))


def test_an_empty_tree_tells_nothing_and_breaks_nothing(tmp_path: Path, catalog: Catalog) -> None:
    found = probed(Tree(tmp_path), catalog)
    rig, _ = rig_of(found.learned, catalog, (None, None))
    assert (rig.cpu.cores, rig.memory.gib) == (None, None)
