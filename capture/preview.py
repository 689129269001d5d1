"""Exactly what will be published, as a page to look at before it is: no script, nothing fetched."""

import re
from collections.abc import Iterable, Iterator
from html import escape

from capture.figure import figure
from ingest.bundle import Bundle, Run, leaves
from ingest.redact import Redaction

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{border:1px solid #888;padding:.2rem .6rem;text-align:left}
pre{overflow:auto;border:1px solid #888;padding:.6rem}"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


TAG = re.compile(r"<(USER|HOST|SECRET|[A-Z][A-Z-]{2,20})>")


def taken_out(files: dict[str, str]) -> list[Redaction]:
    """List what was taken out of the files, by the tags that stand in its place."""
    return [
        Redaction(f"{tag.casefold()} in {name}", number)
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        for tag in TAG.findall(line)
    ]


def page(
    bundle: Bundle, files: dict[str, str], card: Iterable[str], redacted: Iterable[Redaction]
) -> str:
    """Write the page; every text in it is a stranger's and is escaped."""
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(bundle.rig.machine)}</title>',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<style>{STYLE}</style></head><body>",
        f"<h1>To be published: {escape(bundle.rig.machine)}</h1>",
        f"<p>{len(files)} files, nothing else: {escape(', '.join(files))}. Licence: CC-BY-4.0.</p>",
        f"<h2>Summary</h2><pre>{escape(chr(10).join(card))}</pre>",
        "<h2>Rig</h2>",
        *_table(("Field", "Value", "How it was learned"), _rig_rows(bundle)),
    ]
    for run in bundle.runs:
        parts += [f"<h2>Run {escape(run.id)}</h2>", *_table(RUN_HEAD, _run_rows(run))]
    taken = [(str(one.line), one.kind) for one in redacted]
    parts.append("<h2>Redacted</h2>")
    parts += _table(("Line", "What"), taken) if taken else ["<p>Nothing had to be taken out.</p>"]
    for name, text in files.items():
        parts += [f"<h2>{escape(name)}</h2>", f"<pre>{escape(text)}</pre>"]
    return "\n".join([*parts, "</body></html>", ""])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"
    yield from (f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    yield "</table>"


def _rig_rows(bundle: Bundle) -> Iterator[tuple[str, ...]]:
    rig = bundle.rig.model_dump(mode="json", exclude_defaults=True)
    for pointer, value in leaves(rig, "/rig"):
        told = bundle.provenance.get(pointer) or bundle.provenance.get(pointer.rpartition("/")[0])
        how = f"{told.how}: {told.note}" if told else ""
        yield pointer.removeprefix("/rig/"), str(value), how


RUN_HEAD = ("Quantity", "Workload", "Value", "Protocol", "Evidence")


def _run_rows(run: Run) -> Iterator[tuple[str, ...]]:
    for one in run.measurements:
        line = f"line {one.evidence.line}" if one.evidence.line else ""
        yield one.quantity, one.workload or "", figure(one), one.protocol, line
