"""The operation that remembers a statement."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.api.operations.arguments import Sent
from simonides.api.operations.fields import Content, HalfLife, Name, Share, Time
from simonides.api.operations.items import StatementRequest, TraitsRequest
from simonides.api.operations.operation import Operation
from simonides.errors import InvalidInput
from simonides.model.access import Permission
from simonides.model.item import MemoryType, Scope, Status
from simonides.model.memories import Remembered

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest(StatementRequest):
    """A statement that is compared with the stored memories; in a dry run nothing is written.

    The traits stand beside the text, or under `traits`.
    """

    text: Content
    dry_run: bool = False
    traits: TraitsRequest | None = None
    scope: Scope | None = None
    type: MemoryType | None = None
    status: Status | None = None
    confidence: Share | None = None
    importance: Share | None = None
    half_life_hours: HalfLife | None = None
    entity: Name | None = None
    workspace_id: Name | None = None
    user_id: Name | None = None
    session_id: Name | None = None
    source_run_id: Name | None = None
    expires_at: Time | None = None


def remember(memory: "Memory", sent: Sent) -> "Remembered":
    """Compare a statement with the stored memories, decide, and write the result."""
    text, traits = sent.pop("text"), sent.pop("traits", {})
    twice = sorted(traits.keys() & sent.keys())
    if twice:
        raise InvalidInput(f"traits.{twice[0]}", "stands beside the text already")
    return memory.remember(text, **traits, **sent)


def is_written(done: "Remembered") -> bool:
    """Return whether remembering wrote anything; a dry run never does."""
    return bool(done.written)


OPERATIONS = (
    Operation(
        name="remember", subject="memories", method="POST", path="/v1/memories",
        summary="Remember a statement: add it, supersede what it contradicts, or confirm it.",
        request=RememberRequest, call=remember, result=Remembered,
        permission=Permission.WRITE, shows=True, writes=True, is_new=is_written,
        example={"text": "Sarah prefers tea.", "traits": {"entity": "sarah", "type": "profile"}},
    ),
)  # fmt: skip
