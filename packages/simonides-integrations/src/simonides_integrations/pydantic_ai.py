"""Pydantic AI: a capability, `Agent(…, capabilities=[SimonidesMemory(memory)])`."""

import logging
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import FunctionToolset

from simonides import Memory
from simonides.errors import SimonidesError
from simonides_integrations.items import question_of
from simonides_integrations.transcript import text_of

LOG = logging.getLogger("simonides.integrations")


@dataclass
class SimonidesMemory(AbstractCapability[Any]):
    """Lets an agent recall what is kept, and keeps what the user and the agent said.

    `recall` is a tool: what others wrote reaches the model as a result, never as an instruction.
    The turns of a run are kept in the session of its conversation.
    """

    memory: Memory = field(repr=False)
    budget_tokens: int = 800
    keeps: bool = True

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the tool `recall`."""
        return FunctionToolset([self.recall])

    async def recall(self, question: str) -> str:
        """Recall what is known about a question: mail, documents, notes, earlier conversations.

        Args:
            question: What to look for, as a whole sentence.
        """
        asked, found = question_of(question), ""
        if asked:
            found = (await self.memory.aio.brief(asked, budget_tokens=self.budget_tokens)).text
        return found or "Nothing that is kept says anything about this."

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """Refuse a conversation that cannot be kept before a model is asked.

        Raises:
            InvalidInput: Its id is no text of 1 to 128 characters that print.
        """
        if self.keeps:
            await self.memory.aio.sessions.create(session_id=_session(ctx))

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Keep what the user asked and what the agent answered; the result stays as it is.

        The answer is there: what fails now is logged, without what was said.
        """
        if self.keeps:
            said = (("user", text_of(ctx.prompt)), ("assistant", str(result.output)))
            turn = [{"role": role, "content": text} for role, text in said if text.strip()]
            try:
                await self.memory.aio.sessions.add_many(_session(ctx), turn)
            except SimonidesError as error:
                LOG.error("a turn was not kept: %s", error.code)  # noqa: TRY400  a trace says no more
        return result


def _session(ctx: RunContext[Any]) -> str:
    return ctx.conversation_id or ctx.run_id or "pydantic-ai"
