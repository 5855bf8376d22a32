"""LangChain: a retriever, the history of a chat, and a vector store."""

from collections.abc import Iterable, Sequence
from typing import Any, Self
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import (
    BaseMessage,
    ChatMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict

from simonides import FilterLike, Hit, Item, Kind, Memory
from simonides.errors import InvalidInput, NotFound
from simonides.model.bounds import check_json
from simonides_integrations.items import (
    NO_TEXT,
    describe,
    ids_to_replace,
    own_ids,
    question_of,
)
from simonides_integrations.transcript import Said, Transcript, text_of

SOURCE = "langchain"
METADATA = "_langchain"

SPEAKERS = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant"}
"""Who speaks in a message of this kind; instructions and the output of tools nobody says."""


class SimonidesRetriever(BaseRetriever):
    """The hits of a search as documents, best first.

    `k` is how many at most, and may be given to `invoke`, too. With `budget_tokens` it is one
    document: the brief of so many tokens, made to be put into a prompt as it stands.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Any
    k: int = 10
    budget_tokens: int | None = None
    filter: Any = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  LangChain hands it over
        k: int | None = None,
    ) -> list[Document]:
        question = question_of(query)
        if not question:
            return []
        if self.budget_tokens is not None:
            brief = self.memory.brief(
                question, budget_tokens=self.budget_tokens, filter=self.filter
            )
            return [Document(brief.text, metadata={"tokens": brief.tokens})] if brief.text else []
        hits = self.memory.search(question, limit=self.k if k is None else k, filter=self.filter)
        return [_find(hit) for hit in hits]


class SimonidesChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation, kept whole; what the user and the model said is found."""

    def __init__(self, session_id: str, memory: Memory) -> None:
        self.session_id = session_id
        self._transcript = Transcript(memory, session_id, form=SOURCE)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a field there
        """The messages, oldest first."""
        return messages_from_dict(self._transcript.records())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        self._transcript.append(map(_say, messages))

    def clear(self) -> None:
        """Forget the messages of this conversation."""
        self._transcript.clear()


class SimonidesVectorStore(VectorStore):
    """Documents in a `Memory`: found by meaning, words, names and time, not by a vector alone.

    The memory embeds by itself; an `embedding` that is handed in is not needed and not called.
    """

    def __init__(self, memory: Memory, *, filter: FilterLike | None = None) -> None:  # noqa: A002  the word of the project
        self.memory, self.filter = memory, filter

    @classmethod
    def from_texts(  # type: ignore[override]  # the memory is named
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,  # noqa: ARG003  the memory embeds
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        memory: Memory,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
    ) -> Self:
        """Return a store of this memory, with the texts added."""
        store = cls(memory, filter=filter)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        **given: Any,
    ) -> Self:
        """Return a store of this memory, with the texts added, from a thread."""
        return await run_in_executor(None, cls.from_texts, texts, embedding, metadatas, **given)

    @classmethod
    def from_documents(
        cls, documents: list[Document], embedding: Embeddings | None = None, **given: Any
    ) -> Self:
        """Return a store of this memory, with the documents added."""
        return super().from_documents(documents, embedding, **given)  # type: ignore[arg-type]

    @classmethod
    async def afrom_documents(
        cls, documents: list[Document], embedding: Embeddings | None = None, **given: Any
    ) -> Self:
        """Return a store of this memory, with the documents added, from a thread."""
        return await super().afrom_documents(documents, embedding, **given)  # type: ignore[arg-type]

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **_: Any,
    ) -> list[str]:
        """Add texts in one transaction and return their ids; a text with a known id replaces it.

        Raises:
            InvalidInput: An id is that of an item of another source, metadata are no JSON, as a
                date is none, or there are not as many of them, or of ids, as texts.
        """
        listed = list(texts)
        about, names = metadatas or [{}] * len(listed), ids or [None] * len(listed)
        if not len(about) == len(names) == len(listed):
            problem = f"there are {len(listed)} texts, {len(about)} metadatas and {len(names)} ids"
            raise InvalidInput("texts", problem)
        for one in about:
            check_json(one, field="metadata")
        named = [one or uuid4().hex for one in names]
        ids_to_replace(self.memory, filter(None, ids or ()), source=SOURCE)
        self.memory.add(
            [
                Item(
                    kind=Kind.DOCUMENT,
                    content=text,
                    title="" if text.strip() else NO_TEXT,
                    id=name,
                    source=SOURCE,
                    source_id=name,
                    metadata={**_select_indexed(metadata), METADATA: metadata},
                )
                for text, metadata, name in zip(listed, about, named, strict=True)
            ]
        )
        return named

    def add_documents(self, documents: list[Document], **given: Any) -> list[str]:
        """Add documents in one transaction and return their ids."""
        ids = given.pop("ids", None) or [one.id for one in documents]
        return self.add_texts(
            [one.page_content for one in documents],
            [one.metadata for one in documents],
            ids=ids,
        )

    async def aadd_documents(self, documents: list[Document], **given: Any) -> list[str]:
        """Add documents in one transaction and return their ids, from a thread."""
        return await run_in_executor(None, self.add_documents, documents, **given)

    def similarity_search(self, query: str, k: int = 4, **given: Any) -> list[Document]:
        """Return the documents found, best first."""
        return [found for found, _ in self.similarity_search_with_score(query, k, **given)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **given: Any
    ) -> list[tuple[Document, float]]:
        """Return the documents found with their relevance in [0, 1], best first."""
        question, wanted = question_of(query), given.get("filter") or self.filter
        hits = self.memory.search(question, limit=k, filter=wanted).hits if question else ()
        return [(_find(hit), hit.relevance) for hit in hits]

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these ids that are there, in this order."""
        found = []
        for one in ids:
            try:
                found.append(_document(self.memory.get(one)))
            except NotFound:
                continue
        return found

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:
        """Forget documents; what is not there, or of another source, is passed over."""
        if ids is None:
            raise NotImplementedError("name the ids of what is to be forgotten")
        own = own_ids(self.memory, ids, source=SOURCE)
        if own:
            self.memory.forget(*own)
        return True

    def _select_relevance_score_fn(self) -> Any:
        return float  # a relevance is one already


def _say(message: BaseMessage) -> Said:
    kind = message.type.removesuffix("MessageChunk")
    name = message.role if isinstance(message, ChatMessage) else kind
    speaker = SPEAKERS.get(name.lower())
    text = text_of(message.content) if speaker else ""
    return Said(record=message_to_dict(message), text=text, is_user=speaker == "user")


def _select_indexed(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that can be filtered on under its own name."""
    return {
        name: value
        for name, value in metadata.items()
        if isinstance(value, str | int | float | bool) and not name.startswith("_")
    }


def _find(hit: Hit) -> Document:
    document = _document(hit.item)
    if METADATA not in hit.item.metadata:
        document.metadata |= {"score": hit.score, "relevance": hit.relevance}
    return document


def _document(item: Item) -> Document:
    """Return a document as it came, and any other item with its fields as metadata."""
    if METADATA in item.metadata:
        return Document(item.content, id=item.id, metadata=dict(item.metadata[METADATA]))
    about = {"id": item.id, **describe(item)}
    return Document(item.content or item.title, id=item.id, metadata=about)
