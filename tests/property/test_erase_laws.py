"""Over random histories: nothing of an erased item's own words is left in any file."""

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from simonides import Filter, Memory, Settings
from simonides.errors import NotFound
from simonides.index import snapshot
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NAMES = [f"item{n}" for n in range(6)]
SOURCES = ["gmail", "jira"]
OWN = Settings(timezone="UTC", durability="relaxed", timeout_s=5.0)


class Erasing(RuleBasedStateMachine):
    """Items get words that no other item ever has; erased, these are in no file any more.

    `words` are those of what is kept, by item, `gone` those of what was erased. Reading the files
    of a space in the process that has it open would drop its locks, so that it is closed before.
    """

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.now = datetime(2026, 3, 12, tzinfo=UTC)
        self.words: dict[str, set[str]] = {}
        self.sources: dict[str, set[str]] = {}
        self.gone: set[str] = set()
        self.count = 0
        self.least, snapshot.CHUNKS_MIN = snapshot.CHUNKS_MIN, 0
        self.memory = Memory(
            self.home, settings=OWN, embedder=HashingEmbedder(8), clock=lambda: self.now
        )

    def word(self, name: str) -> str:
        """Return a word that was never said before, noted as one of an item."""
        self.count += 1
        made = f"zq{self.count:05}xv"
        self.words.setdefault(name, set()).add(made)
        return made

    def lost(self, names: Iterator[str] | list[str]) -> None:
        for name in names:
            self.gone |= self.words.pop(name, set())
            self.sources.pop(name, None)

    @rule(name=st.sampled_from(NAMES), source=st.sampled_from(SOURCES), size=st.integers(1, 300))
    def add(self, name: str, source: str, size: int) -> None:
        said, tag, title, who = (self.word(name) for _ in range(4))
        self.memory.add(
            f"{said} filler " * size, id=name, source=source, title=title, tags=[tag],
            people=[f"{who} <{who}@example.com>"], metadata={"note": [self.word(name)]},
            session=self.word(name),
        )  # fmt: skip
        self.sources.setdefault(name, set()).add(source)

    @rule(name=st.sampled_from(NAMES))
    def update(self, name: str) -> None:
        try:
            self.memory.update(name, summary=self.word(name), content=self.word(name))
        except NotFound:
            if name not in self.sources:
                del self.words[name]

    @rule(name=st.sampled_from(NAMES))
    def forget(self, name: str) -> None:
        self.memory.forget(name)

    @rule(name=st.sampled_from(NAMES))
    def use(self, name: str) -> None:
        self.now += timedelta(minutes=1)
        self.memory.record_usage(name)
        self.memory.surrogates.build()
        self.memory.brief("filler words", keep_receipt=True)

    @rule()
    def ask(self) -> None:
        self.memory.search("filler")

    @rule()
    def close(self) -> None:
        self.memory.close()

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3))
    def erase(self, names: list[str]) -> None:
        if not self.memory.spaces():
            return
        report = self.memory.erase(*names)

        assert report.complete
        assert set(report.items) == set(names) & set(self.sources)
        self.lost(names)
        self.nothing_is_left()

    @rule(source=st.sampled_from(SOURCES))
    def erase_source(self, source: str) -> None:
        if not self.memory.spaces():
            return
        report = self.memory.erase(filter=Filter(sources=(source,)))

        assert set(report.items) == {n for n, held in self.sources.items() if source in held}
        self.lost(list(report.items))
        self.nothing_is_left()

    @rule()
    def erase_everything(self) -> None:
        if not self.memory.spaces():
            return
        assert self.memory.erase(everything=True).complete
        self.lost(list(self.sources))
        self.words.clear()
        self.nothing_is_left()
        assert self.memory.spaces() == ()

    def nothing_is_left(self) -> None:
        self.memory.close()
        files = [one for one in self.home.rglob("*") if one.is_file()]
        data = b"\n".join(one.read_bytes() for one in files)

        assert [word for word in sorted(self.gone) if word.encode() in data] == []
        for name in self.sources:
            assert any(word.encode() in data for word in self.words[name])

    @invariant()
    def what_is_kept_is_found_and_what_is_gone_is_not(self) -> None:
        if hasattr(self, "home") and self.memory.spaces():
            items = self.memory.list(limit=99).items
            assert {item.id for item in items} <= set(self.sources)

    def teardown(self) -> None:
        if hasattr(self, "home"):
            snapshot.CHUNKS_MIN = self.least
            if self.memory.spaces():
                assert all(one.sound for one in self.memory.verify())
            self.memory.close()
            shutil.rmtree(self.home)


Erasing.TestCase.settings = settings(
    max_examples=examples(12), stateful_step_count=20, deadline=None
)
test_nothing_of_an_erased_item_is_left_in_any_file = Erasing.TestCase
