import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.placement import Placement
from launch.rules import (
    EXPERTS,
    Rule,
    RuleError,
    cpu_moe_rules,
    leading_layers,
    parse_rules,
    rules_for,
    to_text,
)

PLACED = Placement(on_cards=((0, 1), (7,)), on_cpu=(2, 3, 4, 5, 6), pinned_mib=3, host_mib=5)


def test_the_rules_of_a_placement_name_cards_first_and_end_with_the_catch_all() -> None:
    assert to_text(rules_for(PLACED, ["CUDA0", "CUDA1"])) == (
        rf"blk\.(0|1){EXPERTS}=CUDA0,blk\.(7){EXPERTS}=CUDA1,blk\.[0-9]+{EXPERTS}=CPU"
    )


def test_device_names_are_data() -> None:
    first = rules_for(PLACED, ["RPC0[127.0.0.1:50052]", "RPC0[127.0.0.1:50053]"])[0]
    assert parse_rules(str(first))[0].buffer == "RPC0[127.0.0.1:50052]"


def test_fewer_devices_than_cards_are_refused() -> None:
    with pytest.raises(RuleError, match="2 cards are to hold experts, but the devices are CUDA0"):
        rules_for(PLACED, ["CUDA0"])


def test_a_reference_launchers_list_is_read() -> None:
    text = r"blk\.(0|1)\.ffn_(gate|up|down)_exps\.weight=CUDA0,exps=CPU"
    assert parse_rules(text) == [
        Rule(r"blk\.(0|1)\.ffn_(gate|up|down)_exps\.weight", "CUDA0"),
        Rule("exps", "CPU"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "rule 1 ('') is not PATTERN=BUFFER"),
        ("exps", "is not PATTERN=BUFFER"),
        ("=CPU", "is not PATTERN=BUFFER"),
        ("exps=", "is not PATTERN=BUFFER"),
        ("a=CPU,,b=CPU", "rule 2 ('') is not"),
        (r"blk\.[0-9]{1,2}\.=CPU", "a comma inside a pattern ends the rule"),
        ("blk.(=CPU", "is no pattern"),
        ("(?i)exps=CPU", "'(?' is no part of the engine's patterns"),
        ("(?<!sh)exp=CPU", "ECMAScript"),
        ("a++=CPU", "ECMAScript"),
        ("blk.[[:digit:]]=CPU", "is no pattern"),
        ("x" * 100_001 + "=CPU", "has 100005 characters"),
    ],
)
def test_a_list_that_the_engine_would_refuse_is_refused(text: str, told: str) -> None:
    with pytest.raises(RuleError, match=re.escape(told)):
        parse_rules(text)


def test_lookahead_is_part_of_the_engines_patterns() -> None:
    assert parse_rules("ffn_(?!norm)=CPU")[0].fits("blk.0.ffn_up.weight")


def test_cpu_moe_and_its_count_say_what_the_engine_makes_of_them() -> None:
    assert [str(rule) for rule in cpu_moe_rules(None)] == [f"{EXPERTS}=CPU"]
    assert [rule.pattern for rule in cpu_moe_rules(2)] == [
        rf"blk\.0{EXPERTS}",
        rf"blk\.1{EXPERTS}",
    ]
    assert not cpu_moe_rules(2)[1].fits("blk.11.ffn_up_exps.weight")


@pytest.mark.parametrize(
    ("host", "cards", "blocks", "expected"),
    [
        ((0, 1), ((2, 3),), range(4), 2),
        ((3, 4), ((5,),), range(3, 6), 5),
        ((), ((0, 1),), range(2), 0),
        ((1, 2), ((0,),), range(3), None),
        ((0, 1), ((2,), ()), range(3), None),
    ],
)
def test_a_count_of_leading_layers_serves_where_it_means_the_placement(
    host: tuple[int, ...],
    cards: tuple[tuple[int, ...], ...],
    blocks: range,
    expected: int | None,
) -> None:
    assert leading_layers(Placement(cards, host, 0, 0), blocks) == expected


@given(
    st.lists(
        st.tuples(st.text("abc.|()[]\\0*", min_size=1, max_size=20), st.text("CPU0", min_size=1)),
        min_size=1,
    )
)
@settings(deadline=None)
def test_what_is_read_is_what_was_written(rows: list[tuple[str, str]]) -> None:
    rules = [Rule(pattern, buffer) for pattern, buffer in rows]
    try:
        assert parse_rules(to_text(rules)) == rules
    except RuleError as error:
        assert "rule " in str(error)  # noqa: PT017 - a refusal must name its rule
