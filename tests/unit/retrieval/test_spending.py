"""Questions of what was spent, which no row of a table says: they name the table's head."""

import pytest

from simonides import Memory, Settings

NOW = "2026-03-12T09:00:00Z"


@pytest.mark.parametrize(
    ("language", "head", "question"),
    [
        ("en", "Date | Text | Category | Amount", "What did I spend last weekend?"),
        ("de", "Datum | Text | Kategorie | Betrag", "Was habe ich letztes Wochenende ausgegeben?"),
        ("fr", "Date | Texte | Catégorie | Montant", "Qu'ai-je dépensé le week-end dernier ?"),
        ("pl", "data | opis | kategoria | kwota", "ile wydalam w zeszly weekend"),
        ("tr", "tarih | metin | kategori | tutar", "gecen hafta sonu ne kadar harcamisim"),
        ("ru", "дата | текст | категория | сумма", "Сколько я потратила в прошлые выходные?"),
    ],
)
def test_what_was_spent_stands_in_the_table_of_amounts(
    language: str, head: str, question: str
) -> None:
    settings = Settings(embedder="none", timezone="UTC", language=language)
    with Memory(":memory:", settings=settings) as memory:
        rows = "\n".join(f"| 0{day}.03.2026 | Bakery {day} | Food | 4.20 |" for day in range(1, 9))
        table = f"| {head} |\n|---|---|---|---|\n{rows}\n"
        memory.add(table, id="table", kind="document", source="file", happened_at="2026-01-02")
        for day in range(1, 9):
            memory.add(f"Walk number {day}", source="note", happened_at=f"2026-03-0{day}")

        brief = memory.brief(question, now=NOW)

    assert brief.items[0].id == "table"
    assert "Bakery 7" in brief.text
    assert "Bakery 3" not in brief.text


def test_a_table_of_amounts_stands_above_what_else_happened_then() -> None:
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings) as memory:
        rows = "\n".join(f"| 0{day}.03.2026 | Bakery | Food | 4.20 |" for day in range(1, 9))
        table = f"| Date | Text | Category | Amount |\n|---|---|---|---|\n{rows}\n"
        memory.add(table, id="table", kind="document", source="file")
        for day in range(2, 9):
            memory.add(
                f"Money, money, money {day}: last week I spend it all, said the poster",
                kind="email", source="mail", happened_at=f"2026-03-0{day}",
            )  # fmt: skip
        memory.add("the amount of noise", id="noise", kind="document", source="file")

        found = memory.search("What did I spend money on last week?", now=NOW)
        other = memory.search("What did Ana say last week?", now=NOW)

    parts = {hit.id: {one.name for one in hit.explanation.contributions} for hit in found}
    assert "time" in parts["table"]
    assert "time" not in parts.get("noise", ())
    assert all(
        one.name != "time"
        for hit in other
        if hit.id == "table"
        for one in hit.explanation.contributions
    )


def test_a_row_with_a_rare_word_of_the_question_stands_before_those_with_a_frequent_one() -> None:
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as memory:
        rows = [
            f"| 2026-0{1 + n // 25}-{1 + n % 25:02} | Grocer New Town | 4.20 |" for n in range(90)
        ]
        rows[60] = "| 2026-03-11 | Moonah, 4 tyres | 784.00 |"
        table = "\n".join(["| Date | Text | Amount |", "|---|---|---|", *rows])
        memory.add(table, kind="document", source="file")

        assert "784.00" in memory.brief("price of the new tyres", now=NOW, budget_tokens=400).text


def test_a_table_of_one_month_is_shown_by_the_words_of_the_question() -> None:
    rows = "Month | 2026-02-01", "Gross | 4350", "Income tax | -702.18", "Health | -356.70"
    table = "| Employee | Ana |\n| --- | --- |\n" + "".join(f"| {row} |\n" for row in rows)
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as memory:
        memory.add(table, title="payslip", kind="document", source="file")

        brief = memory.brief("How much income tax was withheld in February?", now=NOW)

    assert "| Income tax | -702.18 |" in brief.text
    assert "Gross" not in brief.text
