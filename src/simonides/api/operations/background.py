"""The operations on the background of a collection."""

from dataclasses import dataclass

from simonides.api.operations.fields import (
    BackgroundText,
    Collection,
    Cursor,
    Id,
    Limit,
    Question,
    Time,
)
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.stored import Background, BackgroundPage, ScoredBackground


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackground:
    """A collection's background from now on."""

    text: BackgroundText
    collection: Collection = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBackground:
    """A collection, and the time of its background."""

    collection: Collection = "main"
    as_of: Time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBackgrounds:
    """A page of a collection's snapshots."""

    collection: Collection = "main"
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBackgrounds:
    """A question to the snapshots of a collection."""

    query: Question
    collection: Collection = "main"
    limit: Limit = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundId:
    """A snapshot, and the time from which it may be removed from the file."""

    background_id: Id
    due: Time | None = None


OPERATIONS = (
    Operation(
        name="background.put", subject="background", method="POST", path="/v1/background",
        summary="Put a collection's background; earlier ones stay in its history.",
        request=PutBackground, positional=("text",), result=Background,
        permission=Permission.WRITE, writes=True, is_new=True,
        example={"text": "Working on the Alpha launch; the demo is on Friday."},
    ),
    Operation(
        name="background.get", subject="background", method="GET", path="/v1/background",
        summary="Return a collection's background, now or as of a time.",
        request=GetBackground, result=Background, missing="background of collection",
        problems=(404,),
    ),
    Operation(
        name="background.history", subject="background", method="GET",
        path="/v1/background/history", summary="List a collection's snapshots, latest first.",
        request=ListBackgrounds, result=BackgroundPage,
    ),
    Operation(
        name="background.best", subject="background", method="POST", path="/v1/background/best",
        summary="Return the snapshots that best match a question.",
        request=MatchBackgrounds, positional=("query",),
        result=tuple[ScoredBackground, ...], result_name="snapshots",
        example={"query": "When is the demo?"},
    ),
    Operation(
        name="background.delete", subject="background", method="DELETE",
        path="/v1/background/{id}", summary="Delete a snapshot.",
        request=BackgroundId, positional=("background_id",), result=bool,
        result_name="deleted", permission=Permission.WRITE, missing="background", problems=(404,),
    ),
)  # fmt: skip
