"""Haystack: a document store, and the retriever of a pipeline."""

from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.utils.filters import document_matches_filter

from simonides import Filter, Item, Kind, Memory
from simonides.api.paging import each_item
from simonides.model.bounds import check_json
from simonides_integrations.items import (
    NO_TEXT,
    describe,
    ids_to_replace,
    own_ids,
    question_of,
)

SOURCE = "haystack"
DOCUMENT = "_document"


class SimonidesDocumentStore:
    """Documents in the space of a home, kept whole and found by meaning, words, names and time."""

    def __init__(self, home: str, *, space: str = "default", memory: Memory | None = None) -> None:
        self.home, self.space = home, space
        self.memory = memory or Memory(home, space=space)

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self.memory.counts(filter={"sources": [SOURCE]}).items

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that pass Haystack's filters; all without them."""
        if filters and "operator" not in filters:
            raise FilterError("'operator' key missing in filters")
        return [
            one for one in self._documents() if not filters or document_matches_filter(filters, one)
        ]

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Write documents in one transaction; return how many were written.

        Raises:
            InvalidInput: An id is that of an item of another source, or what a document has is
                no JSON, as a date is none.
        """
        if not isinstance(documents, list) or not all(
            isinstance(one, Document) for one in documents
        ):
            raise ValueError("documents must be a list of Document")
        wanted = {one.id: one for one in documents}
        present = set(ids_to_replace(self.memory, wanted, source=SOURCE))
        if present and policy in (DuplicatePolicy.NONE, DuplicatePolicy.FAIL):
            raise DuplicateDocumentError(f"there is a document with the id {min(present)!r}")
        if policy is DuplicatePolicy.SKIP:
            wanted = {name: one for name, one in wanted.items() if name not in present}
        self.memory.add([_item(one, place) for place, one in enumerate(wanted.values())])
        return len(wanted)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Forget documents; what is not there, or of another source, is passed over."""
        own = own_ids(self.memory, document_ids, source=SOURCE)
        if own:
            self.memory.forget(*own)

    def search(
        self, query: str, *, top_k: int = 10, filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents found, best first, with their relevance in [0, 1] as score."""
        question = question_of(query)
        ids = [one.id for one in self.filter_documents(filters)] if filters else []
        if not question or (filters and not ids):
            return []
        hits = self.memory.search(question, limit=top_k, filter=Filter(sources=[SOURCE], ids=ids))
        return [replace(_document(hit.item), score=hit.relevance) for hit in hits]

    def to_dict(self) -> dict[str, Any]:
        """Return the store as Haystack writes it into a pipeline's file."""
        return default_to_dict(self, home=self.home, space=self.space)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SimonidesDocumentStore":
        """Return the store that a pipeline's file names."""
        store: SimonidesDocumentStore = default_from_dict(cls, data)
        return store

    def _documents(self) -> list[Document]:
        """Return all documents in the order in which they were written."""
        items = sorted(
            each_item(self.memory, {"sources": [SOURCE]}),
            key=lambda item: (item.revision, item.position or 0),
        )
        return [_document(one) for one in items]


@component
class SimonidesRetriever:
    """The component of a pipeline that finds documents of a store."""

    def __init__(self, document_store: SimonidesDocumentStore, *, top_k: int = 10) -> None:
        self.document_store, self.top_k = document_store, top_k

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, filters: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """Return the documents found, best first."""
        most = self.top_k if top_k is None else top_k
        return {"documents": self.document_store.search(query, top_k=most, filters=filters)}

    def to_dict(self) -> dict[str, Any]:
        """Return the component as Haystack writes it into a pipeline's file."""
        return default_to_dict(self, document_store=self.document_store.to_dict(), top_k=self.top_k)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SimonidesRetriever":
        """Return the component that a pipeline's file names."""
        given = data["init_parameters"]
        given["document_store"] = SimonidesDocumentStore.from_dict(given["document_store"])
        made: SimonidesRetriever = default_from_dict(cls, data)
        return made


def _item(document: Document, place: int) -> Item:
    text, record = document.content or "", document.to_dict(flatten=False)
    check_json(record, field="document")
    return Item(
        kind=Kind.DOCUMENT,
        content=text,
        title="" if text.strip() else NO_TEXT,
        id=document.id,
        source=SOURCE,
        source_id=document.id,
        position=place,
        metadata={DOCUMENT: record},
    )


def _document(item: Item) -> Document:
    """Return a document as it came, and any other item with its fields as metadata."""
    if DOCUMENT in item.metadata:
        return Document.from_dict(dict(item.metadata[DOCUMENT]))
    return Document(id=item.id, content=item.content or item.title, meta=describe(item))
