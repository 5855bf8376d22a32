"""Laws of what an assistant recalls: working memory, preferences, sessions, what is retrieved.

Each is held against a plain model: a dict with times, a list of what was said, a list of hits.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Memory, Settings
from simonides.assistant.prompt import LINES_MAX, prompt_lines
from simonides.assistant.retrieve import retrieve_with_memory
from simonides.context.safety import escape
from simonides.memories.preferences import (
    CONFLICT_MIN,
    REPEAT_MAX,
    after_statement,
    fade,
    item_of,
    preference_of,
)
from simonides.model.answer import Diagnostics, Hit, Plan, Query, SearchResult
from simonides.model.chat import Origin, Preference, Retrieved
from simonides.model.item import Item, Kind
from simonides.working_memory.in_process import InProcessWorkingMemory
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)

# ── working memory ───────────────────────────────────────────────────────────────────────────────

spaces = st.sampled_from(["a", "b"])
keys = st.sampled_from(["x", "y", "z"])
seconds = st.integers(1, 20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), spaces, keys, json_values, seconds),
        st.tuples(st.just("put_new"), spaces, keys, json_values, seconds),
        st.tuples(st.just("get"), spaces, keys),
        st.tuples(st.just("delete"), spaces, keys),
        st.tuples(st.just("clear"), spaces),
        st.tuples(st.just("wait"), seconds),
    ),
    max_size=60,
)


@dataclass(slots=True)
class PlainMemory:
    """Working memory as a dict of (value, end); the clock is a number."""

    now_s: float = 0.0
    held: dict[tuple[str, str], tuple[Any, float]] = field(default_factory=dict)

    def wait(self, passed_s: float) -> None:
        self.now_s += passed_s
        self.held = {place: one for place, one in self.held.items() if one[1] > self.now_s}

    def put(self, space: str, key: str, value: Any, ttl_s: float) -> None:
        self.held[space, key] = (value, self.now_s + ttl_s)

    def put_new(self, space: str, key: str, value: Any, ttl_s: float) -> bool:
        is_free = (space, key) not in self.held
        if is_free:
            self.put(space, key, value, ttl_s)
        return is_free

    def get(self, space: str, key: str) -> Any:
        return self.held.get((space, key), (None, 0))[0]

    def delete(self, space: str, key: str) -> bool:
        return self.held.pop((space, key), None) is not None

    def clear(self, space: str) -> int:
        gone = [place for place in self.held if place[0] == space]
        for place in gone:
            del self.held[place]
        return len(gone)


@given(steps)
def test_working_memory_does_what_a_dict_with_times_does(taken: list[tuple[Any, ...]]) -> None:
    plain = PlainMemory()
    memory = InProcessWorkingMemory(lambda: plain.now_s)
    for name, *arguments in taken:
        expected = getattr(plain, name)(*arguments)
        if name in ("put", "put_new"):
            *rest, ttl_s = arguments
            assert getattr(memory, name)(*rest, ttl_s=ttl_s) == expected
        elif name != "wait":
            assert getattr(memory, name)(*arguments) == expected
    assert len(memory) == len(plain.held)


@given(st.lists(st.tuples(keys, seconds), max_size=40), st.integers(1, 3))
def test_working_memory_never_holds_more_than_its_bound_and_always_what_came_last(
    puts: list[tuple[str, int]], most: int
) -> None:
    memory = InProcessWorkingMemory(lambda: 0.0, entries_max=most)
    for number, (key, ttl_s) in enumerate(puts):
        memory.put("a", key, number, ttl_s=ttl_s)
        assert len(memory) <= most
        assert memory.get("a", key) == number


# ── preferences ──────────────────────────────────────────────────────────────────────────────────

values = st.sampled_from(["short", "long", "LONG", "plain"])
origins = st.sampled_from(list(Origin))
statements = st.lists(st.tuples(values, origins, st.integers(0, 400)), min_size=1, max_size=30)


def keep_statements(
    said: list[tuple[str, Origin, int]],
) -> Iterator[tuple[Preference | None, Preference]]:
    """Yield what was kept before and after each statement; days pass in between."""
    kept, now = None, NOON
    for value, origin, days in said:
        now += days * DAY
        before = kept
        kept = after_statement(before, key="tone", value=value, origin=origin, now=now)
        yield before, kept


@given(statements)
def test_confidence_stays_within_its_bounds_and_what_is_kept_is_read_back(
    said: list[tuple[str, Origin, int]],
) -> None:
    for _, kept in keep_statements(said):
        assert CONFLICT_MIN <= kept.confidence <= REPEAT_MAX
        assert kept.seen >= 1
        item = item_of(kept)
        assert preference_of(item) == replace(kept, id=item.id)


@given(statements)
def test_what_was_stated_holds_until_it_is_stated_anew_or_hardly_sure(
    said: list[tuple[str, Origin, int]],
) -> None:
    for (value, origin, _), (before, kept) in zip(said, keep_statements(said), strict=True):
        if origin is Origin.EXPLICIT:
            assert (kept.value.casefold(), kept.origin) == (value.casefold(), Origin.EXPLICIT)
            assert kept.confidence >= 0.8
        elif before is not None and before.origin is Origin.EXPLICIT and kept != before:
            was_hardly_sure = before.confidence * 0.8 < CONFLICT_MIN
            assert (kept.value, kept.origin) == (before.value, before.origin) or was_hardly_sure


@given(statements, st.integers(0, 4_000), st.integers(0, 4_000))
def test_a_preference_only_ever_fades(
    said: list[tuple[str, Origin, int]], days: int, more: int
) -> None:
    *_, (_, kept) = keep_statements(said)
    sooner = fade(kept, now=kept.updated_at + days * DAY)
    later = fade(kept, now=kept.updated_at + (days + more) * DAY)

    assert 0.05 <= later.confidence <= sooner.confidence <= kept.confidence
    assert replace(later, confidence=kept.confidence) == kept


@given(
    st.lists(
        st.builds(
            Preference, key=st.text(max_size=40), value=st.text(max_size=80), origin=origins,
            confidence=st.floats(0, 1), seen=st.just(1), updated_at=st.just(NOON),
        ),
        max_size=25,
    )
)  # fmt: skip
def test_lines_of_a_prompt_are_bounded_single_and_tame(preferences: list[Preference]) -> None:
    lines = prompt_lines(preferences)

    assert len(lines) == min(len(preferences), LINES_MAX)
    for line in lines:
        assert line.startswith("- ")
        assert len(line.splitlines()) == 1
        assert escape(line[2:]) == line[2:].strip()


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────

sessions = st.sampled_from(["s", "t"])
roles = st.sampled_from(["user", "assistant"])
words = st.sampled_from(["yes", "no", "alpha is due on friday"])
turns = st.lists(
    st.one_of(
        st.tuples(st.just("say"), sessions, roles, words, st.integers(0, 2)),
        st.tuples(st.just("forget one"), sessions, st.integers(0, 5)),
        st.tuples(st.just("forget"), sessions),
    ),
    max_size=12,
)


@contextmanager
def opened(clock: Any) -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(
            home, settings=Settings(timezone="UTC", durability="relaxed"),
            embedder=HashingEmbedder(), clock=clock,
        ) as memory,
    ):  # fmt: skip
        yield memory


@settings(max_examples=examples(25))
@given(turns)
def test_sessions_tell_what_a_list_would_tell(taken: list[tuple[Any, ...]]) -> None:
    clock = [NOON]
    kept: dict[str, list[tuple[str, str, str, datetime]]] = {"s": [], "t": []}
    ever: list[str] = []
    with opened(lambda: clock[0]) as memory:
        for name, session, *rest in taken:
            if name == "say":
                role, text, minutes = rest
                clock[0] += minutes * MINUTE
                item_id = memory.sessions.add(session, role, text).id
                ever.append(item_id)
                kept[session].append((item_id, role, text, clock[0]))
            elif name == "forget":
                gone = {one[0] for one in kept[session]}
                assert set(memory.sessions.forget(session)) == gone
                kept[session] = []
            elif rest[0] < len(kept[session]):
                memory.forget(kept[session].pop(rest[0])[0])
        for session, said in kept.items():
            found = memory.sessions.last(session, 100)
            assert [one.id for one in found] == [one[0] for one in said]
            assert [one.author and one.author.name for one in found] == [one[1] for one in said]
            positions = [one.position or 0 for one in found]
            assert positions == sorted(set(positions))
            assert _paged(memory, session) == [one[0] for one in said]
        used = sorted((-one[-1][3].timestamp(), name, one) for name, one in kept.items() if one)
        listed = memory.sessions.list().sessions
        assert [(one.id, one.messages) for one in listed] == [
            (name, len(one)) for _, name, one in used
        ]
    assert len(set(ever)) == len(ever)


def _paged(memory: Memory, session: str) -> list[str]:
    found, cursor = [], ""
    while True:
        page = memory.sessions.messages(session, limit=2, cursor=cursor)
        found += [one.id for one in page.items]
        cursor = page.cursor
        if not cursor:
            return found


# ── what is retrieved ────────────────────────────────────────────────────────────────────────────

texts = st.sampled_from([
    "yes", "no",
    "the deadline of alpha moved to friday because the client asked for it",
    "hello all the deadline of alpha moved to friday because the client asked for it best sarah",
])  # fmt: skip
hits = st.lists(
    st.tuples(
        st.sampled_from([Kind.MESSAGE, Kind.EMAIL, Kind.MEMORY]),
        st.integers(0, 8).map(lambda n: n / 8),
        texts,
    ),
    max_size=30,
)


def search_of(drawn: list[tuple[Kind, float, str]]) -> Any:
    every = [
        Hit(item=Item(id=f"{n:02}", kind=kind, content=text), score=score)
        for n, (kind, score, text) in enumerate(drawn)
    ]
    every.sort(key=lambda hit: (-hit.score, hit.id))

    def search(query: Query, _: object, **_options: bool) -> SearchResult:
        fitting = tuple(hit for hit in every if hit.item.kind in query.filter.kinds)
        said = Diagnostics(
            revision=1, mode_requested=query.mode, mode_used=query.mode, scorer=query.scorer
        )
        return SearchResult(hits=fitting[: query.limit], plan=Plan(), diagnostics=said)

    return search


@given(hits, st.integers(1, 12), st.sampled_from(["fused", "classic"]))
def test_what_is_retrieved_is_bounded_ordered_and_told_once(
    drawn: list[tuple[Kind, float, str]], limit: int, scorer: str
) -> None:
    def retrieved() -> Retrieved:
        nowhere: Any = None
        with patch("simonides.retrieval.across.search", search_of(drawn)):
            return retrieve_with_memory(
                "x", nowhere, now=NOON, timezone="UTC", limit=limit, scorer=scorer
            )

    found = retrieved()
    ranks = [(-hit.score, hit.id) for hit in found.hits]
    messages = [hit for hit in found.hits if hit.item.kind is Kind.MESSAGE]
    items = sum(kind is not Kind.MESSAGE for kind, _, _ in drawn)

    assert found == retrieved()
    assert found.found <= limit
    assert ranks == sorted(set(ranks))
    assert found.found - len(messages) >= min(items, limit - max(1, 3 * limit // 10)) or (
        scorer == "classic"
    )
    assert len(messages) <= 3 or (scorer == "fused" and len(messages) <= limit)
    assert len({hit.item.content for hit in messages}) == len(messages)
    beside = {hit.item.content for hit in found.hits if hit.item.kind is not Kind.MESSAGE}
    assert not beside & {hit.item.content for hit in messages}
