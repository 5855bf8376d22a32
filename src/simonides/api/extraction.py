"""Memories that the language model finds in new messages, in a thread of its own.

It decides nothing itself: `assistant.fact_extraction` asks the model, `memories.extract` keeps what
it proposes, `memories.proposals` accepts it. A message never waits for that, and is kept whatever
becomes of it.
"""

import logging
import threading
from collections.abc import Sequence
from time import monotonic

from simonides.api.model_factories import require_chat_model
from simonides.assistant.fact_extraction import SLOTS_MAX, ModelExtractor
from simonides.assistant.sessions import last_messages
from simonides.assistant.turn import never
from simonides.errors import InvalidInput, SimonidesError
from simonides.index.open_space import Home, OpenSpace
from simonides.memories import extract as reading
from simonides.memories import proposals as deciding
from simonides.memories.rules import RuleExtractor
from simonides.model.chat_role import ChatRole
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind, Trust
from simonides.model.metadata_keys import ASKS_KEY
from simonides.ports.memories import Extractor
from simonides.ports.models import ChatModel, IsCancelled
from simonides.retrieval.listing import list_items

LOG = logging.getLogger("simonides.memories")

CONTEXT_MESSAGES = 6
"""Messages before the new ones that the model is shown: what "there" and "she" lean on."""

CLOSE_WAIT_S = 10.0
"""How long closing waits for what is being read; what is left then can be read by hand."""

THREAD = "simonides-extraction"
"""The name of the thread."""

BY_HAND = "`simonides proposals make --by model` reads what was left"


def extractor_named(name: str, opened: OpenSpace) -> Extractor:
    """Return the extractor `rules`, or `model`: the configured language model.

    Raises:
        InvalidInput: There is none of that name, or no model is configured.
    """
    if name == "rules":
        return RuleExtractor(opened.settings.owner)
    if name != "model":
        raise InvalidInput("by", f"must be rules or model, got {name!r}")
    return _asking(require_chat_model(opened.home, field="by"), opened)


def _asking(
    model: ChatModel,
    opened: OpenSpace,
    *,
    context: Sequence[Item] = (),
    is_cancelled: IsCancelled = never,
) -> ModelExtractor:
    return ModelExtractor(
        model=model, timezone=opened.timezone, timeout_s=opened.settings.chat_timeout_s,
        slots=_slots(opened), context=context, is_cancelled=is_cancelled,
    )  # fmt: skip


def _slots(opened: OpenSpace) -> tuple[str, ...]:
    """Return the entities of the latest memories, each once."""
    page = list_items(Filter(kinds=(Kind.MEMORY,)), opened, limit=SLOTS_MAX, cursor="")
    entities = (one.traits.entity for one in page.items if one.traits)
    return tuple(dict.fromkeys(filter(None, entities)))


class ExtractionQueue:
    """New messages that the language model has yet to read, of all spaces of one home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str], tuple[OpenSpace, list[str]]] = {}
        self._thread: threading.Thread | None = None
        self._until: float | None = None

    def put(self, opened: OpenSpace, session: str, ids: Sequence[str]) -> None:
        """Queue messages of a session; those of one that waits already are read with it."""
        with self._lock:
            self._waiting.setdefault((opened.name, session), (opened, []))[1].extend(ids)
            if self._thread is None:
                self._until = None
                self._thread = threading.Thread(target=self._run, name=THREAD, daemon=False)
                self._home.begin_work(self._end)
                self._thread.start()

    def wait(self, timeout_s: float | None) -> bool:
        """Return whether all was read within `timeout_s` seconds (None: however long it takes)."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            opened, ids = taken
            try:
                self._read(opened, ids)
            except SimonidesError as error:
                LOG.warning("new messages not read: %d (%s); %s", len(ids), error, BY_HAND)
            except Exception as error:  # noqa: BLE001  the thread has to live on
                LOG.error("messages were not read: %s", type(error).__name__)  # noqa: TRY400  as said
        self._home.end_work(self._end)

    def _take(self) -> tuple[OpenSpace, list[str]] | None:
        with self._lock:
            if self._is_over() and self._waiting:
                LOG.warning("closed before new messages were read; %s", BY_HAND)
                self._waiting.clear()
            if not self._waiting:
                self._thread = None
                return None
            return self._waiting.pop(next(iter(self._waiting)))

    def _is_over(self) -> bool:
        return self._until is not None and monotonic() >= self._until

    def _end(self) -> None:
        self._until = monotonic() + CLOSE_WAIT_S
        self.wait(None)

    def _read(self, opened: OpenSpace, ids: Sequence[str]) -> None:
        """Let the model read messages of one session, and do with its proposals as is set."""
        model, items = opened.home.chat_model, _present(ids, opened)
        if model is None or not any(map(_may_state, items)):
            return
        extractor = _asking(
            model, opened, context=_before(items, opened), is_cancelled=self._is_over
        )
        made = reading.extract(extractor, items, opened)
        if opened.settings.extraction == "accept":
            for one in made.proposed:
                if deciding.evidence_trust(one.proposed.evidence, opened) is Trust.OWN:
                    deciding.accept(one.id, opened)


def _present(ids: Sequence[str], opened: OpenSpace) -> list[Item]:
    """Return the items of ids that are still there."""
    with opened.space.read() as reader:
        found = (reader.item(one) for one in dict.fromkeys(ids))
        return [one for one in found if one is not None]


def _may_state(item: Item) -> bool:
    """Return whether a message may state a fact: somebody's, and more than a question."""
    is_assistant = item.author is not None and item.author.name == ChatRole.ASSISTANT
    return not is_assistant and ASKS_KEY not in item.metadata


def _before(items: Sequence[Item], opened: OpenSpace) -> tuple[Item, ...]:
    """Return the messages of a session before the first of these."""
    session, new = items[0].session, {one.id for one in items}
    if not session:
        return ()
    last = last_messages(session, CONTEXT_MESSAGES + len(new), opened)
    before = [one for one in last if one.id not in new]
    return tuple(before[-CONTEXT_MESSAGES:])
