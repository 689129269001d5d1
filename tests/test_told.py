from models.predict import predict
from models.record import FittedModel
from models.request import GpuRequest, Request
from models.told import ASSUMED, assumed, document, lines

ASKED = Request(triad_gbps=52, cores=16)
SLUG = "llamacpp-club3090/deepseek-flash-dual-q8-moecache"


def test_a_slug_is_one_line_that_can_be_quoted(fitted: FittedModel) -> None:
    answers = predict(fitted, None, ASKED)
    told = lines(ASKED, answers, whole=False)
    assert len(told) == len(answers) + 2
    best = told[1]
    assert answers[0].slug is not None
    assert answers[0].slug in best
    for part in ("tokens/s (", "rig", "limit", "RAM"):
        assert part in best


def test_every_assumption_has_words(fitted: FittedModel) -> None:
    answers = predict(fitted, None, ASKED)
    assert set(assumed(answers)) == set(ASSUMED)
    assert lines(ASKED, answers, whole=False)[-1].startswith("assumed: CPU generation unknown")


def test_the_whole_answer_names_limit_shares_neighbours_and_warnings(fitted: FittedModel) -> None:
    request = ASKED._replace(slugs=(SLUG,), ram_gib=64, gpus=(GpuRequest("RTX 3090"),))
    text = "\n".join(lines(request, predict(fitted, None, request, advise=True), whole=True))
    for part in (
        "near: ",
        "time: ",
        "cache hits",
        "acceptance",
        "DOES NOT FIT",
        "! the slug",
        "pays above acceptance",
    ):
        assert part in text


def test_the_document_lists_only_what_is_known_of_the_rig(fitted: FittedModel) -> None:
    request = ASKED._replace(gpus=(GpuRequest("RTX 3090", 2),))
    found = document(fitted, request, predict(fitted, None, request))
    assert found["rig"]["gpus"] == ["RTX 3090 x2"]
    assert "ram_gib" not in found["rig"]
    assert "gpus" not in found["rig"]["inferred"]
    assert found["model"]["error"]["median_ape"] > 0


def test_cards_that_are_full_are_told_of_and_not_counted_in_tokens(fitted: FittedModel) -> None:
    full = ASKED._replace(slugs=("llamacpp/deepseek-flash-dual-q8",), depth=0, cpu_layers=26)
    for request, said in ((full, "none boots"), (full._replace(cpu_layers=43), "tokens boot")):
        answers = predict(fitted, None, request, advise=True)
        text = "\n".join(lines(request, answers, whole=True))
        assert said in text
        assert "about 0 tokens" not in text
