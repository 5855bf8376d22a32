"""The table of all routes: those of operations, and those of HTTP or the server itself."""

from simonides.api.operations.remote import REMOTE
from simonides.http.route import Route, route_of
from simonides.http.routes import about, chat, imports, items, mem0, openai

_OWN = {one.verb: one for one in (chat.CHAT, *items.OF_OPERATIONS, *about.OF_OPERATIONS)}
"""Routes of operations with something that only HTTP has: ETags and streams."""

ROUTES: tuple[Route, ...] = (
    *(_OWN.get(name) or route_of(name) for name, one in REMOTE.items() if not one.is_local),
    *items.MEMORIES,
    *imports.ROUTES,
    *about.ROUTES,
    *openai.ROUTES,
    *mem0.ROUTES,
)
"""One table: the application, the OpenAPI document and the reference are made of it."""
