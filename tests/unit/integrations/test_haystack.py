"""Haystack's document store and retriever, and its own suite for stores."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from simonides import Memory
from simonides.errors import InvalidInput
from simonides_integrations.haystack import (
    SimonidesDocumentStore,
    SimonidesRetriever,
)


class TestStore(DocumentStoreBaseTests):  # type: ignore[misc]
    """Haystack's own suite; what its base class leaves to each store is told here."""

    @pytest.fixture
    def document_store(self, memory: Memory) -> SimonidesDocumentStore:
        """A store that holds nothing."""
        return SimonidesDocumentStore("home", memory=memory)

    def test_write_documents(self, document_store: Any) -> None:
        """Without a policy, what is there already is refused."""
        document = Document(content="the quay is long")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


def test_a_pipeline_finds_and_is_written_and_read(tmp_path: Path) -> None:
    store = SimonidesDocumentStore(str(tmp_path / "home"))
    store.write_documents([
        Document(content="The quay is closed until May.", meta={"year": 2026}),
        Document(content="The quay was closed in March.", meta={"year": 2020}),
        Document(content="Lunch is at noon.", meta={"year": 2026}),
    ])  # fmt: skip
    made = Pipeline()
    made.add_component("retriever", SimonidesRetriever(store, top_k=2))

    again = Pipeline.loads(made.dumps(), allowed_modules=["simonides_integrations.haystack"])
    given = {"query": "is the quay closed?", "filters": {
        "field": "meta.year", "operator": "==", "value": 2026,
    }}  # fmt: skip
    found = again.run({"retriever": given})["retriever"]["documents"]

    assert found[0].content == "The quay is closed until May."
    assert {one.meta["year"] for one in found} == {2026}
    assert found[0].score > 0
    given["filters"] = {"field": "meta.year", "operator": "==", "value": 1999}
    assert again.run({"retriever": given})["retriever"]["documents"] == []


def test_what_is_no_json_in_a_document_is_named(memory: Memory) -> None:
    store = SimonidesDocumentStore("home", memory=memory)
    with pytest.raises(InvalidInput, match=r"^document\.meta\.when: .*datetime"):
        store.write_documents([Document(content="x", meta={"when": datetime.now(UTC)})])


def test_a_blank_query_finds_nothing_and_of_a_very_long_one_the_end_counts(memory: Memory) -> None:
    store = SimonidesDocumentStore("home", memory=memory)
    store.write_documents([Document(content="The quay is closed."), Document(content="Lunch")])
    long = "= " * 60_000 + "is the quay closed?"

    assert store.search(" ") == []
    assert store.search(long)[0].content == "The quay is closed."


def test_items_of_other_sources_are_neither_written_over_nor_deleted(memory: Memory) -> None:
    store = SimonidesDocumentStore("home", memory=memory)
    memory.add("a mail", id="mail-1", source="gmail")

    for policy in DuplicatePolicy:
        with pytest.raises(InvalidInput, match=r"source 'gmail' has the id 'mail-1'"):
            store.write_documents([Document(id="mail-1", content="mine")], policy)
    store.delete_documents(["mail-1", "nothing"])

    assert memory.get("mail-1").content == "a mail"
    assert store.count_documents() == 0


def test_an_item_that_was_not_written_as_a_document_is_one_with_its_fields(memory: Memory) -> None:
    store = SimonidesDocumentStore("home", memory=memory)
    memory.add("The quay is closed.", id="q", source="haystack", title="Quay")

    [found] = store.filter_documents()

    assert (found.id, found.content, found.meta["title"]) == ("q", "The quay is closed.", "Quay")
    assert [one.id for one in store.search("quay")] == ["q"]
