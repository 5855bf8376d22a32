"""One turn of a conversation, and what an assistant looks up in between."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from simonides.api.arguments import check_calls, check_is
from simonides.assistant.actions import TurnRequest
from simonides.assistant.loop import Limits
from simonides.assistant.retrieve import retrieve as recall
from simonides.assistant.tools import Tool, as_tools
from simonides.assistant.turn import TurnOptions, never, run_turn
from simonides.config import Settings, check_timezone
from simonides.index.open_space import OpenSpace
from simonides.model.chat import ChatEvent, ChatMode, ChatReply, Retrieved
from simonides.model.coercion import one_of, tuple_of
from simonides.model.query import NamedTime
from simonides.model.times import TimeLike, as_time
from simonides.ports.models import ChatModel


def chat(
    opened: OpenSpace,
    message: str,
    *,
    session_id: str,
    sources: Sequence[str],
    time_filter: str,
    tools: Sequence[Tool | Callable[..., object]],
    mode: ChatMode | str | None,
    model: ChatModel | None,
    on_event: Callable[[ChatEvent], None] | None,
    is_cancelled: Callable[[], bool] | None,
    now: TimeLike | None,
    timezone: str | None,
) -> ChatReply:
    """Answer a message from what is kept, and keep both in the session."""
    zone = timezone or opened.timezone
    check_timezone(zone)
    check_calls(on_event=on_event, is_cancelled=is_cancelled)
    if model is not None:
        check_is(model, ChatModel, field="model")
    said_at = None if now is None else as_time(now, field="now", timezone=zone)
    asked = TurnRequest(
        message=message,
        now=opened.now() if said_at is None else said_at,
        timezone=zone,
        session_id=session_id,
        sources=tuple_of(str, sources, field="sources"),
        time_filter=one_of(NamedTime, time_filter, field="time_filter") if time_filter else "",
    )
    settings = opened.settings
    how = TurnOptions(
        model=opened.home.chat_model if model is None else model,
        mode=one_of(ChatMode, mode or settings.chat_mode, field="mode"),
        tools=as_tools(tools),
        said_at=said_at,
        limits=_limits(settings),
        repairs=settings.chat_provider == "local" or bool(settings.chat_base_url),
        on_event=on_event,
        is_cancelled=is_cancelled or never,
        monotonic=monotonic,
    )
    return run_turn(asked, opened, how)


def _limits(settings: Settings) -> Limits:
    return Limits(
        calls_max=settings.chat_calls_max,
        tokens_max=settings.chat_tokens_max,
        timeout_s=settings.chat_timeout_s,
        result_tokens_max=settings.chat_context_tokens,
        encoding=settings.encoding,
    )


def retrieve(
    opened: OpenSpace,
    query: str,
    *,
    sources: Sequence[str],
    without_ids: Sequence[str],
    now: TimeLike | None,
    timezone: str | None,
    **how: Any,
) -> Retrieved:
    """Return what a question finds among items and conversations: each once, best first."""
    wanted = tuple_of(str, sources, field="sources")
    without = tuple_of(str, without_ids, field="without_ids")
    zone = timezone or opened.timezone
    check_timezone(zone)
    at = opened.now() if now is None else as_time(now, field="now", timezone=zone)
    return recall(query, opened, now=at, timezone=zone, sources=wanted, without_ids=without, **how)
