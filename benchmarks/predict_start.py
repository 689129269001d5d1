"""How long a whole `predict` process takes, beside bare Python and, where installed, a peer.

Run: `python benchmarks/predict_start.py`. Medians of wall time; all in one run on one machine. The
bar: half the wall time of `llmfit plan` (from the package index, in a throw-away environment on the
PATH). On two idle cores: bare Python 17 ms, predict 94 ms, llmfit 1.1.17 258 ms: 0.37.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = 15
RIG = ("--triad", "52", "--cores", "16")
PEER = ("llmfit", "plan", "deepseek-ai/DeepSeek-V3", "--context", "8192")


def seconds(command: tuple[str, ...]) -> float:
    """Time one process, start to end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Time each command `RUNS` times, in turn so that all meet the same load."""
    commands = {
        "bare python": (sys.executable, "-c", "pass"),
        "rigbook predict": (sys.executable, "-m", "rigbook", "predict", *RIG),
    }
    if shutil.which(PEER[0]):
        commands["llmfit plan"] = PEER
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(seconds(command))
    for name, found in times.items():
        sys.stdout.write(f"{name:<18}{statistics.median(found) * 1000:7.1f} ms\n")


if __name__ == "__main__":
    main()
