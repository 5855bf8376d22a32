"""A sentence encoder of the user's own: what its folder says, and what is wrong with one."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contract.onnx_encoder import DIMENSION, write_encoder

from simonides import Memory, Settings
from simonides.errors import EmbedderError, InvalidInput
from simonides.models.embedding.onnx_file import OnnxEmbedder


def vector(folder: Path, text: str = "ferry rent") -> list[float]:
    return [float(one) for one in OnnxEmbedder(str(folder)).embed([text])[0]]


def test_pooling_takes_the_mean_or_the_first_or_the_last_token(tmp_path: Path) -> None:
    made = {
        pooling: vector(write_encoder(tmp_path / pooling, dimension=DIMENSION, pooling=pooling))
        for pooling in ("mean", "first", "last")
    }
    other = vector(tmp_path / "first", "quay")

    assert made["first"] == other  # all texts begin with [CLS]
    assert made["last"] == vector(tmp_path / "last", "quay")
    assert made["mean"] != vector(tmp_path / "mean", "quay")
    assert len({tuple(one) for one in made.values()}) == 3


def test_an_output_of_one_vector_is_taken_as_it_is(tmp_path: Path) -> None:
    tokens = write_encoder(tmp_path / "tokens", dimension=DIMENSION)
    pooled = write_encoder(tmp_path / "pooled", pooled=True, dimension=DIMENSION)

    assert vector(tokens) == pytest.approx(vector(pooled), abs=1e-6)


def test_prefixes_stand_before_texts_and_before_questions(tmp_path: Path) -> None:
    plain = OnnxEmbedder(str(write_encoder(tmp_path / "plain", dimension=DIMENSION)))
    folder = write_encoder(
        tmp_path / "e5", dimension=DIMENSION, text_prefix="passage ", query_prefix="query "
    )
    prefixed = OnnxEmbedder(str(folder))

    assert np.array_equal(prefixed.embed(["ferry"]), plain.embed(["passage ferry"]))
    assert np.array_equal(prefixed.embed_query("ferry"), plain.embed_query("query ferry"))
    assert not prefixed.embed([" "]).any()


def test_a_text_is_read_up_to_the_window(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "short", dimension=DIMENSION, window_tokens=16)
    embedder = OnnxEmbedder(str(folder))

    assert embedder.identity.window_words == 11
    assert vector(folder, "ferry " * 14) == vector(folder, "ferry " * 14 + "rent " * 9)


@pytest.mark.parametrize(
    ("files", "text", "query"),
    [
        ({"1_Pooling/config.json": {"word_embedding_dimension": DIMENSION}}, "ferry", "ferry"),
        (
            {
                "config.json": {"hidden_size": DIMENSION},
                "config_sentence_transformers.json": {
                    "prompts": {"query": "query ", "passage": "passage "}
                },
            },
            "passage ferry",
            "query ferry",
        ),
    ],
)
def test_the_files_of_sentence_transformers_say_as_much(
    files: dict[str, Any], text: str, query: str, tmp_path: Path
) -> None:
    plain = OnnxEmbedder(str(write_encoder(tmp_path / "plain", dimension=DIMENSION)))
    folder = write_encoder(tmp_path / "model")
    for name, said in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(said))
    embedder = OnnxEmbedder(str(folder))

    assert np.array_equal(embedder.embed(["ferry"]), plain.embed([text]))
    assert np.array_equal(embedder.embed_query("ferry"), plain.embed_query(query))


def test_the_token_that_pools_is_read_from_sentence_transformers(tmp_path: Path) -> None:
    said = {"word_embedding_dimension": DIMENSION, "pooling_mode_cls_token": True}
    folder = write_encoder(tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))

    assert vector(folder, "ferry") == vector(folder, "quay")


def test_other_files_are_another_embedder(tmp_path: Path) -> None:
    def identity(name: str, **manifest: Any) -> str:
        folder = write_encoder(tmp_path / name, dimension=DIMENSION, **manifest)
        return OnnxEmbedder(str(folder)).identity.model

    first = identity("a")

    assert first.startswith("onnx:")
    assert identity("b") == first
    assert identity("c", pooling="first") != first
    assert identity("d", pooled=True) != first


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ('{"dimension": 0}', "dimension"),
        ('{"dimension": 6, "pooling": "max"}', "pooling"),
        ('{"dimension": 6, "prefix": ""}', "prefix"),
        ("{", "embedder.json"),
        (None, "write embedder.json there"),
    ],
)
def test_a_folder_that_says_too_little_or_what_cannot_be_is_refused(
    manifest: str | None, said: str, tmp_path: Path
) -> None:
    folder = write_encoder(tmp_path / "model")
    if manifest is not None:
        (folder / "embedder.json").write_text(manifest)

    with pytest.raises(InvalidInput, match=said) as raised:
        OnnxEmbedder(str(folder))
    assert raised.value.field == "embedder"


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", dimension=DIMENSION)
    (folder / missing).unlink()

    with pytest.raises(InvalidInput, match=missing):
        OnnxEmbedder(str(folder))


def test_a_wrong_dimension_is_said_at_the_first_text(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", dimension=5)

    with pytest.raises(EmbedderError, match="have 6 numbers, not 5; correct `dimension`"):
        vector(folder)


def test_a_file_that_is_no_model_fails_with_its_name(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", dimension=DIMENSION)
    (folder / "model.onnx").write_bytes(b"no model")

    with pytest.raises(EmbedderError, match=f"onnx:{folder} failed"):
        vector(folder)


def test_the_setting_names_the_folder(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", dimension=DIMENSION)
    settings = Settings(embedder=f"onnx:{folder}", timezone="UTC")
    with Memory(tmp_path / "home", settings=settings) as memory:
        memory.add("the ferry leaves", id="ferry")
        memory.add("the rent", id="rent")
        hits = memory.search("ferry", mode="vector")

    assert hits[0].id == "ferry"


def test_a_name_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidInput, match="onnx:PATH"):
        Settings(embedder="onxx")
