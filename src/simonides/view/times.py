"""Times as whole microseconds since 1970, the unit of every column of times."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(when: datetime) -> int:
    """Return exact microseconds since 1970 of an aware time (negative before)."""
    return (when - _EPOCH) // _MICROSECOND


def moment(happened_us: int) -> datetime:
    """Return the aware UTC time of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=happened_us)
