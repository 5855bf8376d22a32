"""The owner found in an import: who it is, who it is not, and where it is kept."""

import mailbox
from collections.abc import Iterable
from email.message import EmailMessage
from pathlib import Path

import pytest

from simonides import InvalidInput, Item, Memory, Person
from simonides.config import Settings, load, with_owner
from simonides.importers.owner import MAILS_MIN, OwnerFinder
from simonides.model.item import Kind, Role, Trust, with_trust

MIRA, WORK = "Mira Okafor <mira@post.example>", "Mira O <mira@tidewater.example>"
EVE = "Mira Okafor <eve@evil.example>"
Pair = tuple[str, str]


def person(text: str, role: Role) -> Person:
    name, _, address = text.rstrip(">").rpartition("<")
    return Person(name=name.strip(), address=address, role=role)


def mail(number: int, author: str, to: str) -> Item:
    people = (person(author, Role.AUTHOR), person(to, Role.TO))
    return Item(kind=Kind.EMAIL, content=f"Mail {number}", source_id=str(number), people=people)


def counted(pairs: Iterable[Pair], *, trust: Trust | None = None) -> OwnerFinder:
    finder = OwnerFinder()
    for number, (author, to) in enumerate(pairs):
        one = mail(number, author, to)
        finder.add(with_trust(one, trust) if trust else one)
    return finder


def found(pairs: Iterable[Pair], *, trust: Trust | None = None) -> tuple[str, ...]:
    return counted(pairs, trust=trust).conclude()


def others(count: int, me: str = MIRA) -> list[Pair]:
    """Return mails between somebody and as many people, half of them in each direction."""
    strangers = [f"Person {number} <p{number}@x.example>" for number in range(count)]
    return [(me, one) if n % 2 else (one, me) for n, one in enumerate(strangers)]


def test_who_takes_part_in_most_mails_is_the_owner() -> None:
    assert found(others(MAILS_MIN)) == ("Mira Okafor", "mira@post.example")


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        others(MAILS_MIN - 1),
        [(MIRA, "Tom <tom@x.example>"), ("Tom <tom@x.example>", MIRA)] * MAILS_MIN,
        others(10) + [("A <a@x.example>", f"B <b{n}@x.example>") for n in range(10)],
    ],
    ids=["none", "too few", "tie", "half"],
)
def test_nobody_is_found_where_nobody_stands_out(pairs: list[Pair]) -> None:
    assert found(pairs) == ()


def test_a_list_that_writes_nothing_and_a_letter_that_receives_nothing_are_no_owner() -> None:
    people = [f"Person {number} <p{number}@x.example>" for number in range(20)]

    assert found([(one, "Dev <dev@list.example>") for one in people]) == ()
    assert found([("News <news@x.example>", one) for one in people]) == ()


def test_a_further_address_with_a_word_of_the_name_is_the_owners_too() -> None:
    both = others(30) + others(25, WORK)

    assert found(both) == ("Mira Okafor", "mira@post.example", "mira@tidewater.example")


def test_who_takes_part_in_the_owners_own_mails_is_no_alias() -> None:
    family = "Ben Okafor <ben@post.example>"
    pairs = others(30) + [(MIRA, family), (family, MIRA)] * 12

    assert found(pairs) == ("Mira Okafor", "mira@post.example")


def test_a_flood_under_the_owners_name_makes_no_stranger_the_owner() -> None:
    flood = [(EVE, MIRA)] * 500
    hidden = others(24, EVE)

    assert found(others(100) + flood) == ("Mira Okafor", "mira@post.example")
    assert found(others(100) + hidden) == ("Mira Okafor", "mira@post.example")


def test_an_address_in_fewer_mails_than_a_stranger_could_forge_is_asked_about() -> None:
    few = counted(others(99) + others(24, WORK))

    assert few.conclude() == ("Mira Okafor", "mira@post.example")
    assert few.maybe() == ("mira@tidewater.example",)
    assert counted(others(99)).maybe() == ()
    assert counted(others(30) + others(25, WORK)).maybe() == ()  # found, so not asked about
    assert counted(others(99) + [(EVE, MIRA)] * 40).maybe() == ()  # wrote to the owner alone
    assert counted(others(99) + others(MAILS_MIN - 1, WORK)).maybe() == ()


def test_mail_of_a_declared_trust_says_nothing_of_the_owner() -> None:
    assert found(others(20), trust=Trust.EXTERNAL) == ()


# ── where it is kept ──────────────────────────────────────────────────────────────────────────────


def mbox(path: Path, pairs: Iterable[Pair]) -> Path:
    box = mailbox.mbox(path)
    for number, (author, to) in enumerate(pairs):
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = author, to, f"Mail {number}"
        message["Message-ID"] = f"<{number}@x.example>"
        message["Date"] = "Fri, 06 Mar 2026 09:00:00 +0000"
        message.set_content(f"About the harbour, part {number}.")
        box.add(message)
    box.close()
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIMONIDES_EMBEDDER", "none")
    return tmp_path / "home"


def test_the_owner_found_works_at_once_and_at_the_next_opening(home: Path, tmp_path: Path) -> None:
    file = mbox(tmp_path / "in.mbox", others(12))
    with Memory(home) as memory:
        report = memory.import_(file)
        trusts = {hit.trust for hit in memory.search("harbour", limit=20).hits}
    with Memory(home) as memory:
        again = memory.owner

    assert report.owner == again == ("Mira Okafor", "mira@post.example")
    assert Trust.OWN in trusts


def test_an_owner_is_never_changed_by_an_import(home: Path, tmp_path: Path) -> None:
    with Memory(home) as memory:
        memory.set_owner("Ana")
        report = memory.import_(mbox(tmp_path / "in.mbox", others(12)))

        assert report.owner
        assert memory.owner == ("Ana",)


def test_nobody_stays_nobody(home: Path, tmp_path: Path) -> None:
    with Memory(home) as memory:
        memory.set_owner()
        memory.import_(mbox(tmp_path / "in.mbox", others(12)))

        assert memory.owner == ()


def test_a_home_of_several_spaces_gets_no_owner(home: Path, tmp_path: Path) -> None:
    with Memory(home) as memory:
        memory.in_space("other").add("A note")
        memory.import_(mbox(tmp_path / "in.mbox", others(12)))

        assert memory.owner == ()


def test_settings_that_are_handed_in_and_dry_runs_stay_as_they_are(
    home: Path, tmp_path: Path
) -> None:
    file = mbox(tmp_path / "in.mbox", others(12))
    with Memory(home) as memory:
        assert memory.import_(file, dry_run=True).owner
        assert memory.owner == ()
    with Memory(home, settings=Settings(embedder="none")) as memory:
        memory.import_(file)

        assert memory.owner == ()
        assert not (home / "config.toml").exists()


def test_what_else_the_settings_say_stays(home: Path) -> None:
    home.mkdir()
    text = '# mine\ntimezone = "UTC"\n# owner = []\nlanguage = "de"\n'
    (home / "config.toml").write_text(text)
    with Memory(home) as memory:
        memory.set_owner(' Ana "A" ', "ana@x.example")

    changed = (home / "config.toml").read_text()
    assert changed == text.replace("# owner = []", r'owner = ["Ana \"A\"", "ana@x.example"]')
    assert load(home).owner == ('Ana "A"', "ana@x.example")


def test_settings_that_cannot_be_changed_safely_stay() -> None:
    with pytest.raises(InvalidInput, match="by hand"):
        with_owner('owner = [\n"Ana",\n]\n', ("Ben",))
    with pytest.raises(InvalidInput, match="by hand"):
        with_owner("[owner", ("Ben",))
