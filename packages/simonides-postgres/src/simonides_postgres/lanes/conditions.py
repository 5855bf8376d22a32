"""A filter as a condition of SQL on a row `item` of `knowledge_items`, its values as parameters.

The text is of our own words alone; whatever a caller gave is a value. Must not know the statements
that it becomes a part of.
"""

from collections.abc import Iterator
from typing import Any

from simonides.model.filter import Filter, Viewer
from simonides.model.item import Scope
from simonides.model.times import microseconds
from simonides.ports.lanes import Wanted

_COLUMNS = (
    ("source", "sources"), ("kind", "kinds"), ("collection", "collections"),
    ("session", "sessions"), ("id", "ids"),
)  # fmt: skip
_TRAITS = (("scope", "scopes"), ("type", "types"))
_ROLES = {"author": "= 'author'", "part": "<> 'mentioned'", "any": "<> ''"}

_MENTIONED = """item.key = ANY(ARRAY(SELECT mention.item_key FROM entity_mentions AS mention
WHERE mention.space_id = %(space)s
  AND mention.entity = ANY(%({entities})s) AND mention.role {role}))"""

_TRAITS_JSON = r"""CASE WHEN strpos(item.traits, '\u0000') = 0 THEN item.traits
ELSE regexp_replace(item.traits, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd00', 'g') END::json"""
"""The traits, with a NUL as texts have it (`exact_text`).

PostgreSQL reads none in JSON, and refuses the whole question for one.
"""

Conditions = Iterator[tuple[str, dict[str, Any]]]


def condition(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """Return ` AND …` for all that is wanted, and its values; empty if anything is."""
    values: dict[str, Any] = {}
    texts = []
    for text, own in (*_of_filter(wanted.filter), *_besides(wanted)):
        texts.append(f" AND {text}")
        values |= own
    return "".join(texts), values


def _of_filter(wanted: Filter) -> Conditions:
    for column, name in _COLUMNS:
        if texts := getattr(wanted, name):
            yield f"item.{column} = ANY(%({name})s)", {name: [str(one) for one in texts]}
    for trait, name in _TRAITS:
        if texts := getattr(wanted, name):
            yield f"{_trait(trait)} = ANY(%({name})s)", {name: [str(one) for one in texts]}
    if wanted.statuses:
        allowed = {"statuses": [str(one) for one in wanted.statuses]}
        yield f"(item.traits IS NULL OR {_trait('status')} = ANY(%(statuses)s))", allowed
    if wanted.without_ids:
        yield "NOT item.id = ANY(%(without_ids)s)", {"without_ids": list(wanted.without_ids)}
    if wanted.since is not None:
        yield "item.happened_us >= %(since_us)s", {"since_us": microseconds(wanted.since)}
    if wanted.until is not None:
        yield "item.happened_us < %(until_us)s", {"until_us": microseconds(wanted.until)}
    if wanted.viewer is not None:
        yield _visible(wanted.viewer)


def _besides(wanted: Wanted) -> Conditions:
    for at, (part, entities) in enumerate(wanted.mentioned):
        text = _MENTIONED.format(entities=f"entities_{at}", role=_ROLES[part])
        yield text, {f"entities_{at}": list(entities)}
    for at, keys in enumerate(wanted.keys):
        yield f"item.key = ANY(%(keys_{at})s)", {f"keys_{at}": list(keys)}
    if wanted.without_keys:
        yield "NOT item.key = ANY(%(without_keys)s)", {"without_keys": list(wanted.without_keys)}
    if wanted.pointed is not None:
        sources, kinds = wanted.pointed
        yield (
            "(item.source = ANY(%(of_sources)s) OR item.kind = ANY(%(of_kinds)s))",
            {"of_sources": list(sources), "of_kinds": list(kinds)},
        )
    if wanted.since_us is not None:
        yield "item.happened_us >= %(from_us)s", {"from_us": wanted.since_us}
    if wanted.until_us is not None:
        yield "item.happened_us < %(to_us)s", {"to_us": wanted.until_us}
    if wanted.now_us is not None and not wanted.filter.expired:
        fresh = f"coalesce(({_trait('expires_at')})::bigint > %(now_us)s, true)"
        yield fresh, {"now_us": wanted.now_us}


def _trait(name: str) -> str:
    return f"({_TRAITS_JSON})->>'{name}'"


def _visible(viewer: Viewer) -> tuple[str, dict[str, Any]]:
    """Return the condition of visibility for a viewer, as `index.masks` has it."""
    texts = ["item.traits IS NULL", f"{_trait('scope')} = '{Scope.GLOBAL}'"]
    values = {}
    for scope, name in (
        (Scope.WORKSPACE, "workspace_id"),
        (Scope.USER, "user_id"),
        (Scope.SESSION, "session_id"),
    ):
        if own := getattr(viewer, name):
            texts.append(f"{_trait(name)} = %(viewer_{name})s")
            values[f"viewer_{name}"] = own
        texts.append(f"({_trait('scope')} = '{scope}' AND coalesce({_trait(name)}, '') = '')")
    return f"({' OR '.join(texts)})", values
