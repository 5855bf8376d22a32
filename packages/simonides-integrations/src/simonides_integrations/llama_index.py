"""LlamaIndex: a retriever, and a block of an agent's memory."""

import logging
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.callbacks import CallbackManager
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from simonides import FilterLike, Hit, Memory
from simonides.errors import InvalidInput
from simonides_integrations.items import describe, question_of

LOG = logging.getLogger("simonides.integrations")


class SimonidesRetriever(BaseRetriever):
    """The hits of a search as nodes, best first; their score is the relevance in [0, 1]."""

    def __init__(
        self,
        memory: Memory,
        *,
        similarity_top_k: int = 10,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._memory, self._top_k, self._filter = memory, similarity_top_k, filter

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = question_of(query_bundle.query_str)
        if not question:
            return []
        hits = self._memory.search(question, limit=self._top_k, filter=self._filter)
        return [NodeWithScore(node=_node(hit), score=hit.relevance) for hit in hits]


class _Brief(str):
    """The text of a brief that knows what was asked: one block serves many conversations."""

    __slots__ = ("query", "tokens")
    query: str
    tokens: int


class SimonidesMemoryBlock(BaseMemoryBlock[str]):
    """The brief for what the user said last, within a hard budget of tokens.

    Messages that leave the short-term memory are kept in the session `session_id`, and found
    from any later one.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Any = Field(exclude=True)
    session_id: str = "llama-index"
    budget_tokens: int = 1_000
    name: str = "simonides"
    description: str | None = "What is known about the user and what was said before."
    accept_short_term_memory: bool = True

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        said = [question_of(one.content or "") for one in messages or [] if one.role == "user"]
        query = next(filter(None, reversed(said)), "")
        return await self._brief(query, self.budget_tokens) if query else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keep messages; one that can never be is logged, and those behind it are kept."""
        await self.memory.aio.sessions.create(session_id=self.session_id)
        for one in messages:
            if one.role in ("user", "assistant") and (one.content or "").strip():
                try:
                    await self.memory.aio.sessions.add(self.session_id, one.role.value, one.content)
                except InvalidInput as error:
                    LOG.error("a message was not kept: %s", error)  # noqa: TRY400  a trace says no more

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return the brief of a budget that is smaller by so many tokens; None for an empty one."""
        if not isinstance(content, _Brief) or content.tokens <= tokens_to_truncate:
            return None
        return await self._brief(content.query, content.tokens - tokens_to_truncate) or None

    async def _brief(self, query: str, budget_tokens: int) -> _Brief:
        made = await self.memory.aio.brief(query, budget_tokens=budget_tokens)
        brief = _Brief(made.text)
        brief.query, brief.tokens = query, made.tokens
        return brief


def _node(hit: Hit) -> TextNode:
    item = hit.item
    return TextNode(id_=item.id, text=item.content or item.title, metadata=describe(item))
