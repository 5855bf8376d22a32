"""What an item mentions: those who take part, and names as they are spelt in its own words."""

import pytest

from simonides import Item, Kind, Person
from simonides.entities.extract import TEXT_CHARS_MAX, TOPICS_MAX, fold_name, mentions_of, person_id
from simonides.model.item import Role
from simonides.model.stored import EntityKind


def entities(text: str, *, kind: EntityKind, title: str = "") -> list[str]:
    item = Item(content=text, title=title)
    return [m.entity.split(":", 1)[1] for m in mentions_of(item) if m.kind is kind]


def topics(text: str, **fields: str) -> list[str]:
    return entities(text, kind=EntityKind.TOPIC, **fields)


def test_everyone_who_takes_part_is_mentioned_in_every_part() -> None:
    item = Item(
        kind=Kind.EMAIL,
        content="fine",
        people=(
            Person(name=" Sarah  Lindqvist ", address="Sarah@Example.com"),
            Person(address="desk@example.com", role=Role.TO),
            Person(name="Tom Berger", role=Role.CC),
            Person(name="Tom Berger", role=Role.MENTIONED),
            Person(name="Tom Berger", role=Role.CC),
        ),
    )

    assert [(m.entity, m.name, m.role) for m in mentions_of(item)] == [
        ("person:desk@example.com", "desk@example.com", Role.TO),
        ("person:sarah@example.com", "Sarah Lindqvist", Role.AUTHOR),
        ("person:~tom berger", "Tom Berger", Role.CC),
        ("person:~tom berger", "Tom Berger", Role.MENTIONED),
    ]


@pytest.mark.parametrize(
    ("person", "entity"),
    [
        (Person(name="ÉMILE  Zola"), "person:~émile zola"),
        (Person(name="Ｔｏｍ"), "person:~tom"),  # noqa: RUF001  full-width on purpose
        (Person(name="Tom", address=" TOM@Example.COM "), "person:tom@example.com"),
        (Person(name="Tom", address=" "), "person:~tom"),
    ],
)
def test_a_person_is_an_address_or_else_a_name_without_case(person: Person, entity: str) -> None:
    assert person_id(person) == entity


def test_a_person_of_white_space_is_nobody() -> None:
    assert mentions_of(Item(content="fine", people=(Person(name=" \n"),))) == ()


def test_folding_takes_case_and_doubled_spaces_away() -> None:
    assert fold_name("  STRASSE\t straße ") == "strasse strasse"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ALPHA-7 blocks OPS-120.", ["alpha-7", "ops-120"]),
        ("(ALPHA-7), ALPHA-7!", ["alpha-7"]),
        ("UTF-8, ISO-8601 and SHA-256", []),
        ("alpha-7, A-1, ALPHA-0, X-ALPHA-7, ALPHA-7-B, ALPHA-1234567", []),
    ],
)
def test_issues_are_known_by_their_keys(text: str, keys: list[str]) -> None:
    assert entities(text, kind=EntityKind.ISSUE) == keys


@pytest.mark.parametrize(
    ("text", "projects"),
    [
        ("We moved project Zephyr to May.", ["zephyr"]),
        ("Project Blue Harbor is late.", ["blue harbor"]),
        ("about the Zephyr project", ["zephyr"]),
        ("The project is late. Our project too. This project? New projects!", []),
        ("a project of ours", []),
    ],
)
def test_projects_are_what_stands_beside_the_word(text: str, projects: list[str]) -> None:
    assert entities(text, kind=EntityKind.PROJECT) == projects


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we met Ines in Lisbon", ["ines", "lisbon"]),
        ("the Bank of England, the Duke of the", ["bank of england", "duke"]),
        ("it was Vincent van Gogh's house", ["vincent van gogh"]),
        ("Budgets are due. Lunch? Yes! Maybe: Never", []),
        ("When Sarah came, she said: Hello", ["sarah"]),
        ("And Tom left", ["tom"]),
        ("Blue Harbor opened.", ["blue harbor"]),
        ("on Monday in March I'm off, and I'll be", []),
        ("in Lisbon I met", ["lisbon"]),
        ("we saw Tom's dog", ["tom"]),
        ("the USA and NATO", []),
        ("write to Sarah@example.com or /Users/Tom or x.Tom", []),
        ("about The plan", []),
        ("- Ines\n* Tom\n# Head\n> Quote", []),
    ],
)
def test_topics_are_capitalised_names_and_no_heads_of_sentences(
    text: str, found: list[str]
) -> None:
    assert topics(text) == found


def test_a_title_is_read_as_well() -> None:
    assert topics("fine", title="Visit of Blue Harbor") == ["visit of blue harbor"]


def test_an_item_names_each_thing_once_and_not_too_many() -> None:
    many = " ".join(
        f"and we met Name{chr(97 + n // 26)}{chr(97 + n % 26)} there" for n in range(99)
    )

    assert len(topics(many + many)) == TOPICS_MAX


def test_only_the_head_of_a_long_text_is_searched_for_names() -> None:
    text = "x " * (TEXT_CHARS_MAX // 2) + "we met Ines there"

    assert topics(text) == []


@pytest.mark.parametrize(
    "text", ["A" * 20_000, "Aa" * 10_000, "A-" * 10_000, "Aa of " * 3_000, "Aa and the " * 1_800]
)
def test_odd_texts_take_no_time(text: str) -> None:
    assert len(mentions_of(Item(content=text))) <= TOPICS_MAX


def test_what_an_item_mentions_is_in_one_order() -> None:
    item = Item(
        content="we met Ines and saw ALPHA-7 in Lisbon",
        people=(Person(name="Zoe"), Person(name="Abe", role=Role.TO)),
    )
    keys = [(m.entity, m.role, m.name) for m in mentions_of(item)]

    assert keys == sorted(set(keys))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask Zorba", ["zorba"]), ("ask  Zorba", ["zorba"]), ("ask\tZorba", ["zorba"]),
        ("done. Zorba", []), ("done.  Zorba", []), ("done.\u00a0Zorba", []), ("- Zorba", []),
        ("ask\nZorba", []), ("ask \n Zorba", []), ("ask    Zorba", []), ("Zorba", []),
        (" Zorba", []), ("a Zorba", ["zorba"]), (". Zorba", []), ("we\u00a0 Zorba", ["zorba"]),
    ],
)  # fmt: skip
def test_one_word_is_a_name_unless_a_sentence_or_a_line_may_begin_with_it(
    text: str, found: list[str]
) -> None:
    assert topics(text) == found


@pytest.mark.parametrize("text", ["well-known", "A-0", "step -1", "ALPHA-x", "x-1-2"])
def test_a_hyphen_alone_makes_no_issue(text: str) -> None:
    assert entities(text, kind=EntityKind.ISSUE) == []
