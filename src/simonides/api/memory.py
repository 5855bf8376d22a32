"""The public API: `Memory`, `AsyncMemory` and `Opening`.

Nothing is decided here: each method states its arguments and errors, and its body is one call of
a plain function that takes an `OpenSpace`. A write goes `add` → `api.writing.add` →
`ingest.keep.keep`; a question `search` → `api.asking.search` → `retrieval.search.search`; a
context `brief` → `api.briefs.brief` → `context.briefs.make_brief`.
"""

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, BinaryIO, Self, Unpack, overload

from simonides import api
from simonides.api.arguments import as_clock, check_is, check_models, check_texts, expand_home
from simonides.api.awaited import Awaitable, make_coroutine
from simonides.api.runtime import Runtime
from simonides.config import Settings, load
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Mode, Scorer
from simonides.model.filter import FilterLike
from simonides.model.item import Item, ItemFields, Kind, StatementFields, Trust
from simonides.model.stored import Engaged, Engagement, Outcome
from simonides.model.times import TimeLike

if TYPE_CHECKING:
    # isort: off
    # fmt: off
    from simonides.api.aio import (
        AsyncBackgrounds, AsyncEntities, AsyncKeys, AsyncPreferences, AsyncProposals,
        AsyncSessions, AsyncSurrogates,
    )
    from simonides.api.arguments import (
        ChangedFields, ChatFields, EmbedFields, MemoryFields, SearchFields, StateLike,
    )
    from simonides.api.background import Backgrounds
    from simonides.api.briefs import BriefFields
    from simonides.api.chat import Sessions
    from simonides.api.entities import Entities
    from simonides.api.keys import Keys
    from simonides.api.memories import Preferences, Proposals
    from simonides.api.surrogates import Surrogates
    from simonides.assistant.tools import Tool
    from simonides.model.agenda import Agenda
    from simonides.model.answer import (
        EmbedReport, Finding, MultiSpaceResult, Page, PlanPart, SearchResult, SpaceStats,
    )
    from simonides.model.brief import Brief, ContextConfig, Explained, Receipt, Replay
    from simonides.model.chat import ChatEvent, ChatMode, ChatReply, Retrieved
    from simonides.model.counts import ItemCounts
    from simonides.model.export import ExportReport
    from simonides.model.import_report import ImportLog, ImportProgress, ImportReport
    from simonides.model.maintenance import (
        BackupReport, Compaction, ErasureReport, RepairReport, Version,
    )
    from simonides.model.memories import Remembered
    from simonides.model.receipt_diff import ReceiptDiff
    from simonides.model.receipt_list import ReceiptPage
    from simonides.model.scrub import Scrub
    from simonides.model.story import Story
    from simonides.ports.models import ChatModel, Clock, Embedder, Reranker, WorkingMemory
    # fmt: on
    # isort: on

DEFAULT_HOME = "~/.simonides"
DEFAULT_SPACE = "default"
IN_MEMORY = ":memory:"
"""The home of a memory that leaves nothing on disk."""


class Memory:
    """A memory: stores items, searches them and makes briefs. Thread-safe; close it, or use `with`.

    Args:
        home: The directory of all spaces; made with the first write. `":memory:"` is a private
            one that is gone once the memory is closed, or the process has ended.
        space: The space that the verbs work on; it comes into being with its first write.
        settings: Overrides config.toml and the environment (`SIMONIDES_*`).
        embedder, chat_model, reranker: Override those that the settings name; whoever hands one
            in closes it.
        clock: Tells the time; tests hand in a fixed one.
        working: Keeps what lives for minutes; in this process unless given.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] = DEFAULT_HOME,
        *,
        space: str = DEFAULT_SPACE,
        settings: Settings | None = None,
        embedder: "Embedder | None" = None,
        clock: "Clock | None" = None,
        chat_model: "ChatModel | None" = None,
        reranker: "Reranker | None" = None,
        working: "WorkingMemory | None" = None,
    ) -> None:
        path = None if home == IN_MEMORY else expand_home(home, field="home")
        check_texts(space, field="space")
        if settings is not None:
            check_is(settings, Settings, field="settings")
        check_models(embedder=embedder, chat_model=chat_model, reranker=reranker)
        self._runtime = Runtime(
            path, settings=settings or load(path, os.environ), embedder=embedder,
            clock=as_clock(clock), chat_model=chat_model, reranker=reranker,
            working=working, finds_owner=settings is None,
        )  # fmt: skip
        self._opened = OpenSpace(name=space, home=self._runtime)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __deepcopy__(self, _: object) -> Self:
        """Return the same memory: what lies in its home is not doubled by copying an agent."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Return how another process opens it; see `opening`."""
        return Opening.open, (self.opening,)

    def __repr__(self) -> str:
        home = IN_MEMORY if self._runtime.is_in_memory else str(self._runtime.path)
        return f"Memory({home!r}, space={self.space!r})"

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._opened.name

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self._runtime.settings

    @property
    def owner(self) -> tuple[str, ...]:
        """Names and addresses of the person whose memory it is; empty if nobody is known."""
        return self._runtime.settings.owner

    @property
    def opening(self) -> "Opening":
        """The arguments with which another process opens the same memory.

        Raises:
            InvalidInput: It is in memory, or works with an embedder that was handed in.
        """
        return Opening.of(self._runtime, space=self.space, shared=self._opened.shared)

    @property
    def aio(self) -> "AsyncMemory":
        """The same methods as coroutines, run in a bounded pool of threads."""
        return AsyncMemory(self)

    @property
    def background(self) -> "Backgrounds":
        """The background of each collection: put, get, history, delete, best."""
        return api.background.Backgrounds(self._opened)

    @property
    def surrogates(self) -> "Surrogates":
        """Surrogates (summaries) of long items: build, build_in_background, get."""
        return api.surrogates.Surrogates(self._opened)

    @property
    def proposals(self) -> "Proposals":
        """Proposals: make, propose, list, get, accept, reject, undo."""
        return api.memories.Proposals(self._opened)

    @property
    def entities(self) -> "Entities":
        """Entities: called, it lists them, most frequent first; merge, rename, alias."""
        return api.entities.Entities(self._opened)

    @property
    def sessions(self) -> "Sessions":
        """Sessions: create, list, get, messages, last, add, forget."""
        return api.chat.Sessions(self._opened)

    @property
    def preferences(self) -> "Preferences":
        """Preferences: list, get, set, infer, forget."""
        return api.memories.Preferences(self._opened)

    @property
    def keys(self) -> "Keys":
        """Keys of the home: create, list, revoke, check, and the audit log."""
        return api.keys.Keys(self._runtime)

    @property
    def working(self) -> "WorkingMemory":
        """Short-lived values of spaces: of this process, or where the settings say."""
        return self._runtime.working

    def in_space(self, name: str, *, shared: Iterable[str] | None = None) -> "Memory":
        """Return a memory of another space of this home, from which just `shared` can be read."""
        other, readable = object.__new__(type(self)), self._opened.shared
        other._runtime = self._runtime
        readable = readable if shared is None else frozenset(shared)
        other._opened = replace(self._opened, name=name, shared=readable)
        return other

    def close(self) -> None:
        """Checkpoint every log and close all files, including those of `in_space`.

        Closing twice is no error, and the next verb opens again. What was in memory is gone.
        """
        self._runtime.close()

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    @overload
    def add(  # type: ignore[overload-overlap]  # a text is not meant as its letters
        self, content: str, **fields: Unpack[ItemFields]
    ) -> Outcome: ...

    @overload
    def add(self, content: Item) -> Outcome: ...

    @overload
    def add(
        self, content: Iterable[str | Item], **fields: Unpack[ItemFields]
    ) -> tuple[Outcome, ...]: ...

    def add(
        self, content: str | Item | Iterable[str | Item], **fields: Unpack[ItemFields]
    ) -> Outcome | tuple[Outcome, ...]:
        """Add one text or item, or many in one transaction; durable when it returns.

        Fields apply to texts: those of an `Item`.

        Returns the `Outcome` of one, or a tuple of outcomes of many, in their order.

        Raises:
            InvalidInput: A field is unknown or out of range; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        return api.writing.add(self._opened, content, fields)

    def write(
        self, *, add: Iterable[str | Item] = (), forget: Iterable[str] = ()
    ) -> tuple[Outcome, ...]:
        """Add items and forget others in one transaction; return the outcomes, in this order.

        Raises:
            InvalidInput: A field is out of range, or an id is in both; nothing was written.
        """
        return api.writing.write(self._opened, add, forget)

    def update(
        self, item_id: str, /, *, if_version: int | None = None, **fields: Unpack["ChangedFields"]
    ) -> Item:
        """Replace some fields of an item and return its new version.

        What changes nothing makes no new version. Updates at the same time are all made, one on
        top of the other. With `if_version` nothing is written unless that version is present.

        Raises:
            NotFound: No item has that id.
            Conflict: Another version is present than `if_version`.
            InvalidInput: A field is unknown, fixed or out of range.
        """
        return api.writing.update(self._opened, item_id, fields, if_version=if_version)

    def forget(self, *item_ids: str, if_version: int | None = None) -> tuple[str, ...]:
        """Forget items and return the ids that existed.

        No lane finds them any more and no import brings them back; an explicit `add` does. With
        `if_version` nothing is taken unless that version is present.

        Raises:
            Conflict: Another version is present than `if_version`.
        """
        return api.writing.forget(self._opened, item_ids, if_version=if_version)

    def restore(self, item_id: str, /, *, version: int | None = None) -> Item:
        """Restore a forgotten item, or an earlier version of one, as a new version; return it.

        Without `version` it is the last one of a forgotten item. No version is lost by it.

        Raises:
            NotFound: Nothing is kept of such an item, or of that version of it.
            Conflict: It was changed meanwhile; nothing was written.
            InvalidInput: The item is present and no version was named.
        """
        return api.versions.restore(self._opened, item_id, version=version)

    def remember(
        self, text: str, *, dry_run: bool = False, **given: Unpack[StatementFields]
    ) -> "Remembered":
        """Compare a statement with the stored memories, write the decision, and return it.

        It is added; or takes the place of one that it contradicts, which stays, `superseded`; or
        lets what is kept be surer; or changes nothing. `given` are the fields of `MemoryTraits`
        and of an `Item` but content, kind and id. In a `dry_run` nothing is written.

        Raises:
            InvalidInput: The text is empty, or a field unknown or out of range.
            StoreBusy: Memories were written by others faster than this one could be decided.
            StoreError: The commit failed; nothing was written.
        """
        return api.memories.remember(self._opened, text, given, dry_run=dry_run)

    def import_(
        self,
        *paths: str | os.PathLike[str],
        source: str = "",
        trust: Trust | str | None = None,
        dry_run: bool = False,
        wait: bool = True,
        mapping: Mapping[str, str] | None = None,
        kind: Kind | str = Kind.DOCUMENT,
        on_progress: Callable[["ImportProgress"], None] | None = None,
    ) -> "ImportReport":
        """Import mail, documents, calendars, tasks, chats and notes: files, folders and archives.

        Formats are detected by content; the reference "What can be imported" lists them. Importing
        the same again changes nothing, what was broken off goes on, and what was forgotten stays
        so. `trust` is how far what is read may be trusted, unless it says less of itself. A
        `dry_run` keeps nothing. A `mapping` such as `{"content": "Text"}` says which columns of CSV
        and fields of JSON become which fields of items of a `kind`. Without `wait`, vectors are
        left to `embed`. The owner that is found in mail becomes the home's, if it has none, has
        one space, and its settings were not handed in.

        Raises:
            InvalidInput: `trust` or `kind` is another, there is no path, or the mapping is none.
            ImportFailed: A path cannot be read, or none holds anything that can be imported.
            EmbedderError: The model failed; what was read is kept and found by its words.
        """
        return api.owner.keep_found(
            self._runtime,
            api.transfer.import_(
                self._opened, paths, source=source, trust=trust, dry_run=dry_run, wait=wait,
                mapping=mapping, kind=kind, on_progress=on_progress,
            ),
        )  # fmt: skip

    def set_owner(self, *owner: str) -> tuple[str, ...]:
        """Set the names and addresses of the person whose memory it is, in the config.toml.

        Raises:
            InvalidInput: One is too long, or the config.toml cannot be changed safely.
            StoreFull: The config.toml cannot be written.
        """
        return api.owner.set_owner(self._runtime, owner)

    def watch(
        self,
        *paths: str | os.PathLike[str],
        source: str = "",
        trust: Trust | str | None = None,
        stop: Event | None = None,
        on_report: Callable[["ImportReport"], None] | None = None,
        changes: Iterable[Iterable[str | os.PathLike[str]]] | None = None,
    ) -> None:
        """Import folders and keep them current until `stop` is set, or Ctrl-C.

        New and changed files are imported, renamed ones keep the ids of their items, and what is
        gone from a folder is withdrawn. `on_report` is called after the first import and each
        change. `changes`, sets of changed paths, take the place of the system's events.

        Raises:
            InvalidInput: `trust` is no level, or a path is no folder.
            ImportFailed: The extra `watch` is not installed.
        """
        api.transfer.watch(
            self._opened, paths, source=source, trust=trust, stop=stop, changes=changes,
            on_report=on_report,
        )  # fmt: skip

    def import_log(self, *, limit: int = 50, cursor: str = "") -> "ImportLog":
        """Return a page of past imports, latest first: what came in, what was skipped and why."""
        return api.transfer.import_log(self._opened, limit=limit, cursor=cursor)

    def record_usage(self, *item_ids: str, how: Engaged | str = Engaged.USED) -> tuple[str, ...]:
        """Record that items were `used`, `cited` or `opened`; return the ids that exist.

        Only this makes an item important to a dense brief; being found never does.

        Raises:
            InvalidInput: `how` is another.
        """
        return api.writing.record_usage(self._opened, item_ids, how=how)

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        mode: Mode | str = Mode.HYBRID,
        scorer: Scorer | str = Scorer.FUSED,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        now: TimeLike | None = None,
        timezone: str | None = None,
        session_id: str = "",
        min_score: float | None = None,
        min_relevance: float | None = None,
        as_of: "StateLike | None" = None,
        ignore: Iterable["PlanPart | str"] = (),
        best_context: bool = False,
    ) -> "SearchResult":
        """Return the hits of a question, best first, each with its explanation.

        A space that nothing was written to yet gives no hits and says so in the diagnostics.
        `min_relevance` leaves out what is less likely, from 0 to 1, to belong to the answer.
        `as_of` asks the space as it was. `ignore` names parts of the plan that are not to be read
        out of the question. With `best_context` the best background comes along.

        Raises:
            HistoryGone: That state was compacted away.
            InvalidInput: An argument is out of range.
            EmbedderError: Mode `vector`, and the question could not be embedded.
        """
        given = {
            "limit": limit, "mode": mode, "scorer": scorer, "filter": filter, "now": now,
            "timezone": timezone, "session_id": session_id, "min_score": min_score,
            "min_relevance": min_relevance, "as_of": as_of, "ignore": ignore,
        }  # fmt: skip
        return api.asking.search(self._opened, query, given, best_context=best_context)

    def retrieve(
        self,
        query: str,
        *,
        session_id: str = "",
        sources: Sequence[str] = (),
        time_filter: str = "",
        entity_filter: Sequence[str] = (),
        include_episodic: bool = True,
        limit: int = 10,
        without_ids: Sequence[str] = (),
        scorer: Scorer | str = Scorer.FUSED,
        now: TimeLike | None = None,
        timezone: str | None = None,
        spaces: Sequence[str] = (),
    ) -> "Retrieved":
        """Return the hits of a question among items and messages, without duplicates, best first.

        `sources`, `time_filter` (`today`, `yesterday`, `last_week`, `last_month`,
        `last_3_months`, `last_6_months`, rolling) and `entity_filter` exclude. Messages take at
        most 5 places of 10 from items; without `include_episodic` none. Where the sources have
        nothing, all are looked through by words, and the notes say so. Preferences are found only
        where `preference` is among the sources. `spaces` are asked besides this one.

        Raises:
            InvalidInput: An argument is out of range.
        """
        return api.chat.retrieve(
            self._opened, query, session_id=session_id, sources=sources, time_filter=time_filter,
            entity_filter=entity_filter, include_episodic=include_episodic, limit=limit,
            without_ids=without_ids, scorer=scorer, now=now, timezone=timezone, spaces=spaces,
        )  # fmt: skip

    def search_across(
        self,
        query: str,
        *,
        spaces: Sequence[str],
        limit: int = 10,
        **arguments: Unpack["SearchFields"],
    ) -> "MultiSpaceResult":
        """Return the hits of a question in several spaces, best first, each with its space.

        Each space answers by itself, as `search` does with the same arguments; nothing is written,
        and none sees another. Ties go by the space's name, then the id.

        Raises:
            InvalidInput: No space is named, or more than 20, or an argument is out of range.
        """
        return api.asking.search_across(self._opened, query, arguments, spaces=spaces, limit=limit)

    def story(self, query: str, *, limit: int = 50, **arguments: Unpack["SearchFields"]) -> "Story":
        """Return the story of what is asked for: what was said of it over time, and what changed.

        Its steps are the hits that fit best, the earliest first; it takes what `search` does.
        """
        return api.asking.story(self._opened, query, arguments, limit=limit)

    def brief(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        budget_words: int | None = None,
        preset: str = "brief",
        config: "ContextConfig | None" = None,
        keep_receipt: bool = False,
        **arguments: Unpack["BriefFields"],
    ) -> "Brief":
        """Return the context for a question, rendered and within a hard budget, with a receipt.

        The budget is in tokens (the preset's unless given: 1500) or in words, for the whole text.
        The other arguments are the fields of `ContextConfig` (`layout`, `items_max`, …), which
        override the preset's or `config`'s, and those of `search` but `limit`: that is `top_k`
        here. `spaces` are asked besides this one. `keep_receipt` keeps the receipt in this space.

        Raises:
            InvalidInput: An argument is out of range, or both budgets are given.
        """
        return api.briefs.brief(
            self._opened, query, arguments, keeps=keep_receipt,
            tokens=budget_tokens, words=budget_words, preset=preset, config=config,
        )  # fmt: skip

    def explain(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        budget_words: int | None = None,
        preset: str = "brief",
        config: "ContextConfig | None" = None,
        budgets: Sequence[int] = (),
        **arguments: Unpack["BriefFields"],
    ) -> "Explained":
        """Return a brief with its search and what a larger budget adds; takes what `brief` does.

        One search also gives the briefs of other `budgets`, of the same unit.
        """
        return api.briefs.explain(
            self._opened, query, arguments, tokens=budget_tokens, words=budget_words,
            preset=preset, config=config, budgets=budgets,
        )  # fmt: skip

    def receipts(self, *, limit: int = 50, cursor: str = "") -> "ReceiptPage":
        """Return a page of the stored receipts, last kept first; see `list`."""
        return api.briefs.receipts(self._opened, limit=limit, cursor=cursor)

    def replay(self, receipt: "Receipt | str") -> "Replay":
        """Return the brief of a receipt, rebuilt byte for byte, or what has changed.

        `receipt` may be its JSON, or the id of one that was kept. What can change is an item
        erased, its history compacted, the engine replaced.

        Raises:
            NotFound: No receipt of that id is kept.
            InvalidInput: It is no receipt, or one of another space or format.
        """
        return api.briefs.replay(self._opened, receipt)

    def diff(self, before: "Receipt | str", after: "Receipt | str") -> "ReceiptDiff":
        """Return the differences between two briefs, by receipts, their JSON, or their ids.

        Raises:
            NotFound: No receipt of that id is kept.
            InvalidInput: One is no receipt.
        """
        return api.briefs.diff(self._opened, before, after)

    def list(
        self,
        *,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        limit: int = 50,
        cursor: str = "",
        as_of: "StateLike | None" = None,
    ) -> "Page":
        """Return a page of items, present or `as_of`, newest first, and a cursor for the next one.

        Raises:
            HistoryGone: That state was compacted away.
            InvalidInput: The limit or the cursor is malformed.
        """
        return api.asking.list_(
            self._opened, filter=filter, limit=limit, cursor=cursor, as_of=as_of
        )

    def counts(
        self, *, filter: FilterLike | None = None, as_of: "StateLike | None" = None,  # noqa: A002
        metadata: str = "",
    ) -> "ItemCounts":  # fmt: skip
        """Return the numbers of items by source, kind, person, …, and values of a metadata key."""
        return api.asking.counts(self._opened, filter=filter, as_of=as_of, metadata=metadata)

    def agenda(
        self,
        *,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        sources: Sequence[str] = (),
        collections: Sequence[str] = (),
        people: Sequence[str] = (),
        limit: int = 100,
        cursor: str = "",
        as_of: "StateLike | None" = None,
        now: TimeLike | None = None,
        timezone: str | None = None,
    ) -> "Agenda":
        """Return the events that take place and the tasks that are due in [since, until), by time.

        Without them it is today and the 7 days after; 366 days at most. Series of events are
        expanded; what was moved says from when, and what was cancelled has that status. `sources`,
        `collections` and `people` (names or addresses) exclude. `as_of` tells what was known then.

        Raises:
            HistoryGone: That state was compacted away.
            InvalidInput: An argument is out of range, or there are too many entries.
        """
        return api.agenda.agenda(
            self._opened, since=since, until=until, limit=limit, cursor=cursor, as_of=as_of,
            now=now, timezone=timezone,
            wanted={"sources": sources, "collections": collections, "people": people},
        )  # fmt: skip

    def get(self, item_id: str, /, *, as_of: "StateLike | None" = None) -> Item:
        """Return the present version of an item, or the one at a time or revision.

        Raises:
            NotFound: No item has that id, or had it then.
            HistoryGone: That state was compacted away.
        """
        return api.asking.get(self._opened, item_id, as_of=as_of)

    def history(self, item_id: str, /) -> tuple["Version", ...]:
        """Return every stored version of an item, oldest first, including forgotten ones.

        Each says between which revisions it was the present one, why it left, and what changed.

        Raises:
            NotFound: Nothing is kept of such an item.
        """
        return api.versions.history(self._opened, item_id)

    def engagement(self, item_id: str, /) -> Engagement | None:
        """Return how often an item was used and when last; None if it never was."""
        return api.asking.engagement(self._opened, item_id)

    # ── conversation ──────────────────────────────────────────────────────────────────────────────

    def chat(
        self,
        message: str,
        *,
        session_id: str = "",
        sources: Sequence[str] = (),
        time_filter: str = "",
        tools: "Sequence[Tool | Callable[..., object]]" = (),
        mode: "ChatMode | str | None" = None,
        model: "ChatModel | None" = None,
        on_event: "Callable[[ChatEvent], None] | None" = None,
        is_cancelled: Callable[[], bool] | None = None,
        now: TimeLike | None = None,
        timezone: str | None = None,
        spaces: Sequence[str] = (),
    ) -> "ChatReply":
        """Answer a message from the memory, and store both in a session (by default a new one).

        The message is kept before anything else; then a brief of what it finds, the last ten
        messages and the preferences go to the model, which may call tools. `sources` and
        `time_filter` exclude, for the model's own questions too. `tools` are typed functions of
        yours. `mode` and `model` override the settings'. `on_event` is called with text, calls and
        results as they come; where `is_cancelled` says yes, the turn ends and no answer is kept.
        `spaces` are read besides this one. Without a model the answer is cited lines, and says so.

        Raises:
            InvalidInput: An argument is out of range; nothing was kept.
            ModelError: The model failed; the message was kept, and no answer.
        """
        return api.chat.chat(
            self._opened, message, session_id=session_id, sources=sources, time_filter=time_filter,
            tools=tools, mode=mode, model=model, on_event=on_event, is_cancelled=is_cancelled,
            now=now, timezone=timezone, spaces=spaces,
        )  # fmt: skip

    # ── looking after ─────────────────────────────────────────────────────────────────────────────

    def stats(self) -> "SpaceStats":
        """Return counts and sizes of the space.

        Raises:
            NotFound: Nothing was ever written to it.
        """
        return self._opened.space_of_any_embedder.stats()

    def spaces(self) -> tuple[str, ...]:
        """Return the names of all spaces under this home, sorted."""
        return tuple(self._runtime.store.names())

    def doctor(self) -> tuple["Finding", ...]:
        """Return the findings of a quick check of the space.

        An erasure that was broken off is finished, of the space or of another one of the home.

        Raises:
            NotFound: Nothing was ever written to it.
        """
        return (*api.maintenance.doctor(self._opened), *api.keys.key_findings(self.keys))

    def verify(self) -> tuple["Finding", ...]:
        """Return the findings of a complete check of the space.

        `doctor` is the quick look. Both compare every page of the file with its checksum. This one
        compares every version with the hash that was written with it, too, every chunk with its
        item, and the index in memory and on disk with the rows.

        Raises:
            NotFound: Nothing was ever written to the space.
        """
        return api.maintenance.verify(self._opened)

    def scrub(
        self,
        *,
        go_on: Callable[[], bool] | None = None,
        every: timedelta | None = None,
    ) -> "Scrub | None":
        """Compare every page of the file with its checksum and return the result.

        When that was, and how many pages were damaged, is noted: `stats` says it. Others go on
        reading and writing. `go_on` is asked after each 256 pages (1 MiB) and may wait; where it
        says no, the look is broken off, nothing is noted and the answer is None. With `every`, no
        look is made where the last one is not as old as that: its time is the answer, and 0 pages.

        Raises:
            NotFound: Nothing was ever written to the space.
            StoreCorrupt: What the space says of itself cannot be read.
        """
        return api.maintenance.scrub(self._opened, go_on=go_on, every=every)

    def repair(self, *, backup: str | os.PathLike[str] | None = None) -> "RepairReport":
        """Rebuild the file of the space from all readable data; report what is lost.

        Everything derived that does not fit is made again, and what an erasure had to leave goes.
        A damaged file is kept aside. With `backup`, a copy of that file takes its place instead.
        Nobody else may have the space open.

        Raises:
            NotFound: There is no such space.
            InvalidInput: The backup is none, or is damaged itself.
            StoreBusy: Others have the space open; nothing was changed.
            StoreCorrupt: Nothing can be read of the file: put a backup in its place.
            WrongEmbedder: Vectors are to be made again, by another embedder than the configured.
        """
        return api.maintenance.repair(self._opened, backup=backup)

    def reembed(self, *, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Make all vectors again with the configured embedder; return the number of items.

        Raises:
            NotFound: Nothing was ever written to the space.
            EmbedderError: The model failed; the old vectors stay.
        """
        return api.maintenance.reembed(self._opened, on_progress=on_progress)

    def embed(self, **limits: Unpack["EmbedFields"]) -> "EmbedReport":
        """Make the vectors that imported items wait for, newest first; what is made stays made.

        Raises:
            EmbedderError: The model failed.
        """
        return api.maintenance.embed(self._opened, **limits)

    def compact(self, *, before: "StateLike | None" = None) -> "Compaction":
        """Remove history past its retention, shrink the file, and return a report.

        `before` is the oldest time or revision that is to stay askable; unless given, the
        setting `retention_days` says so, and where that is 0 all history stays.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: `before` is no time or revision, or the space has not reached it yet.
        """
        return api.maintenance.compact(self._opened, before=before)

    def erase(
        self,
        *item_ids: str,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        everything: bool = False,
        prove: bool = False,
        answers: bool = False,
    ) -> "ErasureReport":
        """Erase items permanently, by id or by filter, or the whole space; return a report.

        Every version goes, and all that is made of them or names them, from rows, index, log and
        free pages; no import brings them back, an explicit `add` does. A filter takes each item
        of which any version passes, memories of every status unless it names some: then nothing but
        memories, unless it names kinds, too. `prove` has another process search the files' bytes
        for what was erased. Answers of chats made with what goes may repeat its words: `answers`
        takes them along, else the report names them. What an earlier one left is finished.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: Not just one of ids, filter and everything is given, or the filter
                restricts nothing.
            StoreBusy: Another writer held the space past the time-out; nothing was erased.
        """
        return api.maintenance.erase(
            self._opened, item_ids, filter=filter, everything=everything, prove=prove,
            answers=answers,
        )  # fmt: skip

    def preview_erase(self, filter: FilterLike) -> tuple[str, ...]:  # noqa: A002  the word of the project
        """Return the ids that `erase` would erase by a filter; raises what it raises."""
        return api.maintenance.preview_erase(self._opened, filter)

    def erasure_mark(self) -> str:
        """Return a mark of the space that changes with each erasure, by any process.

        Whoever remembers something of the space compares marks before saying it again. Compaction
        and repair change it as well. Empty while the space is not there.
        """
        return api.asking.erasure_mark(self._opened)

    def export(self, path: str | os.PathLike[str] | BinaryIO) -> "ExportReport":
        """Export all user data of the space to a new file, or to a stream of bytes.

        In a folder, the file is called after the space. The format is documented, `import_` reads
        it, and what is derived is not in it.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: There is a file of that name.
            StoreFull: It cannot be written.
        """
        return api.transfer.export(self._opened, path)

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "BackupReport":
        """Copy the space to a new file, while others use it; return a report.

        `on_progress` is called with (done, all) pages. To restore it, see `repair`.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: There is a file of that name, or no such folder.
            StoreFull: There is no room, or no right to write there.
        """
        return api.transfer.backup(self._opened, path, on_progress=on_progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A memory's home, space and settings; its clock is `ahead_s` seconds ahead of the machine's.

    From it the spaces `shared` can be read, or all if that is None. Models are made again by the
    settings, and keys come by the environment. JSON can hold it.
    """

    home: str
    space: str
    settings: Settings
    ahead_s: float = 0.0
    shared: tuple[str, ...] | None = None

    @staticmethod
    def of(runtime: Runtime, *, space: str, shared: frozenset[str] | None) -> "Opening":
        """Return the arguments that open a space of a home in another process.

        Raises:
            InvalidInput: The home is in memory, or its embedder was handed in.
        """
        if runtime.is_in_memory:
            raise InvalidInput("home", "is in memory; another process cannot open it")
        if runtime.has_given_embedder:
            raise InvalidInput("embedder", "was handed in; another process cannot make it")
        home, ahead = str(runtime.path.absolute()), runtime.clock() - datetime.now(UTC)
        return Opening(
            home=home, space=space, settings=runtime.settings, ahead_s=ahead.total_seconds(),
            shared=None if shared is None else tuple(sorted(shared)),
        )  # fmt: skip

    def open(self) -> Memory:
        """Return the memory, opened in this process."""
        ahead = timedelta(seconds=self.ahead_s)
        opened = Memory(
            Path(self.home), space=self.space, settings=self.settings,
            clock=lambda: datetime.now(UTC) + ahead,
        )  # fmt: skip
        return opened.in_space(self.space, shared=self.shared)


class AsyncMemory(Awaitable[Memory]):
    """A memory with coroutine methods, of a `Memory` (`memory.aio`) or of the arguments of one.

    A call that was begun runs to its end even if its task is cancelled: a write is never half
    done. One that still waits for a thread is not begun any more. `async with` closes the memory.
    """

    def __init__(
        self,
        plain: Memory | str | os.PathLike[str] = DEFAULT_HOME,
        **opening: Unpack["MemoryFields"],
    ) -> None:
        super().__init__(plain if isinstance(plain, Memory) else Memory(plain, **opening))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def background(self) -> "AsyncBackgrounds":
        """The background of each collection: put, get, history, delete, best."""
        return api.aio.AsyncBackgrounds(self._plain.background)

    @property
    def surrogates(self) -> "AsyncSurrogates":
        """Surrogates (summaries) of long items: build, build_in_background, get."""
        return api.aio.AsyncSurrogates(self._plain.surrogates)

    @property
    def proposals(self) -> "AsyncProposals":
        """Proposals: make, propose, list, get, accept, reject, undo."""
        return api.aio.AsyncProposals(self._plain.proposals)

    @property
    def entities(self) -> "AsyncEntities":
        """Entities: called, it lists them, most frequent first; merge, rename, alias."""
        return api.aio.AsyncEntities(self._plain.entities)

    @property
    def sessions(self) -> "AsyncSessions":
        """Sessions: create, list, get, messages, last, add, forget."""
        return api.aio.AsyncSessions(self._plain.sessions)

    @property
    def preferences(self) -> "AsyncPreferences":
        """Preferences: list, get, set, infer, forget."""
        return api.aio.AsyncPreferences(self._plain.preferences)

    @property
    def keys(self) -> "AsyncKeys":
        """The keys of the home: create, list, revoke, check, exist, note, audit."""
        return api.aio.AsyncKeys(self._plain.keys)

    def chat_stream(
        self, message: str, **arguments: Unpack["ChatFields"]
    ) -> "AsyncGenerator[ChatEvent | ChatReply, None]":
        """Yield the events of a chat turn, then its `ChatReply`; who leaves ends it. See `chat`."""
        return api.threads.chat_stream(self.chat, message, **arguments)

    if TYPE_CHECKING:  # overloads are lost where a verb is made of another

        @overload
        async def add(  # type: ignore[overload-overlap]  # a text is not meant as its letters
            self, content: str, **fields: Unpack[ItemFields]
        ) -> Outcome: ...

        @overload
        async def add(self, content: Item) -> Outcome: ...

        @overload
        async def add(
            self, content: Iterable[str | Item], **fields: Unpack[ItemFields]
        ) -> tuple[Outcome, ...]: ...

        async def add(
            self, content: str | Item | Iterable[str | Item], **fields: Unpack[ItemFields]
        ) -> Outcome | tuple[Outcome, ...]:
            """Add one text or item, or many in one transaction; see `Memory.add`."""

    else:
        add = make_coroutine(Memory.add)

    write = make_coroutine(Memory.write)
    forget = make_coroutine(Memory.forget)
    record_usage = make_coroutine(Memory.record_usage)
    import_ = make_coroutine(Memory.import_)
    import_log = make_coroutine(Memory.import_log)
    set_owner = make_coroutine(Memory.set_owner)
    watch = make_coroutine(Memory.watch)
    search = make_coroutine(Memory.search)
    story = make_coroutine(Memory.story)
    brief = make_coroutine(Memory.brief)
    explain = make_coroutine(Memory.explain)
    receipts = make_coroutine(Memory.receipts)
    replay = make_coroutine(Memory.replay)
    diff = make_coroutine(Memory.diff)
    engagement = make_coroutine(Memory.engagement)
    list = make_coroutine(Memory.list)
    counts = make_coroutine(Memory.counts)
    agenda = make_coroutine(Memory.agenda)
    close = make_coroutine(Memory.close)
    erasure_mark = make_coroutine(Memory.erasure_mark)
    search_across = make_coroutine(Memory.search_across)
    chat = make_coroutine(Memory.chat)
    retrieve = make_coroutine(Memory.retrieve)
    remember = make_coroutine(Memory.remember)
    update = make_coroutine(Memory.update)
    get = make_coroutine(Memory.get)
    history = make_coroutine(Memory.history)
    restore = make_coroutine(Memory.restore)
    compact = make_coroutine(Memory.compact)
    stats = make_coroutine(Memory.stats)
    spaces = make_coroutine(Memory.spaces)
    doctor = make_coroutine(Memory.doctor)
    embed = make_coroutine(Memory.embed)
    reembed = make_coroutine(Memory.reembed)
    erase = make_coroutine(Memory.erase)
    export = make_coroutine(Memory.export)
    backup = make_coroutine(Memory.backup)
    verify = make_coroutine(Memory.verify)
    scrub = make_coroutine(Memory.scrub)
    repair = make_coroutine(Memory.repair)
    preview_erase = make_coroutine(Memory.preview_erase)
