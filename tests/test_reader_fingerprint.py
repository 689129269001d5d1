"""What the bench and the stages print of the launch."""

import pytest

from tests.reading import Reader, runs_of

SOAK = """[soak] running soak test against http://localhost (model={model}, container={container})
[soak]   turn 1/5: status=200 wall=3434ms ttft=3235ms decode_tps=14.5 vram=22107MiB
"""


@pytest.mark.parametrize(
    ("container", "model"),
    [
        ("searxng", None),
        ("open-webui", None),
        ("qwen36-box", "qwen3.6-27b"),
        ("vllm-anything", "qwen3.6-27b"),
    ],
)
def test_a_container_that_serves_no_model_tells_of_none(
    container: str, model: str | None, reading: Reader
) -> None:
    one = reading(SOAK.format(model="qwen3.6-27b", container=container))
    assert runs_of(one)[0].weights.model == model
    assert any("is not taken" in problem.message for problem in one.problems) is (model is None)


PINS = """{told}

========== CONFIG FINGERPRINT ==========
  model          : deepseek-v4-flash
  serving argv   : model=/m/DeepSeek-V4-Flash-0731-UD-IQ2_XXS.gguf offload={rules} threads=16
"""
RULES = r"blk\.[0-9]+\.ffn_(gate|up|down)_exps\.weight=CPU"


@pytest.mark.parametrize(
    ("told", "on_cpu"),
    [("", 43), ("OT_G0=blk 0-7, OT_G1=blk 35-42; more", 27), ("OT_G0=blk 0-6 CUDA0", 36)],
)
def test_pins_that_a_person_tells_of_count_beside_the_rules(
    told: str, on_cpu: int, reading: Reader
) -> None:
    offload = runs_of(reading(PINS.format(told=told, rules=RULES)))[0].launch.offload
    assert offload
    assert offload.layers_on_cpu == on_cpu
