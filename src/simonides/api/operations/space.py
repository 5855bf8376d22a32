"""The operations on a whole space: summaries, vectors, counts, checks and compaction."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from simonides.api.operations.fields import AsOf, Count, Id, Name, Nothing
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.answer import EmbedReport, Finding, SpaceStats
from simonides.model.maintenance import Compaction
from simonides.model.stored import Surrogate, SurrogatesBuilt


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSurrogate:
    """An item, and the algorithm of its summaries."""

    item_id: Id
    algorithm: Name = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSurrogates:
    """How long the summaries are, the number of items to write them of, and the time limit."""

    algorithm: Literal["extractive", "extractive-compact", "extractive-verbose", "model"] = (
        "extractive"
    )
    items_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embed:
    """How many chunks to embed, and for about how long."""

    chunks_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """The limit of the history to remove; by default the retention."""

    before: AsOf | None = None


OPERATIONS = (
    Operation(
        name="surrogates.get", subject="surrogates", method="GET", path="/v1/surrogates/{id}",
        summary="Return the summaries of an item: full, gist and micro.",
        request=GetSurrogate, positional=("item_id",), result=Surrogate,
        missing="surrogate of item", problems=(404,),
    ),
    Operation(
        name="surrogates.build", subject="surrogates", method="POST", path="/v1/surrogates/build",
        summary="Write the missing summaries of long items.",
        request=BuildSurrogates, result=SurrogatesBuilt, permission=Permission.WRITE, writes=True,
        example={"items_max": 100},
    ),
    Operation(
        name="embed", subject="space", method="POST", path="/v1/embed",
        summary="Make the vectors that imported items wait for, those of the newest first.",
        request=Embed, result=EmbedReport, permission=Permission.WRITE, writes=True,
        example={"chunks_max": 1_000},
    ),
    Operation(
        name="stats", subject="space", method="GET", path="/v1/stats",
        summary="Return counts and sizes of the space.",
        request=Nothing, result=SpaceStats, problems=(404,),
    ),
    Operation(
        name="verify", subject="space", method="POST", path="/v1/verify",
        summary="Check the whole space against its checksums and its index.",
        request=Nothing, result=tuple[Finding, ...], result_name="findings",
        permission=Permission.ADMIN, example={},
    ),
    Operation(
        name="compact", subject="space", method="POST", path="/v1/compact",
        summary="Remove history past its retention, and shrink the file.",
        request=Compact, result=Compaction, permission=Permission.ADMIN, problems=(404,),
        example={}, destroys=True,
    ),
)  # fmt: skip
