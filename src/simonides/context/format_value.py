"""Values of receipts in plain words, for whoever reads why two briefs differ.

Knows how each sort of value is told. Must not know what it means.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from simonides.model.filter import AllOf, AnyOf, Compare, Not, Viewer

_LONGEST = 80
"""Characters of a text that are told; the rest is `…`."""


def said(value: Any) -> str:
    """Return a value on one line: texts in quotation marks, several with commas, None as `none`."""
    for kind, told in _TOLD.items():
        if isinstance(value, kind):
            return told(value)
    return repr(value)


def moved(was: Any, now: Any) -> tuple[str, str]:
    """Return two values that differ so that they look different, too."""
    told = said(was), said(now)
    return told if told[0] != told[1] else (repr(was), repr(now))


def _text(value: str) -> str:
    line = " ".join(value.split())
    return f'"{line}"' if len(line) <= _LONGEST else f'"{line[: _LONGEST - 1]}…"'


def _several(values: tuple[Any, ...] | list[Any]) -> str:
    return ", ".join(_range(one) if _is_range(one) else said(one) for one in values) or "nothing"


def _is_range(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(type(n) is int for n in value)  # noqa: PLR2004  a pair


def _range(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}"


def _joined(parts: tuple[Any, ...], word: str) -> str:
    return f"({f' {word} '.join(map(said, parts))})" if parts else f"({word} of nothing)"


def _viewer(value: Viewer) -> str:
    named = (value.workspace_id, value.user_id, value.session_id)
    return "/".join(one or "-" for one in named)


_TOLD: Mapping[Any, Callable[[Any], str]] = {
    type(None): lambda _: "none",
    bool: lambda value: "yes" if value else "no",
    float: lambda value: f"{value:.4g}",
    StrEnum: str,
    str: _text,
    datetime: lambda value: value.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    tuple: _several,
    list: _several,
    Viewer: _viewer,
    Compare: lambda value: f"{value.key} {value.operator} {said(value.value)}",
    AllOf: lambda value: _joined(value.parts, "and"),
    AnyOf: lambda value: _joined(value.parts, "or"),
    Not: lambda value: f"not {said(value.part)}",
}
