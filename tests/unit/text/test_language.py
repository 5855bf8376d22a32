# ruff: noqa: RUF001  letters that look like others are meant as they stand
import pytest
import Stemmer

from simonides.text.language import STEMMERS, detect, is_english

SENTENCES = {
    "en": "Yesterday we talked about the new house for a long time, but nothing is decided.",
    "de": "Gestern haben wir lange über die neue Wohnung gesprochen, aber nichts entschieden.",
    "fr": "Nous avons parlé hier de la nouvelle maison, mais rien n'est décidé pour le moment.",
    "es": "Ayer hablamos mucho de la casa nueva, pero todavía no hemos decidido nada.",
    "it": "Ieri abbiamo parlato a lungo della casa nuova, ma non abbiamo ancora deciso niente.",
    "pt": "Ontem falámos muito sobre a casa nova, mas ainda não decidimos nada.",
    "nl": "Gisteren hebben we lang over het nieuwe huis gesproken, maar nog niets besloten.",
    "sv": "I går pratade vi länge om det nya huset, men vi har inte bestämt något än.",
    "no": "I går snakket vi lenge om det nye huset, men vi har ikke bestemt oss for noe ennå.",
    "da": "I går talte vi længe om det nye hus, men vi har ikke besluttet noget endnu.",
    "fi": "Eilen puhuimme pitkään uudesta talosta, mutta emme ole vielä päättäneet mitään.",
    "tr": "Dün yeni ev hakkında uzun uzun konuştuk ama henüz bir şeye karar vermedik.",
    "hu": "Tegnap sokat beszéltünk az új házról, de még nem döntöttünk el semmit.",
    "ro": "Ieri am vorbit mult despre casa nouă, dar încă nu am hotărât nimic.",
    "pl": "Wczoraj długo rozmawialiśmy o nowym domu, ale jeszcze nic nie jest postanowione.",
    "cs": "Včera jsme dlouho mluvili o novém domě, ale ještě jsme nic nerozhodli.",
    "ca": "Ahir vam parlar molt de la casa nova, però encara no hem decidit res.",
    "id": "Kemarin kami berbicara lama tentang rumah baru, tetapi belum ada yang diputuskan.",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_a_plain_sentence_is_told_by_its_stop_words(language: str, text: str) -> None:
    assert detect(text, default="xx") == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ru", "Вчера"),
        ("uk", "Їжак"),
        ("sr", "Љубав"),
        ("ja", "東京で会う"),
        ("zh", "明天见"),
        ("ko", "내일"),
        ("el", "Χθες"),
        ("ar", "أمس"),
        ("fa", "دیروز گفت"),
        ("hi", "कल"),
        ("th", "พรุ่งนี้"),
        ("he", "מחר"),
    ],
)
def test_a_script_tells_its_language_even_in_one_word(language: str, text: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", [*SENTENCES.values(), "", "Rock'n'roll isn't 'cause we're 'in'"])
def test_runs_handed_in_change_nothing(text: str) -> None:
    long = f"{text} 12345 " * 400

    assert detect(text, default="xx", runs=text.split()) == detect(text, default="xx")
    assert detect(long, default="xx", runs=long.split()) == detect(long, default="xx")


def test_only_the_head_of_a_long_text_tells_even_where_all_runs_are_given() -> None:
    text = f"{'x' * 4_100} {SENTENCES['de'].replace('ü', 'u')}"

    assert detect(text, default="xx", runs=text.split()) == "xx"


def test_no_more_than_four_hundred_words_are_read() -> None:
    weak = "lamp " * 400 + "the and of to in is it that was for " * 50

    assert detect(weak, default="xx") == "xx"


@pytest.mark.parametrize("text", ["", "der die das und", "12 34 56 78 90 12 34", "x = foo(bar)"])
def test_weak_signs_give_the_default(text: str) -> None:
    assert detect(text, default="fr") == "fr"


def test_a_foreign_name_does_not_turn_the_language() -> None:
    assert detect("We met Наташа at the station and then we went to the old harbour.") == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Tom asked Tom about Tom and Ann again",
        "Tom moved harbor deadline friday alpha",
        "Tom to the harbor, Tom to Ann",
        "Tom Berger Anna Müller Jan Novak call",
    ],
)
def test_a_name_that_is_a_stop_word_elsewhere_is_no_sign(text: str) -> None:
    assert detect(text) == "en"


def test_an_apostrophe_belongs_to_its_word_only_between_letters() -> None:
    assert detect("'c'est' 'la' vie, n'est-ce pas que nous l'avons dit? 'et' puis") == "fr"


def test_a_text_in_two_languages_alike_gives_the_default() -> None:
    assert detect("nicht wir sind und the and with are Haus house", default="xx") == "xx"


def test_only_the_head_is_read() -> None:
    tail = SENTENCES["de"] * 400

    assert detect(SENTENCES["en"] * 60 + tail) == "en"


def test_every_stemmer_exists() -> None:
    assert set(STEMMERS.values()) <= set(Stemmer.algorithms())


@pytest.mark.parametrize(
    "text",
    [
        "Who's taking mum to her post-op appointment?",
        "Hi Daniel,",
        "thanks Inés, really",
        "Ola Grønning moved the meeting to Friday",
        "KES 27,950 less (231,850 v 203,900)",
        "INV-2604-03",
        "lunch friday",
        "",
        "😂",
    ],
)
def test_english_and_what_shows_nothing_is_read_as_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Wann ist der Termin beim Zahnarzt?",
        "ist das Paket schon da",
        "prüfung verschoben",
        "où est la clé ?",
        "¿dónde está la llave?",
        "Fikk du også sånt brev uten avsender?",
        "来週の会議",
        "встреча перенесена",
        "회의가 목요일로 바뀌었어요",
        "The title, and then: Der Vertrag ist noch nicht da, wir haben ihn aber schon bestellt.",
    ],
)
def test_other_languages_are_not_read_as_english_however_short(text: str) -> None:
    assert not is_english(text)


def test_what_shows_nothing_is_in_the_language_that_is_usual() -> None:
    assert not is_english("Zahnarzttermin", default="de")
    assert not is_english("LANT-8", default="fr")
    assert is_english("the dentist called", default="de")
