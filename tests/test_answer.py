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
