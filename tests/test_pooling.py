import numpy as np
import pytest

from models import pooling
from models.pooling import LEVELS, effect_of, effects
from models.rows import FitRow


def test_what_a_model_does_on_many_rigs_is_the_models(made_rows: list[FitRow]) -> None:
    models = sorted({row.model for row in made_rows})
    left = np.array([0.2 if row.model == models[0] else 0.0 for row in made_rows])
    found = effects(made_rows, left)
    assert found[models[0]] > 0.05 > abs(found[models[1]])


def test_what_one_rig_does_is_not_taken_for_the_models(made_rows: list[FitRow]) -> None:
    rig = made_rows[0].rig
    left = np.array([0.4 if row.rig == rig else 0.0 for row in made_rows])
    assert all(abs(effect) < 0.06 for effect in effects(made_rows, left).values())


def test_effects_are_shrunk_and_none_is_none(made_rows: list[FitRow]) -> None:
    assert set(effects(made_rows, np.zeros(len(made_rows))).values()) == {0.0}
    strong = effects(made_rows, np.full(len(made_rows), 0.3))
    assert all(0 < effect < 0.3 for effect in strong.values())
    assert "rig" in LEVELS


def test_an_unseen_variant_takes_its_models_effect_and_an_unseen_model_none(
    made_rows: list[FitRow],
) -> None:
    row = made_rows[0]
    assert effect_of({row.model: 0.1, row.variant: 0.05}, row) == 0.15000000000000002
    assert effect_of({row.model: 0.1}, row) == 0.1
    assert effect_of({}, row) == 0


def test_many_columns_are_solved_to_the_same_effects(
    made_rows: list[FitRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = np.linspace(-0.4, 0.4, len(made_rows))
    exact = effects(made_rows, left)
    monkeypatch.setattr(pooling, "DENSE_UP_TO", 0)
    assert effects(made_rows, left) == pytest.approx(exact, abs=1e-6)
