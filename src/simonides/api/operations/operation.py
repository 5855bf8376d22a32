"""The record of an operation on a space, described once for all interfaces.

The command line's arguments, the HTTP route with its OpenAPI, the MCP tool with its schema and the
reference are made from these records. Must not know any interface.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from simonides import codec
from simonides.api.operations.arguments import arguments_of
from simonides.errors import NotFound
from simonides.model.access import Permission

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation: its request, result, permission, name and route.

    `name` is the dotted name of the method of `Memory` that does it. The fields of `request` are
    the arguments of that method; `positional` are handed over by position, in this order, and
    those of `spread` one by one. Where that is not enough, `call` does it with the memory and the
    arguments. In JSON the result is the record itself, or stands under `result_name`. Where the
    method returns nothing (None, False, no ids), `missing` says what is not there. `is_new` says
    whether a result was made just now.

    `method` and `path` are those of its HTTP route. One without a path reads or writes a file of
    the machine; over HTTP a route of its own takes the file in, or sends it.

    `permission` is what a key must allow; `shows` says that the result holds words of what is
    kept, so that it must allow to read as well; `writes_if` names the flag of a request which makes
    it a write. `writes` says that a request which is sent twice with one idempotency key is done
    once. `destroys` says that it takes away what cannot be brought back. `problems` are the HTTP
    statuses besides those that every operation may end with.
    """

    name: str
    summary: str
    request: type[Any]
    result: Any
    subject: str
    method: str = ""
    path: str = ""
    permission: Permission = Permission.READ
    positional: tuple[str, ...] = ()
    spread: str = ""
    call: Callable[..., Any] | None = None
    result_name: str = ""
    missing: str = ""
    shows: bool = False
    writes: bool = False
    writes_if: str = ""
    is_new: bool | Callable[[Any], bool] = False
    destroys: bool = False
    problems: tuple[int, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id_field(self) -> str:
        """The field of the request that the path's `{id}` gives; empty where there is none."""
        if "{id}" not in self.path:
            return ""
        return self.positional[0] if self.positional else self.spread

    @property
    def is_local(self) -> bool:
        """Whether it names a file of the machine of the home."""
        return not self.path

    @property
    def has_body(self) -> bool:
        """Whether an HTTP request has its fields in a JSON body, not in parameters."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def statuses(self) -> tuple[int, ...]:
        """The HTTP statuses that results may have."""
        if callable(self.is_new):
            return (201, 200)
        return (201,) if self.is_new else (200,)

    def status(self, result: Any) -> int:
        """Return the HTTP status of a result."""
        is_new = self.is_new(result) if callable(self.is_new) else self.is_new
        return 201 if is_new else 200

    def result_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the result, with references to records."""
        made = (
            codec.schema.array(str) if self.result is bool else codec.schema.schema_of(self.result)
        )
        return codec.schema.record(**{self.result_name: made}) if self.result_name else made

    def permissions(self, request: Any) -> tuple[Permission, ...]:
        """Return the permissions that a request needs."""
        more = (Permission.READ,) if self.shows else ()
        if self.writes_if and getattr(request, self.writes_if):
            more = (*more, Permission.WRITE)
        return (self.permission, *more)

    def run(
        self, memory: "Memory", request: Any, *, now: datetime | None = None, **in_process: Any
    ) -> Any:
        """Return the result of the operation.

        `now` is the end of rolling ranges; the time of the system unless given. `in_process` are
        arguments that no JSON can hold, such as functions that report progress.

        Raises:
            NotFound: What is asked for is not there.
            SimonidesError: Whatever the method raises.
        """
        given = arguments_of(request, timezone=memory.settings.timezone, now=now)
        if self.call is not None:
            return self.call(memory, given, **in_process)
        first = [given.pop(name) for name in self.positional]
        more = given.pop(self.spread, ()) if self.spread else ()
        result = attrgetter(self.name)(memory)(*first, *more, **given, **in_process)
        if self.missing and not result:
            which = (*first, *more)
            raise NotFound(self.missing, str(which[0] if which else given.get("collection", "")))
        return result

    def answer(self, request: Any, result: Any) -> Any:
        """Return the JSON of the result; of something that was removed, its id."""
        if not self.result_name:
            return result
        if result is True:
            return {self.result_name: [getattr(request, self.positional[0])]}
        return {self.result_name: result}
