"""Laws of the importers' pieces: chats, heads of notes, headers, and mails that are cut."""

import base64
import json
import quopri
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from simonides.importers.charset import codec_of, decode, from_base64, from_quoted_printable
from simonides.importers.chat import LINE_BYTES_MAX, read_chat
from simonides.importers.file_item import moment
from simonides.importers.header import (
    PEOPLE_MAX,
    YEARS,
    addresses,
    ids,
    labels,
    message_id,
    one_line,
    people,
    read_sent_time,
    thread,
    words,
)
from simonides.importers.markdown import split, texts
from simonides.importers.mime import HEADER_BYTES_MAX
from simonides.model.item import ID_CHARS_MAX, Role, digest
from simonides.ports.importer import ImportEvent, SourceFile

whole = st.characters(exclude_categories=["Cs"])
any_text = st.text(st.characters(), max_size=20)
plain = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=10)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(any_text, one, max_size=3),
    max_leaves=5,
)
KEYS = ("text", "id", "speaker", "session", "at", "title", "collection", "metadata")
fitting = st.fixed_dictionaries(
    {"text": plain},
    optional=dict.fromkeys(("id", "speaker", "session", "title", "collection"), plain),
)
lines = (
    st.one_of(
        fitting,
        st.dictionaries(st.sampled_from(KEYS), values, max_size=6),
        values,
    ).map(json.dumps)
    | any_text
)


def chat(*reported: str) -> list[ImportEvent]:
    """Return the steps of a chat of these lines."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        path.write_bytes("\n".join(reported).encode("utf-8", "surrogatepass"))
        file = SourceFile(path=path, where="chat.jsonl", size_bytes=path.stat().st_size)
        return list(read_chat(file))


# ── chats ─────────────────────────────────────────────────────────────────────────────────────


@given(written=st.lists(lines, max_size=8))
@example(written=['{"text": "a", "at": "0001-01-01T00:00:00+14:00"}'])
@example(written=['{"text": "a", "metadata": {"a": ' + "9" * 5000 + "}}"])
@example(written=['{"text": "a", "id": ' + "9" * 4000 + "}"])
def test_any_line_is_a_message_that_can_be_kept_or_is_passed_over_with_a_reason(
    written: list[str],
) -> None:
    for step in chat(*written):
        assert (step.item is None) is (step.skipped is not None)
        assert step.skipped is None or step.skipped.reason
        if step.item is not None:
            with suppress_unkept():
                digest(step.item)
            assert step.item.content.strip()
        assert step.bytes_done <= step.bytes_total


def suppress_unkept() -> Any:
    """NaN and the infinities may stand in metadata: keeping them is refused, not reading."""
    from simonides.errors import InvalidInput

    return suppress(InvalidInput)


@given(written=st.lists(fitting, min_size=1, max_size=8))
def test_good_lines_all_become_messages_in_their_order_and_positions_count_by_session(
    written: list[dict[str, str]],
) -> None:
    items = [step.item for step in chat(*map(json.dumps, written)) if step.item]
    seen: dict[str, int] = {}

    assert [one.content for one in items] == [one["text"] for one in written]
    for item in items:
        assert item.position == seen.get(item.session, 0)
        seen[item.session] = (item.position or 0) + 1


@given(written=st.lists(fitting, min_size=1, max_size=6), more=fitting)
def test_a_chat_that_grows_keeps_the_ids_of_what_it_held(
    written: list[dict[str, str]], more: dict[str, str]
) -> None:
    before = [step.item.id for step in chat(*map(json.dumps, written)) if step.item]
    after = [step.item.id for step in chat(*map(json.dumps, [*written, more])) if step.item]

    assert after[: len(before)] == before


@given(written=fitting)
def test_the_same_line_twice_is_two_messages_unless_it_has_an_id(written: dict[str, str]) -> None:
    first, second = (step.item for step in chat(json.dumps(written), json.dumps(written)))

    assert first is not None
    assert second is not None
    assert (first.source_id == second.source_id) is ("id" in written)


def test_a_line_just_as_long_as_allowed_is_read_and_one_byte_more_is_not() -> None:
    head, tail = '{"text": "', '"}'
    fits = head + "x" * (LINE_BYTES_MAX - len(head) - len(tail)) + tail

    [kept] = chat(fits)
    [passed] = chat(fits.replace("xx", "xxx", 1))

    assert kept.item is not None
    assert passed.skipped is not None
    assert passed.skipped.reason == f"JSON: is longer than {LINE_BYTES_MAX} bytes"


# ── heads of notes ────────────────────────────────────────────────────────────────────────────

keys = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=8)
entries = st.text(st.characters(categories=["L"]), min_size=1, max_size=8).filter(
    lambda text: text.lower() not in ("true", "false")
)


@given(head=st.dictionaries(keys, entries, max_size=5), body=plain)
def test_a_head_of_plain_pairs_is_read_as_it_was_written(head: dict[str, str], body: str) -> None:
    reported = "\n".join(["---", *(f"{key}: {value}" for key, value in head.items()), "---", body])

    assert split(reported) == (head, body)


@given(key=keys, listed=st.lists(entries, min_size=1, max_size=4))
def test_a_list_may_be_written_on_one_line_or_on_several(key: str, listed: list[str]) -> None:
    on_one = f"---\n{key}: [{', '.join(listed)}]\n---\nx"
    on_several = "\n".join(["---", f"{key}:", *(f"  - {one}" for one in listed), "---", "x"])

    assert split(on_one) == split(on_several) == ({key: listed}, "x")
    assert texts(listed) == listed
    assert texts(", ".join(listed)) == listed


@given(st.datetimes(timezones=st.just(UTC)).map(lambda when: when.replace(fold=0)))
def test_a_moment_of_a_head_is_the_time_that_it_says(when: datetime) -> None:
    assert moment(when.isoformat()) == when
    assert moment(when.replace(tzinfo=None).isoformat()) == when


@given(value=values)
def test_what_is_no_moment_is_none_and_never_an_error(value: Any) -> None:
    found = moment(value)

    assert found is None or found.tzinfo is UTC


# ── mails ─────────────────────────────────────────────────────────────────────────────────────

headers = st.dictionaries(
    st.sampled_from(
        ["from", "sender", "to", "cc", "bcc", "date", "received", "references", "in-reply-to",
         "x-gm-thrid", "x-gmail-labels", "keywords"]
    ),
    st.lists(st.text(whole, max_size=40), max_size=2),
)  # fmt: skip


@given(fields=headers, envelope=st.text(whole, max_size=40), own=plain)
def test_any_headers_give_people_times_threads_and_labels_that_can_be_kept(
    fields: dict[str, list[str]], envelope: str, own: str
) -> None:
    found = people(fields)
    when, _problem = read_sent_time(fields, envelope)

    assert all(one.role in (Role.AUTHOR, Role.TO, Role.CC) for one in found)
    assert len({(one.address or one.name, one.role) for one in found}) == len(found)
    assert when is None or (when.year in (*YEARS, 1970, 2101) and when.tzinfo is UTC)
    assert len(set(labels(fields))) == len(labels(fields))
    assert one_line(thread(fields, own)) == thread(fields, own)


@given(value=st.text(whole, max_size=200))
def test_an_id_is_short_and_has_no_blanks_nor_control_marks(value: str) -> None:
    found = message_id(value)

    assert len(found) <= ID_CHARS_MAX
    assert one_line(found) == found
    assert not set(found) & {" ", "\n", "\t"}
    assert all(len(one) <= ID_CHARS_MAX and one_line(one) == one for one in ids(value))


@given(local=plain, name=plain, others=st.integers(0, 3))
def test_an_address_is_read_from_each_way_to_write_it(local: str, name: str, others: int) -> None:
    address = f"{local}@example.com"
    ways = (f"{name} <{address}>", f'"{name}" <{address}>', f"{address} ({name})")
    rest = "".join(f", b{number}@example.com" for number in range(others))

    for way in ways:
        read = addresses(way + rest)
        assert read[0] == (words(name), words(address).replace(" ", "").lower())
        assert len(read) == others + 1


def test_of_a_very_long_list_only_the_first_are_read() -> None:
    value = ", ".join(f"a{number}@example.com" for number in range(PEOPLE_MAX + 50))

    assert len(value) < HEADER_BYTES_MAX
    assert len(addresses(value)) == PEOPLE_MAX


@given(raw=st.binary(max_size=300), width=st.sampled_from([4, 76]))
def test_what_base64_encodes_comes_back_whatever_its_lines(raw: bytes, width: int) -> None:
    reported = base64.b64encode(raw)
    cut = b"\r\n".join(reported[at : at + width] for at in range(0, len(reported), width))

    assert from_base64(cut) == raw
    assert from_base64(reported.rstrip(b"=")) == raw


@given(raw=st.binary(max_size=200).filter(lambda raw: b"\r" not in raw))
def test_what_quoted_printable_encodes_comes_back(raw: bytes) -> None:
    assert from_quoted_printable(quopri.encodestring(raw)) == raw


@given(label=st.text(max_size=30), raw=st.binary(max_size=60))
def test_any_label_is_a_codec_that_can_be_used_or_none(label: str, raw: bytes) -> None:
    codec = codec_of(label)

    assert codec == "" or isinstance(raw.decode(codec, "replace"), str)
    assert isinstance(decode(raw, label), str)
