"""Times as whole microseconds since 1970, the unit in which they are kept and indexed."""

from datetime import UTC, datetime, timedelta

from simonides.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(when: datetime, *, field: str = "time") -> int:
    """Return exact microseconds since 1970 (negative before), for the years 1 to 9999.

    Raises:
        InvalidInput: `when`, the value of `field`, has no time zone.
    """
    if when.utcoffset() is None:
        raise InvalidInput(field, "needs a time zone")
    return (when - _EPOCH) // _MICROSECOND


def moment(us: int) -> datetime:
    """Return the aware UTC time of `us` microseconds since 1970."""
    return _EPOCH + us * _MICROSECOND
