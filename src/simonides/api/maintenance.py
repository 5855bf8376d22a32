"""Looking after a space: examine, erase, compact, repair; files in and out of it."""

import os
import time
from collections.abc import Callable
from datetime import timedelta

from simonides.api.arguments import (
    StateLike,
    as_state,
    check_calls,
    check_is,
    check_texts,
    expand_home,
)
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.ingest.at_work import in_turn
from simonides.ingest.prepare import Preparer, preparer_of
from simonides.ingest.waiting import embed_waiting
from simonides.maintenance import compact as compaction
from simonides.maintenance import erase as erasure
from simonides.maintenance import repair as repairing
from simonides.maintenance import verify as verifying
from simonides.maintenance.verify import (
    embedder_findings,
    examine,
    language_findings,
    plugins,
    rights,
)
from simonides.model.answer import EmbedReport, Finding
from simonides.model.bounds import CHUNKS, EMBED_S
from simonides.model.filter import FilterLike, as_filter
from simonides.model.lease import Work
from simonides.model.maintenance import Compaction, ErasureReport, RepairReport
from simonides.model.scrub import Scrub
from simonides.model.stored import EmbedderIdentity
from simonides.retrieval.looking import look
from simonides.retrieval.plan import check_as_of


def compact(opened: OpenSpace, *, before: StateLike | None) -> Compaction:
    """Remove history past its retention, shrink the file, and return a report."""
    oldest = as_state(before, opened, field="before")
    check_as_of(oldest, field="before")
    space = opened.space_of_any_embedder
    done = compaction.compact(space, retention=compaction.Retention.of(opened.home), before=oldest)
    if done.versions:  # the index is built anew from what is left, and its snapshot written
        opened.home.forget_index(space)
        index = opened.home.index(space)
        with look(space, index):
            index.save()
    return done


def doctor(opened: OpenSpace) -> tuple[Finding, ...]:
    """Return the findings of a quick check of the space."""
    space, store = opened.space_of_any_embedder, opened.home.store
    found = examine(space, space_view=opened.home.index(space), store=store)
    models = embedder_findings(space, configured=opened.home.identity)
    languages = language_findings(space, embedder=opened.settings.embedder)
    return (*found, *models, *languages, *rights(opened.home.path), *plugins())


def embed(
    opened: OpenSpace,
    *,
    chunks_max: int | None = None,
    time_max_s: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> EmbedReport:
    """Make the vectors that chunks wait for, within limits; return what was done."""
    check_calls(on_progress=on_progress)
    if chunks_max is not None:
        CHUNKS.check(chunks_max, field="chunks_max")
    if time_max_s is not None:
        EMBED_S.check(time_max_s, field="time_max_s")
    started = time.monotonic()
    done = embed_waiting(
        opened,
        chunks_max=chunks_max,
        go_on=lambda: time_max_s is None or time.monotonic() - started < time_max_s,
        on_progress=on_progress,
    )
    took_s = time.monotonic() - started
    return EmbedReport(embedded=done.done, waiting=done.left, took_s=took_s)


def reembed(opened: OpenSpace, *, on_progress: Callable[[int, int], None] | None) -> int:
    """Make all vectors again with the configured embedder; return the number of items."""
    check_calls(on_progress=on_progress)
    space = opened.space_of_any_embedder
    preparer = preparer_of(opened, identity=opened.home.identity)
    with in_turn(space, Work.VECTORS, wait_s=opened.settings.timeout_s):
        done = repairing.reembed(space, preparer=preparer, on_progress=on_progress)
    opened.home.forget_index(space)
    return done


def erase(
    opened: OpenSpace,
    item_ids: tuple[str, ...],
    *,
    filter: FilterLike | None,  # noqa: A002  the word of the project
    everything: bool,
    prove: bool,
    answers: bool,
) -> ErasureReport:
    """Erase items permanently, by id or by filter, or the whole space; return a report."""
    if bool(item_ids) + (filter is not None) + everything != 1:
        raise InvalidInput("erase", "give ids, or a filter, or everything: just one of them")
    check_texts(*item_ids, field="item_ids")
    wanted = as_filter(filter, timezone=lambda: opened.timezone)
    opened.home.store.finish_erasures()
    if everything:
        return erasure.erase_space(opened, proves=prove)
    ids = item_ids
    if filter is not None:
        ids = erasure.choose_ids(wanted, space=opened.space_of_any_embedder)
    return erasure.erase(ids, opened, proves=prove, answers=answers)


def preview_erase(
    opened: OpenSpace,
    filter: FilterLike,  # noqa: A002  the word of the project
) -> tuple[str, ...]:
    """Return the ids of the items that `erase` would erase by a filter; nothing is erased."""
    wanted = as_filter(filter, timezone=lambda: opened.timezone)
    return erasure.choose_ids(wanted, space=opened.space_of_any_embedder)


def verify(opened: OpenSpace) -> tuple[Finding, ...]:
    """Return the findings of a complete check of the space."""
    space = opened.space_of_any_embedder
    return tuple(verifying.verify(space, space_view=opened.home.index(space)))


def scrub(
    opened: OpenSpace, *, go_on: Callable[[], bool] | None, every: timedelta | None
) -> Scrub | None:
    """Compare every page of the file with its checksum and return the result."""
    check_calls(go_on=go_on)
    if every is not None:
        check_is(every, timedelta, field="every")
    now = opened.now()
    space = opened.space_of_any_embedder
    since = None if every is None else now - every
    return space.scrub(at=now, go_on=go_on or (lambda: True), unless_since=since)


def repair(opened: OpenSpace, *, backup: str | os.PathLike[str] | None) -> RepairReport:
    """Rebuild the file of the space from all readable data; report what is lost."""
    home = opened.home
    home.forget_indexes()
    if backup is None:

        def preparer_for(identity: EmbedderIdentity) -> Preparer:
            is_known = home.embedder_for(identity) is not None
            return preparer_of(opened, identity=identity if is_known else home.identity)

        return repairing.repair(
            opened.name, store=home.store, preparer_for=preparer_for, fallback=home.identity
        )
    return repairing.repair_from(opened.name, expand_home(backup, field="backup"), store=home.store)
