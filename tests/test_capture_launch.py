from collections.abc import Sequence

import pytest

from capture.launch_line import launch_of
from capture.process import _named, _served_by, is_local, is_serving, port_of, value_of
from capture.weights import quant_in, weights_of
from ingest.bundle import OFF, Drafter, Launch, Offload
from ingest.catalog import Catalog


def launch(*words: str, engine: str = "llama.cpp") -> Launch:
    return launch_of(["llama-server", *words], engine)


def test_counts_are_read_in_every_spelling() -> None:
    found = launch("-t", "28", "--ubatch-size=4096", "-b", "4096", "--ctx-size", "131072")
    assert (found.threads, found.ubatch, found.batch, found.ctx) == (28, 4096, 4096, 131072)


@pytest.mark.parametrize("value", ["0", "-1", "auto", "8x", "99999999999"])
def test_a_choice_left_to_the_engine_is_unknown(value: str) -> None:
    assert launch("-t", value).threads is None


@pytest.mark.parametrize(
    ("words", "offload"),
    [
        (["--cpu-moe"], Offload(kind="experts")),
        (["-ncmoe", "22"], Offload(kind="experts", layers_on_cpu=22)),
        (["-ot", "exps=CPU"], Offload(kind="experts", rules="exps=CPU")),
        (["-ngl", "0"], Offload(kind="cpu-only")),
        (["-ngl", "99"], None),
        (["-ot", "exps=CUDA1"], None),
    ],
)
def test_the_offload_is_what_the_arguments_say(
    words: Sequence[str], offload: Offload | None
) -> None:
    assert launch(*words).offload == offload


@pytest.mark.parametrize(
    ("words", "drafter"),
    [
        ([], OFF),
        (["--spec-type", "none", "-md", "d.gguf"], OFF),
        (["--spec-type", "draft-dspark", "--spec-draft-n-max", "5"],
         Drafter(kind="draft-dspark", depth=5)),
        (["-md", "d.gguf"], None),
    ],
)  # fmt: skip
def test_no_drafter_unknown_and_a_drafter_are_three_answers(
    words: Sequence[str], drafter: object
) -> None:
    assert launch(*words).drafter == drafter


def test_another_engines_silence_says_nothing() -> None:
    found = launch("--tensor-parallel-size", "2", "--kv-cache-dtype", "fp8", engine="vllm")
    assert (found.tensor_parallel, found.kv, found.drafter, found.offload) == (2, "fp8", None, None)


def test_the_last_of_a_repeated_flag_holds() -> None:
    assert value_of(["-t", "8", "-t", "16"], ("-t",)) == "16"
    assert value_of(["-t"], ("-t",)) is None


def test_a_server_is_found_by_its_port_and_never_guessed_among_several() -> None:
    known = {
        1: ["/bin/llama-server", "--port", "8080"],
        2: ["/bin/llama-server", "--port", "8081"],
        3: ["bash", "-c", "echo llama-server --port 8080"],
    }
    assert _named(8081, known) == 2
    assert _named(9000, known) is None
    assert is_serving(["python3", "/venv/bin/vllm", "serve"])


def test_a_program_that_only_passes_on_is_not_the_server() -> None:
    known = {1: ["/usr/bin/docker-proxy", "-host-port", "8080"], 2: ["/bin/llama-server"]}
    assert _served_by(1, known) is None
    assert _served_by(2, known) == 2
    assert _served_by(None, known) is None


def test_addresses_of_this_machine_are_told_from_others() -> None:
    assert is_local("http://127.0.0.1:8080")
    assert is_local("http://[::1]:8080")
    assert not is_local("http://192.0.2.7:8080")
    assert (port_of("http://a:81"), port_of("http://a"), port_of("https://a")) == (81, 80, 443)


@pytest.mark.parametrize(
    ("name", "model", "quant"),
    [
        ("Qwen3-30B-A3B-Q4_K_M.gguf", "qwen3-30b-a3b", "Q4_K_M"),
        ("Qwen3-235B-A22B-UD-Q4_K_XL-00001-of-00003.gguf", "qwen3-235b-a22b", "UD-Q4_K_XL"),
        ("gpt-oss-120b-MXFP4.gguf", "gpt-oss-120b", "MXFP4"),
        ("DeepSeek-R1-Distill-Llama-70B-Q4_K_M.gguf", None, "Q4_K_M"),
        ("my-model.gguf", None, None),
        ("", None, None),
    ],
)
def test_a_file_name_is_mapped_where_its_words_are_a_models(
    catalog: Catalog, name: str, model: str | None, quant: str | None
) -> None:
    found = weights_of(catalog, name or "x")
    assert (found.model, found.quant) == (model, quant)


def test_the_owners_word_is_taken_over_the_names(catalog: Catalog) -> None:
    found = weights_of(catalog, "my.gguf", 7.5, ("gpt-oss-20b", "Q8_0"))
    assert (found.model, found.quant, found.spelled, found.gib) == (
        "gpt-oss-20b", "Q8_0", "my.gguf", 7.5,
    )  # fmt: skip


def test_the_longest_quant_of_a_name_is_its_quant() -> None:
    assert quant_in("x-UD-Q4_K_XL", ["Q4_K", "Q4_K_XL", "UD-Q4_K_XL"]) == "UD-Q4_K_XL"
    assert quant_in("xQ4_K", ["Q4_K"]) is None
