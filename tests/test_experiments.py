import html

from ingest.pairs import Pair
from sitegen.address import METHOD
from sitegen.experiments import clear_ones, of_weights
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


def test_names_are_shown_not_read(record: Record) -> None:
    with_pairs, pair = told(record)
    blocks = of_weights(with_pairs, "slugs/a/b", {"model": pair.model, "quant": pair.quant})
    assert "<b>" not in "".join(blocks)
