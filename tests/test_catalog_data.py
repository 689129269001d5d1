"""The committed catalogue: every file fits its shape, points at what exists, and adds up."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from ingest.catalog import TABLES, CpuEntry, Entry, ModelEntry, Quant, Quantity, Slug, Variant

CATALOG = Path(__file__).parents[1] / "data" / "catalog"
# Others keep these two, and other tests check them.
ELSEWHERE = {"aliases.toml", "exclusions.toml"}
FILES = [name for name in TABLES if name not in ELSEWHERE]
MODEL_FILES = sorted((CATALOG / "models").glob("*.toml"))
GIB, MIB = 2**30, 2**20


def _read(name: str) -> dict[str, list[dict[str, object]]]:
    return tomllib.loads((CATALOG / name).read_text(encoding="utf-8"))


def _table(file: str, table: str) -> list[BaseModel]:
    entry = TABLES[file][table][1]
    return [entry.model_validate(row) for row in _read(file)[table]]


def _model(path: Path) -> ModelEntry:
    return ModelEntry.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


MODELS = {path.stem: _model(path) for path in MODEL_FILES}
QUANTS = {q.id: q for q in _table("quants.toml", "quants") if isinstance(q, Quant)}
SLUGS = {s.id: s for s in _table("slugs.toml", "slugs") if isinstance(s, Slug)}
IDS = {
    (file, table): [str(row["id"]) for row in _read(file)[table]]
    for file in FILES
    for table in TABLES[file]
}
MOE = [model for model in MODELS.values() if model.kind == "moe" and model.experts]
VARIANTS = [(model, variant) for model in MODELS.values() for variant in model.variants]


def _expert_params(model: ModelEntry) -> int:
    width = model.expert_hidden or model.hidden or 0
    return model.expert_matrices * width * (model.expert_ffn or 0)


def _routed_gib_per_token(name: str, quant: str) -> float:
    model = MODELS[name]
    variant = model.variant(quant)
    assert variant is not None
    share = (model.experts_per_token or 0) / (model.experts or 1)
    return share * sum(variant.bundles_mib(model)) / 1024


@pytest.mark.parametrize("file", FILES)
def test_every_row_of_a_table_fits_its_entry_type(file: str) -> None:
    document = _read(file)
    assert document.keys() == TABLES[file].keys()
    for table in document:
        assert _table(file, table)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_a_model_file_is_named_after_its_id(model: ModelEntry) -> None:
    assert (CATALOG / "models" / f"{model.id}.toml").is_file()


def test_a_wrong_row_would_be_noticed() -> None:
    row = {**_read("gpus.toml")["gpus"][0], "vram_gib": -1}
    with pytest.raises(ValidationError, match="vram_gib"):
        TABLES["gpus.toml"]["gpus"][1].model_validate(row)


@pytest.mark.parametrize("key", IDS, ids=str)
def test_ids_are_unique(key: tuple[str, str]) -> None:
    assert [name for name, n in Counter(IDS[key]).items() if n > 1] == []


@pytest.mark.parametrize(("file", "table"), IDS)
def test_inferred_names_only_fields_that_are_filled(file: str, table: str) -> None:
    for entry in _table(file, table):
        assert isinstance(entry, Entry)
        assert set(entry.inferred) <= entry.model_fields_set, entry


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_inferred_names_only_filled_fields_of_models_and_variants(model: ModelEntry) -> None:
    for entry in (model, *model.variants):
        assert set(entry.inferred) <= entry.model_fields_set, entry


@pytest.mark.parametrize(("model", "variant"), VARIANTS, ids=lambda v: getattr(v, "id", None))
def test_a_variant_names_a_quant_and_a_kernel_that_exist(
    model: ModelEntry, variant: Variant
) -> None:
    assert variant.quant in QUANTS, model.id
    assert variant.kernel in IDS["quants.toml", "kernels"], model.id


def test_a_model_has_each_quant_once() -> None:
    for model in MODELS.values():
        assert [q for q, n in Counter(v.quant for v in model.variants).items() if n > 1] == []


def test_a_quant_names_a_kernel_that_exists() -> None:
    assert {quant.kernel for quant in QUANTS.values()} <= set(IDS["quants.toml", "kernels"])


@pytest.mark.parametrize("slug", SLUGS.values(), ids=SLUGS.keys())
def test_a_slug_points_at_a_variant_an_engine_and_a_card(slug: Slug) -> None:
    assert MODELS[slug.model].variant(slug.quant) is not None
    assert slug.engine in IDS["protocols.toml", "engines"]
    assert slug.reference_gpu in IDS["gpus.toml", "gpus"]


@pytest.mark.parametrize(
    "slug", [s for s in SLUGS.values() if s.offload == "experts"], ids=lambda s: s.id
)
def test_an_offload_slug_has_bytes_and_a_host_ram_gate_that_holds_its_experts(slug: Slug) -> None:
    model = MODELS[slug.model]
    variant = model.variant(slug.quant)
    assert variant is not None
    experts_gib = sum(variant.bundles_mib(model)) / 1024
    assert experts_gib > 0
    assert slug.host_ram_gib is not None
    assert experts_gib < slug.host_ram_gib < experts_gib + 40
    assert slug.ctx is not None


@pytest.mark.parametrize("slug", [s for s in SLUGS.values() if s.residency], ids=lambda s: s.id)
def test_residency_constants_agree_with_the_model(slug: Slug) -> None:
    model = MODELS[slug.model]
    variant = model.variant(slug.quant)
    assert variant is not None
    assert slug.residency is not None
    assert slug.residency.bundle_mib == variant.bundle_mib
    blocks = model.moe_blocks()
    window = range(
        slug.residency.first_layer, slug.residency.first_layer + slug.residency.window_layers
    )
    assert window[0] == blocks[0]
    assert window[-1] <= blocks[-1]


@pytest.mark.parametrize("model", MOE, ids=lambda m: m.id)
def test_the_parts_of_a_model_add_up_to_its_parameters(model: ModelEntry) -> None:
    routed_b = (model.moe_layers or 0) * (model.experts or 0) * _expert_params(model) / 1e9
    rest_b = (model.always_active_b or 0) + (model.embedding_b or 0) + (model.mtp_b or 0)
    assert routed_b + rest_b == pytest.approx(model.parameters_b, rel=0.03)
    blocks = model.moe_blocks()
    assert len(blocks) == model.moe_layers
    assert blocks[-1] < (model.layers or 0)


@pytest.mark.parametrize(
    ("model", "variant"),
    [(model, variant) for model, variant in VARIANTS if variant.bundle_mib],
    ids=lambda v: getattr(v, "quant", None) or getattr(v, "id", None),
)
def test_bundles_and_bits_of_a_variant_say_the_same(model: ModelEntry, variant: Variant) -> None:
    assert variant.routed_bits is not None
    weights = (model.moe_layers or 0) * (model.experts or 0) * _expert_params(model)
    stored_mib = sum(variant.bundles_mib(model))
    assert stored_mib * MIB * 8 / weights == pytest.approx(variant.routed_bits, rel=0.005)


@pytest.mark.parametrize(
    ("model", "variant"),
    [(model, variant) for model, variant in VARIANTS if variant.bundle_mib and variant.file_gib],
    ids=lambda v: getattr(v, "quant", None) or getattr(v, "id", None),
)
def test_a_file_is_about_as_large_as_its_parts(model: ModelEntry, variant: Variant) -> None:
    parts = [*variant.bundles_mib(model)]
    # A prediction layer in the file holds one more bundle.
    most = sum(parts) + (parts[-1] if model.mtp_b else 0)
    rest_gib = (variant.dense_gib or 0) + (variant.embedding_gib or 0)
    assert variant.file_gib is not None
    assert sum(parts) / 1024 + rest_gib <= variant.file_gib * 1.02
    assert most / 1024 + rest_gib >= variant.file_gib * 0.95 or (model.id, variant.quant) in {
        # The engine's file keeps more wide tensors than its name says.
        ("glm-5.3-flash", "avar6-3.20bpw"),
        # 4-bit and wider experts mixed; which ones are wide was not published.
        ("qwen3.8-flash-next", "W4A16-FP8-PLE"),
    }


@pytest.mark.parametrize(
    ("name", "quant", "gib"),
    [
        ("deepseek-v4-flash-0731", "UD-Q8_K_XL", 43 * 6 / 256 * 3264 / 1024),
        ("deepseek-v4-flash-0731", "UD-Q8_K_XL", 3.21),
        ("deepseek-v4-flash-0731", "UD-IQ2_XXS", 1.83),
        ("inkling-small", "UD-IQ4_XS", 2.64),
        ("qwen3.8-flash-next", "UD-Q4_K_XL", 1.41),
        ("glm-5.3-flash", "UD-IQ4_XS", 3.99e9 / GIB),
    ],
)
def test_routed_bytes_per_token_are_the_published_ones(name: str, quant: str, gib: float) -> None:
    assert _routed_gib_per_token(name, quant) == pytest.approx(gib, abs=0.006)


@pytest.mark.parametrize(
    ("name", "quant", "cuda_host_mib"),
    [
        ("deepseek-v4-flash-0731", "UD-Q8_K_XL", 141_362),
        ("deepseek-v4-flash-0731", "UD-IQ2_XXS", 80_268),
        ("inkling-small", "UD-IQ4_XS", 116_354),
    ],
)
def test_experts_and_embedding_fill_the_host_buffer_that_the_engine_logged(
    name: str, quant: str, cuda_host_mib: int
) -> None:
    variant = MODELS[name].variant(quant)
    assert variant is not None
    host_mib = sum(variant.bundles_mib(MODELS[name])) + (variant.embedding_gib or 0) * 1024
    assert host_mib == pytest.approx(cuda_host_mib, abs=2)


@pytest.mark.parametrize(
    ("name", "weights_b"),
    [
        ("deepseek-r1", 20.4),
        ("kimi-k2", 21.1),
        ("qwen3-235b-a22b", 14.2),
        ("llama-4-maverick", 3.0),
        ("gpt-oss-120b", 3.6),
    ],
)
def test_routed_weights_per_token_are_the_published_ones(name: str, weights_b: float) -> None:
    model = MODELS[name]
    used = (model.moe_layers or 0) * (model.experts_per_token or 0) * _expert_params(model)
    assert used / 1e9 == pytest.approx(weights_b, abs=0.05)


def test_every_quantity_has_a_range_of_its_unit() -> None:
    for quantity in _table("quantities.toml", "quantities"):
        assert isinstance(quantity, Quantity)
        assert quantity.low < quantity.high
        assert quantity.unit != "ratio" or quantity.low == 0


def test_exactly_one_protocol_is_canonical() -> None:
    canonical = [row["id"] for row in _read("protocols.toml")["protocols"] if row.get("canonical")]
    assert canonical == ["club-canonical"]


def test_every_processor_is_possible_and_of_a_known_generation() -> None:
    for cpu in _table("cpus.toml", "cpus"):
        assert isinstance(cpu, CpuEntry)
        assert cpu.generation in IDS["cpus.toml", "generations"], cpu.id
        assert cpu.cores <= cpu.threads <= 2 * cpu.cores, cpu.id
        assert 2 <= cpu.all_core_ghz <= 6, cpu.id
        assert cpu.channels in {2, 4, 6, 8, 12}, cpu.id
        assert (cpu.ccds or 1) <= cpu.cores, cpu.id
        assert "all_core_ghz" in cpu.inferred, cpu.id
