"""Runs the calls that a model asked for at once, beside each other, results in their order.

What goes wrong with one call is told to the model as its result and stops no other. Must not know
what any tool does.
"""

import contextvars
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from simonides.assistant.results import Bounds, Result, broken, failed, late, result_of, unknown
from simonides.assistant.tools import Tool
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.chat import ToolCall

PARALLEL_MAX = 8
"""Calls of one reply that run beside each other; further ones wait for a thread."""

CALLS_MAX = 32
"""Calls of one reply that are run at all; a model that asks for more is told so."""


def call_all(
    calls: Sequence[ToolCall],
    tools: Mapping[str, Tool],
    *,
    timeout_s: float,
    bounds: Bounds,
) -> list[Result]:
    """Return the result of each call, in the order of the calls, after `timeout_s` at the latest.

    A call that has not ended by then runs on, but nobody waits for it.
    """
    pool = ThreadPoolExecutor(
        max_workers=min(len(calls), PARALLEL_MAX), thread_name_prefix="simonides-tool"
    )
    try:
        running = [
            pool.submit(contextvars.copy_context().run, _job(call, place, tools, bounds))
            for place, call in enumerate(calls)
        ]
        wait(running, timeout=timeout_s)
        return [_ended(one, call) for one, call in zip(running, calls, strict=True)]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _job(
    call: ToolCall, place: int, tools: Mapping[str, Tool], bounds: Bounds
) -> Callable[[], Result]:
    def run() -> Result:
        if place >= CALLS_MAX:
            return failed(InvalidInput("calls", f"at most {CALLS_MAX} at once; ask again"))
        return _called(call, tools, bounds)

    return run


def _called(call: ToolCall, tools: Mapping[str, Tool], bounds: Bounds) -> Result:
    tool = tools.get(call.name)
    if tool is None:
        return unknown(call.name, list(tools))
    try:
        return result_of(tool.function(**tool.arguments(call.arguments)), bounds)
    except SimonidesError as error:
        return failed(error)
    except Exception as error:  # noqa: BLE001  a host's function may raise anything; it is noted
        return broken(call.name, error)


def _ended(running: Future[Result], call: ToolCall) -> Result:
    return running.result() if running.done() and not running.cancelled() else late(call.name)
