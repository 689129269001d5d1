import duckdb
import pytest

from ingest.store import create
from sitegen.dictionary import dictionary_page, meanings, tables, unit_of
from sitegen.page import markdown


def test_every_table_and_column_of_the_database_is_there_with_a_meaning() -> None:
    with duckdb.connect() as connection:
        create(connection)
        real = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    told = {(one.name, field.name) for one in tables() for field in one.fields}
    assert told == set(real)
    unsaid = [(o.name, f.name) for o in tables() for f in o.fields if not f.meaning]
    assert unsaid == [], "write a comment behind the column in ingest/schema.sql"


@pytest.mark.parametrize(
    ("column", "unit"),
    [("triad_gbps", "GB/s (1e9 bytes)"), ("kv_mib_per_1k", "MiB for 1,000 tokens"),
     ("weights_gib", "GiB"), ("context_tokens", "tokens"), ("power_default_w", "W"),
     ("view", ""), ("cores", "")],
)  # fmt: skip
def test_units_are_read_from_names(column: str, unit: str) -> None:
    assert unit_of(column) == unit


def test_a_meaning_goes_on_over_lines() -> None:
    schema = "CREATE TABLE t (\n    a  INTEGER,  -- begins\n                 -- and ends\n);"
    assert dict(meanings(schema)) == {("t", "a"): "begins and ends"}


def test_the_page_has_a_section_a_table() -> None:
    shown = markdown(dictionary_page())
    assert all(f"{{ #{one.name} }}" in shown for one in tables())
