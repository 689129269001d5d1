"""Names of processors and cards as people and tools write them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog, load_catalog
from ingest.hardware import asked_for, counted, find_cpu, find_gpu

ROOT = Path(__file__).parents[1]
CATALOG: Catalog = load_catalog(ROOT / "data" / "catalog")[0]
RECORD = ROOT.parent / "shared" / "measurements"
if not RECORD.is_dir():
    RECORD = ROOT.parents[1] / "shared" / "measurements"

CPUS = [
    ("2x Intel Xeon E5-2695 v4", "xeon-e5-2695-v4"),
    ("2x Xeon E5-2680 v4", "xeon-e5-2680-v4"),
    ("AMD AM5 desktop (7800X3D class)", "ryzen-7-7800x3d"),
    ("AMD EPYC 7302P", "epyc-7302p"),
    ("AMD EPYC 7302P 16-Core Processor", "epyc-7302p"),
    ("AMD EPYC 7313", "epyc-7313"),
    ("AMD EPYC 7343", "epyc-7343"),
    ("AMD EPYC 7443P", "epyc-7443p"),
    ("AMD EPYC 7532", "epyc-7532"),
    ("AMD EPYC 7532 32-Core Processor", "epyc-7532"),
    ("AMD EPYC 7773X", "epyc-7773x"),
    ("AMD EPYC 7C13", "epyc-7c13"),
    ("AMD EPYC 7F52", "epyc-7f52"),
    ("AMD EPYC 7J13", "epyc-7j13"),
    ("AMD EPYC 7K62", "epyc-7k62"),
    ("AMD EPYC 9115", "epyc-9115"),
    ("AMD EPYC 9135", "epyc-9135"),
    ("AMD EPYC 9175F", "epyc-9175f"),
    ("AMD EPYC 9274F", "epyc-9274f"),
    ("AMD EPYC 9334", "epyc-9334"),
    ("AMD EPYC 9355", "epyc-9355"),
    ("AMD EPYC 9374F", "epyc-9374f"),
    ("AMD EPYC 9654", "epyc-9654"),
    ("AMD EPYC 9654P", "epyc-9654p"),
    ("AMD EPYC 9655", "epyc-9655"),
    ("AMD EPYC 9965", "epyc-9965"),
    ("AMD Ryzen 5 2400G", "ryzen-5-2400g"),
    ("AMD Ryzen 5 3500", "ryzen-5-3500"),
    ("AMD Ryzen 5 5600", "ryzen-5-5600"),
    ("AMD Ryzen 7 5700X", "ryzen-7-5700x"),
    ("AMD Ryzen 7 5800X", "ryzen-7-5800x"),
    ("AMD Ryzen 7 5800XT", "ryzen-7-5800xt"),
    ("AMD Ryzen 7 7700X", "ryzen-7-7700x"),
    ("AMD Ryzen 7 7800X3D", "ryzen-7-7800x3d"),
    ("AMD Ryzen 9 5900X", "ryzen-9-5900x"),
    ("AMD Ryzen 9 5950X", "ryzen-9-5950x"),
    ("AMD Ryzen 9 7900", "ryzen-9-7900"),
    ("AMD Ryzen 9 7900X3D", "ryzen-9-7900x3d"),
    ("AMD Ryzen 9 7950X", "ryzen-9-7950x"),
    ("AMD Ryzen 9 9950X", "ryzen-9-9950x"),
    ("AMD Ryzen 9 9950X3D", "ryzen-9-9950x3d"),
    ("AMD Ryzen 9 9950X3D 16-Core Processor", "ryzen-9-9950x3d"),
    ("AMD Ryzen AI MAX+ 395", "ryzen-ai-max-plus-395"),
    ("AMD Ryzen Threadripper 3970X 32-Core", "threadripper-3970x"),
    ("AMD Ryzen Threadripper PRO 3945WX", "threadripper-pro-3945wx"),
    ("AMD Ryzen Threadripper PRO 3955WX", "threadripper-pro-3955wx"),
    ("AMD Ryzen Threadripper PRO 3975WX", "threadripper-pro-3975wx"),
    ("AMD Ryzen Threadripper PRO 3975WX 32-Cores", "threadripper-pro-3975wx"),
    ("AMD Ryzen Threadripper PRO 3995WX", "threadripper-pro-3995wx"),
    ("AMD Ryzen Threadripper PRO 7965WX", "threadripper-pro-7965wx"),
    ("AMD Ryzen Threadripper PRO 7975WX", "threadripper-pro-7975wx"),
    ("AMD Threadripper 1950X", "threadripper-1950x"),
    ("AMD Threadripper PRO 5975WX", "threadripper-pro-5975wx"),
    ("EPYC 7302P", "epyc-7302p"),
    ("EPYC 7313 host", "epyc-7313"),
    ("EPYC 7F52", "epyc-7f52"),
    ("Intel Core i9-10850K", "core-i9-10850k"),
    ("Intel Core i9-14900K", "core-i9-14900k"),
    ("Intel Core i9-7980XE", "core-i9-7980xe"),
    ("Intel Core i9-9940X", "core-i9-9940x"),
    ("Intel Xeon 6960P", "xeon-6960p"),
    ("Intel Xeon 6980P", "xeon-6980p"),
    ("Intel Xeon E5-2630 v4", "xeon-e5-2630-v4"),
    ("Intel Xeon E5-2690 v3", "xeon-e5-2690-v3"),
    ("Intel Xeon E5-2697A v4", "xeon-e5-2697a-v4"),
    ("Intel Xeon Gold 6133", "xeon-gold-6133"),
    ("Intel Xeon Gold 6138", "xeon-gold-6138"),
    ("Intel Xeon Gold 6154", "xeon-gold-6154"),
    ("Intel Xeon Gold 6248", "xeon-gold-6248"),
    ("Intel Xeon Gold 6252", "xeon-gold-6252"),
    ("Intel Xeon Gold 6330", "xeon-gold-6330"),
    ("Intel Xeon Gold 6430", "xeon-gold-6430"),
    ("Intel Xeon Gold 6454S", "xeon-gold-6454s"),
    ("Intel Xeon Platinum 8280", "xeon-platinum-8280"),
    ("Intel Xeon Platinum 8480", "xeon-platinum-8480-plus"),
    ("Intel Xeon Platinum 8480+", "xeon-platinum-8480-plus"),
    ("Intel Xeon Platinum 8488C", "xeon-platinum-8488c"),
    ("Intel Xeon Platinum 8558", "xeon-platinum-8558"),
    ("Intel Xeon QYFS (8480-class ES)", "xeon-qyfs"),
    ("Intel Xeon Silver 4310", "xeon-silver-4310"),
    ("Intel Xeon W-3235", "xeon-w-3235"),
    ("Intel i7-11700K", "core-i7-11700k"),
    ("Intel i7-3770K", "core-i7-3770k"),
    ("Intel i9-10920X", "core-i9-10920x"),
    ("Intel i9-11900KF", "core-i9-11900kf"),
    ("Ryzen 5 5600", "ryzen-5-5600"),
    ("Ryzen 7 5700X", "ryzen-7-5700x"),
    ("Ryzen 7 5800X", "ryzen-7-5800x"),
    ("Ryzen 7 7800X3D", "ryzen-7-7800x3d"),
    ("Ryzen 9 5950X", "ryzen-9-5950x"),
    ("Ryzen 9 9950X3D", "ryzen-9-9950x3d"),
    ("Ryzen 9950X3D", "ryzen-9-9950x3d"),
    ("Ryzen AI MAX+ 395 / Strix Halo miniPC", "ryzen-ai-max-plus-395"),
    ("Xeon E5-2695 v4 Broadwell", "xeon-e5-2695-v4"),
    ("i5-1135G7", "core-i5-1135g7"),
    ("i7-11700K", "core-i7-11700k"),
    ("i7-3770K", "core-i7-3770k"),
    ("i9-10920X", "core-i9-10920x"),
    ("i9-11900KF", "core-i9-11900kf"),
    # As the operating system prints them.
    ("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "xeon-gold-6148"),
    ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "xeon-e5-2680-v4"),
    ("INTEL(R) XEON(R) PLATINUM 8488C", "xeon-platinum-8488c"),
    ("Intel(R) Xeon(R) w9-3495X", "xeon-w9-3495x"),
    ("13th Gen Intel(R) Core(TM) i9-13900K", "core-i9-13900k"),
    ("Intel(R) Core(TM) Ultra 9 285K", "core-ultra-9-285k"),
    ("Intel(R) Core(TM) i9-7900X CPU @ 3.30GHz", "core-i9-7900x"),
    ("AMD Ryzen 9 7900X 12-Core Processor", "ryzen-9-7900x"),
    ("AMD Ryzen Threadripper PRO 7995WX 96-Cores", "threadripper-pro-7995wx"),
    ("AMD EPYC 7B12", "epyc-7b12"),
    ("EPYC 7543 (guest)", "epyc-7543"),
    ("ryzen-9-9950x3d", "ryzen-9-9950x3d"),
    ("9950x3d", "ryzen-9-9950x3d"),
]
NO_CPU = [
    "24-core NPS-capable workstation/server (not stated)",
    "5th-gen Intel Xeon (Emerald Rapids)",
    "8-channel server (cloud, model not captured)",
    "AMD EPYC (56-core, DDR4)",
    "AMD EPYC (model not captured)",
    "Intel Xeon (8-channel DDR5, 56-core class, model not stated)",
    "Intel Xeon 6",
    "dual Intel Xeon E5 v4",
    "dual Intel Xeon Gold (Skylake)",
    "dual Intel Xeon Scalable (24 cores per socket)",
    "dual-socket commodity server CPU (model not captured)",
    "dual-socket server",
    "multi-node NUMA server (CPU not captured)",
    "server CPU (not stated in thread)",
    "server CPU, dual socket",
    "server CPU, single socket",
    "single-socket 32-core, 8-channel server host (EPYC SP3 class, exact part not published)",
    "unspecified desktop, 6 cores used, 128 GB RAM",
    "",
    "7900X",  # a Ryzen 9 or a Core i9
    "Ryzen 9",
    "QEMU Virtual CPU version 2.5+",
]
GPUS = [
    ("RTX 3090", None, "rtx-3090"),
    ("NVIDIA GeForce RTX 3090", 23.99, "rtx-3090"),
    ("RTX 3090 Ti", None, "rtx-3090-ti"),
    ("NVIDIA GeForce RTX 3090 Ti", 24, "rtx-3090-ti"),
    ("RTX 3080", None, "rtx-3080"),
    ("RTX 3080 20GB", None, "rtx-3080-20gb"),
    ("NVIDIA GeForce RTX 3080", 20.0, "rtx-3080-20gb"),
    ("RTX 3070 16GB", 16, "rtx-3070-16gb"),
    ("RTX 2080 Ti", None, "rtx-2080-ti"),
    ("RTX 4060 Ti", 8, "rtx-4060-ti"),
    ("NVIDIA GeForce RTX 4060 Ti", 15.99, "rtx-4060-ti-16gb"),
    ("RTX 4080", 16, "rtx-4080"),
    ("RTX 4090", 24, "rtx-4090"),
    ("NVIDIA GeForce RTX 4090", 47.99, "rtx-4090-48gb"),
    ("RTX 4090 48GB", 48, "rtx-4090-48gb"),
    ("RTX 4090D", 24, "rtx-4090d"),
    ("NVIDIA GeForce RTX 4090 D", 24, "rtx-4090d"),
    ("NVIDIA GeForce RTX 4090 Laptop GPU", 16, "rtx-4090-laptop"),
    ("RTX 5070 Ti", 16, "rtx-5070-ti"),
    ("RTX 5080", 16, "rtx-5080"),
    ("RTX 5090", 32, "rtx-5090"),
    ("RTX5090", None, "rtx-5090"),
    ("RTX 6000 Ada", 48, "rtx-6000-ada"),
    ("NVIDIA RTX 6000 Ada Generation", 48, "rtx-6000-ada"),
    ("RTX 6000 Blackwell", 96, "rtx-pro-6000-blackwell"),
    ("RTX PRO 6000 Blackwell", 96, "rtx-pro-6000-blackwell"),
    (
        "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
        95.6,
        "rtx-pro-6000-blackwell",
    ),
    ("RTX A5000", 24, "rtx-a5000"),
    ("RTX A6000", 48, "rtx-a6000"),
    ("L40", 48, "l40"),
    ("NVIDIA L40S", 48, "l40s"),
    ("Tesla P100", 16, "tesla-p100"),
    ("Tesla V100-SXM2", 16, "tesla-v100"),
    ("Tesla V100-SXM2-32GB", 32, "tesla-v100-32gb"),
    ("NVIDIA A100-SXM4-80GB", 80, "a100-80gb"),
    ("Titan RTX", 24, "titan-rtx"),
    ("RX 6900 XT", 16, "rx-6900-xt"),
    ("RX 7900 XT", 20, "rx-7900-xt"),
    ("AMD Radeon RX 7900 XTX", 24, "rx-7900-xtx"),
    ("Arc A770", 16, "arc-a770"),
]
NO_GPU = [
    "24 GB GPU",
    "24 GB consumer GPU",
    "consumer GPU",
    "consumer GPU (14 GB used)",
    "CUDA GPU (model not captured)",
    "GPU on PCIe 4.0 x16",
    "GPU with non-expert tensors",
    "four GPUs, CUDA0 on PCIe 5.0 x8",
    "similar GPU class on all three",
    "RTX 6000",
    "",
]


@pytest.mark.parametrize(("name", "expected"), CPUS)
def test_a_processor_is_found_by_the_names_people_use(name: str, expected: str) -> None:
    found = find_cpu(CATALOG, name)
    assert found is not None
    assert found.id == expected


@pytest.mark.parametrize("name", NO_CPU)
def test_a_vague_or_ambiguous_name_finds_no_processor(name: str) -> None:
    assert find_cpu(CATALOG, name) is None


@pytest.mark.parametrize(("name", "vram_gib", "expected"), GPUS)
def test_a_card_is_found_by_name_and_memory(
    name: str, vram_gib: float | None, expected: str
) -> None:
    found = find_gpu(CATALOG, name, vram_gib)
    assert found is not None
    assert found.id == expected


@pytest.mark.parametrize("name", NO_GPU)
def test_a_vague_name_finds_no_card(name: str) -> None:
    assert find_gpu(CATALOG, name) is None


def test_every_processor_is_found_by_its_own_name_and_by_each_fragment() -> None:
    names = [(name, cpu) for cpu in CATALOG.cpus.values() for name in (cpu.name, *cpu.match)]
    assert [name for name, cpu in names if find_cpu(CATALOG, name) != cpu] == []


def test_every_card_is_found_by_its_own_name_and_by_each_fragment() -> None:
    names = [(name, gpu) for gpu in CATALOG.gpus.values() for name in (gpu.name, *gpu.match)]
    assert [name for name, gpu in names if find_gpu(CATALOG, name) != gpu] == []


@given(
    st.permutations(["AMD", "Ryzen", "Threadripper", "PRO", "3975WX", "32-Cores"]), st.booleans()
)
def test_neither_order_nor_case_of_words_matters(parts: list[str], upper: bool) -> None:  # noqa: FBT001 - hypothesis fills it
    name = " ".join(parts)
    found = find_cpu(CATALOG, name.upper() if upper else name.lower())
    assert found is not None
    assert found.id == "threadripper-pro-3975wx"


@given(st.text())
def test_any_text_finds_one_entry_or_none(name: str) -> None:
    found = find_cpu(CATALOG, name)
    assert found is None or found.id in CATALOG.cpus


@pytest.mark.shared
def test_every_spelling_of_the_record_is_listed_above() -> None:
    listed = {name for name, _ in CPUS} | set(NO_CPU)
    cards = {name for name, *_ in GPUS} | set(NO_GPU)
    rows = [
        json.loads(line)
        for path in sorted(RECORD.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert {row["cpu"] for row in rows if row.get("cpu")} <= listed
    named = [gpu for row in rows for gpu in row.get("gpus") or [] if isinstance(gpu, dict)]
    assert {gpu["model"] for gpu in named if gpu.get("model")} <= cards


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RTX 3090x2", ("RTX 3090", 2)),
        ("RTX 3090 x 4", ("RTX 3090", 4)),
        ("RTX 3090", ("RTX 3090", 1)),
        ("RX 7900 XTX", ("RX 7900 XTX", 1)),
        ("RX 7900 XTXx2", ("RX 7900 XTX", 2)),
        ("2x RTX 3090", ("RTX 3090", 2)),
        ("2x3090", ("3090", 2)),
        ("3090x2", ("3090", 2)),
        ("4 × A6000", ("A6000", 4)),
    ],
)
def test_a_name_may_carry_a_count_before_or_behind(text: str, expected: tuple[str, int]) -> None:
    assert counted(text) == expected


@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        ("4090", "rtx-4090"),
        ("3090 ti", "rtx-3090-ti"),
        ("rtx 4090 laptop gpu", "rtx-4090-laptop"),
        ("7900 xtx", "rx-7900-xtx"),
        ("rtx", None),
        ("12345", None),
        ("", None),
    ],
)
def test_a_person_may_shorten_the_name_of_a_card(name: str, gpu: str | None) -> None:
    found = asked_for(CATALOG.gpus.values(), name)
    assert (found.id if found else None) == gpu


@pytest.mark.parametrize(
    ("name", "cpu"),
    [("7950X", "ryzen-9-7950x"), ("9254", "epyc-9254"), ("Ryzen 9", None), ("7950XXX", None)],
)
def test_a_person_may_shorten_the_name_of_a_processor(name: str, cpu: str | None) -> None:
    found = asked_for(CATALOG.cpus.values(), name)
    assert (found.id if found else None) == cpu


def test_every_card_answers_a_person_as_it_answers_a_reader() -> None:
    for text in (text for entry in CATALOG.gpus.values() for text in entry.match):
        assert find_gpu(CATALOG, text) in (None, asked_for(CATALOG.gpus.values(), text))


def test_every_processor_answers_a_person_as_it_answers_a_reader() -> None:
    for text in (text for entry in CATALOG.cpus.values() for text in entry.match):
        assert find_cpu(CATALOG, text) in (None, asked_for(CATALOG.cpus.values(), text))
