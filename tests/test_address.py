import posixpath

import pytest

from sitegen.address import HOME, from_page, rig_page, slug_page, variant_page


@pytest.mark.parametrize(
    ("page", "address"),
    [
        (slug_page("llamacpp/deepseek-flash-dual-q8"), "slugs/llamacpp/deepseek-flash-dual-q8"),
        (rig_page("someone-epyc-7543"), "rigs/someone-epyc-7543"),
        (variant_page("deepseek-v4-flash-0731", "UD-Q8_K_XL"),
         "variants/deepseek-v4-flash-0731--ud-q8_k_xl"),
        (variant_page("gpt-oss-120b", None), "variants/gpt-oss-120b--unknown"),
        (variant_page(None, None), "variants/unknown--unknown"),
        (rig_page("index"), "rigs/index-"),
    ],
)  # fmt: skip
def test_addresses_stay_what_they_are(page: str, address: str) -> None:
    assert page == address


@pytest.mark.parametrize("quant", ["../../x", "a/b", "a b", "\x00", "..", "Ω"])
def test_any_quant_makes_one_segment(quant: str) -> None:
    page = variant_page("m", quant)
    assert page.count("/") == 1
    assert posixpath.normpath(page) == page
    assert page != variant_page("m", f"{quant}?")


@pytest.mark.parametrize("page", ["slugs/a/b", "rigs/c", "coverage", "rigs/", HOME])
def test_a_page_reaches_every_other(page: str) -> None:
    # The home page is served above the results.
    served = "/" if page == HOME else f"/results/{page.rstrip('/')}/"
    reached = posixpath.normpath(posixpath.join(served, from_page(page, "rigs/x")))
    assert reached == "/results/rigs/x"
