import html

from ingest.pairs import Pair
from sitegen.address import METHOD
from sitegen.experiments import clear_ones, of_weights, watch
from sitegen.record import Record

PAIR = Pair(
    "memory", "3600 MT/s", "4400 MT/s", 1.24, 1.1, 1.4, "x", "deepseek-v4-flash-0731",
    "UD-Q8_K_XL", "decode", "code", "club-canonical", (9.9, 12.3), ("a", "b"), (None, None), 4,
)  # fmt: skip


def told(record: Record) -> tuple[Record, Pair]:
    pair = PAIR._replace(rig_id=next(iter(record.machines)))
    return record._replace(pairs=[pair, pair._replace(low=0.9, field="<b>")]), pair


def test_a_slugs_page_shows_the_pairs_of_its_weights(record: Record) -> None:
    with_pairs, pair = told(record)
    entry = {"model": pair.model, "quant": pair.quant}
    shown = html.unescape("".join(of_weights(with_pairs, "slugs/a/b", entry)))
    assert "3600 MT/s → 4400 MT/s" in shown
    assert "1.10 to 1.40" in shown
    assert f"../../../rigs/{pair.rig_id}/" in shown
    assert '<tr class="doubtful">' in shown
    assert of_weights(with_pairs, "slugs/a/b", entry | {"quant": "Q2_K"}) == []


def test_the_method_page_shows_only_changes_above_the_noise(record: Record) -> None:
    with_pairs, pair = told(record)
    shown = html.unescape(clear_ones(with_pairs, METHOD))
    assert shown.count("3600 MT/s → 4400 MT/s") == 1
    assert f"../results/rigs/{pair.rig_id}/" in shown
    assert clear_ones(record._replace(pairs=[]), METHOD) == ""


def test_a_machines_page_shows_the_builds_that_changed_its_speed_and_no_other_change(
    record: Record,
) -> None:
    _, pair = told(record)
    lost = pair._replace(field="engine_build", before="b10236", after="b10300", ratio=0.7,
                         low=0.6, high=0.8)  # fmt: skip
    within = lost._replace(after="b10400", high=1.1)
    elsewhere = lost._replace(rig_id="x", after="b10500")
    with_pairs = record._replace(pairs=[pair, lost, within, elsewhere])
    shown = html.unescape("".join(watch(with_pairs, f"rigs/{pair.rig_id}", pair.rig_id)))
    assert "b10236 → b10300" in shown
    assert shown.count("<tr") == 2  # the head and one pair
    assert watch(record._replace(pairs=[pair, within]), "rigs/x", pair.rig_id) == []


def test_names_are_shown_not_read(record: Record) -> None:
    with_pairs, pair = told(record)
    blocks = of_weights(with_pairs, "slugs/a/b", {"model": pair.model, "quant": pair.quant})
    assert "<b>" not in "".join(blocks)
