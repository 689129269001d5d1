import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.command import Command, CommandError, interpolated, read_commands
from launch.formats import FORMATS, Launch

OT = r"blk\.(0|1)\.ffn_(up|down)_exps=CUDA0,exps=CPU"
COMPOSE = r"""
services:
  ds:
    image: ${LLAMACPP_IMAGE:-ghcr.io/ggml-org/llama.cpp:server-cuda-b10236}
    command:
      - -m
      - /models/ds/m-00001-of-00003.gguf
      - -ot
      - ${OT_G0:-blk\.99999\.ffn_exps=CUDA0},exps=CPU
      - -c
      - "${CTX:-204800}"
    environment:
      - MOE_RESERVE_MB=1536
      - COST=$$5
    volumes:
      - ${MODEL_DIR:-/mnt/models}:/models:ro
  proxy:
    image: nginx
"""


def one(text: str) -> Command:
    (command,) = read_commands(text, "t")
    return command


@pytest.mark.parametrize(
    "text",
    [
        f"llama-server -m m.gguf -ot '{OT}' --threads 8",
        f"A=1 CUDA_X=0 ./build/bin/llama-server \\\n  -m m.gguf \\\n  -ot '{OT}' --threads=8",
        f"exec /usr/bin/env llama-server --model m.gguf --override-tensor '{OT}' -t 8",
        f"docker run --rm -it --gpus all -v /x:/m -p 8080:8080 img:1 -m m.gguf -ot '{OT}' -t 8",
        f"docker run --gpus=all img:1 llama-server -m m.gguf -ot '{OT}' -t 8",
        f"services: {{a: {{command: \"llama-server -m m.gguf -ot '{OT}' -t 8\"}}}}".replace(
            "\\", "\\\\"
        ),
    ],
)
def test_every_form_of_a_line_gives_the_same_arguments(text: str) -> None:
    command = one(text)
    assert (command.get("-m"), command.get("-ot"), command.get("-t")) == ("m.gguf", OT, "8")


def test_a_compose_file_is_read_with_its_defaults() -> None:
    command = one(COMPOSE)
    assert command.where == "t: services.ds"
    assert command.image == "ghcr.io/ggml-org/llama.cpp:server-cuda-b10236"
    assert command.get("-c") == "204800"
    assert command.get("-ot") == r"blk\.99999\.ffn_exps=CUDA0,exps=CPU"
    assert command.environment == {"MOE_RESERVE_MB": "1536", "COST": "$5"}
    assert command.mounts == {"/models": "/mnt/models"}


def test_a_script_in_a_compose_file_is_looked_into() -> None:
    text = (
        'services: {a: {entrypoint: ["sh", "-c"], command: "\'exec llama-server -m a.gguf -t 4\'"}}'
    )
    assert one(text).get("-t") == "4"


def test_docker_options_give_image_mounts_and_environment() -> None:
    command = one("docker run -d -v /data:/models:ro -e A=1 --shm-size 16g img:2 -m /models/m.gguf")
    assert (command.image, command.mounts, command.environment) == (
        "img:2",
        {"/models": "/data"},
        {"A": "1"},
    )


def test_a_repeated_flag_is_kept_in_order_and_the_last_value_holds() -> None:
    command = one("llama-server -ot a=CPU --override-tensor b=CPU -ngl -1")
    assert [argument.value for argument in command.all("-ot")] == ["a=CPU", "b=CPU"]
    assert (command.get("-ot"), command.get("-ngl"), command.get("-m")) == ("b=CPU", "-1", None)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("${A:-x}", "x"),
        ("${A-x}", "x"),
        ("${A}", ""),
        ("$A", ""),
        ("${A:?say A}", ""),
        ("$$A", "$A"),
        ("a$", "a$"),
    ],
)
def test_variables_are_filled_by_their_defaults(text: str, plain: str) -> None:
    assert interpolated(text) == plain


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no llama-server line"),
        ("echo hello", "holds no llama-server line"),
        ("llama-server -m 'x", "is no shell line: No closing quotation"),
        ("services: [1]", "should be a map of services"),
        ("services: {a: 1}", "services.a: should be a map"),
        ("services: {a: {image: nginx}}", "holds no llama-server line"),
        ('services: {a: {command: "llama-server \'x"}}', "No closing quotation"),
        ("services:\n\t- x", "is no YAML"),
        ("services: {a: " + "[" * 2000, "is no YAML"),
        ("services: {x: &a {y: 1}, z: [" + "*a, " * 30 + "]}", "has 30 YAML aliases"),
        ("docker run --rm", "holds no llama-server line|names no image"),
        ("x" * ((1 << 20) + 1), "has 1048577 characters"),
    ],
)
def test_a_text_without_a_line_is_one_error(text: str, told: str) -> None:
    with pytest.raises(CommandError, match=told) as caught:
        read_commands(text, "t")
    assert str(caught.value).startswith("t: ")
    assert "\n" not in str(caught.value)


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_commands("services:" + text, "t")
        read_commands("llama-server " + text, "t")
    except CommandError as error:
        assert str(error).startswith("t: ")  # noqa: PT017 - a refusal must name its text


@pytest.mark.parametrize("form", ["argv", "compose", "systemd"])
def test_what_is_written_is_read_again(form: str) -> None:
    argv = ("-m", "/models/a b.gguf", "-ot", OT, "--n-cpu-moe", "3", "--cpu-moe")
    command = one(re.sub(r"(?s).*ExecStart=", "", FORMATS[form](Launch("n", argv))))
    assert command.words[: len(argv)] == argv
