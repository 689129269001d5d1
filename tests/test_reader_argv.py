"""A launch line as words."""

import pytest

from ingest.readers.argv import facts_of, pinned_layers
from ingest.readers.item import Fact


def places(line: str) -> dict[str, object]:
    return {f.at: f.value for f in facts_of(line.split(), 1) if isinstance(f, Fact)}


@pytest.mark.parametrize(
    ("flags", "kind", "layers"),
    [
        ("-ncmoe 28", "experts", 28),
        ("--n-cpu-moe=28", "experts", 28),
        ("--cpu-moe", "experts", None),
        ("-ncmoe 0", None, None),
        ("-ngl 99", None, None),
    ],
)
def test_flags_that_leave_experts_on_the_processor(
    flags: str, kind: str | None, layers: int | None
) -> None:
    told = places(f"llama-server {flags}")
    assert told.get("launch.offload.kind") == kind
    assert told.get("launch.offload.layers_on_cpu") == layers


def test_each_entry_of_a_split_that_is_not_zero_is_a_card() -> None:
    assert places("-ts 3,0,1") == {"launch.gpus_used": 2}
    assert places("-ts x,y") == {}


def test_the_placeholder_pins_no_layer() -> None:
    rules = r"blk\.(1|22)\.ffn_exps\.weight=CUDA0,blk\.99999\.ffn_exps\.weight=CUDA1"
    assert pinned_layers(rules) == {1, 22}


def test_a_drafter_may_be_off() -> None:
    assert places("--spec-type none") == {"launch.drafter": {"kind": "none"}}
    assert places("--spec-type draft-mtp --draft-max 3 -devd CUDA0") == {
        "launch.drafter.kind": "mtp",
        "launch.drafter.depth": 3,
        "launch.drafter.device": "gpu",
    }
