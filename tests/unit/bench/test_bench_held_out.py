"""The models that have not seen a person: near the shipped one, and each the right one."""

import numpy as np
import pytest

from simonides.models.embedding.minilm import EARLIER, IDENTITY, MiniLMEmbedder
from simonides_bench.ranking.held_out import FOLDS, embedder_for

QUESTION = "when does the ferry to Lisbon leave"


@pytest.mark.parametrize("person", sorted(FOLDS))
def test_the_model_of_a_person_is_near_the_shipped_one_and_not_the_same(person: str) -> None:
    shipped = MiniLMEmbedder().embed_query(QUESTION)
    held_out = embedder_for(person)
    vector = held_out.embed_query(QUESTION)

    assert person in held_out.identity.model
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)
    assert 0.9 < float(vector @ shipped) < 0.9999


def test_other_data_have_the_shipped_model_unless_it_was_trained_on_them() -> None:
    assert embedder_for("assistant1").identity == IDENTITY
    assert embedder_for("student").identity == EARLIER
