"""Issues and discussions as texts for the readers: fetched with comments, written redacted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ingest.filing import path_part
from ingest.misuse import Misuse
from rigbook.github import Client, Post, Thread

DISCUSSION = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      title url updatedAt createdAt body author { login }
      comments(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          body createdAt author { login }
          replies(first: 100) { nodes { body createdAt author { login } } }
        }
      }
    }
  }
}
"""


class Saved(NamedTuple):
    """A thread on disk: its text and what is known of it."""

    text: Path
    title: str
    posts: int
    fresh: bool


def fetched(client: Client, repository: str, number: int) -> Thread:
    """Fetch a thread, whichever of the two it is."""
    return issue(client, repository, number) or discussion(client, repository, number)


def issue(client: Client, repository: str, number: int) -> Thread | None:
    """Fetch one issue with its comments; None when the number is no issue."""
    found = client.get(f"/repos/{repository}/issues/{number}")
    return None if found is None else _thread(client, repository, found)


def _thread(client: Client, repository: str, found: dict[str, Any]) -> Thread:
    number = int(found["number"])
    comments: list[dict[str, Any]] = []
    if found.get("comments"):
        comments = list(client.pages(f"/repos/{repository}/issues/{number}/comments"))
    posts = tuple(_post(one, "user", "created_at") for one in (found, *comments))
    return Thread(
        repository, number, str(found["html_url"]), str(found["title"]),
        str(found["updated_at"]), posts,
    )  # fmt: skip


def _post(one: dict[str, Any], author: str, date: str) -> Post:
    login = (one.get(author) or {}).get("login")
    return Post(login, str(one.get(date) or ""), str(one.get("body") or ""))


def labelled(
    client: Client, repository: str, label: str, since: str | None, out: Path
) -> Iterator[Thread]:
    """Fetch every issue with a label; those that lie in `out` as they are now are passed over."""
    params: dict[str, str | int] = {"labels": label, "state": "all", "sort": "created"}
    if since:
        params["since"] = since
    for found in client.pages(f"/repos/{repository}/issues", **params):
        if "pull_request" in found:
            continue
        if known_state(out, repository, int(found["number"])) != found["updated_at"]:
            yield _thread(client, repository, found)


def discussion(client: Client, repository: str, number: int) -> Thread:
    """Fetch one discussion with comments and replies, which needs a token."""
    if not client.token:
        raise Misuse(f"{repository}#{number} is no issue; to read a discussion set GITHUB_TOKEN")
    owner, _, name = repository.partition("/")
    posts: list[Post] = []
    after: str | None = None
    while True:
        data = client.query(DISCUSSION, owner=owner, name=name, number=number, after=after)
        found = (data.get("repository") or {}).get("discussion")
        if found is None:
            raise Misuse(f"{repository}#{number} is neither an issue nor a discussion")
        posts = posts or [_post(found, "author", "createdAt")]
        for node in found["comments"]["nodes"]:
            replies = (node.get("replies") or {}).get("nodes") or []
            posts += [_post(one, "author", "createdAt") for one in (node, *replies)]
        page = found["comments"]["pageInfo"]
        if not page["hasNextPage"]:
            break
        after = page["endCursor"]
    return Thread(
        repository, number, str(found["url"]), str(found["title"]), str(found["updatedAt"]),
        tuple(posts),
    )  # fmt: skip


def text_of(thread: Thread) -> str:
    """Write a thread the way `ingest.readers.post` cuts it again."""
    first, *rest = thread.posts
    parts = [_plain(first.body)]
    for post in rest:
        parts.append(f"---- comment by {post.author or 'another user'} at {post.date} ----")
        parts.append(_plain(post.body))
    return "\n".join(parts) + "\n"


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n").rstrip("\n")


def _stem(repository: str, number: int) -> str:
    return f"{path_part(repository.replace('/', '-'))}-{number}"


def known_state(out: Path, repository: str, number: int) -> str | None:
    """Tell when the thread on disk was last changed; None when it is not there."""
    try:
        told = json.loads((out / f"{_stem(repository, number)}.json").read_text())
    except (OSError, ValueError):
        return None
    return str(told.get("updated")) if isinstance(told, dict) else None


def save(thread: Thread, out: Path) -> Saved:
    """Write the text and, last, what is known of it: a thread counts as fetched only then."""
    out.mkdir(parents=True, exist_ok=True)
    stem = _stem(thread.repository, thread.number)
    text = out / f"{stem}.md"
    fresh = known_state(out, thread.repository, thread.number) != thread.updated
    text.write_text(text_of(thread), encoding="utf-8")
    told = {
        "url": thread.url.partition("://")[2],
        "title": thread.title,
        "author": thread.posts[0].author,
        "date": thread.posts[0].date[:10],
        "updated": thread.updated,
    }
    beside = out / f"{stem}.json.part"
    beside.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    beside.replace(out / f"{stem}.json")
    return Saved(text, thread.title, len(thread.posts), fresh)
