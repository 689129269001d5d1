"""What follows from the rig's own fields."""

import pytest

from ingest.catalog import Catalog
from ingest.readers.item import Fact
from ingest.readers.rig import inferred_facts


@pytest.mark.parametrize(
    ("cpu", "mts", "kind"),
    [
        ("AMD EPYC 7302P 16-Core Processor", None, "DDR4"),
        ("AMD Ryzen 9 7950X 16-Core Processor", 3600, "DDR5"),
        ("12th Gen Intel(R) Core(TM) i7-12700K", None, None),
        ("12th Gen Intel(R) Core(TM) i7-12700K", 3200, "DDR4"),
        ("12th Gen Intel(R) Core(TM) i7-12700K", 5600, "DDR5"),
    ],
)
def test_the_kind_of_memory_follows_where_the_processor_takes_only_one(
    cpu: str, mts: float | None, kind: str | None, catalog: Catalog
) -> None:
    rig = {"cpu": {"model": cpu}, "memory": {"mts": mts} if mts else {}}
    told = [
        f.value
        for f in inferred_facts(rig, catalog)
        if isinstance(f, Fact) and f.at == "rig.memory.kind"
    ]
    assert told == ([kind] if kind else [])
