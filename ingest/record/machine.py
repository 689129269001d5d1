"""Which box a row is about, and in which state: stable keys from what the row tells."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ingest.bundle import Key
from ingest.catalog import Catalog
from ingest.filing import path_part
from ingest.hardware import find_cpu
from ingest.record.row import Merged, plain_handle

REFERENCE = "noonghunna-epyc-7543"
REFERENCE_CPU = "AMD EPYC 7543"
"""The project's reference rig: a guest on a single-socket 8-channel host. The thread names the part
(github.com/noonghunna/club-3090/discussions/909), the tables only its class."""

# Rows that tell of a machine which another row names fully, by what they do say.
_SAME_HARDWARE = (
    # The club's changelog and compose headers quote one rig's re-tests without its handle.
    (("threadripper pro 3975wx", "2x rtx 5090"), "paulp83-threadripper-pro-3975wx"),
)


class Machine(NamedTuple):
    """The key of a box; `inferred` where its identity was guessed from handle and cards."""

    key: str
    inferred: bool


def machine_of(one: Merged, catalog: Catalog) -> Machine:
    """Name the box of a row.

    A club row: handle and CPU; without a CPU, handle and cards, inferred. A community row: the
    collection's own grouping, with the CPU where one group holds two.
    """
    row = one.row
    cpu = _cpu_key(row, catalog)
    if not one.club and row.get("rig"):
        known = find_cpu(catalog, str(row.get("cpu") or ""))
        tail = "" if known or not row.get("cpu") else f"-{path_part(str(row['cpu']))}"
        return Machine(path_part(f"public-{row['rig']}{tail}"), inferred=False)
    if is_reference(row):
        return Machine(REFERENCE, inferred=False)
    handle = plain_handle(row.get("handle"))
    cards = gpu_summary(row)
    if handle is None:
        said = f"{row.get('cpu') or ''} {cards}".casefold()
        for words, key in _SAME_HARDWARE:
            if all(word in said for word in words):
                return Machine(key, inferred=True)
        source = re.sub(r"^(?:github|huggingface)\.com?/", "", str(row["source"]))
        return Machine(path_part(f"{source[:40]}-{cpu or cards}"), inferred=True)
    return Machine(path_part(f"{handle}-{cpu or cards or 'unstated'}"), inferred=cpu is None)


def is_reference(row: dict[str, Any]) -> bool:
    """Tell whether a row is of the project's own offload rig: its owner, its 8-channel board."""
    told = f"{row.get('cpu')} {row.get('ram_type')}"
    return plain_handle(row.get("handle")) == "noonghunna" and "EPYC SP3" in told


def _cpu_key(row: dict[str, Any], catalog: Catalog) -> str | None:
    cpu = row.get("cpu")
    if not cpu:
        return None
    entry = find_cpu(catalog, str(cpu))
    return entry.id if entry else path_part(str(cpu))


def gpu_summary(row: dict[str, Any]) -> str:
    """Name a row's cards in one string: `2x rtx 3090`."""
    groups = row.get("gpus") or []
    return " ".join(f"{g.get('count') or 1}x {g.get('model') or 'gpu'}" for g in groups)


class Facts(NamedTuple):
    """What tells two states of one machine apart; None where a row does not say."""

    kind: str | None
    mts: float | None
    channels: int | None
    gib: float | None
    cards: str | None
    watts: str | None

    @property
    def told(self) -> int:
        """Count the facts that are known."""
        return sum(fact is not None for fact in self)

    @property
    def key(self) -> Key:
        """Name the state by its facts: `ddr4-3200-8ch-236g-2x-rtx-3090-230w`."""
        parts = [
            self.kind,
            f"{self.mts:g}" if self.mts else None,
            f"{self.channels}ch" if self.channels else None,
            f"{self.gib:.0f}g" if self.gib else None,
            self.cards or "no cards told",
            f"{self.watts}w" if self.watts else None,
        ]
        return path_part("-".join(part for part in parts if part))


MEMORY_TOLERANCE = 0.06
"""One box's memory is told as what is fitted and as what the kernel sees: 128 and 123 GiB."""


def facts_of(row: dict[str, Any]) -> Facts:
    """Read what a row tells of its machine's state."""
    watts = {str(g["power_w"]) for g in row.get("gpus") or [] if g.get("power_w")}
    kind = str(row.get("ram_type") or "").split(" ", maxsplit=1)[0].casefold()
    return Facts(
        kind=kind or None,
        mts=row.get("ram_mts"),
        channels=row.get("channels_populated"),
        gib=row.get("ram_gb"),
        cards=gpu_summary(row) or None,
        watts=watts.pop() if len(watts) == 1 else None,
    )


def _agree(one: Facts, other: Facts) -> bool:
    for name, a, b in zip(Facts._fields, one, other, strict=True):
        if a is None or b is None or a == b:
            continue
        if name != "gib" or abs(float(a) - float(b)) > MEMORY_TOLERANCE * max(float(a), float(b)):
            return False
    return True


def states(rows: Iterable[dict[str, Any]]) -> list[Key]:
    """Name the rig state of each row of one machine, in order.

    The rows that tell most found the states; a row that tells less joins the one state that it
    agrees with. Where it agrees with several it is a state of its own: which one is not known.
    """
    told = [facts_of(row) for row in rows]
    founded: list[Facts] = []
    of: dict[Facts, int] = {}
    for facts in sorted(dict.fromkeys(told), key=lambda facts: -facts.told):
        near = [index for index, state in enumerate(founded) if _agree(facts, state)]
        if len(near) == 1:
            of[facts] = near[0]
            founded[near[0]] = _filled(founded[near[0]], facts)
        else:
            of[facts] = len(founded)
            founded.append(facts)
    return [founded[of[facts]].key for facts in told]


def _filled(state: Facts, facts: Facts) -> Facts:
    told = facts._asdict()
    return state._replace(**{k: told[k] for k, v in state._asdict().items() if v is None})
