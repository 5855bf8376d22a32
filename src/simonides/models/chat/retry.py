"""What may go wrong with an endpoint, and how long to wait before it is asked again; pure.

Knows status codes and their advice. Must not know a clock.
"""

from collections.abc import Mapping

from simonides.errors import ModelError
from simonides.models.http_client.backoff import retry_after_s

LONGEST_S = 8.0
"""Upper bound of a wait that we choose ourselves: somebody sits before the screen."""

_AGAIN = frozenset({408, 409, 425, 429})
"""Refusals besides 5xx that pass: time-out, lock, too early, too many (as the vendors' SDKs)."""

_SERVER_ERROR = 500

_ADVICE = {
    401: "check the API key",
    403: "check the API key and what it may do",
    404: "check the address and the model's name",
    413: "send less context",
    429: "ask less often, or look at the account's quota",
}


class EndpointFailure(Exception):
    """A failure worth another attempt, not before `wait_s` seconds."""

    def __init__(self, error: ModelError, *, wait_s: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s


class EndpointRefusal(ModelError):
    """The endpoint would not take the request; `status` says how."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def refusal(
    host: str, status: int, said: str, headers: Mapping[str, str]
) -> EndpointFailure | EndpointRefusal:
    """Return what a status that is no success means, to be raised."""
    advice = _ADVICE.get(status, "")
    words = f"{host} answered {status}: {said or 'without a word'}"
    error = EndpointRefusal(f"{words}; {advice}" if advice else words, status=status)
    if status >= _SERVER_ERROR or status in _AGAIN:
        return EndpointFailure(error, wait_s=retry_after_s(headers))
    return error
