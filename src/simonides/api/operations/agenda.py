"""The operation that lists what takes place and is due."""

from dataclasses import dataclass

from simonides.api.operations.fields import AsOf, Cursor, Limit, Names, Time, Zone
from simonides.api.operations.operation import Operation
from simonides.model.agenda import Agenda


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaRequest:
    """Which time, of whose events and tasks, and which page of them."""

    since: Time | None = None
    until: Time | None = None
    sources: Names = ()
    collections: Names = ()
    people: Names = ()
    limit: Limit = 100
    cursor: Cursor = ""
    as_of: AsOf | None = None
    now: Time | None = None
    timezone: Zone | None = None


OPERATIONS = (
    Operation(
        name="agenda", subject="questions", method="GET", path="/v1/agenda",
        summary="List what takes place and what is due between two times, by time.",
        request=AgendaRequest, result=Agenda, problems=(410,),
    ),
)  # fmt: skip
