"""The record of a check of a file's pages."""

from dataclasses import dataclass
from datetime import datetime

from simonides.model.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrub(Result):
    """A check of every page of a space's file against its checksum: time, pages, damaged ones.

    `pages` is 0 where pages have no checksums.
    """

    at: datetime
    pages: int = 0
    damaged: tuple[int, ...] = ()
    took_s: float = 0.0
