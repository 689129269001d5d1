import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from launch.gguf import Tensor
from launch.landing import Split, disagreements, lines, ranges, simulate
from launch.placement import Costs, Placement, place
from launch.rules import CPU, EXPERTS, Rule, parse_rules, rules_for

MIB = 1 << 20
TWO = Split(("CUDA0", "CUDA1"), (1, 1), 8)


def tensors(
    blocks: range, mib: int = 3, matrices: tuple[str, ...] = ("up", "gate", "down")
) -> list[Tensor]:
    rows = [
        Tensor(f"blk.{block}.ffn_{matrix}_exps.weight", (1,), "Q8_0", 0, mib * MIB // len(matrices))
        for block in blocks
        for matrix in matrices
    ]
    rows += [Tensor(f"blk.{b}.ffn_up_shexp.weight", (1,), "Q8_0", 0, MIB) for b in blocks]
    rows += [Tensor(f"blk.{b}.attn_q.weight", (1,), "Q8_0", 0, MIB) for b in blocks]
    return [*rows, Tensor("token_embd.weight", (1,), "Q8_0", 0, MIB)]


def placed(cards: tuple[tuple[int, ...], ...], host: tuple[int, ...]) -> Placement:
    return Placement(cards, host, 0, 0)


def test_the_first_rule_that_fits_decides() -> None:
    rules = parse_rules(rf"blk\.0{EXPERTS}=CUDA1,exps=CPU")
    landing = simulate(tensors(range(2)), rules, TWO)
    assert landing.expert_blocks() == {0: {"CUDA1"}, 1: {CPU}}
    assert [(use.fits, use.wins) for use in landing.uses] == [(3, 3), (6, 3)]
    assert landing.mib_by_device("routed") == {CPU: 3, "CUDA1": 3}


def test_without_rules_the_split_decides_and_the_look_up_table_stays_on_the_host() -> None:
    landing = simulate(tensors(range(8)), [], TWO)
    assert landing.expert_blocks() == {n: {"CUDA0" if n < 5 else "CUDA1"} for n in range(8)}, (
        "nine layers with the output: the ninth's half belongs to the first card"
    )
    assert landing.mib_by_device("embedding") == {CPU: 1}


def test_layers_that_do_not_fit_in_ngl_stay_on_the_host() -> None:
    landing = simulate(tensors(range(8)), [], TWO._replace(gpu_layers=3))
    assert [*landing.expert_blocks().values()] == [{CPU}] * 6 + [{"CUDA0"}] * 2


def test_shared_experts_stay_where_their_layer_is() -> None:
    landing = simulate(tensors(range(8)), parse_rules(f"{EXPERTS}=CPU"), TWO)
    assert set(landing.mib_by_device("shared")) == {"CUDA0", "CUDA1"}


def test_a_catch_all_in_front_is_all_on_the_host_and_refused() -> None:
    plan = placed(((0, 1), (7,)), (2, 3, 4, 5, 6))
    rules = rules_for(plan, TWO.devices)
    right = simulate(tensors(range(8)), rules, TWO)
    wrong = simulate(tensors(range(8)), [rules[-1], *rules[:-1]], TWO)
    assert disagreements(right, plan, TWO.devices) == []
    assert disagreements(wrong, plan, TWO.devices)[0].startswith("every expert lands on the host")
    assert [use.wins for use in wrong.uses] == [24, 0, 0]


def test_a_plan_for_a_block_without_experts_and_a_split_block_are_seen() -> None:
    plan = placed(((0,),), (1, 9))
    rules = [Rule(r"blk\.0\.ffn_up_exps", "CUDA0"), Rule("exps", CPU)]
    told = disagreements(simulate(tensors(range(2)), rules, TWO), plan, TWO.devices)
    assert told == [
        "experts of block 0 are planned for CUDA0, but land on CPU and CUDA0",
        "block 9 is planned, but has no routed experts",
    ]


def test_the_summary_names_devices_layers_and_rules() -> None:
    rules = parse_rules(rf"blk\.0{EXPERTS}=CUDA0,exps=CPU,nothing=CPU")
    told = lines(simulate(tensors(range(4)), rules, TWO))
    assert told[0].startswith("CPU")
    assert told[0].endswith("blk 1-3")
    assert told[-1] == "rule 3: nothing=CPU: fits 0 tensors, decides 0"


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([0, 1, 2, 5, 7, 8], "0-2 5 7-8")]
)
def test_ranges_are_written_in_short(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text


@given(
    first=st.integers(0, 5),
    sizes=st.lists(st.integers(1, 4000), min_size=1, max_size=60),
    free=st.lists(st.integers(0, 100_000), min_size=1, max_size=6),
    reserve=st.integers(0, 20_000),
    matrices=st.sampled_from([("up", "gate", "down"), ("gate_up", "down")]),
)
@settings(deadline=None)
def test_emitted_rules_place_every_expert_exactly_once_and_within_every_card(
    first: int, sizes: list[int], free: list[int], reserve: int, matrices: tuple[str, ...]
) -> None:
    bundles = {first + n: float(size) for n, size in enumerate(sizes)}
    costs = Costs(reserve_mib=reserve)
    plan = place(bundles, free, costs)
    devices = tuple(f"CUDA{n}" for n in range(len(free)))
    rows = [
        Tensor(f"blk.{b}.ffn_{m}_exps.weight", (1,), "Q8_0", 0, int(mib * MIB) // len(matrices))
        for b, mib in bundles.items()
        for m in matrices
    ]
    split = Split(devices, tuple(1.0 for _ in devices), first + len(sizes))
    landing = simulate(rows, rules_for(plan, devices), split)
    assert disagreements(landing, plan, devices) == []
    assert all(len(lands) == 1 for lands in landing.expert_blocks().values())
    for card, device in enumerate(devices):
        used = landing.mib_by_device("routed").get(device, 0.0)
        assert used <= max(0.0, free[card] - costs.on(card)) + 1e-6


@given(st.permutations(range(4)))
@settings(deadline=None)
def test_any_order_with_a_rule_behind_the_catch_all_is_refused(order: list[int]) -> None:
    plan = placed(((0,), (3,), (7,)), (1, 2, 4, 5, 6))
    devices = ("CUDA0", "CUDA1", "CUDA2")
    rules = rules_for(plan, devices)
    shuffled = [rules[n] for n in order]
    assume(shuffled[-1] != rules[-1])
    landing = simulate(tensors(range(8)), shuffled, Split(devices, (1, 1, 1), 8))
    assert disagreements(landing, plan, devices)
