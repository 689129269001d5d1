"""The container of a report: its command and its environment."""

from ingest.bundle import Drafter, ExpertCache
from tests.reading import Reader, runs_of

INSPECT = """## Engine configuration (resolved)

### Container config (`docker inspect`)

- **Container:** `my-box` (state: running, engine kind: `llamacpp`)
- **Cmd:**

```
-m /m/GLM-5.3-Flash-Q2_K-00001-of-00003.gguf
--host 0.0.0.0 -c 131072 -ts 1,1 -t 48 -tb 64
--spec-type draft-mtp --spec-draft-n-max 3
```
- **Env (allowlist — 1 shown, 2 set-but-empty, 5 withheld):** x

```
GGML_CUDA_MOE_CACHE_RESERVE_MB=1536
```

## CPU + RAM

- **CPU:** AMD EPYC 9354 32-Core Processor
"""


def test_short_flags_glued_to_a_line_are_read_as_words(reading: Reader) -> None:
    (run,) = runs_of(reading(INSPECT))
    launch = run.launch
    assert (launch.threads, launch.threads_batch, launch.ctx) == (48, 64, 131072)
    assert launch.gpus_used == 2
    assert isinstance(launch.drafter, Drafter)
    assert (launch.drafter.kind, launch.drafter.depth) == ("mtp", 3)
    assert run.weights.model == "glm-5.3-flash"


def test_the_environment_gives_what_the_command_does_not(reading: Reader) -> None:
    (run,) = runs_of(reading(INSPECT))
    assert isinstance(run.launch.expert_cache, ExpertCache)
    assert run.launch.expert_cache.reserve_mib == 1536
    assert run.launch.expert_cache.mib is None
