"""Tools: typed functions for a model to call, and the execution of an answer's calls.

A schema is made of a function's annotations; arguments are checked against it. Calls of one answer
run at once, within the time that the turn has left. Must not know any tool.
"""

import contextvars
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NoReturn

from simonides.assistant.json_schema import SchemaMismatch, Shape, shape_of
from simonides.assistant.results import (
    Bounds,
    CallResult,
    late,
    report_defect,
    report_failure,
    result_of,
    unknown,
)
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.bounds import show_value
from simonides.model.chat import ToolCall, ToolSchema
from simonides.model.coercion import NESTED_MAX, is_nested_deeper, tuple_of
from simonides.text.word_patterns import lazy_pattern

ARGUMENTS_CHARS_MAX = 100_000
"""Longer arguments are refused unread, as longer questions are."""

DESCRIPTION_CHARS_MAX = 1_024
"""What endpoints take of a description (OpenAI's bound)."""

_NAME = lazy_pattern(r"[A-Za-z0-9_-]{1,64}")
"""Names that all endpoints take (OpenAI's and Anthropic's rule)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool for a model: made by `tool`, once, and used in any number of turns.

    `shapes` are what each argument has to be, `required` those that have no default.
    """

    schema: ToolSchema
    function: Callable[..., Any]
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    required: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        return self.schema.name

    def arguments(self, text: str) -> dict[str, Any]:
        """Return the JSON arguments of a model, checked, as the function takes them.

        Nothing at all means no arguments. An argument that has a default and comes as null, or as
        an empty text where no text fits, was left out.

        Raises:
            InvalidInput: It is no JSON object, or does not fit; names every argument that does not.
        """
        given = _read(text)
        problems = [f"{name}: is missing" for name in self.required if name not in given]
        fitted: dict[str, Any] = {}
        for name, value in given.items():
            if name not in self.shapes:
                problems.append(f"{name}: is not known; there are {self._known}")
            elif value is not None or name in self.required:
                try:
                    fitted[name] = self.shapes[name].fit(value, name)
                except SchemaMismatch as misfit:
                    if value != "" or name in self.required:
                        problems.append(str(misfit))
        if problems:
            raise InvalidInput("arguments", "; ".join(problems))
        return fitted

    @property
    def _known(self) -> str:
        return ", ".join(self.shapes) or "none"


def _read(text: str) -> dict[str, Any]:
    if len(text) > ARGUMENTS_CHARS_MAX:
        raise InvalidInput("arguments", f"are longer than {ARGUMENTS_CHARS_MAX:,} characters")
    try:
        given = json.loads(text.strip() or "{}", parse_constant=_no_number)
    except ValueError as error:
        raise InvalidInput("arguments", f"are no JSON: {error}") from error
    except RecursionError:
        raise InvalidInput("arguments", "are nested too deeply") from None
    if is_nested_deeper(given, NESTED_MAX):
        raise InvalidInput("arguments", "are nested too deeply")
    if not isinstance(given, dict):
        raise InvalidInput("arguments", f"must be a JSON object, got {type(given).__name__}")
    return given


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def tool(function: Callable[..., Any], *, name: str = "", description: str = "") -> Tool:
    """Return the tool of a typed function, described by its docstring.

    Arguments may be `str`, `int`, `float`, `bool`, `list[…]`, `dict`, `Literal`, an `Enum`, or
    one of these `| None`; a text in `Annotated` describes one. Those with a default may be left
    out by the model. `name` and `description` stand in for the function's own.

    Raises:
        InvalidInput: An argument has no annotation, or one that JSON has no type for; nothing
            says what the function is for; or it can not be called by name.
    """
    called = name or getattr(function, "__name__", "")
    if not _NAME.fullmatch(called):
        problem = "must have 1 to 64 letters, digits, _ or -: give the tool a name"
        raise InvalidInput("tool", f"{called!r} {problem}")
    if inspect.iscoroutinefunction(function):
        raise InvalidInput(called, "is a coroutine function; a tool is a plain one")
    documentation = (description or inspect.getdoc(function) or "").strip()
    if not documentation:
        raise InvalidInput(called, "says nowhere what it is for; write a docstring")
    parameters = _parameters(function, called)
    shapes = {one.name: shape_of(one.annotation, at=f"{called}.{one.name}") for one in parameters}
    required = tuple(one.name for one in parameters if one.default is inspect.Parameter.empty)
    schema = ToolSchema(
        name=called,
        description=documentation[:DESCRIPTION_CHARS_MAX],
        parameters={
            "type": "object",
            "properties": {name: shape.schema for name, shape in shapes.items()},
            "required": list(required),
            "additionalProperties": False,
        },
    )
    return Tool(schema=schema, function=function, shapes=shapes, required=required)


def _parameters(function: Callable[..., Any], called: str) -> list[inspect.Parameter]:
    """Return the keyword parameters; of an unbound method without its `self`."""
    try:
        found = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise InvalidInput(called, f"has a signature that can not be read: {error}") from error
    if found and found[0].name == "self":
        found = found[1:]
    for one in found:
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise InvalidInput(f"{called}.{one.name}", "can not be given by its name")
    return found


def bind_tool(described: Tool, function: Callable[..., Any]) -> Tool:
    """Return a described tool with the function to call in one turn."""
    return replace(described, function=function)


@lru_cache(maxsize=128)
def _lasting(function: Callable[..., Any]) -> Tool:
    return tool(function)


def as_tools(given: Iterable[Tool | Callable[..., Any]]) -> tuple[Tool, ...]:
    """Return tools unchanged, and functions as tools; those of a module are cached.

    Raises:
        InvalidInput: A function can not be a tool, or two have one name.
    """
    made: dict[str, Tool] = {}
    for one in tuple_of(object, given, field="tools"):
        if not callable(one) and not isinstance(one, Tool):
            raise InvalidInput("tools", f"must hold functions, got {show_value(one)}")
        found = one if isinstance(one, Tool) else _tool(one)
        if found.name in made:
            raise InvalidInput("tools", f"two of them are called {found.name!r}")
        made[found.name] = found
    return tuple(made.values())


def _tool(function: Callable[..., Any]) -> Tool:
    """Return a function's tool; those of local functions, many and short-lived, are not cached."""
    if inspect.isfunction(function) and "<" not in function.__qualname__:
        return _lasting(function)
    return tool(function)


PARALLEL_MAX = 8
"""Calls of one reply that run beside each other; further ones wait for a thread."""

CALLS_MAX = 32
"""Calls of one reply that are run at all; a model that asks for more gets an error."""


def call_all(
    calls: Sequence[ToolCall],
    tools: Mapping[str, Tool],
    *,
    timeout_s: float,
    bounds: Bounds,
) -> list[CallResult]:
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
        return [_finish(one, call) for one, call in zip(running, calls, strict=True)]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _job(
    call: ToolCall, place: int, tools: Mapping[str, Tool], bounds: Bounds
) -> Callable[[], CallResult]:
    def run() -> CallResult:
        if place >= CALLS_MAX:
            return report_failure(InvalidInput("calls", f"at most {CALLS_MAX} at once; ask again"))
        return _call(call, tools, bounds)

    return run


def _call(call: ToolCall, tools: Mapping[str, Tool], bounds: Bounds) -> CallResult:
    tool = tools.get(call.name)
    if tool is None:
        return unknown(call.name, list(tools))
    try:
        return result_of(tool.function(**tool.arguments(call.arguments)), bounds)
    except SimonidesError as error:
        return report_failure(error)
    except Exception as error:  # noqa: BLE001  a host's function may raise anything; it is noted
        return report_defect(call.name, error)


def _finish(running: Future[CallResult], call: ToolCall) -> CallResult:
    return running.result() if running.done() and not running.cancelled() else late(call.name)
