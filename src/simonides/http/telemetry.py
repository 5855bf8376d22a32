"""Metrics for Prometheus, and a span for each request if OpenTelemetry is installed.

By method, route and status; never a space, a key or a word. One registry for each server, so that
two in a process do not mix. Owns `prometheus_client` and `opentelemetry`: its API only, so that
whoever runs the server chooses where spans go.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from simonides.http.gauges import GaugeReading
from simonides.model.scrub import Scrub

try:
    from opentelemetry import trace
except (
    ImportError
):  # pragma: no cover  it comes with the extra `mcp`; without it there are no spans
    trace = None  # type: ignore[assignment]  # stands for "not installed"

BUCKETS_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0)
"""From a warm search to a long chat."""

MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class _Source(Collector):
    """Hands readings to the registry in its own form."""

    def __init__(self, source: Callable[[], Iterable[GaugeReading]]) -> None:
        self._source = source

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of all readings."""
        for reading in self._source():
            family = CounterMetricFamily if reading.is_total else GaugeMetricFamily
            metric = family(
                reading.name, reading.help, labels=[reading.label] * bool(reading.label)
            )
            for value, number in reading.values.items():
                metric.add_metric([value] * bool(reading.label), number)
            yield metric


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "simonides_http_requests", "Requests answered.", ("method", "route", "status"),
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "simonides_http_request_seconds", "Time until the answer was sent.",
            ("method", "route"), buckets=BUCKETS_S, registry=self._registry,
        )  # fmt: skip
        self._running = Gauge(
            "simonides_http_running", "Requests being answered.", registry=self._registry
        )
        self._cut_off = Counter(
            "simonides_http_cut_off", "Answers cut off, by the reason.", ("reason",),
            registry=self._registry,
        )  # fmt: skip
        self._scrubbed_at = Gauge(
            "simonides_scrub_timestamp_seconds",
            "When all pages of a space were last compared with their checksums.",
            registry=self._registry,
        )
        self._damaged = Counter(
            "simonides_scrub_damaged_pages", "Pages found damaged by scrubs.",
            registry=self._registry,
        )  # fmt: skip

    def add(self, source: Callable[[], Iterable[GaugeReading]]) -> None:
        """Add metrics that are read from `source` whenever they are asked for."""
        self._registry.register(_Source(source))

    def began(self) -> None:
        """Count a received request."""
        self._running.inc()

    def count_request(self, method: str, route: str, status: int, *, took_s: float) -> None:
        """Count an answered request."""
        self._running.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(took_s)

    def cut_off(self, reason: str) -> None:
        """Count an answer that was cut off: `slow`, `time`, `stopping` or `failed`."""
        self._cut_off.labels(reason).inc()

    def record_scrub(self, scrub: Scrub) -> None:
        """Record the scrub of a space."""
        self._scrubbed_at.set(scrub.at.timestamp())
        self._damaged.inc(len(scrub.damaged))

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


@cache
def _tracer() -> Any:
    """Return the tracer, created once: each creation searches the environment.

    Whoever runs the server may still say later where spans go; it looks that up for each span.
    """
    return trace.get_tracer("simonides.http")


def span(method: str) -> AbstractContextManager[Any]:
    """Return a span for the answer of a request."""
    if trace is None:  # pragma: no cover
        return nullcontext()
    made: AbstractContextManager[Any] = _tracer().start_as_current_span(
        method, kind=trace.SpanKind.SERVER, record_exception=False, set_status_on_exception=False
    )  # what an error says may hold what was asked
    return made


def describe(made: Any, *, method: str, route: str, status: int) -> None:
    """Set the route and the status of a span."""
    if made is None or not made.is_recording():
        return
    made.update_name(f"{method} {route}")
    made.set_attribute("http.request.method", method)
    made.set_attribute("http.route", route)
    made.set_attribute("http.response.status_code", status)
