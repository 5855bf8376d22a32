"""`Memory`: one space of a person's or a team's memory, and the verbs on it.

Two ways lead through it. A write: `add` → `keeping.keep`. A question: `search` →
`retrieval.search`, and `brief` on top of it → `context.assemble`. It decides nothing itself;
heavy rooms are imported when first entered, so that `import simonides` costs nothing.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from simonides.api.access import AccessMixin
from simonides.api.arguments import (
    as_item,
    as_state,
    check_limit,
    check_texts,
    expanded,
    question,
    with_times,
)
from simonides.api.chat import ChatMixin
from simonides.api.fields import BriefFields, StateLike
from simonides.api.history import HistoryMixin
from simonides.api.maintenance import MaintenanceMixin
from simonides.api.runtime import Runtime
from simonides.config import Settings, load
from simonides.errors import InvalidInput
from simonides.model.answer import (
    Diagnostics,
    Entity,
    ImportProgress,
    ImportReport,
    Mode,
    Page,
    Plan,
    Query,
    Scorer,
    SearchResult,
)
from simonides.model.bounds import shown
from simonides.model.brief import Brief, ContextConfig, Explained, Receipt, ReceiptDiff, Replay
from simonides.model.compose import one_of
from simonides.model.filter import FilterLike, as_filter
from simonides.model.item import Item, ItemFields, Trust
from simonides.model.stored import Engaged, Engagement, Outcome
from simonides.model.times import TimeLike

if TYPE_CHECKING:
    from simonides.api.aio import AsyncMemory
    from simonides.api.background import Backgrounds
    from simonides.api.briefs import Briefs, Budgeted
    from simonides.api.opening import Opening
    from simonides.api.surrogates import Surrogates
    from simonides.ports.chat import ChatModel, WorkingMemory
    from simonides.ports.embedder import Clock, Embedder
    from simonides.ports.space import Space

DEFAULT_HOME = "~/.simonides"
DEFAULT_SPACE = "default"
IN_MEMORY = ":memory:"
"""The home of a memory that leaves nothing on disk."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Memory(AccessMixin, ChatMixin, HistoryMixin, MaintenanceMixin):
    """Keeps, finds and briefs. Safe to use from several threads; close it, or use `with`.

    Args:
        home: The directory of all spaces; made with the first write. `":memory:"` is a private
            one that is gone once the memory is closed, or the process has ended.
        space: The space that the verbs work on; it comes into being with its first write.
        settings: Overrides config.toml and the environment (`SIMONIDES_*`).
        embedder: Overrides the one that the settings name.
        chat_model: Overrides the one that the settings name; whoever hands it in closes it.
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
        working: "WorkingMemory | None" = None,
    ) -> None:
        path = None if home == IN_MEMORY else expanded(home, field="home")
        check_texts(space, field="space")
        self._space_name = space
        self._parts = Runtime(
            path,
            settings=settings or load(path, os.environ),
            embedder=embedder,
            clock=clock or _utc_now,
            chat_model=chat_model,
            working=working,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        home = IN_MEMORY if self._parts.is_in_memory else str(self._parts.home)
        return f"Memory({home!r}, space={self._space_name!r})"

    @property
    def space(self) -> str:
        """The name of the space that the verbs work on."""
        return self._space_name

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def opening(self) -> "Opening":
        """What another process has to be told to open the same memory.

        Raises:
            InvalidInput: It is in memory, or works with an embedder that was handed in.
        """
        from simonides.api.opening import opening_of

        return opening_of(self._parts, space=self._space_name)

    @property
    def aio(self) -> "AsyncMemory":
        """The same verbs as coroutines, run in a bounded pool of threads."""
        from simonides.api.aio import AsyncMemory

        return AsyncMemory(self)

    @property
    def background(self) -> "Backgrounds":
        """The background of each collection: put, get, history, delete, best."""
        from simonides.api.background import Backgrounds

        return Backgrounds(self._parts, self._space_name, reading=self._reading)

    @property
    def surrogates(self) -> "Surrogates":
        """Shorter stand-ins of long items, built ahead: build, build_in_background, get."""
        from simonides.api.surrogates import Surrogates

        return Surrogates(self._parts, reading=self._reading)

    def in_space(self, name: str) -> "Memory":
        """Return a memory of another space that shares this one's store, models and caches."""
        other = object.__new__(Memory)
        other._space_name = name
        other._parts = self._parts
        return other

    # ── writing ──────────────────────────────────────────────────────────────────────────────

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
        """Keep one text or item, or many in one transaction; durable when it returns.

        Fields apply to texts: kind, source, source_id, id, title, summary, tags, people, metadata,
        collection, session, position, happened_at, language, traits (see `Item`).

        Returns:
            The `Outcome` of one, or a tuple of outcomes of many, in their order.

        Raises:
            InvalidInput: A field is unknown or out of range; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        if isinstance(content, Mapping):
            raise InvalidInput("content", "must be text or an Item, got an object; use add(**it)")
        described = with_times(fields, timezone=self._timezone)
        if isinstance(content, str | Item):
            return self._keep([as_item(content, described)])[0]
        if not isinstance(content, Iterable):
            raise InvalidInput("content", f"must be text or an Item, got {shown(content)}")
        return self._keep([as_item(one, described) for one in content])

    def forget(self, *item_ids: str, if_version: int | None = None) -> tuple[str, ...]:
        """Take items out of the present and return the ids that were there.

        No lane finds them any more and no import brings them back; an explicit `add` does. With
        `if_version` nothing is taken unless that version is present.

        Raises:
            Conflict: Another version is present than `if_version`.
        """
        check_texts(*item_ids, field="item_ids")
        expected = {} if if_version is None else dict.fromkeys(item_ids, if_version)
        with self._reading() as space:
            if space is None:
                return ()
            gone = space.forget(item_ids, at=self._parts.clock(), expected=expected)
            self._parts.tend(space)
            return gone

    def engage(self, *item_ids: str, how: Engaged | str = Engaged.USED) -> tuple[str, ...]:
        """Note that items were `used`, `cited` or `opened`, and return the ids that were there.

        Only this makes an item important to a dense brief; being found never does.

        Raises:
            InvalidInput: `how` is another.
        """
        check_texts(*item_ids, field="item_ids")
        kind = one_of(Engaged, how, field="how")
        with self._reading() as space:
            at = self._parts.clock()
            return () if space is None else space.engage(item_ids, how=kind, at=at)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        source: str = "",
        trust: Trust | str | None = None,
        on_progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """Import mail (mbox, eml, Maildir), folders of Markdown or text, and chats (JSON Lines).

        Streams with constant memory. Importing the same again changes nothing, and an import
        that was broken off goes on where it was. What was forgotten stays forgotten. `trust` is
        how far what is read may be trusted, unless it says less of itself.

        Raises:
            InvalidInput: `trust` is no level.
            ImportFailed: The path cannot be read, or holds nothing that can be imported.
        """
        from simonides.importers.run import import_path
        from simonides.maintenance.import_export import is_export

        given = expanded(path, field="path")
        if is_export(given):
            return self._import_export(given, on_progress=on_progress)
        return import_path(
            given,
            source=source,
            trust=None if trust is None else one_of(Trust, trust, field="trust"),
            keep=lambda items: self._keep(items, revive=False),
            on_progress=on_progress,
        )

    # ── asking ───────────────────────────────────────────────────────────────────────────────

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
        as_of: StateLike | None = None,
    ) -> SearchResult:
        """Return what answers a question, best first, each hit with its explanation.

        A space that nothing was written to yet gives no hits and says so in the diagnostics.
        `as_of` asks the space as it was at a time or at a revision.

        Raises:
            HistoryGone: That state was compacted away.
            InvalidInput: An argument is out of range.
            EmbedderError: Mode `vector`, and the question could not be embedded.
        """
        asked = self._asked(
            query,
            {
                "limit": limit, "mode": mode, "scorer": scorer, "filter": filter, "now": now,
                "timezone": timezone, "session_id": session_id, "min_score": min_score,
                "as_of": as_of,
            },
        )  # fmt: skip
        return self._search(asked)

    def brief(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        budget_words: int | None = None,
        preset: str = "brief",
        config: ContextConfig | None = None,
        keep_receipt: bool = False,
        **arguments: Unpack[BriefFields],
    ) -> Brief:
        """Return the context for a question, rendered and within a hard budget, with a receipt.

        The budget is in tokens (the preset's unless given: 1500) or in words, for the whole text.
        The other arguments are the fields of `ContextConfig` (`layout`,
        `context_mode`, `items_max`, `trust_min`, …), which override the preset's or `config`'s,
        and those of `search` but `limit`: that is `top_k` here. `keep_receipt` keeps the receipt
        in the space.

        Raises:
            InvalidInput: An argument is out of range, or both budgets are given.
        """
        asked: dict[str, Any] = {**arguments}
        how = self._budgeted(asked, budget_tokens, budget_words, preset, config)
        made = self._briefs(explained=how.config.why)
        brief = made.brief(query, how, asked)
        if keep_receipt:
            made.keep(brief)
        return brief

    def explain(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        budget_words: int | None = None,
        preset: str = "brief",
        config: ContextConfig | None = None,
        **arguments: Unpack[BriefFields],
    ) -> Explained:
        """Return why a brief is as it is: plan, lanes, contributions, tiers, budget, and what more.

        Takes what `brief` takes and raises what it raises.
        """
        asked: dict[str, Any] = {**arguments}
        how = self._budgeted(asked, budget_tokens, budget_words, preset, config)
        return self._briefs().explain(query, how, asked)

    def replay(self, receipt: Receipt | str) -> Replay:
        """Return the brief of a receipt, built again byte for byte, or what has changed.

        `receipt` may be its JSON, or the id of one that was kept. What can change is an item
        erased, its history compacted, the engine replaced.

        Raises:
            NotFound: No receipt of that id is kept.
            InvalidInput: It is no receipt, or one of another space or format.
        """
        return self._briefs().replay(receipt)

    def diff(self, before: Receipt | str, after: Receipt | str) -> ReceiptDiff:
        """Return why two briefs differ, by their receipts, the JSON of these, or ids of kept ones.

        Raises:
            NotFound: No receipt of that id is kept.
            InvalidInput: One is no receipt.
        """
        return self._briefs().diff(before, after)

    def engagement(self, item_id: str, /) -> Engagement | None:
        """Return how often an item was engaged with and when last; None where it never was."""
        check_texts(item_id, field="item_id")
        with self._reading() as space:
            if space is None:
                return None
            with space.read() as reader:
                return reader.engagements([item_id]).get(item_id)

    def list(
        self,
        *,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        limit: int = 50,
        cursor: str = "",
        as_of: StateLike | None = None,
    ) -> Page:
        """Return a page of items, newest first; hand its cursor in again for the next one.

        `as_of` lists what was kept at a time or at a revision.

        Raises:
            HistoryGone: That state was compacted away.
            InvalidInput: The limit or the cursor is malformed.
        """
        from simonides.retrieval.listing import list_items

        wanted = as_filter(filter, timezone=self._timezone)
        state = as_state(as_of, timezone=self._timezone)
        with self._reading() as space:
            if space is None:
                return Page(items=())
            return list_items(
                wanted, limit=limit, cursor=cursor, as_of=state,
                space=space, space_view=self._parts.view(space),
                now=self._parts.clock(),
            )  # fmt: skip

    def entities(self, *, name: str = "", limit: int = 50) -> tuple[Entity, ...]:
        """Return the people, projects, issues and topics mentioned, most often first."""
        from simonides.entities.extract import summarise

        check_limit(limit)
        check_texts(name, field="name")
        with self._reading() as space:
            if space is None:
                return ()
            with space.read() as reader:
                return summarise(reader.mention_rows(0), name=name)[:limit]

    def close(self) -> None:
        """Fold every log in and let go of all files, those of `in_space` too.

        Closing twice is no error, and the next verb opens again. What was in memory is gone.
        """
        self._parts.close()

    # ── within ───────────────────────────────────────────────────────────────────────────────

    def _keep(self, items: Sequence[Item], *, revive: bool = True) -> tuple[Outcome, ...]:
        from simonides.ingest.keep import keep

        if not items:
            return ()
        space = self._parts.store.open(self._space_name, embedder=self._parts.identity, create=True)
        kept = keep(items, space=space, preparer=self._parts.preparer(),
                    stored_at=self._parts.clock(), revive=revive)  # fmt: skip
        self._parts.tend(space)
        return kept

    def _search(self, asked: Query, *, explained: bool = True) -> SearchResult:
        from simonides.retrieval.search import check, search

        check(asked)
        with self._reading() as space:
            if space is None:
                return self._nothing_yet(asked)
            return search(
                asked,
                space=space,
                space_view=self._parts.view(space),
                embedder=self._parts.embedder,
                owner=self.settings.owner,
                language=self.settings.language,
                explained=explained,
            )

    def _nothing_yet(self, asked: Query) -> SearchResult:
        note = f"space {self._space_name!r} holds nothing yet"
        diagnostics = Diagnostics(
            revision=0, mode_requested=asked.mode, mode_used=asked.mode, scorer=asked.scorer,
            notes=(note,),
        )  # fmt: skip
        return SearchResult(hits=(), plan=Plan(), diagnostics=diagnostics)

    def _asked(self, text: str, given: Mapping[str, Any]) -> Query:
        """Return the question that the arguments of `search` make."""
        return question(text, given, clock=self._parts.clock, timezone=self._timezone)

    def _briefs(self, *, explained: bool = True) -> "Briefs":
        """Return the verbs on briefs; their searches say what scores are made of if `explained`."""
        from simonides.api.briefs import Briefs

        return Briefs(
            space=self._space_name, settings=self.settings, embedder=self._parts.identity.model,
            clock=self._parts.clock, ask=self._asked, reading=self._reading, writing=self._writing,
            search=partial(self._search, explained=explained),
        )  # fmt: skip

    def _writing(self) -> "Space":
        """Open the space for writing: it comes into being where it is not there."""
        return self._parts.store.open(self._space_name, embedder=self._parts.identity, create=True)

    def _budgeted(self, arguments: dict[str, Any], *how: Any) -> "Budgeted":
        from simonides.api.briefs import budgeted

        tokens, words, preset, config = how
        return budgeted(
            arguments, settings=self.settings, tokens=tokens, words=words, preset=preset,
            config=config,
        )  # fmt: skip
