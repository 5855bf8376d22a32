"""The default embedder: loading, checking, truncation, threads, and what its vectors mean."""

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import simonides_minilm

from simonides.errors import EmbedderError, InvalidInput
from simonides.models.embedding.minilm import (
    EARLIER,
    ENGLISH,
    IDENTITY,
    MiniLMEmbedder,
    apply_difference,
)

SENTENCES = [
    "The ferry to the island leaves at nine.",
    "When does the boat depart?",
    "Our quarterly budget was approved by the board.",
    "who signed off on the spending plan",
]


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder(threads=2)


def test_texts_that_mean_the_same_are_nearest(embedder: MiniLMEmbedder) -> None:
    rows = embedder.embed(SENTENCES)
    near = rows @ rows.T

    assert near[0, 1] > max(near[0, 2], near[0, 3], near[1, 2], near[1, 3]) + 0.2
    assert near[2, 3] > max(near[0, 2], near[0, 3], near[1, 2], near[1, 3]) + 0.2


def test_the_number_of_threads_does_not_change_a_byte(embedder: MiniLMEmbedder) -> None:
    texts = [f"note {number}: {SENTENCES[number % 4]}" for number in range(12)]

    assert MiniLMEmbedder(threads=1).embed(texts).tobytes() == embedder.embed(texts).tobytes()


def test_what_lies_beyond_256_tokens_is_not_read(embedder: MiniLMEmbedder) -> None:
    head = "words " * 254
    rows = embedder.embed([head, head + "unread tail", "words " * 253 + "changed"])

    assert rows[0].tobytes() == rows[1].tobytes()
    assert rows[0].tobytes() != rows[2].tobytes()


def test_a_very_long_text_is_embedded_by_its_beginning(embedder: MiniLMEmbedder) -> None:
    rows = embedder.embed(["harbour " * 300, "harbour " * 300_000])

    assert rows[0].tobytes() == rows[1].tobytes()


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b", "\x00"])
def test_a_text_without_tokens_is_a_zero_row(embedder: MiniLMEmbedder, text: str) -> None:
    assert not embedder.embed([text]).any()


@pytest.mark.parametrize("text", ["😂😂😂", "👍", "ᚠᚢᚦᚨᚱᚲ", "ꦲꦏ꧀ꦱꦫ"])
def test_a_text_of_unknown_tokens_is_a_zero_row(embedder: MiniLMEmbedder, text: str) -> None:
    assert not embedder.embed([text]).any()
    assert embedder.embed([f"the keys of the factory are here, thanks {text}"]).any()


def test_a_lone_surrogate_is_read_as_a_question_mark(embedder: MiniLMEmbedder) -> None:
    rows = embedder.embed(["broken \ud800 mark", "broken ? mark"])

    assert rows[0].tobytes() == rows[1].tobytes()


def test_a_question_is_embedded_once_and_like_a_kept_text(embedder: MiniLMEmbedder) -> None:
    question = embedder.embed_query(SENTENCES[1])

    assert question is embedder.embed_query(SENTENCES[1])
    assert question.tobytes() == embedder.embed([SENTENCES[1]])[0].tobytes()


def test_threads_may_share_an_embedder_that_is_not_loaded_yet(embedder: MiniLMEmbedder) -> None:
    fresh = MiniLMEmbedder(threads=1)
    got: dict[int, bytes] = {}

    def ask(number: int) -> None:
        got[number] = fresh.embed([SENTENCES[number]])[0].tobytes()

    threads = [Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [got[n] for n in range(4)] == [row.tobytes() for row in embedder.embed(SENTENCES)]


def test_nothing_is_loaded_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    assert MiniLMEmbedder().identity == IDENTITY
    assert MiniLMEmbedder().embed([]).shape == (0, 384)


def test_the_model_of_before_gives_the_vectors_of_before(embedder: MiniLMEmbedder) -> None:
    earlier = embedder.earlier(EARLIER)

    assert earlier is not None
    assert earlier is embedder.earlier(EARLIER)
    assert earlier.identity == EARLIER
    row = earlier.embed(SENTENCES[:1])[0]
    assert float(row @ embedder.embed(SENTENCES[:1])[0]) > 0.5  # the same language still
    assert row.tobytes() != embedder.embed(SENTENCES[:1])[0].tobytes()


def test_the_model_of_english_alone_gives_the_same_bytes_for_english(
    embedder: MiniLMEmbedder,
) -> None:
    before = embedder.earlier(ENGLISH)

    assert before is not None
    assert before.embed(SENTENCES).tobytes() == embedder.embed(SENTENCES).tobytes()
    german = ["Der Zahnarzt hat den Termin auf Donnerstag verschoben."]
    assert before.embed(german).tobytes() != embedder.embed(german).tobytes()


def test_the_file_of_the_model_of_before_is_whole() -> None:
    now, difference = (
        simonides_minilm.path(name).read_bytes() for name in ("model.onnx", "earlier.xz")
    )

    assert sha256(apply_difference(now, difference)).hexdigest() == (
        "ba93b3a31d7fb38aa78e92d33a84a6847a43abda2129a49c6b5ff25d4b8d7ce4"
    )


def test_there_are_no_versions_but_the_present_and_the_known_ones() -> None:
    other = replace(IDENTITY, model="desk-minilm/0")

    assert MiniLMEmbedder().earlier(other) is None
    assert MiniLMEmbedder().earlier(IDENTITY) is None
    with pytest.raises(InvalidInput, match=r"desk-minilm/0"):
        MiniLMEmbedder(identity=other)


@pytest.mark.usefixtures("nothing_loaded")
def test_all_embedders_of_a_process_share_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    find = simonides_minilm.path

    def note(name: str) -> Path:
        read.append(name)
        return find(name)

    monkeypatch.setattr(simonides_minilm, "path", note)

    first, second = (MiniLMEmbedder().embed_query("hello") for _ in range(2))

    assert first.tobytes() == second.tobytes()
    assert sorted(read) == ["characters.json", "model.onnx", "tokenizer.json"]


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "characters.json"])
def test_a_damaged_file_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(simonides_minilm.SHA256, name, "0" * 64)

    with pytest.raises(EmbedderError, match=rf"{name} of simonides-minilm is damaged"):
        MiniLMEmbedder().embed_query("hello")


@pytest.mark.usefixtures("nothing_loaded")
def test_a_missing_file_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(simonides_minilm, "path", lambda name: tmp_path / name)

    with pytest.raises(EmbedderError, match=r"cannot read model\.onnx"):
        MiniLMEmbedder().embed_query("hello")


@pytest.mark.usefixtures("nothing_loaded")
def test_a_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simonides_minilm", None)

    with pytest.raises(EmbedderError, match="simonides-minilm"):
        MiniLMEmbedder().embed_query("hello")


@pytest.mark.usefixtures("nothing_loaded")
def test_a_model_that_the_runtime_can_not_run_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nonsense = tmp_path / "model.onnx"
    nonsense.write_bytes(b"not a model at all")
    monkeypatch.setattr(simonides_minilm, "path", lambda _: nonsense)
    monkeypatch.setitem(
        simonides_minilm.SHA256, "model.onnx", sha256(nonsense.read_bytes()).hexdigest()
    )

    with pytest.raises(EmbedderError, match="onnxruntime failed on desk-minilm"):
        MiniLMEmbedder().embed_query("hello")


def test_fewer_than_one_thread_is_refused() -> None:
    with pytest.raises(InvalidInput, match="threads"):
        MiniLMEmbedder(threads=0)


def test_the_package_holds_what_its_manifest_says() -> None:
    found = {
        name: sha256(simonides_minilm.path(name).read_bytes()).hexdigest()
        for name in simonides_minilm.SHA256
    }

    assert found == simonides_minilm.SHA256
    assert sorted(found) == sorted(
        "characters.json e5.onnx earlier.xz languages-e5.npz languages.npz model.onnx "
        "tokenizer.json".split()
    )
    assert IDENTITY.model == simonides_minilm.MODEL_ID


def test_the_package_knows_no_other_file() -> None:
    with pytest.raises(ValueError, match=r"no file 'vocab\.txt'; there are characters\.json"):
        simonides_minilm.path("vocab.txt")


def test_vectors_are_ready_to_be_quantised(embedder: MiniLMEmbedder) -> None:
    rows = embedder.embed(SENTENCES)

    assert np.abs(rows).max() * 512 < 127


def test_the_runtime_reports_to_nobody(tmp_path: Path) -> None:
    """onnxruntime leaves a device id and an event store in these folders where it reports."""
    program = (
        "import os\n"
        "from simonides.models.embedding.minilm import MiniLMEmbedder\n"
        "MiniLMEmbedder().embed(['one'])\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])\n"
    )
    places = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}

    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], **places},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "1"
    assert list(tmp_path.iterdir()) == []
