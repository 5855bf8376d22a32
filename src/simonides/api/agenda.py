"""The agenda of a space: the time that is asked for, and what its answer is made of."""

from datetime import datetime, timedelta
from functools import partial

from simonides.api.arguments import StateLike, as_state
from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.agenda import Agenda
from simonides.model.filter import FilterFields, as_filter
from simonides.model.times import TimeLike, as_time, in_zone
from simonides.retrieval.agenda import Window
from simonides.retrieval.agenda import agenda as agenda_of

DAYS = 8
"""Days of an agenda whose end is not said: the first one, and a week."""


def agenda(
    opened: OpenSpace,
    *,
    since: TimeLike | None,
    until: TimeLike | None,
    wanted: FilterFields,
    limit: int,
    cursor: str,
    as_of: StateLike | None,
    now: TimeLike | None,
    timezone: str | None,
) -> Agenda:
    """Return a page of what takes place and is due; by default today and in the 7 days after."""
    zone = timezone or opened.timezone
    check_timezone(zone)
    read = partial(as_time, timezone=zone)
    asked_at = opened.now() if now is None else read(now, field="now")
    midnight = as_time(in_zone(asked_at, zone).date(), field="now", timezone=zone)
    begin = midnight if since is None else read(since, field="since")
    end = _days_after(begin, zone) if until is None else read(until, field="until")
    return agenda_of(
        as_filter(wanted, timezone=lambda: zone),
        opened,
        window=Window(since=begin, until=end, timezone=zone),
        limit=limit,
        cursor=cursor,
        as_of=as_state(as_of, opened),
    )


def _days_after(begin: datetime, zone: str) -> datetime:
    """Return the same time by the clock some days later.

    Raises:
        InvalidInput: There is no such year.
    """
    try:
        local = in_zone(begin, zone).replace(tzinfo=None) + timedelta(days=DAYS)
    except OverflowError:
        raise InvalidInput("since", "lies at the end of the years that there are") from None
    return as_time(local, field="until", timezone=zone)
