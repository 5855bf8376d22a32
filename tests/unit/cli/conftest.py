"""A command line that is run in this process, on a memory that is a dict."""

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides.api.memory import Memory
from simonides.cli.main import run
from simonides.config import Settings
from simonides.errors import NotFound, SimonidesError
from simonides.model.answer import (
    Contribution,
    Diagnostics,
    Entity,
    Explanation,
    Finding,
    Hit,
    LaneReport,
    Mode,
    Page,
    Plan,
    Scorer,
    SearchResult,
    SpaceStats,
    TimeRange,
)
from simonides.model.brief import (
    RECEIPT_FORMAT,
    Brief,
    BriefItem,
    ContextConfig,
    Dropped,
    DropReason,
    Explained,
    Form,
    Receipt,
    ReceiptItem,
    Replay,
    Section,
    Stage,
)
from simonides.model.filter import Filter
from simonides.model.import_report import ImportReport, Skipped
from simonides.model.item import Item, Kind, Person, Trust
from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff, ReceiptDiff
from simonides.model.stored import Change, Outcome, Tier
from simonides.model.times import read_time
from simonides.ports.models import Clock

FRIDAY = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)


def _mail() -> Item:
    return Item(
        kind=Kind.EMAIL,
        id="mail-1",
        source="gmail",
        title="Re: Alpha",
        content="The Alpha deadline moved to Friday, said the client.",
        people=(Person(name="Sarah Johnson", address="sarah@example.com"),),
        tags=("alpha",),
        metadata={"folder": "inbox"},
        happened_at=FRIDAY,
    )


SARAH = Entity(id="person:sarah", kind="person", names=("Sarah Johnson", "Sarah"), mentions=3)


class FakeEntities:
    """Entities of one person; notes what was asked."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    def __call__(self, **how: Any) -> tuple[Entity, ...]:
        self._note("entities", **how)
        return (SARAH,)

    def merge(self, entity: str, *others: str) -> Entity:
        self._note("merge", entity=entity, others=others)
        return SARAH

    def rename(self, entity: str, name: str) -> Entity:
        self._note("rename", entity=entity, name=name)
        return SARAH

    def alias(self, entity: str, *names: str) -> Entity:
        self._note("alias", entity=entity, names=names)
        return SARAH


class DictMemory:
    """Keeps items in a dict, answers with all of them, and notes every call."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {"mail-1": _mail()}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.opened: list[dict[str, Any]] = []
        self.fails: Exception | None = None
        self.skipped = 0
        self.kinds: dict[str, int] = {}
        self.problems: set[str] = set()
        self.notes: tuple[str, ...] = ()
        self.space = ""
        self.settings = Settings()

    def open(self, home: Path, *, space: str, settings: Settings, clock: Clock) -> "DictMemory":
        self.opened.append({"home": home, "space": space, "settings": settings, "now": clock()})
        self.space = space
        self.settings = settings
        return self

    def close(self) -> None:
        self.calls.append(("close", {}))

    def _note(self, verb: str, **how: Any) -> None:
        self.calls.append((verb, how))
        if self.fails:
            raise self.fails

    def add(self, given: Item | Iterable[Item]) -> Outcome | tuple[Outcome, ...]:
        items = [given] if isinstance(given, Item) else list(given)
        self._note("add", items=items)
        outcomes = []
        for item in items:
            change = Change.UNCHANGED if item.id in self.items else Change.ADDED
            self.items[item.id] = item
            outcomes.append(Outcome(id=item.id, change=change, revision=7))
        return outcomes[0] if isinstance(given, Item) else tuple(outcomes)

    def import_(self, *paths: Any, on_progress: Callable[..., None], **how: Any) -> ImportReport:
        self._note("import", paths=paths, on_progress=on_progress, **how)
        skipped = tuple(Skipped(where=f"part {n}", reason="torn") for n in range(self.skipped))
        return ImportReport(
            added=2,
            unchanged=1,
            skipped=skipped,
            kinds=self.kinds,
            dry_run=bool(how.get("dry_run")),
            took_s=0.5,
        )

    def watch(self, *paths: Any, on_report: Callable[..., None], **how: Any) -> None:
        self._note("watch", paths=paths, **how)
        for report in (ImportReport(added=2), ImportReport(withdrawn=1)):
            on_report(report)

    def search(self, query: str, **how: Any) -> SearchResult:
        self._note("search", query=query, **how)
        return self._found()

    def explain(self, query: str, **how: Any) -> Explained:
        self._note("explain", query=query, **how)
        made = self._brief(query, how)
        more = () if how.get("budget_tokens") else made.items
        return Explained(result=self._found(), brief=made, more=200, more_items=more)

    def _found(self) -> SearchResult:
        why = Explanation(
            contributions=(
                Contribution(name="words", value=0.5, detail="alpha, deadline"),
                Contribution(name="length", value=-0.125),
                Contribution(name="time", value=0.0),
            ),
            lanes=("lexical",),
        )
        hits = tuple(
            Hit(item=item, score=why.score, explanation=why, passage=item.content)
            for item in self.items.values()
        )
        plan = Plan(
            words=("when", "alpha"),
            time=TimeRange(since=FRIDAY, until=None, text="since friday"),
            phrases=("alpha",),
            asks_when=True,
        )
        return SearchResult(hits=hits, plan=plan, diagnostics=self._diagnostics())

    def _diagnostics(self) -> Diagnostics:
        return Diagnostics(
            revision=7,
            mode_requested=Mode.HYBRID,
            mode_used=Mode.TEXT,
            scorer=Scorer.FUSED,
            lanes=(
                LaneReport(name="lexical", ran=True, found=1, took_ms=0.25),
                LaneReport(name="semantic", ran=False, note="no embedder"),
            ),
            notes=self.notes,
            took_ms=1.5,
        )

    def brief(self, query: str, **how: Any) -> Brief:
        self._note("brief", query=query, **how)
        return self._brief(query, how)

    def _brief(self, query: str, how: dict[str, Any]) -> Brief:
        shown = BriefItem(
            number=1, id="mail-1", version=1, title="Re: Alpha", source="gmail",
            happened_at=FRIDAY, score=0.375, tokens=9, stage=Stage.SURROGATE, form=Form.SUMMARY,
            trust=Trust.OWN, tier=Tier.GIST,
        )  # fmt: skip
        return Brief(
            text="[GMAIL] Re: Alpha\nmoved to Friday\n",
            tokens=9,
            budget=how.get("budget_tokens") or 1500,
            unit="tokens",
            items=(shown,),
            dropped=(Dropped(id="x", reason=DropReason.BUDGET, score=0.1, detail="needs 12"),),
            receipt=self.receipt(query, reserve=how.get("reserve") or 0),
            diagnostics=self._diagnostics(),
            account=(Section(name="head", tokens=4), Section(name="item", tokens=5)),
        )

    def receipt(self, query: str = "due?", *, reserve: int = 0) -> Receipt:
        """Return the receipt of the brief of a question."""
        shown = ReceiptItem(
            id="mail-1", version=1, revision=7, score=0.375, stage=Stage.SURROGATE,
            form=Form.SUMMARY, trust=Trust.OWN, tier=Tier.GIST,
        )  # fmt: skip
        return Receipt(
            id="r-1", format=RECEIPT_FORMAT, engine="0", space=self.space, space_uuid="u",
            revision=7, epoch=0, query=query, now=FRIDAY, timezone="UTC", limit=24,
            mode=Mode.HYBRID, mode_used=Mode.TEXT, scorer=Scorer.FUSED, filter=Filter(),
            session_id="", min_score=None, min_relevance=None,
            as_of=None, budget=1500, unit="tokens",
            encoding="cl100k_base",
            config=ContextConfig(reserve=reserve), embedder="none", owner=(), language="en",
            items=(shown,), dropped=(("x", DropReason.BUDGET),), entities=(),
            background="", nothing="",
            surrogates="extractive 1", text_hash="00",
        )  # fmt: skip

    def replay(self, receipt: Receipt | str) -> Replay:
        self._note("replay", receipt=receipt)
        text = "" if self.problems else "[GMAIL] Re: Alpha\nmoved to Friday"
        return Replay(
            receipt_id="r-1", exact=not self.problems, text=text, tokens=9,
            changed=tuple(sorted(self.problems)),
        )  # fmt: skip

    def diff(self, before: Receipt | str, after: Receipt | str) -> ReceiptDiff:
        self._note("diff", before=before, after=after)
        items = (
            ItemDiff(id="mail-1", change=DiffChange.REMOVED, reason="now it is no candidate"),
            ItemDiff(id="gone", change=DiffChange.ADDED, reason="it was kept at revision 9"),
        )
        return ReceiptDiff(
            before="r-1", after="r-2", same_text=False, items=items,
            settings=(Difference(field="budget", was=1500, now=700),),
            sentences=("The texts differ.", "budget was 1500, is 700.", "Item …", "Item …"),
        )  # fmt: skip

    def get(self, item_id: str) -> Item:
        self._note("get", id=item_id)
        if item_id not in self.items:
            raise NotFound("item", item_id)
        return self.items[item_id]

    def list(self, **how: Any) -> Page:
        self._note("list", **how)
        return Page(items=tuple(self.items.values()), cursor="next-1")

    def update(self, item_id: str, **changes: Any) -> Item:
        self._note("update", id=item_id, **changes)
        if "happened_at" in changes:
            zone = self.settings.timezone
            changes["happened_at"] = read_time(
                changes["happened_at"], name="happened_at", timezone=zone
            )
        if changes.pop("if_version", None) is None and "tags" in changes:
            changes["tags"] = tuple(changes["tags"])
        self.items[item_id] = replace(self.get(item_id), **changes)
        return self.items[item_id]

    def forget(self, *ids: str, if_version: int | None = None) -> tuple[str, ...]:
        self._note("forget", ids=ids, if_version=if_version)
        return tuple(one for one in ids if self.items.pop(one, None))

    @property
    def entities(self) -> "FakeEntities":
        return FakeEntities(self._note)

    def stats(self) -> SpaceStats:
        self._note("stats")
        return SpaceStats(
            space=self.space, revision=7, items=1, chunks=1, archived=0, by_kind={"email": 1},
            by_source={"gmail": 1}, oldest=FRIDAY, newest=FRIDAY, bytes_on_disk=40_960,
            embedder="none",
        )  # fmt: skip

    def spaces(self) -> Any:
        self._note("spaces")
        return ["default", "team"]

    def doctor(self) -> Any:
        self._note("doctor")
        return [Finding(check="structure", sound=self.space not in self.problems, detail="ok")]

    def reembed(self, on_progress: Callable[[int, int], None]) -> int:
        self._note("reembed")
        on_progress(1, 1)
        return 1


@pytest.fixture
def memory() -> DictMemory:
    """The memory that the command line opens."""
    return DictMemory()


@pytest.fixture
def call(memory: DictMemory, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Run `simonides …` in this process and return its status, stdout and stderr."""

    def called(*argv: str, stdin: str = "", **environment: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        given: Any = memory
        status = run(
            argv,
            stdin=io.StringIO(stdin),
            out=out,
            err=err,
            environment={"SIMONIDES_HOME": str(tmp_path / "home"), **environment},
            open_memory=given.open,
        )
        return status, out.getvalue(), err.getvalue()

    return called


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


@pytest.fixture
def call_at_nine(tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Run `simonides …` on a space of its own, at nine o'clock unless told otherwise.

    Returns status, stdout, stderr.
    """

    def called(
        *argv: str, stdin: str = "", now: str = "2026-03-12T09:00:00Z"
    ) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        environment = {
            "SIMONIDES_HOME": str(tmp_path / "home"),
            "SIMONIDES_EMBEDDER": "none",
            "SIMONIDES_TIMEZONE": "UTC",
        }
        status = run(
            [*argv, "--now", now], stdin=io.StringIO(stdin), out=out, err=err,
            environment=environment, open_memory=opened,
        )  # fmt: skip
        return status, out.getvalue(), err.getvalue()

    return called


@pytest.fixture
def failing(memory: DictMemory) -> Callable[[SimonidesError], None]:
    """Make every verb of the memory fail with an error."""

    def fail(error: SimonidesError) -> None:
        memory.fails = error

    return fail
