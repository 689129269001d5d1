"""What is wrong with a submission, as data: collected, sorted, printed one a line, then counted."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Severity = Literal["error", "flag", "note"]


class Problem(NamedTuple):
    """One finding about one place in one file.

    `message` says what stands there, what should, and what to do. `error` refuses the file (exit
    code 1); `flag` keeps it but marks it doubtful; `note` only tells.
    """

    path: str
    where: str
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        """One line for a person: `path: where: message`; the severity unless it is an error."""
        mark = "" if self.severity == "error" else f"{self.severity}: "
        place = f"{self.where}: " if self.where else ""
        return f"{self.path}: {place}{mark}{self.message}"


def has_errors(problems: Iterable[Problem]) -> bool:
    """Tell whether any of `problems` refuses its file."""
    return any(problem.severity == "error" for problem in problems)


def count_line(problems: Iterable[Problem]) -> str:
    """Count `problems` by severity: `2 errors, 1 flag, 0 notes`."""
    severities = [problem.severity for problem in problems]
    counts = ((word, severities.count(word)) for word in ("error", "flag", "note"))
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for word, n in counts)
