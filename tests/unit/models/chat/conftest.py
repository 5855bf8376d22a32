"""What the tests of the adapters share: a request, and waits that are noted instead of waited."""

from collections.abc import Callable
from typing import Any

import pytest

from simonides.model.chat import ChatMessage, ModelRequest
from simonides.model.chat_role import ChatRole

Ask = Callable[..., ModelRequest]


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept_s = 0.0

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.slept_s += seconds

    def options(self, **fields: Any) -> dict[str, Any]:
        """Return what makes an adapter use it."""
        given: dict[str, Any] = {"sleep": self.sleep, "clock": lambda: self.now_s}
        return given | {"random": lambda: 0.5} | fields


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def ask() -> Ask:
    """Return a maker of requests that ask one thing."""

    def asked(content: str = "Who?", **fields: Any) -> ModelRequest:
        message = ChatMessage(role=ChatRole.USER, content=content)
        return ModelRequest(messages=(message,), **{"timeout_s": 20.0} | fields)

    return asked


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SIMONIDES_CHAT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
