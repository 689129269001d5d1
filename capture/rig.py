"""All probes together: fields → the `Rig` of a bundle, with its provenance, and what root adds."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from capture.cards import Cards, card_fields
from capture.cpu import cpu_fields
from capture.dimms import Dimm, dimm_fields, dmidecode_dimms, lshw_dimms, smbios_dimms
from capture.edac import edac_fields
from capture.field import Field, Learned, settle
from capture.host import host_fields
from capture.known import known_fields
from capture.memory import memory_fields
from capture.tree import Tree
from ingest.bundle import Provenance, Rig
from ingest.catalog import Catalog
from ingest.filing import path_part
from ingest.hardware import find_cpu, find_gpu


class Pasted(NamedTuple):
    """Root's text that the owner pastes: `dmidecode -t memory`, `lshw -class memory`."""

    dmidecode: str = ""
    lshw: str = ""


class Probed(NamedTuple):
    """What the probes learned, and what only root could add to it."""

    learned: Learned
    asks: tuple[str, ...]


DMI_TABLE = "sys/firmware/dmi/tables/DMI"
ROOT_ASK = (
    "modules and configured rate: run `sudo dmidecode -t memory > dmi.txt`, then"
    " `rigbook capture --dmidecode dmi.txt`"
)


def probe(tree: Tree, cards: Cards, catalog: Catalog, pasted: Pasted) -> Probed:
    """Ask every way there is, best first."""
    found = [*cpu_fields(tree), *memory_fields(tree), *host_fields(tree), *card_fields(cards)]
    found += _module_fields(tree, pasted)
    found += edac_fields(tree)
    found += dimm_fields(lshw_dimms(pasted.lshw), "reported", "pasted lshw")
    told = settle(found).fields
    model, sockets = _value(told, "cpu.model"), _value(told, "cpu.sockets")
    found += known_fields(catalog, model, sockets)
    learned = settle(_clamped(found))
    missing = "memory.dimms" not in learned.fields and not _value(told, "cpu.guest")
    return Probed(learned, (ROOT_ASK,) if missing else ())


def _value(fields: dict[str, Field], at: str) -> Any:  # noqa: ANN401 - a field of the rig
    return fields[at].value if at in fields else None


def _module_fields(tree: Tree, pasted: Pasted) -> Iterator[Field]:
    """List the firmware's table: from sysfs where this user may read it, from pasted text."""
    table = tree.bytes(DMI_TABLE)
    entries = [tree.bytes(f"{at}/raw") for at in tree.folders("sys/firmware/dmi/entries/17-*")]
    dimms: tuple[Dimm, ...] = smbios_dimms(table or b"".join(entry or b"" for entry in entries))
    yield from dimm_fields(dimms, "measured", "SMBIOS table")
    yield from dimm_fields(dmidecode_dimms(pasted.dmidecode), "reported", "pasted dmidecode")


def _clamped(found: list[Field]) -> list[Field]:
    """Drop a count of channels that the processor cannot have: the labels name slots.

    Boards that give every slot its own bank locator make slots look like channels.
    """
    most = next((f.value for f in found if f.at == "memory.channels_total" and f.how == "inferred"),
                None)  # fmt: skip
    return [
        field
        for field in found
        if not (field.at.startswith("memory.channels_") and most and field.value > most)
    ]


def rig_of(
    learned: Learned, catalog: Catalog, names: tuple[str | None, str | None]
) -> tuple[Rig, dict[str, Provenance]]:
    """Make the rig and its provenance; `names` are the machine's and the state's, or None."""
    tree: dict[str, Any] = {}
    provenance = {}
    for field in learned.fields.values():
        section, _, leaf = field.at.rpartition(".")
        place = tree.setdefault(section, {}) if section else tree
        place[leaf] = field.value
        pointer = "/rig/" + field.at.replace(".", "/")
        provenance[pointer] = Provenance(how=field.how, note=field.way)
    tree["machine"] = path_part(names[0] or machine_name(learned, catalog))
    tree["state"] = path_part(names[1] or state_name(learned))
    return Rig.model_validate(tree), provenance


def machine_name(learned: Learned, catalog: Catalog) -> str:
    """Name a machine by its processor and cards: nothing that points at a person."""
    model = _value(learned.fields, "cpu.model") or "unknown-cpu"
    cpu = find_cpu(catalog, model)
    gpus = _value(learned.fields, "gpus")
    cards = [_card_name(catalog, gpu) for gpu in gpus] if isinstance(gpus, list) else []
    counted = [f"{cards.count(card)}x-{card}" for card in sorted(set(cards))]
    return "-".join([cpu.id if cpu else path_part(model), *counted])


def _card_name(catalog: Catalog, gpu: dict[str, Any]) -> str:
    vram_mib = gpu.get("vram_mib")
    known = find_gpu(catalog, gpu["name"], vram_mib / 1024 if vram_mib else None)
    return known.id if known else path_part(gpu["name"])


def state_name(learned: Learned) -> str:
    """Name a state by its memory: kind, rate and channels, as far as they are known."""
    value = {at: _value(learned.fields, f"memory.{at}") for at in
             ("kind", "mts", "channels_populated", "gib")}  # fmt: skip
    channels = value["channels_populated"]
    parts = [value["kind"], value["mts"], f"{channels}ch" if channels else None,
             f"{round(value['gib'])}gib" if value["gib"] else None]  # fmt: skip
    return "-".join(str(part) for part in parts if part) or "as-found"
