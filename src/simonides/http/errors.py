"""Errors as `application/problem+json` (RFC 9457): one table from error class to status.

Below `/openai/` they have the form that OpenAI's clients read.

Knows the error tree and HTTP's statuses. Must not know any route.
"""

import errno
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from simonides.codec.write import to_json
from simonides.errors import (
    AccessDenied,
    AlreadyDone,
    Conflict,
    EmbedderError,
    EmbedderTimeout,
    HistoryGone,
    ImportFailed,
    InvalidInput,
    ModelError,
    ModelTimeout,
    NotFound,
    SimonidesError,
    StoreBusy,
    StoreError,
    StoreFull,
    WorkTaken,
)
from simonides.text.clean import UNEXPECTED, public_message

MEDIA = "application/problem+json"
OPENAI = "/openai/"
"""Where the paths begin whose errors are in OpenAI's form."""

OPENAI_MEDIA = "application/json"
RETRY_S = 1
"""After so many seconds a caller may try again where nothing better is known."""

STATUS: dict[type[SimonidesError], int] = {
    InvalidInput: 422,
    NotFound: 404,
    HistoryGone: 410,
    Conflict: 409,
    AlreadyDone: 409,
    AccessDenied: 403,
    ImportFailed: 422,
    StoreError: 500,
    StoreBusy: 503,
    WorkTaken: 503,
    StoreFull: 507,
    EmbedderError: 502,
    EmbedderTimeout: 504,
    ModelError: 502,
    ModelTimeout: 504,
}
"""The status of each error: that of its nearest class in this table."""

CODES: dict[int, str] = {
    400: "malformed",
    401: "access_denied",
    403: "access_denied",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    421: "wrong_host",
    422: "invalid_input",
    429: "too_many_requests",
    431: "head_too_large",
    500: "unexpected",
    503: "overloaded",
}
"""What is answered where HTTP itself refuses, not the engine."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class RequestRefused(Exception):
    """A refusal by the HTTP interface, before or instead of the engine."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        code: str = "",
        retry_s: float = 0.0,
        headers: Mapping[str, str] | None = None,
        errors: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.code = code or CODES[status]
        self.retry_s = retry_s
        self.headers = dict(headers or {})
        self.errors = errors or []


def status_of(error: SimonidesError) -> int:
    """Return the HTTP status of an error of the engine."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def refusal(error: Exception) -> RequestRefused:
    """Return the refusal for an error; an unexpected error is reported without its message."""
    if isinstance(error, RequestRefused):
        return error
    if isinstance(error, SimonidesError):
        retry_s = RETRY_S if error.retryable else 0.0
        errors = []
        if isinstance(error, InvalidInput):
            errors = [{"field": error.field, "problem": error.problem}]
        message = public_message(error)
        return RequestRefused(
            status_of(error), message, code=error.code, retry_s=retry_s, errors=errors
        )
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return RequestRefused(507, "the disk is full; make room and try again", code=StoreFull.code)
    if isinstance(error, ClientDisconnect):
        return RequestRefused(400, "the request broke off before its end")
    return RequestRefused(500, UNEXPECTED)


def problem_fields(refused: RequestRefused, *, request_id: str = "") -> dict[str, Any]:
    """Return a refusal as an object of problem+json."""
    return {
        "type": f"urn:simonides:problem:{refused.code}",
        "title": HTTPStatus(refused.status).phrase,
        "status": refused.status,
        "detail": refused.detail,
        "code": refused.code,
        "retryable": bool(refused.retry_s),
        "request_id": request_id,
        "errors": refused.errors,
    }


_OPENAI_TYPES = {
    401: "authentication_error", 403: "permission_error", 429: "rate_limit_error",
}  # fmt: skip
_SERVER_ERRORS = 500
"""The lowest status of an error of the server."""


def openai_fields(refused: RequestRefused) -> dict[str, Any]:
    """Return a refusal as an object that OpenAI's clients raise as an error."""
    usual = "server_error" if refused.status >= _SERVER_ERRORS else "invalid_request_error"
    param = refused.errors[0]["field"] if refused.errors else None
    kind = _OPENAI_TYPES.get(refused.status, usual)
    return {
        "error": {"message": refused.detail, "type": kind, "param": param, "code": refused.code}
    }


def problem(refused: RequestRefused, *, request_id: str, path: str = "") -> Response:
    """Return the response for a refusal of a request to a path."""
    is_openai = path.startswith(OPENAI)
    fields = openai_fields(refused) if is_openai else problem_fields(refused, request_id=request_id)
    headers = dict(refused.headers)
    if refused.retry_s:
        headers["Retry-After"] = str(math.ceil(refused.retry_s))
    if refused.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="simonides"'
    media = OPENAI_MEDIA if is_openai else MEDIA
    return Response(to_json(fields), refused.status, headers, media)
