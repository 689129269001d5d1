"""Stands in for GitHub's `gh`: takes the arguments that its manual lists, and no others.

Forms as of cli.github.com/manual (gh_api, gh_repo_fork, gh_pr_create, gh_auth_git-credential): a
word that the real program would refuse ends this one with its exit code, too.
"""

import argparse
import json
import os
import re
import sys

AUTHENTICATION = 4
"""gh's exit code where nobody is logged in (gh help exit-codes)."""


def parser() -> argparse.ArgumentParser:
    """Build the part of gh's command line that a submission may use."""
    whole = argparse.ArgumentParser("gh", allow_abbrev=False)
    groups = whole.add_subparsers(dest="group", required=True)
    api = groups.add_parser("api", allow_abbrev=False)
    api.add_argument("endpoint")
    api.add_argument("-q", "--jq")
    repo = groups.add_parser("repo").add_subparsers(dest="verb", required=True)
    fork = repo.add_parser("fork", allow_abbrev=False)
    fork.add_argument("repository", nargs="?")
    for flag in ("--clone", "--default-branch-only", "--remote"):
        fork.add_argument(flag, nargs="?", const="true", choices=("true", "false"))
    for flag in ("--fork-name", "--org", "--remote-name"):
        fork.add_argument(flag)
    pull = groups.add_parser("pr").add_subparsers(dest="verb", required=True)
    create = pull.add_parser("create", allow_abbrev=False)
    for short, flag in (("-B", "--base"), ("-b", "--body"), ("-F", "--body-file"),
                        ("-H", "--head"), ("-R", "--repo"), ("-t", "--title")):  # fmt: skip
        create.add_argument(short, flag)
    for short, flag in (("-d", "--draft"), ("-f", "--fill"), ("-w", "--web")):
        create.add_argument(short, flag, action="store_true")
    credential = groups.add_parser("auth").add_subparsers(dest="verb", required=True)
    credential.add_parser("git-credential").add_argument("operation")
    return whole


def refuse(text: str, code: int = 1) -> None:
    """End as gh does: one line on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.exit(code)


def main() -> None:
    """Log the words, check them, answer."""
    with open(os.environ["FAKE_GH_LOG"], "a", encoding="utf-8") as file:
        file.write(json.dumps(sys.argv[1:]) + "\n")
    asked = parser().parse_args()
    user = os.environ.get("FAKE_GH_USER", "someone")
    if not user:
        refuse("To get started with GitHub CLI, please run:  gh auth login", AUTHENTICATION)
    if asked.group == "api":
        sys.stdout.write(f"{user}\n" if asked.jq == ".login" else json.dumps({"login": user}))
    elif asked.group == "repo":
        if asked.repository and asked.repository.split("/")[0].casefold() == user.casefold():
            refuse("failed to fork: a user cannot own both a parent and its fork")
        sys.stderr.write(f"https://github.com/{user}/{asked.repository.split('/')[1]}\n")
    elif asked.group == "pr":
        # Without a terminal the real one asks for both, or for --fill.
        if not asked.fill and (asked.title is None or (asked.body or asked.body_file) is None):
            refuse("must provide `--title` and `--body` when not running interactively")
        if not re.fullmatch(r"(?:[\w-]+:)?[\w./-]+", asked.head or ""):
            refuse(f"invalid head {asked.head!r}")
        sys.stdout.write(f"https://github.com/{asked.repo}/pull/7\n")


main()
