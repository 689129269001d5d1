import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from launch.command import read_commands
from launch.finding import Known
from launch.flags import Flags, load_flags
from launch.gguf import Tensor
from launch.lint import lint
from tests.tiny_moe import Sizes, write

ROOT = Path(__file__).parents[1]
GOOD = (
    r"llama-server -m m.gguf -ngl 99 -sm layer --fit off -ot "
    r"'blk\.(0|1)\.ffn_(up|down|gate)_exps=CUDA0,blk\.[0-9]+\.ffn_(up|down|gate)_exps=CPU'"
)
FIT = "-ngl 99 --fit off"


@pytest.fixture(scope="module")
def flags() -> Flags:
    return load_flags(ROOT / "data/launchers/flags.toml")[0]


def findings(line: str, known: Known) -> list[tuple[str, str, str]]:
    (command,) = read_commands(line, "t")
    return [(p.severity, p.where, p.message) for p in lint(command, known)]


@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        f"llama-server -m m --cpu-moe {FIT}",
        f"llama-server -m m --n-cpu-moe 30 {FIT}",
        "llama-server -m m -c 4096",
        f"llama-server -m m -ot 'blk\\.99999\\.x=CUDA0,exps=CPU' {FIT}",
        (
            f"llama-server -m m -ot 'exps=CPU' {FIT} -md d -devd none --spec-type draft-x"
            " --spec-draft-n-max 5 --moe-cache auto"
        ),
        f"llama-server -m m {FIT} -t 16",
    ],
)
def test_a_line_without_fault_has_no_findings(flags: Flags, line: str) -> None:
    assert findings(line, Known(flags, cores=16)) == []


# each: the line, the build, what is found where, and a piece of the fix
FAULTY = {
    "catch-all first": (
        rf"llama-server {FIT} -ot 'exps=CPU,blk\.0\.ffn_up_exps=CUDA0'",
        None,
        [("error", "rule 2", r"-ot 'blk\.0\.ffn_up_exps=CUDA0,exps=CPU'")],
    ),
    "catch-all first, as a flag": (
        rf"llama-server {FIT} --cpu-moe -ot 'blk\.0\.ffn_up_exps=CUDA0'",
        None,
        [("error", "rule 2", "the first rule that fits wins")],
    ),
    "a rule twice": (
        rf"llama-server {FIT} -ot 'exps=CPU,ffn_up_exps=CPU'",
        None,
        [("flag", "rule 2", "earlier rules decide")],
    ),
    "repeated on the reference pin": (
        rf"llama-server {FIT} -ot 'blk\.0\.ffn_up_exps=CUDA0' -ot exps=CPU",
        "b10236",
        [("error", "-ot", r"join them: -ot 'blk\.0\.ffn_up_exps=CUDA0,exps=CPU'")],
    ),
    "repeated on a newer build": (
        rf"llama-server {FIT} -ot 'blk\.0\.ffn_up_exps=CUDA0' --override-tensor exps=CPU",
        "b11434",
        [("note", "-ot", "applies all")],
    ),
    "repeated on some build": (
        rf"llama-server {FIT} -ot 'blk\.0\.ffn_up_exps=CUDA0' -ot exps=CPU",
        None,
        [("flag", "-ot", "some builds let only the last hold")],
    ),
    "fits nothing": (
        f"llama-server {FIT} -ot 'blk.0.experts=CPU'",
        None,
        [("flag", "rule 1", "ffn_(up|down|gate|gate_up)_(ch|)exps")],
    ),
    "shared experts": (
        f"llama-server {FIT} -ot 'ffn_.*exp=CPU'",
        None,
        [("flag", "rule 1", "sends shared experts to the host")],
    ),
    "no layers": (
        "llama-server --fit off -ot exps=CPU",
        None,
        [("flag", "-ngl", "say -ngl 99")],
    ),
    "row split": (
        f"llama-server {FIT} -ot exps=CPU -sm row",
        None,
        [("error", "-sm", "use -sm layer")],
    ),
    "tensor split mode": (
        f"llama-server {FIT} --cpu-moe --split-mode tensor",
        None,
        [("error", "-sm", "use -sm layer")],
    ),
    "drafter on a card beside a cache": (
        (
            f"llama-server {FIT} -ot exps=CPU --moe-cache auto -md d --spec-type x"
            " --spec-draft-n-max 5"
        ),
        None,
        [("error", "-devd", "add -devd none")],
    ),
    "drafter on a card of its own beside a cache": (
        (
            f"llama-server {FIT} -ot exps=CPU --moe-cache auto -md d --spec-type x -devd CUDA1"
            " --spec-draft-n-max 3"
        ),
        None,
        [("flag", "-devd", "GLM-5.3 with DFlash2 on one card kept them")],
    ),
    "deep drafts past the cache": (
        f"llama-server {FIT} -ot exps=CPU --moe-cache auto --spec-draft-n-max 8",
        None,
        [("error", "--moe-cache", "draft at most 7")],
    ),
    "drafts past a smaller cache": (
        (
            f"GGML_CUDA_MOE_CACHE_MAX_BATCH=4 llama-server {FIT} -ot exps=CPU --moe-cache auto"
            " --spec-draft-n-max 5"
        ),
        None,
        [("error", "--moe-cache", "set GGML_CUDA_MOE_CACHE_MAX_BATCH=6")],
    ),
    "the setting that undoes the cache": (
        f"GGML_OP_OFFLOAD_MIN_BATCH=2 llama-server {FIT} --cpu-moe",
        None,
        [("error", "GGML_OP_OFFLOAD_MIN_BATCH", "remove it")],
    ),
    "a drafter that never drafts": (
        f"llama-server {FIT} -md d",
        "b11434",
        [("error", "-md", "add --spec-type")],
    ),
    "a drafter that may not draft": (
        f"llama-server {FIT} -md d",
        None,
        [("flag", "-md", "newer builds")],
    ),
    "old flags on a new build": (
        "llama-server --no-mmap --draft-max 4",
        "b11434",
        [
            ("error", "--no-mmap", "write --load-mode none"),
            ("error", "--draft-max", "write --spec-draft-n-max N"),
        ],
    ),
    "a new flag on an older build": (
        "llama-server --load-mode none",
        "b10236",
        [("flag", "--load-mode", "is known of b11434, not of build b10236, which may be older")],
    ),
    "a fork's flag on mainline": (
        "llama-server --moe-cache auto",
        "b10236",
        [("error", "--moe-cache", "remove it")],
    ),
    "a flag misspelt": (
        "llama-server --thread 4 --ctx_size 5",
        "b11434",
        [("error", "--thread", "did you mean --threads?")],
    ),
    "threads": (
        "llama-server -t 32",
        None,
        [("flag", "-t", "say -t 16 or fewer")],
    ),
    "the engine places too": (
        "llama-server -ngl 99 -ot exps=CPU",
        None,
        [("flag", "--fit", "add --fit off")],
    ),
    "no rule": (
        f"llama-server {FIT} -ot 'exps'",
        None,
        [("error", "-ot", "is not PATTERN=BUFFER")],
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_a_fault_is_found_with_its_fix(flags: Flags, case: str) -> None:
    line, build, expected = FAULTY[case]
    got = findings(line, Known(flags, build, cores=16))
    assert [(severity, where) for severity, where, _ in got] == [row[:2] for row in expected]
    for (_, _, message), (_, _, piece) in zip(got, expected, strict=True):
        assert piece in message


def test_old_flags_are_noted_where_the_build_is_unknown_and_held_on_the_old_one(
    flags: Flags,
) -> None:
    line = "llama-server --no-mmap"
    assert [row[:2] for row in findings(line, Known(flags))] == [("note", "--no-mmap")]
    assert findings(line, Known(flags, "b10236")) == []


def test_the_build_is_read_off_the_image(flags: Flags) -> None:
    text = "docker run ghcr.io/ggml-org/llama.cpp:server-b11500 -m /models/m --no-mmap"
    assert [row[:2] for row in findings(text, Known(flags))] == [("error", "--no-mmap")]


def named(*names: str) -> tuple[Tensor, ...]:
    return tuple(Tensor(name, (1,), "F32", 0, 1) for name in names)


def test_with_the_models_tensors_a_rule_that_fits_none_is_an_error(flags: Flags) -> None:
    line = f"llama-server {FIT} -ot 'blk\\.(7|8)\\.ffn_up_exps=CUDA0,exps=CPU'"
    known = Known(flags, tensors=named("blk.0.ffn_up_exps.weight"))
    assert [row[:2] for row in findings(line, known)] == [("error", "rule 1")]
    assert "of this model" in findings(line, known)[0][2]


def test_rules_for_a_dense_model_are_a_silent_no_op_and_an_error(flags: Flags) -> None:
    known = Known(flags, tensors=named("blk.0.ffn_up.weight"))
    got = findings(f"llama-server {FIT} -ot exps=CPU", known)
    assert ("error", "-ot") in [row[:2] for row in got]
    assert findings("llama-server -ngl 99", known) == []


def test_every_fixed_rule_list_is_without_fault(flags: Flags) -> None:
    for line, build, _ in FAULTY.values():
        for _, _, message in findings(line, Known(flags, build, cores=16)):
            fixed = re.search(r"-ot '([^']+)'", message)
            if fixed:
                again = findings(f"llama-server {FIT} -ot '{fixed[1]}'", Known(flags, build))
                assert again == []


def rigbook(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rigbook", "lint-launch", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verb_reads_a_line_a_file_and_stdin(tmp_path: Path) -> None:
    path = tmp_path / "compose.yml"
    path.write_text("services: {a: {command: [llama-server, -m, x, --no-mmap]}}")
    for found in (
        rigbook("llama-server -m x --no-mmap", "--build", "b11434"),
        rigbook(str(path), "--build", "11434"),
        rigbook("-", "--build", "b12000", stdin=path.read_text()),
    ):
        assert found.returncode == 1
        assert found.stdout.splitlines()[-1] == "1 line: 1 error, 0 flags, 0 notes"
    document = json.loads(rigbook("-", "--json", stdin=GOOD).stdout)
    assert document == {"schema": "rigbook.lint-launch/1", "problems": []}


def test_the_verb_runs_rules_on_a_real_models_tensors(tmp_path: Path) -> None:
    dense = write(tmp_path / "d.gguf", Sizes("qwen3", layers=2))
    found = rigbook(f"llama-server -m x {FIT} -ot exps=CPU", "--gguf", str(dense))
    assert found.returncode == 1
    assert "has no routed experts" in found.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nofile"], 2, "there is no such file"),
        (["llama-server -m x", "--build", "b1"], 2, "--build b1: unknown; known: b10236"),
        (["llama-server -m x", "--cores", "0"], 2, "--cores is 0"),
        (["echo hello world"], 1, "holds no llama-server line"),
        (["llama-server -m x", "--gguf", "pyproject.toml"], 1, "not a GGUF"),
    ],
)
def test_what_cannot_be_linted_is_one_line(words: list[str], code: int, told: str) -> None:
    found = rigbook(*words)
    assert (found.returncode, found.stdout) == (code, "")
    assert told in found.stderr
    assert "Traceback" not in found.stderr
