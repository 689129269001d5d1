"""Read a pasted report, table or log into a bundle; say what was inferred, redacted, not read."""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from ingest.bundle import Source
    from ingest.readers.reading import Reading

EXAMPLES = """examples:
  rigbook read report.md
  llama-bench -o json … | rigbook read - --as llama-bench --json"""

_THREAD = re.compile(
    r"https?://github\.com/([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})"
    r"/(?:issues|discussions)/([0-9]{1,9})\b",
    re.ASCII,
)
API = "https://api.github.com"
CACHE = Path("build/threads/.cache")
FETCH_TIMEOUT_S = 30
MAX_LISTED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook read`."""
    parser.add_argument("source", metavar="FILE|URL|-", help="a file, an address, or - for stdin")
    parser.add_argument("--as", dest="form", metavar="FORMAT", help="the format, where it is known")
    parser.add_argument("--author", help="public handle of who wrote it")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Read one text; 1 if nothing could be made of it or a rule is broken."""
    from ingest.catalog import load_catalog  # noqa: PLC0415 - only when the verb runs
    from ingest.problem import has_errors  # noqa: PLC0415
    from ingest.readers.reader import read  # noqa: PLC0415
    from ingest.shipped import shipped  # noqa: PLC0415

    content, source = _open(args.source, args.author)
    catalog, _ = load_catalog(Path(shipped("catalog")))
    reading = read(content, source, catalog, args.form)
    if args.json:
        print(json.dumps(document(reading), ensure_ascii=False, indent=1))
    else:
        print(told(reading))
    return 1 if has_errors(reading.problems) else 0


def _open(where: str, author: str | None) -> tuple[bytes, "Source"]:
    from ingest.bundle import Source  # noqa: PLC0415 - pydantic only when the verb runs

    if where == "-":
        return sys.stdin.buffer.read(), Source(kind="upload", url="stdin", author=author)
    thread = _THREAD.match(where)
    if thread:
        return _fetched(thread[1], int(thread[2]))
    if where.startswith(("http://", "https://")):
        address = where.partition("://")[2].partition("?")[0]
        kind = "issue" if "/issues/" in address else "document"
        return _download(where), Source(kind=kind, url=address, author=author)
    path = Path(where)
    try:
        return path.read_bytes(), _source_of(path, author)
    except OSError as error:
        raise Misuse(f"cannot read {where}: {error.strerror}; give a file, a URL or -") from error


def _fetched(repository: str, number: int) -> tuple[bytes, "Source"]:
    """Fetch an issue or discussion with its comments: its page is not what people wrote."""
    from ingest.bundle import Source  # noqa: PLC0415 - only for a thread
    from rigbook.fetch import client_for  # noqa: PLC0415
    from rigbook.threads import fetched, text_of  # noqa: PLC0415

    thread = fetched(
        client_for(os.environ.get("RIGBOOK_GITHUB_API", API), CACHE), repository, number
    )
    first = thread.posts[0]
    address = thread.url.partition("://")[2]
    source = Source(kind="thread", url=address, author=first.author)
    return text_of(thread).encode(), source


def _source_of(path: Path, author: str | None) -> "Source":
    """Say where a file came from: a fetched thread has that written beside it."""
    from pydantic import ValidationError  # noqa: PLC0415 - pydantic only when the verb runs

    from ingest.bundle import Source  # noqa: PLC0415

    beside = path.with_suffix(".json")
    if path.suffix == ".md" and beside.is_file():
        try:
            told = json.loads(beside.read_bytes())
            fields = {key: told.get(key) for key in ("url", "author", "date")}
            return Source.model_validate({"kind": "thread", **fields})
        except (ValueError, AttributeError, ValidationError):
            pass  # another file of the same name: the text then stands for itself
    return Source(kind="file", url=path.name, author=author)


def _download(url: str) -> bytes:
    import httpx  # noqa: PLC0415 - only for an address

    from ingest.readers.text import MAX_BYTES  # noqa: PLC0415

    content = b""
    try:
        with httpx.stream("GET", url, follow_redirects=True, timeout=FETCH_TIMEOUT_S) as answer:
            answer.raise_for_status()
            for piece in answer.iter_bytes():
                content += piece
                if len(content) > MAX_BYTES:
                    break
    except httpx.HTTPError as error:
        raise Misuse(
            f"cannot fetch {url}: {error}; check the address, or save it and give the file"
        ) from error
    return content


def document(reading: "Reading") -> dict[str, Any]:
    """Lay out a reading as the JSON document of `--json`."""
    bundles = [
        {
            "format": one.format,
            "bundle": json.loads(_canonical(one.bundle)),
            "inferred": [place._asdict() for place in one.inferred],
        }
        for one in reading.understood
    ]
    return {
        "schema": "rigbook.read/1",
        "bundles": bundles,
        "unread": [line._asdict() for line in reading.unread],
        "redacted": [one._asdict() for one in reading.redacted],
        "problems": [problem._asdict() for problem in reading.problems],
    }


def _canonical(bundle: Any) -> str:  # noqa: ANN401 - Bundle, imported late
    from ingest.bundle import canonical_json  # noqa: PLC0415

    return canonical_json(bundle)


def told(reading: "Reading") -> str:
    """Tell a reading to a person."""
    from rigbook.read_text import lines_of_reading  # noqa: PLC0415

    return "\n".join(lines_of_reading(reading, MAX_LISTED))
