"""The flags of each engine build, as data: which form says a thing on which build."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from ingest.catalog import Entry, Key, Natural
from ingest.problem import Problem
from ingest.shape import shape_problems

E = TypeVar("E", bound=Entry)

EQUAL_SPELLINGS = {
    "--override-tensor": "-ot",
    "--model": "-m",
    "--model-draft": "-md",
    "--spec-draft-model": "-md",
    "--device-draft": "-devd",
    "--spec-draft-device": "-devd",
    "--device": "-dev",
    "--gpu-layers": "-ngl",
    "--n-gpu-layers": "-ngl",
    "--split-mode": "-sm",
    "--tensor-split": "-ts",
    "--threads": "-t",
    "--ctx-size": "-c",
    "--batch-size": "-b",
    "--ubatch-size": "-ub",
    "--parallel": "-np",
    "--flash-attn": "-fa",
    "--cache-type-k": "-ctk",
    "--cache-type-v": "-ctv",
    "-cmoe": "--cpu-moe",
    "-ncmoe": "--n-cpu-moe",
    "-lm": "--load-mode",
    "-dio": "--direct-io",
    "--draft-n": "--draft",
    "--draft-n-min": "--draft-min",
    "-a": "--alias",
    "-mm": "--mmproj",
    "-fit": "--fit",
}
"""Long and short spellings of one flag (llama.cpp common/arg.cpp, build 11434)."""


class Build(Entry):
    """A build of an engine that lines are written for.

    `repeated_override` says what several `-ot` mean: all hold, or only the last.
    """

    id: Key
    engine: Key
    number: Natural | None = None
    image: str | None = None
    repeated_override: Literal["all", "last", "unknown"]


class Flag(Entry):
    """One form of saying a thing, and the builds on which it is known to hold or to fail."""

    means: Key
    meaning: str
    form: tuple[str, ...] = Field(min_length=1)
    holds: tuple[Key, ...] = ()
    fails: tuple[Key, ...] = ()


class FlagError(ValueError):
    """A thing that no known form says on the build that a line is for."""


class Flags(NamedTuple):
    """The catalogue of builds and flags; `spellings` lists all flags of the builds it has."""

    builds: dict[str, Build]
    flags: tuple[Flag, ...]
    spellings: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def nearest(self, build: str) -> str | None:
        """Find the catalogued build that a name means: itself, or the last numbered one before."""
        if build in self.builds:
            return build
        number = re.fullmatch(r"b?(\d{4,6})", build)
        if not number:
            return None
        before = [b for b in self.builds.values() if b.number and b.number <= int(number[1])]
        return max(before, key=lambda b: b.number or 0).id if before else None

    def of_image(self, image: str) -> str | None:
        """Find the build that an image holds: pinned in the catalogue, or numbered in its tag."""
        for build in self.builds.values():
            if build.image == image:
                return build.id
        numbered = re.search(r"-(b\d{4,6})$", image)
        return self.nearest(numbered[1]) if numbered else None

    def form(self, means: str, build: str, value: object = None) -> list[str]:
        """Write what `means` on `build`. Raises FlagError where no form is known to hold."""
        for flag in self.flags:
            if flag.means == means and build in flag.holds:
                return [part.replace("{}", str(value)) for part in flag.form]
        raise FlagError(f"no flag is known that says {means!r} on build {build}")

    def has(self, means: str, build: str) -> bool:
        """Tell whether some form of `means` is known to hold on `build`."""
        return any(flag.means == means and build in flag.holds for flag in self.flags)

    def refused(self, name: str, build: str) -> Flag | None:
        """Find the entry by which the flag `name` is known to fail on `build`."""
        fits = (flag for flag in self.flags if flag.form[0] == plain(name) and len(flag.form) < 3)
        return next((flag for flag in fits if build in flag.fails), None)

    def unproven(self, name: str, value: str | None, build: str) -> Flag | None:
        """Find the entry of a flag that is neither known to hold on `build` nor to fail there."""
        fits = [
            flag
            for flag in self.flags
            if flag.form[0] == plain(name) and flag.form[1:] in ((), ("{}",), (value,))
        ]
        told = any(build in (*flag.holds, *flag.fails) for flag in fits)
        return None if told or not fits else fits[0]

    def instead(self, flag: Flag, build: str) -> str | None:
        """Name the form that says the same on `build`, if one is known."""
        if not self.has(flag.means, build):
            return None
        return " ".join(self.form(flag.means, build, "N"))


def plain(name: str) -> str:
    """Bring the spellings of a flag to one: `--ctx_size` → `-c`."""
    dashed = name.replace("_", "-") if name.startswith("--") else name
    return EQUAL_SPELLINGS.get(dashed, dashed)


def load_flags(path: Path) -> tuple[Flags, list[Problem]]:
    """Read and check `flags.toml`; all problems are listed, bad entries left out."""
    problems: list[Problem] = []
    document = read_toml(path, problems)
    builds: list[Build] = []
    flags: list[Flag] = []
    for index, row in enumerate(document.pop("builds", [])):
        builds += checked(path, f"builds[{index}]", row, Build, problems)
    for index, row in enumerate(document.pop("flags", [])):
        flags += checked(path, f"flags[{index}]", row, Flag, problems)
    problems += [
        Problem(str(path), table, "unknown table; known: builds, flags") for table in document
    ]
    known = {build.id: build for build in builds}
    problems += [
        Problem(str(path), f"{flag.means} {flag.form[0]}", f"names the unknown build {build!r}")
        for flag in flags
        for build in (*flag.holds, *flag.fails)
        if build not in known
    ]
    spellings = _spellings(path.with_name("spellings.toml"), known, problems)
    return Flags(known, tuple(flags), spellings), problems


def _spellings(
    path: Path, builds: dict[str, Build], problems: list[Problem]
) -> dict[str, tuple[str, ...]]:
    """Read the list of all flags of each build that has one."""
    found: dict[str, tuple[str, ...]] = {}
    for build, names in read_toml(path, problems).items():
        if build not in builds or not isinstance(names, list) or not names:
            problems.append(Problem(str(path), build, "should be a known build with its flags"))
        else:
            found[build] = tuple(map(str, names))
    return found


def read_toml(path: Path, problems: list[Problem]) -> dict[str, Any]:
    """Read a TOML file; what is wrong with it is added to `problems`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(Problem(str(path), "", f"is no readable TOML: {error}"))
    return {}


def checked(
    path: Path, place: str, row: object, entry: type[E], problems: list[Problem]
) -> list[E]:
    """Check one entry: a list of it, or an empty one and its problems added to `problems`."""
    try:
        return [entry.model_validate(row)]
    except ValidationError as error:
        found = shape_problems(str(path), error, entry)
        problems += [p._replace(where=f"{place}.{p.where}" if place else p.where) for p in found]
    return []
