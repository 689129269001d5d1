"""Who may decide: the handles of `.github/CODEOWNERS`, and what each may do to a row."""

from collections.abc import Iterator
from pathlib import Path

from ingest.bundle import Bundle

CODEOWNERS = Path(".github/CODEOWNERS")


def owners(root: Path) -> frozenset[str]:
    """Read the handles of the checkout at `root`: lower case, without @; none without the file."""
    path = root / CODEOWNERS
    return frozenset(_handles(path.read_text("utf-8"))) if path.is_file() else frozenset()


def _handles(text: str) -> Iterator[str]:
    for line in text.splitlines():
        _pattern, *handles = line.partition("#")[0].split() or [""]
        yield from (fold_handle(handle) for handle in handles if handle.startswith("@"))


def fold_handle(handle: str) -> str:
    """Fold a handle for comparison: forges do not tell case apart."""
    return handle.removeprefix("@").casefold()


def may_withdraw(bundle: Bundle, actor: str, maintainers: frozenset[str]) -> bool:
    """Tell whether `actor` may retract, supersede or reinstate a row of `bundle`.

    That is the submitter it names and every maintainer; where it names none, only they.
    """
    who = fold_handle(actor)
    return who in maintainers or (
        bundle.submitter is not None and who == fold_handle(bundle.submitter)
    )
