"""The front door: `rigbook VERB …`, and `predict …` for `rigbook predict …`.

Exit codes: 0 done, 1 the input has errors, 2 misuse, 130 interrupted. A bug is a traceback.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from ingest.misuse import Misuse

# verb → one line of help; the module is rigbook.<verb>, with `-` as `_`
VERBS = {
    "predict": "tokens/s of each slug on a rig, with interval, evidence and limit",
    "read": "text that people paste -> bundle, with what was inferred and redacted",
    "check": "validate bundles and the catalogue; list every problem",
    "load": "build the DuckDB database from data/",
    "query": "ask the database in SQL, read-only",
    "compare": "set measurements side by side, or say why not",
    "pairs": "runs of one machine that differ in one field, and what it did",
    "review": "judge a change as CI does, and report it",
    "table": "the rows of a slug, in the community's table convention",
    "fit": "fit the decode model on the database",
    "evaluate": "score the model on machines left out",
    "capture": "probe this rig into a bundle, without root",
    "bandwidth": "measure the read bandwidth of this host over threads",
    "bench": "bench a running server on this rig, into a bundle",
    "submit": "show, check and send a bundle as a pull request",
    "plan": "does it fit, where does each expert go, and the line that does it",
    "lint-launch": "what is wrong with a launch line, and the fix",
    "gguf": "what a GGUF holds: bytes by role, layer and type",
    "import": "turn collected rows and the seed table into bundles",
    "reread": "read every stored raw text again and tell what changed",
    "fetch": "fetch issues and discussions with their comments, redacted",
    "site": "build the static site",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(_overview())
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        return _told_version()
    verb, *rest = words
    if verb not in VERBS:
        sys.stderr.write(f"rigbook: no verb {verb!r}; one of {', '.join(VERBS)}\n")
        return 2
    return _run(verb, rest)


def predict_main() -> int:
    """Run `predict …`."""
    return _run("predict", sys.argv[1:], program="predict")


def _told_version() -> int:
    """Print the version of the installed package."""
    # Slow to import, and a prediction has no need of it.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        sys.stdout.write(f"rigbook {version('rigbook')}\n")
    except PackageNotFoundError:
        sys.stderr.write("rigbook: is not installed, so it has no version: `make site` does it\n")
        return 2
    return 0


def _overview() -> str:
    lines = [f"  {verb:<11} {text}" for verb, text in VERBS.items()]
    return "\n".join(
        [
            "usage: rigbook VERB …, rigbook --version",
            "",
            "What will this model do on my rig, how sure are we, and which launch line gets it?",
            "",
            *lines,
            "",
            "examples:",
            "  rigbook predict --triad 52 --cores 16",
            "  rigbook check data",
            "",
        ]
    )


def module_of(verb: str) -> ModuleType:
    """Import the module of a verb."""
    name = "import_" if verb == "import" else verb.replace("-", "_")
    return importlib.import_module(f"rigbook.{name}")


def parser_of(
    verb: str, program: str | None = None, columns: int | None = None
) -> argparse.ArgumentParser:
    """Make the parser of a verb; `columns` fixes the width of its help."""
    module = module_of(verb)
    parser = argparse.ArgumentParser(
        prog=program or f"rigbook {verb}",
        description=module.__doc__,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=columns),
        epilog=module.EXAMPLES,
    )
    module.add_arguments(parser)
    return parser


def _run(verb: str, words: list[str], program: str | None = None) -> int:
    module = module_of(verb)
    parser = parser_of(verb, program)
    try:
        code: int = module.run(parser.parse_args(words))
        sys.stdout.flush()
    except Misuse as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"{parser.prog}: interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): point stdout elsewhere so that closing it stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
