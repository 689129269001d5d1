"""A journal → a bundle: redacted first, read from the redacted lines, sealed and laid out."""

import getpass
import json
import os
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from capture.bandwidth import METHOD
from capture.field import Field, Learned
from capture.integrity import Finding, panel
from capture.rig import rig_of
from capture.run import run_of
from ingest.bundle import Bandwidth, Bundle, Provenance, Rig, Run, Source, Status, bundle_id
from ingest.catalog import Catalog
from ingest.filing import Draft, draft
from ingest.redact import Redaction, redact

ADDRESS = "rigbook:capture"
"""There is no page to point at: the evidence is the journal beside the bundle."""


class Drafted(NamedTuple):
    """A bundle ready to be filed, what was redacted, and the panel of each run."""

    bundle: Bundle
    draft: Draft
    redacted: tuple[Redaction, ...]
    panels: dict[str, list[Finding]]


def public_lines(lines: Iterable[dict[str, Any]]) -> tuple[str, tuple[Redaction, ...]]:
    """Write journal lines without what names a person, a host or a key."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    own = [
        (r"\b" + re.escape(name) + r"\b", tag)
        for name, tag in ((os.uname().nodename, "<HOST>"), (_user(), "<USER>"))
        if name and len(name) > 3 and name not in COMMON
    ]
    found = redact(text)
    cleaned, taken = found.text, list(found.taken)
    for pattern, tag in own:
        for number, line in enumerate(cleaned.splitlines(), start=1):
            if re.search(pattern, line):
                taken.append(Redaction(tag.strip("<>").casefold(), number))
        cleaned = re.sub(pattern, tag, cleaned)
    return cleaned, tuple(taken)


COMMON = frozenset({"localhost", "root", "user", "ubuntu", "debian", "fedora", "linux"})
"""Names of hosts and users that say nothing, and stand in texts for other reasons."""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def drafted(
    lines: Sequence[dict[str, Any]], catalog: Catalog, today: date, submitter: str | None = None
) -> Drafted:
    """Make the bundle of a journal."""
    text, taken = public_lines(lines)
    told = [json.loads(line) for line in text.splitlines()]
    rig, provenance = _rig(told, catalog)
    runs: list[Run] = []
    panels: dict[str, list[Finding]] = {}
    for name in dict.fromkeys(line["run"] for line in told if line["kind"] == "run"):
        panels[name] = panel(told, name)
        run, how = run_of(told, name, catalog, len(runs))
        runs.append(run)
        provenance.update(how)
    source = Source(kind="capture", url=ADDRESS, author=submitter, date=today)
    bundle = Bundle(
        id=bundle_id([source.url], text), submitter=submitter, sources=(source,), rig=rig,
        runs=tuple(runs), provenance=provenance,
    )  # fmt: skip
    statuses = marks(panels, today)
    return Drafted(bundle, draft(bundle, "capture", ("rows.jsonl", text), statuses), taken, panels)


MARKING = {("divergence", "advisory"), ("swap", "fail"), ("status", "fail")}
"""Findings that make a run doubtful as a whole: it is kept, and flagged."""


def marks(panels: dict[str, list[Finding]], today: date) -> list[Status]:
    """Flag the runs whose numbers cannot be trusted, with the finding as the reason."""
    return [
        Status(target=f"/runs/{index}", state="flagged", reason=f"{one.name}: {one.text}"[:2000],
               date=today, by="rigbook")
        for index, findings in enumerate(panels.values())
        for one in findings
        if (one.name, one.state) in MARKING
    ]  # fmt: skip


def _under_load(told: Sequence[dict[str, Any]], rig: Rig) -> Rig:
    """Take each card's link as it was under load: at rest a card lowers its own."""
    links: list[str] = next((line["links"] for line in reversed(told)
                  if line["kind"] == "watch" and line.get("links")), [])  # fmt: skip
    if not isinstance(rig.gpus, tuple) or len(links) != len(rig.gpus):
        return rig
    cards = tuple(
        card.model_copy(update={"link": link or card.link})
        for card, link in zip(rig.gpus, links, strict=True)
    )
    return rig.model_copy(update={"gpus": cards})


def _rig(told: Sequence[dict[str, Any]], catalog: Catalog) -> tuple[Rig, dict[str, Provenance]]:
    numbered = {line["at"]: (number, line) for number, line in enumerate(told, start=1)
                if line["kind"] == "field"}  # fmt: skip
    fields = {at: Field(at, line["value"], line["how"], line["way"])
              for at, (_, line) in numbered.items()}  # fmt: skip
    named: dict[str, Any] = next((line for line in told if line["kind"] == "machine"), {})
    rig, provenance = rig_of(Learned(fields, ()), catalog, (named.get("machine"),
                                                            named.get("state")))  # fmt: skip
    rig = _under_load(told, rig)
    for at, (number, _) in numbered.items():
        pointer = "/rig/" + at.replace(".", "/")
        provenance[pointer] = provenance[pointer].model_copy(update={"line": number})
    figures = [(number, line) for number, line in enumerate(told, start=1)
               if line["kind"] == "bandwidth"]  # fmt: skip
    figures.sort(key=lambda one: -one[1]["figure"]["gbps"])
    entries = tuple(Bandwidth.model_validate(line["figure"]) for _, line in figures)
    for index, (number, _) in enumerate(figures):
        provenance[f"/rig/memory/bandwidth/{index}"] = Provenance(
            how="measured", line=number, note=METHOD
        )
    return rig.model_copy(
        update={"memory": rig.memory.model_copy(update={"bandwidth": entries})}
    ), provenance
