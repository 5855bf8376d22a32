"""Patterns of listed words, and patterns that are compiled when they are first used.

Must not know any word.
"""

import re
from collections.abc import Callable
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """A pattern that is compiled when it is first used; from then on its methods are the real ones.

    200 patterns take a tenth of a second to compile, and a question needs a fourth of them.
    """

    __slots__ = ("_flags", "_source", *_METHODS)

    def __init__(self, source: str | Callable[[], str], flags: re.RegexFlag) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        source = self._source if isinstance(self._source, str) else self._source()
        compiled = re.compile(source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_pattern(
    source: str | Callable[[], str], flags: re.RegexFlag = re.NOFLAG
) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used; an error in it is raised then.

    A function is called then for its source: one that reads words from a file.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


def alternatives(text: str) -> str:
    """Return a pattern of the alternatives in a text; `_` stands for white space inside one."""
    return "|".join(one.replace("_", r"\s+") for one in text.split())
