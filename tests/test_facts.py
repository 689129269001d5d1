import json

import pytest

from ingest.catalog import Catalog
from models.facts import cpu_facts, facts_of, methods_of, read_cap_gbps, variant_key, variant_of


def test_routed_bytes_of_a_token_agree_with_the_published_arithmetic(catalog: Catalog) -> None:
    variants = facts_of(catalog)["variants"]
    q8 = variants[variant_key("deepseek-v4-flash-0731", "UD-Q8_K_XL")]
    iq2 = variants[variant_key("deepseek-v4-flash-0731", "UD-IQ2_XXS")]
    assert q8["routed_gb"] == pytest.approx(3.45, abs=0.01)
    assert iq2["routed_gb"] == pytest.approx(1.97, abs=0.01)
    assert q8["routed_gweights"] == pytest.approx(6.49, abs=0.01)


def test_every_slug_that_offloads_has_a_variant_with_known_bytes(catalog: Catalog) -> None:
    facts = facts_of(catalog)
    for slug in facts["slugs"].values():
        assert variant_key(slug["model"], slug["quant"]) in facts["variants"]


def test_bytes_that_no_tensor_table_gives_are_marked(catalog: Catalog) -> None:
    variants = facts_of(catalog)["variants"]
    assert variants["deepseek-r1-0528/IQ2_K_R4"]["inferred"]
    assert not variants["deepseek-v4-flash-0731/UD-Q8_K_XL"]["inferred"]


def test_facts_are_plain_json(catalog: Catalog) -> None:
    facts = facts_of(catalog)
    assert json.loads(json.dumps(facts)) == facts


def test_rated_is_kept_apart_from_the_methods_that_measure(catalog: Catalog) -> None:
    methods = methods_of(catalog)
    assert "rated" not in methods
    assert methods["rated-server"] < 1 < methods["triad-v1"]


def test_two_core_dies_of_zen_2_cap_the_bandwidth_and_newer_parts_are_not_capped(
    catalog: Catalog,
) -> None:
    assert read_cap_gbps(catalog.cpus["threadripper-pro-3955wx"]) == 88
    assert read_cap_gbps(catalog.cpus["ryzen-9-9950x3d"]) is None
    assert cpu_facts(catalog, catalog.cpus["epyc-7543"])["intel"] == 0


def test_a_worked_out_variant_reads_as_much_as_a_computed_one_of_the_catalogue(
    catalog: Catalog,
) -> None:
    facts = facts_of(catalog)
    computed = [v for v in facts["variants"].values() if v["inferred"] and v["quant"] == "Q4_K_M"]
    assert computed
    for known in computed:
        bare = {**facts, "variants": {}}
        found = variant_of(bare, known["model"], known["quant"])
        assert found is not None
        assert found["routed_gb"] == pytest.approx(known["routed_gb"], rel=0.1)
        assert found["dense_gb"] == pytest.approx(known["dense_gb"], rel=0.1)


def test_every_expert_model_with_a_known_architecture_has_facts(catalog: Catalog) -> None:
    facts = facts_of(catalog)
    for name, model in facts["models"].items():
        entry = catalog.models[name]
        experts = model["routed_gweights"] / model["expert_share"]
        total = experts + model["dense_gweights"] + model["embedding_gweights"]
        total += entry.mtp_b or 0.0
        assert total == pytest.approx(entry.parameters_b, rel=0.03), name
