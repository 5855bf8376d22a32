"""The whole OpenAPI document, thrown at the server: data that fits it, and data that does not.

Of every answer schemathesis checks that it is no mistake of ours, and that its status, its media
type, its headers and its JSON are those that the document tells.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import checks
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from simonides import Memory, Settings
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides.http.routes import ROUTES
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

EXAMPLES = examples(10)
"""Requests of each operation."""

NOT_CONFIGURED = 501
"""What the door for clients of OpenAI answers where no endpoint is set, as here."""

PLAIN = [checks.not_a_server_error]
LEFT_OUT = {"/v1/imports": [*PLAIN, negative_data_rejection]}
"""Checks that are not made: the first is made above, and in a form null is but the word."""

CONFIG = """
[checks]
positive_data_acceptance.enabled = false
"""
"""A schema cannot say all that the engine refuses (a time that is none, a filter that restricts
nothing), so what fits it may still be refused."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server whose caller may do everything, and as often as they like."""
    home = tmp_path_factory.mktemp("openapi") / "home"
    plain = Settings(timezone="UTC", durability="relaxed")
    memory = Memory(home, settings=plain, embedder=HashingEmbedder())
    memory.add("The Alpha deadline moved to Friday.", id="known")
    limits = Limits(rate_per_s=1e6, rate_burst=10**6, hosts=("testserver",))
    server = make_server(memory, uploads=home / "uploads", limits=limits)
    made = make_app(server)
    with TestClient(made):
        yield without_end(made)


def without_end(app: ASGIApp) -> ASGIApp:
    """Return an application that goes on when a client of it is closed: each example has one."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return answer


@pytest.fixture(scope="module")
def api(app: Any) -> Any:
    """The document as the server gives it out."""
    checks.load_all_checks()
    config = SchemathesisConfig.from_str(CONFIG)
    return schemathesis.openapi.from_asgi("/openapi.json", app, config=config)


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("operation", [f"{one.method} {one.path}" for one in ROUTES])
def test_every_operation_answers_as_the_document_says(
    api: Any, operation: str, mode: GenerationMode
) -> None:
    method, path = operation.split()

    @given(case=api[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def answers_as_documented(case: Any) -> None:
        answer = case.call()
        is_mistake = answer.status_code >= 500 and answer.status_code != NOT_CONFIGURED

        assert not is_mistake, answer.text
        case.validate_response(answer, excluded_checks=LEFT_OUT.get(path, PLAIN))

    try:
        answers_as_documented()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # nothing that could be sent would be wrong
