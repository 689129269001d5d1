import json

from models.predict import predict
from models.record import FittedModel
from models.request import Request


def test_an_answer_is_plain_json_with_its_evidence(fitted: FittedModel) -> None:
    answers = predict(fitted, None, Request(triad_gbps=52, cores=16))
    plain = answers[0].as_json()
    assert json.loads(json.dumps(plain)) == plain
    assert set(plain["nearest"][0]) == {"rig", "tokens_per_s", "distance", "url"}
    warned = [warning for answer in answers for warning in answer.as_json()["warnings"]]
    assert all(set(warning) == {"code", "message", "remedy"} for warning in warned)


def test_a_named_slug_carries_advice_in_plain_json(fitted: FittedModel) -> None:
    slug = "llamacpp/deepseek-flash-dual-q8"
    request = Request(triad_gbps=52, cores=16, slugs=(slug,))
    (answer,) = predict(fitted, None, request, advise=True)
    plain = json.loads(json.dumps(answer.as_json()))
    assert len(plain["threads_enough"]) == 2
    assert set(plain["drafting"]) == {"best_depth", "tokens_per_s", "depth", "pays_above"}
    assert set(plain["drafting"]["tokens_per_s"]) == {str(depth) for depth in range(9)}
