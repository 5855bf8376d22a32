"""A span for each request where OpenTelemetry is installed; else nothing.

Owns `opentelemetry`: its API only, so that whoever runs the server chooses where spans go. No
attribute holds a word of what is asked or kept.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

try:
    from opentelemetry import trace
except (
    ImportError
):  # pragma: no cover  it comes with the extra `mcp`; without it there are no spans
    trace = None  # type: ignore[assignment]  # stands for "not installed"


@cache
def _tracer() -> Any:
    """Return what makes spans, asked for once: each time it would look through the environment.

    Whoever runs the server may still say later where spans go; it looks that up for each span.
    """
    return trace.get_tracer("simonides.http")


def span(method: str) -> AbstractContextManager[Any]:
    """Return a span to answer a request in."""
    if trace is None:  # pragma: no cover
        return nullcontext()
    made: AbstractContextManager[Any] = _tracer().start_as_current_span(
        method, kind=trace.SpanKind.SERVER, record_exception=False, set_status_on_exception=False
    )  # what an error says may hold what was asked
    return made


def describe(made: Any, *, method: str, route: str, status: int) -> None:
    """Say of a span what was asked, by its route, and how it ended."""
    if made is None or not made.is_recording():
        return
    made.update_name(f"{method} {route}")
    made.set_attribute("http.request.method", method)
    made.set_attribute("http.route", route)
    made.set_attribute("http.response.status_code", status)
