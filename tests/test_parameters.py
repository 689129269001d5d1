from models.parameters import RATED, SCALARS, gathered, priors


def test_every_parameter_has_a_unit_a_meaning_and_a_positive_prior() -> None:
    for prior in priors(["iq4"], {"stream": 1.33}):
        assert prior.unit
        assert len(prior.meaning) > 10
        assert prior.value > 0
        assert 0 < prior.sd < 1


def test_names_are_unique_and_categories_carry_a_dot() -> None:
    names = [prior.name for prior in priors(["iq4", "mxfp4"], {"stream": 1.33})]
    assert len(names) == len(set(names))
    assert not [prior.name for prior in SCALARS if "." in prior.name]


def test_gathering_keeps_categories_in_order() -> None:
    found = gathered({"kernel.b": 2.0, "kernel.a": 1.0, "method.x": 3.0, "fixed": 4.0})
    assert (found.kernel, found.method, found.scalar) == ([2.0, 1.0], [3.0], {"fixed": 4.0})


def test_no_platform_reads_more_than_it_is_rated_for() -> None:
    assert all(0.5 < share < 1 for share in RATED.values())
