"""The values in a stream of JSON events, each with the names that lead to it.

Memory grows with one value, never with the names that lead to it: no path is written out. Must not
know files, nor what the values mean.
"""

from collections.abc import Iterator
from typing import Any

from simonides.importers.json_parts import TOO_DEEP
from simonides.model.coercion import NESTED_MAX

MEMBER = "item"
"""What stands for the members of a list in a path."""

DEEP: Any = object()
"""What stands for a value that is nested too deep to be built."""

ENDS = ("end_map", "end_array")
"""The events that end a value."""

_STARTS = ("start_map", "start_array")


def path_of(text: str) -> list[str]:
    """Return the names of a dotted path; none for the top."""
    return text.split(".") if text else []


class Walk:
    """A walk through the events of a parser.

    Each step gives the names that lead to a value, and the event of its beginning or end. At a
    beginning `built` may be asked for the whole value, which the walk then steps over.
    """

    def __init__(self, events: Iterator[tuple[str, Any]]) -> None:
        self._events = events
        self._is_open = False

    def __iter__(self) -> Iterator[tuple[list[str], str, Any]]:
        """Yield (names that lead to it, event, plain value); the names change with each step."""
        names: list[str] = []
        for event, value in self._events:
            if event == "map_key":
                names[-1] = value
                continue
            if event in ENDS:
                names.pop()
            self._is_open = event in _STARTS
            yield names, event, value
            if self._is_open:
                names.append(MEMBER if event == "start_array" else "")
                if len(names) > NESTED_MAX:
                    raise ValueError(TOO_DEEP)

    def build(self, event: str, value: Any) -> Any:
        """Return the value that begins with this event; `DEEP` for one that is nested too deep."""
        if event not in _STARTS:
            return value
        self._is_open = False
        top: Any = {} if event == "start_map" else []
        return top if self._fill(top) else DEEP

    def _fill(self, top: Any) -> bool:
        """Read the members of a list or object; return whether all were kept."""
        holders, key, depth, is_deep = [top], "", 1, False
        for event, value in self._events:
            if event == "map_key":
                key = value
                continue
            if event in ENDS:
                depth -= 1
                if not depth:
                    return not is_deep
                if not is_deep:
                    holders.pop()
                continue
            is_start = event in _STARTS
            depth += is_start
            is_deep = is_deep or depth > NESTED_MAX
            if is_deep:  # to the end of the value, so that the next one is read
                continue
            one = value if not is_start else {} if event == "start_map" else []
            holder = holders[-1]
            if type(holder) is dict:
                holder[key] = one
            else:
                holder.append(one)
            if is_start:
                holders.append(one)
        return False
