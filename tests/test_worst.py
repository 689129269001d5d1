import numpy as np

from models.rows import FitRow
from models.worst import WORST, explained, worst


def test_the_largest_errors_come_first_whichever_way(made_rows: list[FitRow]) -> None:
    off = np.linspace(-1, 0.9, len(made_rows))
    found = worst(made_rows, off)
    assert len(found) == WORST
    assert found[0]["rig"] == made_rows[0].rig
    assert found[1]["predicted"] > found[1]["measured"] or found[1]["rig"] == made_rows[1].rig
    assert all(row["why"] for row in found)


def test_each_explanation_names_what_the_record_shows(made_rows: list[FitRow]) -> None:
    row = next(row for row in made_rows if row.stratum == "club")
    others = [one for one in made_rows if one.rig != row.rig]
    assert explained(row, [row, *others]) == ["nothing in the record explains it"]
    assumed = row._replace(accepted=None, measured_bandwidth=False)
    assert explained(assumed, [assumed, *others]) == [
        "acceptance assumed",
        "bandwidth from channels x MT/s, not measured",
    ]
    twice = row._replace(tokens_per_s=2 * row.tokens_per_s, protocol="b")
    low, high = row.tokens_per_s, 2 * row.tokens_per_s
    assert explained(row, [row, twice, *others]) == [
        f"the machine itself gave {low:.3g} to {high:.3g} with the same inputs",
        f"{high:.3g} by another protocol",
    ]


def test_a_kind_of_its_own_is_told(made_rows: list[FitRow]) -> None:
    row = made_rows[0]
    x = row.inputs._replace(sockets_log2=1.0, cache_on=1.0, gpus_beyond_two=2.0, busy_cores=1.0)
    alone = row._replace(model="x", inputs=x, cores=64.0, hit_rate=None)
    assert explained(alone, [alone, *made_rows]) == [
        "cache hits assumed",
        "a cache over more than two cards: on no other machine",
        "several sockets: page placement not told",
        "1 of 64 cores at work",
        "the only machine with this model",
    ]
