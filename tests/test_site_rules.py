from ingest.rules import RULES
from sitegen.rules import MEANS, rules


def test_every_rule_is_a_row_with_what_its_breach_means() -> None:
    shown = rules()
    assert shown.count("<tr>") == len(RULES) + 1
    assert all(f">{means}<" in shown for means in MEANS.values())


def test_what_refuses_stands_before_what_is_told() -> None:
    shown = rules()
    assert shown.index(">refused<") < shown.index(">kept, marked doubtful<") < shown.index(">told<")
