"""In which language letters, questions and chats are, and how their words are stemmed."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import pytest

from simonides.text.analyse import analyse
from simonides.text.language import detect

LETTERS = {
    "en": "Dear Tom, we have been waiting for the boat since the morning, but it did not come.",
    "de": "Lieber Tom, wir warten seit dem Morgen auf das Boot, aber es ist nicht gekommen.",
    "fr": "Cher Tom, nous attendons le bateau depuis ce matin, mais il n'est pas arrivé.",
    "es": "Querido Tom, esperamos el barco desde la mañana, pero no ha llegado todavía.",
    "it": "Caro Tom, aspettiamo la barca da questa mattina, ma non è ancora arrivata.",
    "pt": "Querido Tom, esperamos o barco desde a manhã, mas ele ainda não chegou, não é?",
    "nl": "Beste Tom, wij wachten sinds de ochtend op de boot, maar hij is niet gekomen.",
    "ru": "Дорогой Том, мы ждём лодку с утра, но она не пришла.",
    "uk": "Любий Томе, ми чекаємо на човен із ранку, але він не прийшов.",
    "sr": "Драги Томе, чекамо чамац од јутра, али није дошао, љубав.",
    "el": "Αγαπητέ Τομ, περιμένουμε τη βάρκα από το πρωί.",
    "ar": "عزيزي توم، ننتظر القارب منذ الصباح.",
    "fa": "تام عزیز، ما از صبح منتظر قایق هستیم، چرا نیامد؟ گفتم.",
    "he": "תום היקר, אנחנו מחכים לסירה מהבוקר.",
    "hi": "प्रिय टॉम, हम सुबह से नाव का इंतज़ार कर रहे हैं।",
    "hy": "Սիրելի Թոմ, մենք սպասում ենք նավակին։",
    "ka": "ძვირფასო ტომ, ველოდებით ნავს.",
    "ta": "அன்புள்ள டாம், படகுக்காகக் காத்திருக்கிறோம்.",
    "bn": "প্রিয় টম, আমরা নৌকার জন্য অপেক্ষা করছি।",
    "th": "เรารอเรือตั้งแต่เช้า",
    "ko": "우리는 아침부터 배를 기다리고 있어요.",
    "ja": "朝から船を待っていますが、まだ来ません。",
    "zh": "我们从早上就在等船，但是船没有来。",
}


@pytest.mark.parametrize(("language", "letter"), LETTERS.items())
def test_a_letter_is_in_its_language(language: str, letter: str) -> None:
    assert detect(letter, default="xx") == language
    assert detect(letter.upper(), default="xx") == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We had ラーメン for lunch, and it was very good, so we will go again.", "en"),
        ("我们用 Python 写了 api", "zh"),
        ("OK 東京へ", "ja"),
        ("Спасибо, see you", "ru"),
        ("👍 👍 👍", "xx"),
        ("1 2 3 4 5 6 7 8", "xx"),
        ("def boat(oars): return oars + 1", "xx"),
        ("the oars of the boat", "xx"),
        ("the oars of the boat and", "en"),
    ],
)
def test_a_mixed_or_short_text_is_reported_by_what_is_most_of_it(text: str, language: str) -> None:
    assert detect(text, default="xx") == language


def test_one_stop_word_among_many_others_tells_nothing() -> None:
    assert detect("the " + "oar reed boat lake " * 5, default="xx") == "xx"
    assert detect("the and of with " + "oar reed boat lake " * 3, default="xx") == "en"


def test_what_comes_after_four_hundred_words_is_not_read() -> None:
    filler = "ooo " * 394

    assert detect(f"{'the and ' * 3}{filler}{'und der ' * 300}", default="xx") == "xx"


INFLECTED = [
    ("ar", "كتابها", "كتاب"),
    ("cs", "hrady", "hrad"),
    ("da", "bådene", "båden"),
    ("de", "Boote", "Boot"),
    ("el", "βάρκες", "βάρκα"),
    ("en", "rowing", "rows"),
    ("eo", "boatojn", "boato"),
    ("es", "barcos", "barco"),
    ("et", "majades", "maja"),
    ("fi", "veneet", "veneen"),
    ("fr", "bateaux", "bateau"),
    ("hi", "नावों", "नाव"),
    ("hu", "hajók", "hajót"),
    ("id", "perahunya", "perahu"),
    ("it", "barche", "barca"),
    ("lt", "valtys", "valties"),
    ("nl", "boten", "boot"),
    ("no", "båtene", "båten"),
    ("pt", "barcos", "barco"),
    ("ro", "bărcile", "bărcii"),
    ("ru", "лодки", "лодка"),
    ("sv", "båtarna", "båtar"),
    ("tr", "tekneler", "tekne"),
]


@pytest.mark.parametrize(("language", "one", "other"), INFLECTED)
def test_forms_of_a_word_are_found_by_each_other(language: str, one: str, other: str) -> None:
    assert analyse(one, language) == analyse(other, language)
    assert analyse(one, "xx") != analyse(other, "xx")


ELISIONS = """
c'orage d'orage j'orage l'orage m'orage n'orage s'orage t'orage qu'orage gl'orage un'orage all'orage
dall'orage dell'orage nell'orage sull'orage coll'orage quell'orage bell'orage sant'orage jusqu'orage
lorsqu'orage puisqu'orage quoiqu'orage L’orage
"""


@pytest.mark.parametrize("word", ELISIONS.split())
def test_an_elided_word_falls_off(word: str) -> None:
    assert analyse(word, "xx") == ["orage"]


@pytest.mark.parametrize("word", ["o'clock", "rock'n", "l'a", "prud'homme"])
def test_an_apostrophe_elsewhere_stays(word: str) -> None:
    assert word in analyse(word, "xx")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rock‘n‘roll", "rock’n’roll"),
        ("o\u02bcclock", "o'clock"),
        ("o\u2032clock", "o'clock"),
        ("o\u201bclock", "o'clock"),
        ("Donau\u00addampfer", "donaudampfer"),
        ("oar\u2060lock", "oarlock"),
        ("\ufeffoar", "oar"),
        ("❤\ufe0e", "❤"),
        ("ＯＡＲ", "oar"),
        ("ǅ", "ǆ"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("DİYAR", "diyar"),
    ],
)
def test_what_looks_alike_is_found_alike(text: str, found: str) -> None:
    assert analyse(text, "xx") == analyse(found, "xx")
    assert analyse(text, "xx")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ພາສາ", ["ພາ", "າສ", "ສາ"]),
        ("မြန်", ["မြ", "ြန", "န်"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("ㄅㄆㄇ", ["ㄅㄆ", "ㄆㄇ"]),
        ("𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂"]),
        ("人々", ["人々"]),
        ("コーヒー", ["コー", "ーヒ", "ヒー"]),
        ("三〇", ["三〇"]),
        ("서울에서 만나", ["서울", "울에", "에서", "만나"]),
        ("LINEで送る", ["line", "で送", "送る"]),
        ("第3回", ["第", "3", "回"]),
    ],
)
def test_a_script_without_spaces_is_found_by_pairs(text: str, expected: list[str]) -> None:
    assert analyse(text, "xx") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e-mail", ["e-mail", "email", "e", "mail"]),
        ("re-embed", ["re-embed", "reembed", "re", "embed"]),
        ("pre-war", ["pre-war", "pre", "war"]),
        ("x-2", ["x-2", "x", "2"]),
        ("a-b-c", ["a-b-c", "a", "b", "c"]),
        ("F# f++ D", ["f#", "f++", "d"]),
        ("REED_BOAT__2", ["reed_boat__2", "reed", "boat", "2", "reedboat2"]),
        ("12:30:15", ["12:30:15", "12", "30", "15"]),
        ("3/4", ["3/4", "3", "4"]),
        ("+49-30-12", ["49-30-12", "49", "30", "12", "493012"]),
        ("1,5", ["1,5", "1", "5"]),
        ("1.234.567,89", ["1.234.567,89", "1234567.89", "1234567"]),
        ("12,345,678.9", ["12,345,678.9", "12345678.9", "12345678"]),
        ("1234,567", ["1234,567", "1234", "567"]),
        ("10.0.0.1", ["10.0.0.1", "10", "0", "1"]),
        ("boat.example.org", ["boat.example.org", "boat", "example", "org"]),
        ("a@b.example", ["a@b.example", "a", "b.example", "b", "example"]),
        ("http://www.boat.example/", ["boat.example", "boat", "example"]),
        ("http://boat.example?oar=2#top", ["boat.example?oar=2#top", "boat.example", "boat",
                                           "example", "oar", "2", "top"]),
        ("https://boat.example/a_b-c.", ["boat.example/a_b-c", "boat.example", "boat", "example",
                                         "a", "b", "c"]),
    ],
)  # fmt: skip
def test_an_identifier_is_found_as_it_is_written(text: str, expected: list[str]) -> None:
    assert analyse(text, "xx") == expected


@pytest.mark.parametrize("word", ["rows2", "rows.rows", "rows_rows", "rows@rows", "c++rows"])
def test_an_identifier_is_not_stemmed(word: str) -> None:
    assert analyse(word)[0] == (word if "++" not in word else "c++")


@pytest.mark.parametrize(("length", "stemmed"), [(64, True), (65, False)])
def test_a_word_of_more_than_64_letters_is_not_stemmed(length: int, *, stemmed: bool) -> None:
    word = "x" * (length - 5) + "lamps"

    assert (analyse(word) == [word[:-1]]) is stemmed
