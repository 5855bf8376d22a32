"""What an operation is: one thing that can be asked of a space, described once.

The command line's arguments, the HTTP route with its OpenAPI, the MCP tool with its schema and the
reference are made from these records. Must not know any interface.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from simonides.errors import NotFound
from simonides.model.access import Permission

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation: its request, its result, who may ask for it, and how it is called.

    `name` is the dotted name of the method of `Memory` that does it. The fields of `request` are
    the arguments of that method; `positional` are handed over by position, in this order, and
    those of `spread` one by one. In JSON the result is the record itself, or stands under
    `result_name`. Where the method returns nothing (None, False, no ids), `missing` says what is
    not there. `is_new` says of a result that it was made just now.

    `permission` is what a key must allow; `shows` says that the result holds words of what is
    kept, so that it must allow to read as well. `writes` says that a request which is sent twice
    with one idempotency key is done once. `problems` are the HTTP statuses besides those that
    every operation may end with.
    """

    name: str
    summary: str
    request: type[Any]
    result: Any
    subject: str
    method: str
    path: str
    permission: Permission = Permission.READ
    positional: tuple[str, ...] = ()
    spread: str = ""
    result_name: str = ""
    missing: str = ""
    shows: bool = False
    writes: bool = False
    is_new: bool = False
    problems: tuple[int, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id_field(self) -> str:
        """The field of the request that the path's `{id}` gives; empty where there is none."""
        return self.positional[0] if "{id}" in self.path else ""

    @property
    def has_body(self) -> bool:
        """Whether an HTTP request brings its fields as JSON, not as parameters."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def status(self) -> int:
        """The HTTP status of the result."""
        return 201 if self.is_new else 200

    def run(self, memory: "Memory", request: Any) -> Any:
        """Return the result of the operation.

        Raises:
            NotFound: What is asked for is not there.
            SimonidesError: Whatever the method raises.
        """
        given = {one.name: getattr(request, one.name) for one in fields(request)}
        first = [given.pop(name) for name in self.positional]
        more = given.pop(self.spread) if self.spread else ()
        named = {name: value for name, value in given.items() if value is not None}
        result = attrgetter(self.name)(memory)(*first, *more, **named)
        if self.missing and not result:
            raise NotFound(self.missing, str(first[0] if first else named.get("collection", "")))
        return result

    def answer(self, request: Any, result: Any) -> Any:
        """Return what the interfaces write as JSON; of something that was taken away, its id."""
        if not self.result_name:
            return result
        if result is True:
            return {self.result_name: [getattr(request, self.positional[0])]}
        return {self.result_name: result}
