"""What is looked for tells an erased item apart, and what others say, too, is no trace of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from simonides import Item, Kind, Memory, Person, Role
from simonides.maintenance import proof
from simonides.maintenance.proof import pieces_of, prove, strings_of
from simonides.ports.maintenance import SearchedFiles
from simonides.ports.space import Space

Open = Callable[..., Memory]
SpaceOf = Callable[[Memory], Space]


def pieces(space: Space, *ids: str) -> list[bytes]:
    with space.read() as reader:
        every = reader.every()
        return pieces_of(every, every.keys(ids))


def test_pieces_begin_with_words_and_cover_the_whole_text(
    open_memory: Open, space_of: SpaceOf
) -> None:
    memory = open_memory(dimension=0)
    memory.add("the launch codeword is xyzzyplugh and nobody may know it", id="a")
    found = pieces(space_of(memory), "a")

    assert b"the launch codew" in found
    assert b"xyzzyplugh and n" in found
    assert b"obody may know i" not in found
    assert found[-1] == b"dy may know it" or any(one.endswith(b"know it") for one in found)
    assert all(8 <= len(one) <= 16 for one in found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("text", ["Ärger über Öl und Öfen " * 3, "漢字かな交じり文" * 9, "x" * 500])
def test_texts_without_spaces_and_of_all_scripts_have_pieces(
    open_memory: Open, space_of: SpaceOf, text: str
) -> None:
    memory = open_memory(dimension=0)
    memory.add(text, id="a")
    found = pieces(space_of(memory), "a")

    assert found
    assert all(one in text.encode() for one in found)


def test_every_field_and_every_version_has_pieces(open_memory: Open, space_of: SpaceOf) -> None:
    memory = open_memory(dimension=16)
    memory.add(
        Item(
            id="an-id-of-mine", kind=Kind.EMAIL, source="own-source", source_id="source-id-7",
            title="title text", content="content text", summary="summary text",
            quoted="quoted text", tags=("tag-of-it",), session="session-of-it",
            people=(Person(name="Some Body", address="some@example.com", role=Role.TO),),
            metadata={"a key here": [{"b": "value in it"}]},
        )
    )  # fmt: skip
    memory.update("an-id-of-mine", content="changed text")
    memory.forget("an-id-of-mine")
    found = b"\n".join(pieces(space_of(memory), "an-id-of-mine"))

    for text in ("an-id-of-mine", "own-source", "source-id-7", "title text", "content text",
                 "changed text", "summary text", "quoted text", "tag-of-it", "session-of-it",
                 "Some Body", "some@example.com", "a key here", "value in it"):  # fmt: skip
        assert text.encode() in found, text


def test_vectors_have_pieces_too(open_memory: Open, space_of: SpaceOf) -> None:
    memory = open_memory(dimension=16)
    memory.add("a text", id="a")
    with space_of(memory).read() as reader:
        [row] = reader.chunk_rows(0)

    assert row.vector in pieces(space_of(memory), "a")


def test_of_very_long_and_very_many_texts_fewer_pieces_are_taken(
    open_memory: Open, space_of: SpaceOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(dimension=0)
    memory.add(
        [Item(id=f"{n}", content=" ".join(f"word{n}x{i}" for i in range(400))) for n in range(40)]
    )
    space = space_of(memory)
    ids = [f"{n}" for n in range(40)]
    whole = len(pieces(space, *ids))
    monkeypatch.setattr(proof, "PIECES_MAX", 200)
    fewer = len(pieces(space, *ids))
    monkeypatch.setattr(proof, "VERSIONS_MAX", 4)

    assert whole > fewer > len(pieces(space, *ids)) > 0


def test_what_something_kept_says_too_is_no_trace(open_memory: Open, space_of: SpaceOf) -> None:
    memory = open_memory()
    memory.add("the very same words", id="a")
    memory.add("the very same words", id="b", source="elsewhere")
    memory.background.put("unheard of things")
    memory.add("unheard of things", id="c")

    report = memory.erase("a", "c", prove=True)

    assert report.proof is not None
    assert report.proof.elsewhere > 0
    assert report.proof.left == 0
    assert report.complete
    assert space_of(memory).stats().items == 1


def test_the_words_of_the_schema_are_no_trace(open_memory: Open) -> None:
    memory = open_memory()
    for n, word in enumerate(("mentioned", "item_archive", "AUTOINCREMENT", "surrogate")):
        memory.add(word, id=f"{n}")

    assert memory.erase("0", "1", "2", "3", prove=True).complete


def test_what_is_left_is_found_in_whichever_file(
    open_memory: Open, space_of: SpaceOf, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.add("something else")
    left = tmp_path / "left"
    left.write_bytes(b"...zorkmid and more...")
    space = space_of(memory)

    files = SearchedFiles(paths=(*space.files.paths, str(left)))
    found = prove(files, [b"zorkmid and more", b"not there"], space=space)

    assert (found.looked_for, found.left, found.where) == (2, 1, (str(left),))
    assert not found.holds
    assert prove(SearchedFiles(paths=(str(left),)), [b"zorkmid and"], space=None).left == 1
    assert prove(SearchedFiles(), [b"zorkmid and"], space=None).holds


def test_what_the_settings_say_alone_is_no_trace(tmp_path: Path) -> None:
    settings, other = tmp_path / "config.toml", tmp_path / "other"
    settings.write_bytes(b'owner = ["zora@example.com"]')
    other.write_bytes(b"zora@example.com")
    alone = SearchedFiles(paths=(str(settings),), settings=(str(settings),))
    both = SearchedFiles(paths=(*alone.paths, str(other)), settings=alone.settings)

    found = prove(alone, [b"zora@example.com"], space=None)
    assert (found.elsewhere, found.left, found.where) == (1, 0, ())
    found = prove(both, [b"zora@example.com"], space=None)
    assert (found.elsewhere, found.left, found.where) == (0, 1, (str(other),))


def test_what_can_not_be_read_is_not_proven(tmp_path: Path) -> None:
    found = prove(SearchedFiles(paths=(str(tmp_path),)), [b"zorkmid and"], space=None)

    assert not found.holds
    assert found.problem == f"could not read {tmp_path}"


def test_the_words_of_the_engine_are_no_texts() -> None:
    @dataclass(frozen=True)
    class Record:
        kind: Kind
        text: str
        more: tuple[dict[str, object], ...]

    one = Record(Kind.EMAIL, "said", ({"key": ["deep", 1, None, b"raw"]},))

    assert list(strings_of(one)) == ["said", "key", "deep"]
