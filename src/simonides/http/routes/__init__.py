"""All routes, in the order in which the reference tells them: one file per subject."""

from simonides.http.route import Route
from simonides.http.routes import (
    about,
    briefs,
    chat,
    derived,
    erase,
    export,
    imports,
    items,
    memories,
    openai,
    search,
    spaces,
)

ROUTES: tuple[Route, ...] = (
    *search.ROUTES,
    *briefs.ROUTES,
    *chat.ROUTES,
    *items.ROUTES,
    *memories.ROUTES,
    *derived.ROUTES,
    *imports.ROUTES,
    *export.ROUTES,
    *erase.ROUTES,
    *spaces.ROUTES,
    *about.ROUTES,
    *openai.ROUTES,
)
"""One table: the application, the OpenAPI document and the reference are made of it."""
