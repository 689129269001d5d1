"""The page of the bundle: every object and field, from the pydantic models' JSON Schema."""

from typing import Any

from ingest.bundle import Bundle, Status
from sitegen.escape import NOTHING, Html, inside, joined, text
from sitegen.page import Page, heading, page, paragraph
from sitegen.table import Column, Line, table

BUNDLE = "reference/bundle"

Schema = dict[str, Any]


def bundle_page() -> Page:
    """Make the page: the bundle first, then what it is made of in the order it is met."""
    whole = Bundle.model_json_schema()
    parts = whole.pop("$defs")
    status = Status.model_json_schema()
    status.pop("$defs", None)
    every = {"Bundle": whole, **{name: parts[name] for name in _met(whole, parts)}}
    blocks: list[str] = [paragraph(joined([text(_HEAD), inside(_SCHEMA, "report.schema.json")]))]
    for name, schema in {**every, "Status": status}.items():
        blocks += [heading(name, name.lower()), *_described(schema), _fields(name, schema)]
    return page(BUNDLE, "Bundle", "Every field of report.json and status.jsonl.", blocks)


_SCHEMA = "../../data/report.schema.json"

_HEAD = (
    "A bundle is one folder: report.json (a Bundle), the text it was read from, and status.jsonl "
    "(one Status a line). Three values stand for three facts: null is unknown, "
    '{"kind": "none"} is known to be off, 0 is a measured zero. Unknown keys are errors. '
    "The same as JSON Schema, for editors and programs:"
)


def _met(schema: Schema, parts: Schema) -> list[str]:
    """List the named parts below `schema`, each once, as they are met."""
    order: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in order:
                order.append(name)
                walk(parts[name])
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(schema)
    return order


def _described(schema: Schema) -> list[Html]:
    return [
        paragraph(text(part.replace("`", "")))
        for part in schema.get("description", "").split("\n\n")
        if part
    ]


def _fields(name: str, schema: Schema) -> Html:
    columns = (Column("Field"), Column("Type"), Column("Limits"), Column("Must be there"))
    needed = schema.get("required", [])
    lines = [
        Line([text(field), _type(one), text(_limits(one)), text("yes" if field in needed else "")])
        for field, one in schema.get("properties", {}).items()
    ]
    return table(f"Fields of {name}", columns, lines)


def _type(schema: Schema) -> Html:
    """Write a type as people say it, with links to the parts."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return inside(f"#{name.lower()}", name)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        known = [one for one in choices if one.get("type") != "null"]
        shown = joined([_type(one) for one in known], " or ")
        return joined([shown, text("or null") if len(known) < len(choices) else NOTHING])
    if schema.get("type") == "array":
        inner = schema.get("items") or {}
        return joined([text("list of"), _type(inner)])
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return joined([text("object by name of"), _type(schema["additionalProperties"])])
    if "enum" in schema:
        return text(" | ".join(map(str, schema["enum"])))
    return text(schema.get("const") or schema.get("format") or schema.get("type") or "any")


_LIMITS = {
    "minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}",
    "minLength": "at least {} long",
    "maxLength": "at most {} long", "minItems": "at least {} of them", "pattern": "pattern {}",
}  # fmt: skip


def _limits(schema: Schema) -> str:
    """Write what a value must hold to beyond its type."""
    parts = [schema, *(schema.get("anyOf") or ())]
    found = [
        words.format(one[key]) for one in parts for key, words in _LIMITS.items() if key in one
    ]
    return ", ".join(found)
