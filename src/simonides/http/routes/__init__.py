"""All routes, in the order in which the reference tells them: one file per subject."""

from simonides.http.route import Route
from simonides.http.routes import (
    about,
    background,
    briefs,
    chat,
    entities,
    erase,
    export,
    imports,
    items,
    memories,
    openai,
    preferences,
    search,
    sessions,
    spaces,
)

ROUTES: tuple[Route, ...] = (
    *search.ROUTES,
    *briefs.ROUTES,
    *chat.ROUTES,
    *items.ROUTES,
    *memories.ROUTES,
    *background.ROUTES,
    *sessions.ROUTES,
    *preferences.ROUTES,
    *entities.ROUTES,
    *imports.ROUTES,
    *export.ROUTES,
    *erase.ROUTES,
    *spaces.ROUTES,
    *about.ROUTES,
    *openai.ROUTES,
)
"""One table: the application, the OpenAPI document and the reference are made of it."""
