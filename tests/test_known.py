import duckdb
import pytest

from ingest.misuse import Misuse
from rigbook.known import known


def test_a_name_of_the_catalogue_or_none_passes(database: duckdb.DuckDBPyConnection) -> None:
    known(database, "slug", "llamacpp/deepseek-flash-dual-q8")
    known(database, "slug", None)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("slug", "llamacpp/deepseek-flash", "nearest: llamacpp/deepseek-flash-dual-q8"),
        ("model", "'; DROP TABLE runs; --", "nearest: "),
    ],
)
def test_another_is_misuse_with_the_nearest(
    database: duckdb.DuckDBPyConnection, kind: str, name: str, told: str
) -> None:
    with pytest.raises(Misuse, match=f"no {kind} ") as raised:
        known(database, kind, name)
    assert told in str(raised.value)
