"""Facts → the nested document of a bundle and where each field came from.

The lowest rank fills a field, then the first line that says it. What a later line says differently
at the same rank becomes a doubt; the text keeps both.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from ingest.readers.item import Doubt, Fact

Document = dict[str, Any]

# Lists that are filled by key: the places below which keys are positions in the end.
LISTS = ("rig.gpus", "rig.memory.bandwidth", "quality")


class Filled(NamedTuple):
    """A document, the fact behind each of its places (dotted), and what did not agree."""

    document: Document
    facts: dict[str, Fact]
    doubts: tuple[Doubt, ...]


def filled(facts: Iterable[Fact]) -> Filled:
    """Fill a document with the best fact of each place."""
    places: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        places[fact.at].append(fact)
    document: Document = {}
    chosen: dict[str, Fact] = {}
    doubts: list[Doubt] = []
    best = [(min(said, key=lambda fact: fact.rank), said) for said in places.values()]
    for fact, said in sorted(best, key=lambda pair: pair[0].rank):
        doubts += _disagreement(fact, said)
        if _put(document, fact):
            chosen[fact.at] = fact
        else:
            doubts.append(Doubt(fact.line, f"{fact.at}: said to be off and on"))
    renamed = _positions(document, chosen)
    return Filled(document, renamed, tuple(doubts))


def _disagreement(best: Fact, said: Iterable[Fact]) -> list[Doubt]:
    others = [fact for fact in said if fact.rank == best.rank and not _same(fact.value, best.value)]
    if not others or best.how == "inferred":
        return []
    other = others[0]
    return [
        Doubt(
            other.line,
            f"{best.at}: line {best.line} says {_shown(best.value)}, this one"
            f" {_shown(other.value)}; took line {best.line}",
        )
    ]


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        try:
            return abs(float(str(one)) - float(str(other))) < 1e-9
        except ValueError:
            return False
    return one == other


def _shown(value: object) -> str:
    return str(value)[:60]


def _put(document: Document, fact: Fact) -> bool:
    """Set one place; False where a word such as "off" or a list stands in the way."""
    *steps, last = fact.at.split(".")
    place = document
    for step in steps:
        inner = place.setdefault(step, {})
        if not isinstance(inner, dict) or inner.get("kind") == "none":
            return False
        place = inner
    if last in place and (isinstance(fact.value, dict) or isinstance(place[last], dict)):
        return False
    place[last] = dict(fact.value) if isinstance(fact.value, dict) else fact.value
    return True


def _positions(document: Document, facts: dict[str, Fact]) -> dict[str, Fact]:
    """Turn the keyed lists into lists, and rename the places of their facts."""
    for at in LISTS:
        *steps, last = at.split(".")
        place: Any = document
        for step in steps:
            place = place.get(step, {}) if isinstance(place, dict) else {}
        keyed = place.get(last) if isinstance(place, dict) else None
        if not isinstance(keyed, dict) or "kind" in keyed:
            continue
        order = sorted(keyed, key=_position)
        place[last] = [keyed[key] for key in order]
        renames = {f"{at}.{key}": f"{at}.{index}" for index, key in enumerate(order)}
        facts = {_renamed(where, at, renames): fact for where, fact in facts.items()}
    return facts


def _position(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdecimal() else (0, "")


def _renamed(where: str, at: str, renames: dict[str, str]) -> str:
    if not where.startswith(f"{at}."):
        return where
    key, dot, rest = where[len(at) + 1 :].partition(".")
    return renames.get(f"{at}.{key}", where) + dot + rest
