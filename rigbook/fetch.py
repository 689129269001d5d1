"""Fetch threads from GitHub with their comments, redacted, for `rigbook read`.

The token, which discussions need, is taken from GITHUB_TOKEN alone.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from rigbook.github import Client, Thread

EXAMPLES = """examples:
  rigbook fetch OWNER/REPO#931
  rigbook fetch OWNER/REPO --label bench-contribution --since 2026-09-01"""

_TARGET = re.compile(r"([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})(?:#([0-9]{1,9}))?$", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook fetch`."""
    parser.add_argument("target", metavar="OWNER/REPO[#N]", help="a thread, or with --label many")
    parser.add_argument("--label", help="every issue with this label")
    parser.add_argument("--since", metavar="DATE", type=date.fromisoformat, help="changed since")
    parser.add_argument("--out", type=Path, default=Path("build/threads"), metavar="FOLDER")
    parser.add_argument("--api", default="https://api.github.com", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Fetch what was asked for; run again after a stop, it goes on where it was."""
    from rigbook.threads import save  # noqa: PLC0415 - httpx only when the verb runs

    found = _TARGET.match(args.target)
    if not found or bool(found[2]) == bool(args.label):
        raise Misuse("give OWNER/REPO#N for one thread, or OWNER/REPO --label LABEL for many")
    client = client_for(args.api, args.out / ".cache")
    count = 0
    for thread in _threads(client, found[1], found[2], args):
        saved = save(thread, args.out)
        count += 1
        print(f"{saved.text}: {saved.posts} posts: {saved.title}", flush=True)
    print(f"{count} threads fetched into {args.out}")
    return 0


def client_for(api: str, cache: Path) -> "Client":
    """Make a client with the token of the environment, if there is one."""
    from rigbook.github import Client  # noqa: PLC0415 - httpx only when the verb runs

    return Client(api, os.environ.get("GITHUB_TOKEN"), cache, _tell)


def _threads(
    client: "Client", repository: str, number: str | None, args: argparse.Namespace
) -> Iterator["Thread"]:
    from rigbook import threads  # noqa: PLC0415 - httpx only when the verb runs

    if number is None:
        since = f"{args.since.isoformat()}T00:00:00Z" if args.since else None
        yield from threads.labelled(client, repository, args.label, since, args.out)
        return
    yield threads.fetched(client, repository, int(number))


def _tell(line: str) -> None:
    """Talk goes to stderr; on a terminal a wait is one line that the next one replaces."""
    end = "\r" if sys.stderr.isatty() else "\n"
    print(line, file=sys.stderr, end=end, flush=True)
