"""Lists of messages in JSON, each with the plain fields of the object that it lies in.

Must not know what the fields mean.
"""

from collections.abc import Iterator
from typing import Any

from simonides.importers.charset import stream_encoding
from simonides.importers.json_parts import SAMPLE_BYTES, JsonPart, parts
from simonides.importers.json_values import each, fields_of
from simonides.ports.importer import SourceFile
from simonides_formats.json_stream import FIELDS_MAX, IS_AVAILABLE, Scoped, stream_scopes


def read_scoped(file: SourceFile, *lists: str) -> Iterator[JsonPart]:
    """Yield the records of the lists at these paths (`chats.list.item.messages`), each `Scoped`.

    `scope` counts the lists. A chat's name stands before its messages, of which there may be
    millions: where the library for streams is installed, only fields before a list are known.
    """
    if not IS_AVAILABLE:
        return _read_whole(file, lists)
    with file.path.open("rb") as stream:
        encoding = stream_encoding(stream.read(SAMPLE_BYTES))
    return stream_scopes(file, encoding, lists)


def _read_whole(file: SourceFile, lists: tuple[str, ...]) -> Iterator[JsonPart]:
    """Yield the records of a file that is read as a whole."""
    number = scope = 0
    for part in parts(file):
        if part.problem:
            yield part
            continue
        for path in lists:
            *above, name = path.split(".")
            for owner in _owners(part.value, above):
                scope += 1
                fields = dict(list(_plain(owner, ""))[:FIELDS_MAX])
                for value in each(fields_of(owner).get(name)):
                    number += 1
                    found = Scoped(value=value, scope=scope, fields=fields)
                    yield JsonPart(
                        value=found, place=f"record {number}", bytes_done=part.bytes_done
                    )


def _owners(value: Any, path: list[str]) -> Iterator[Any]:
    """Yield the objects at a path, in which `item` is every member of a list."""
    if not path:
        yield value
        return
    inner = each(value) if path[0] == "item" else [fields_of(value).get(path[0])]
    for one in inner:
        yield from _owners(one, path[1:])


def _plain(owner: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the texts and numbers of an object, and of the objects in it."""
    for name, value in fields_of(owner).items():
        if isinstance(value, str | int | float):
            yield prefix + name, value
        elif not prefix:
            yield from _plain(value, f"{name}.")
