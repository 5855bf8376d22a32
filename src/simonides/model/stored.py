"""Records between engine and store: prepared items, outcomes, surrogates, usage, backgrounds.

Knows shapes. Must not know how an item was analysed or embedded, how a surrogate is made, nor how
any of it is stored.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from simonides.model.filter import Filter
from simonides.model.item import Item, Role
from simonides.model.result import Result


class Tier(StrEnum):
    """The length of a surrogate."""

    FULL = "full"
    GIST = "gist"
    MICRO = "micro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrogate(Result):
    """Shorter texts for one version of one item.

    `item_key` names the version, `source_hash` is the item's digest when they were made: where
    it differs from the item's, the surrogate is stale and is never served. `algorithm` and
    `version` say how they were made.
    """

    item_key: int
    algorithm: str
    version: int
    source_hash: bytes
    full: str
    gist: str
    micro: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritten(Result):
    """An item whose surrogate could not be written, and the reason."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogatesBuilt(Result):
    """The report of a build of surrogates.

    Of the items that are long enough to have one, `built` have a new one, `up_to_date` had theirs,
    `left` were not come to, and `unwritten` still have none. The four add up to all of them, if
    nobody else writes meanwhile.
    """

    built: int = 0
    up_to_date: int = 0
    left: int = 0
    unwritten: tuple[Unwritten, ...] = ()
    took_s: float = 0.0


class Engaged(StrEnum):
    """The way a person or an answer used an item. Being found is no usage."""

    USED = "used"
    CITED = "cited"
    OPENED = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement(Result):
    """How often an item was used, and when last (aware UTC)."""

    count: int
    last_at: datetime


UNICODE_VERSION = "14.0"
"""The version of Unicode that all analysis follows (`text.unicode_version`)."""

ANALYSIS_VERSION = 6
"""How texts become terms, chunks and mentions; grows when the same text gives others.

1: addresses of people were folded like names, so that look-alike ones were one. 2: they are kept
apart. 3: a project is one entity however it is written, and greetings, roles and words of the clock
are none. 4: words are also found without their accents, and numbers without separators. 5: times
and the time zone in metadata are no words of an item; Turkish words are cut to five letters. 6: the
last words of compounds that are written as one word are terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The version of text analysis, which is stored with a space."""

    version: int = ANALYSIS_VERSION
    unicode: str = UNICODE_VERSION

    def __str__(self) -> str:
        """Return the version as findings name it."""
        return f"analysis {self.version} with Unicode {self.unicode}"


FIRST_ANALYSIS = Analysis(version=1, unicode="14.0")
"""That of spaces which record none."""


class EntityKind(StrEnum):
    """The kind of an entity."""

    PERSON = "person"
    PROJECT = "project"
    ISSUE = "issue"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One place where an entity occurs in an item.

    `entity` is the entity's id (`person:sarah@example.com`, `person:~sarah`, `issue:ALPHA-7`);
    `name` the words used there. There is no table of entities: an entity is what its mentions
    say, so erasing items erases it.
    """

    entity: str
    kind: EntityKind
    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChunk:
    """One chunk, analysed and embedded.

    `start` and `stop` are character offsets into the item's content. `terms` is a packed term
    list (`text.terms.pack`), `length` the sum of its counts, `vector` int8[dimension] as bytes,
    empty without an embedder, and where it is made later: then the chunk waits for it. `words`
    counts the words of the chunk's own text; `dated` says that it holds an expression of time.
    `embedded` is the revision at which the vector came after its item; None where both came
    together, and for a chunk that waits.
    """

    start: int
    stop: int
    words: int
    dated: bool
    length: int
    terms: bytes
    vector: bytes
    embedded: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LateVector:
    """The vector of a chunk that waits for it: int8[dimension] as bytes."""

    item_key: int
    ordinal: int
    vector: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An item ready to commit; `digest` is over all fields that a caller can set."""

    item: Item
    digest: bytes
    chunks: tuple[PreparedChunk, ...]
    mentions: tuple[Mention, ...]


class Change(StrEnum):
    """The effect of a write on one item."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FORGOTTEN = "forgotten"
    """It was forgotten before, and the write did not ask to bring it back: nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Result):
    """The outcome of a write for one item, with the space's revision after it."""

    id: str
    change: Change
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """The identity of an embedder; only vectors of equal identity are comparable.

    `dimension` 0 means that no vectors are made. `window_words` is about how many words the
    model reads at once; chunks are sized by it. `quantiser` names how float vectors became int8.
    """

    model: str
    dimension: int
    window_words: int
    quantiser: str


NO_EMBEDDER = EmbedderIdentity(model="none", dimension=0, window_words=180, quantiser="none")
"""The identity of a space without vectors."""


MAIN = "main"
"""The collection of what names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Result):
    """One background snapshot: the whole text of a collection's background from `created_at` on.

    `id` is derived from collection, time and text; `created_at` is aware UTC, `revision` that of
    the space after the write.
    """

    id: str
    collection: str
    text: str
    created_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBackground:
    """A snapshot ready to commit; `terms` is a packed term list (`text.terms.pack`)."""

    id: str
    collection: str
    text: str
    terms: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundPage(Result):
    """One page of snapshots, latest first; `cursor` asks for the next and is empty at the end."""

    snapshots: tuple[Background, ...]
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredBackground(Result):
    """A snapshot that shares words with a question; `score` in (0, 1], higher is better."""

    score: float
    background: Background


def background_collection(wanted: Filter) -> str:
    """Return the collection of a search's background: the only one in the filter, or `main`."""
    named = set(wanted.collections)
    return named.pop() if len(named) == 1 else MAIN
