"""The files of the data set described for programs: Frictionless Data Package and Croissant."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from polars.datatypes import DataTypeClass

from sitegen.dictionary import Field, tables

NAME = "rigbook"
TITLE = "Measured speeds of mixture-of-experts models on rigs of people"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


class File(NamedTuple):
    """A file that can be taken away."""

    name: str
    holds: str
    rows: int | None
    kib: float


JOINED = {
    "measurements": ("measurements", "runs", "sources"),
    "rigs": ("rig_states", "machines"),
    "bandwidth": ("rig_bandwidth", "catalog_bandwidth"),
    "runs": ("runs",),
    "bundles": ("bundles", "sources"),
}
"""Published table → tables of the database whose columns it has, the first of a name first."""

ADDED = {
    "counts": Field("counts", "BOOLEAN", False, "", "takes part in comparisons and the fit"),  # noqa: FBT003 - a row
    "urls": Field("urls", "VARCHAR[]", False, "", "where its sources were published"),  # noqa: FBT003
}
"""Columns that only the published tables have."""


def columns_of(table: str) -> Mapping[str, Field]:
    """Tell what each column of a published table means."""
    known = {one.name: one.fields for one in tables()}
    found: dict[str, Field] = {}
    for name in JOINED[table]:
        for field in known[name]:
            found.setdefault(field.name, field)
    return {**ADDED, **found}


class Column(NamedTuple):
    """A column of a Parquet file with what is known of it."""

    name: str
    kind: DataTypeClass
    repeated: bool
    field: Field


def _tables(folder: Path, files: Iterable[File]) -> Iterator[tuple[File, str, list[Column]]]:
    for one in files:
        if one.name.endswith(".parquet"):
            table = one.name.removesuffix(".parquet")
            known = columns_of(table)
            schema = pl.read_parquet_schema(folder / one.name)
            yield one, table, [_column(name, kind, known[name]) for name, kind in schema.items()]


def _column(name: str, kind: pl.DataType, field: Field) -> Column:
    inner = kind.inner if isinstance(kind, pl.List) else kind
    return Column(name, inner.base_type(), isinstance(kind, pl.List), field)


_FRICTIONLESS: dict[DataTypeClass, str] = {
    pl.Boolean: "boolean", pl.Date: "date", pl.Float64: "number", pl.Int32: "integer",
    pl.String: "string",
}  # fmt: skip


def data_package(folder: Path, files: Iterable[File]) -> str:
    """Describe the Parquet files as a Frictionless Data Package."""
    described = {
        "name": NAME,
        "title": TITLE,
        "licenses": [{"name": "CC-BY-4.0", "path": LICENCE}],
        "resources": [
            {
                "name": table,
                "path": one.name,
                "format": "parquet",
                "description": one.holds,
                "schema": {"fields": [_frictionless(column) for column in columns]},
            }
            for one, table, columns in _tables(folder, files)
        ],
    }
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def _frictionless(column: Column) -> dict[str, str]:
    kind = "array" if column.repeated else _FRICTIONLESS[column.kind]
    told = {"name": column.name, "type": kind, "description": column.field.meaning}
    return {**told, "unit": column.field.unit} if column.field.unit else told


_CROISSANT: dict[DataTypeClass, str] = {
    pl.Boolean: "sc:Boolean", pl.Date: "sc:Date", pl.Float64: "sc:Float", pl.Int32: "sc:Integer",
    pl.String: "sc:Text",
}  # fmt: skip

_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip

CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{term: f"cr:{term}" for term in _TERMS},
}  # fmt: skip
"""The context of Croissant 1.0, whole, as its readers expect it (mlcommons.org/croissant/1.0)."""

CITE = "Rigbook contributors: {title}. CC BY 4.0. Name the sources of the rows that you use."


def croissant(folder: Path, files: Iterable[File]) -> str:
    """Describe the Parquet files as a Croissant data set, which search engines read."""
    found = list(_tables(folder, files))
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": NAME,
        "description": TITLE,
        "license": LICENCE,
        "citeAs": CITE.format(title=TITLE),
        **_published(folder),
        "distribution": [_file_object(folder / one.name, one) for one, _, _ in found],
        "recordSet": [_record_set(one, table, columns) for one, table, columns in found],
    }
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def _published(folder: Path) -> dict[str, str]:
    """Date the data set by its newest source, so that the same record gives the same bytes."""
    newest = pl.read_parquet(folder / "bundles.parquet", columns=["date"])["date"].max()
    if not isinstance(newest, date):
        return {}
    version = f"{newest.year}.{newest.month}.{newest.day}"
    return {"datePublished": newest.isoformat(), "version": version}


def _file_object(path: Path, one: File) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": one.name,
        "name": one.name,
        "contentUrl": one.name,
        "encodingFormat": "application/x-parquet",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def _record_set(one: File, table: str, columns: Iterable[Column]) -> dict[str, Any]:
    fields = [_croissant_field(one, table, column) for column in columns]
    head = {"@type": "cr:RecordSet", "@id": table, "name": table, "description": one.holds}
    return {**head, "field": fields}


def _croissant_field(one: File, table: str, column: Column) -> dict[str, Any]:
    unit = f" [{column.field.unit}]" if column.field.unit else ""
    source = {"fileObject": {"@id": one.name}, "extract": {"column": column.name}}
    told = {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": f"{column.field.meaning}{unit}",
        "dataType": _CROISSANT[column.kind],
        "source": source,
    }
    return {**told, "repeated": True} if column.repeated else told
