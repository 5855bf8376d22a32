"""The store's statements, loaded by name from `queries.sql`.

Knows how that file is laid out. Must not know what the statements mean.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_HEAD = re.compile(r"^-- name: (\w+)\n((?:-- .*\n)+)", re.MULTILINE)


def _load() -> dict[str, tuple[str, str]]:
    text = (files(__package__) / "queries.sql").read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        head[1]: (text[head.end() : end].strip(), head[2].replace("-- ", "").strip())
        for head, end in zip(heads, ends, strict=True)
    }


_LOADED = _load()

QUERIES: Mapping[str, str] = MappingProxyType({n: sql for n, (sql, _) in _LOADED.items()})
"""Every statement by name."""

DESCRIPTIONS: Mapping[str, str] = MappingProxyType({n: said for n, (_, said) in _LOADED.items()})
"""What each statement returns or does, by name."""
