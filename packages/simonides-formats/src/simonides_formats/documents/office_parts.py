"""What the parts beside the text of an Office file say: comments, headers, charts, diagrams.

Reads XML by local names, so that it does not matter how a program names its namespaces; a damaged
part says nothing. Must not know where in the text it is put.
"""

import posixpath
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

_TEXTS = frozenset(["t", "text"])
_BLANKS = frozenset(["tab", "br", "cr"])


def lines_of(part: bytes) -> list[str]:
    """Return the text of each paragraph of a part that has some."""
    return [text for one in find_named(_tree(part), "p") if (text := _words(one))]


def comments_of(part: bytes) -> dict[str, str]:
    """Return the comments of a Word file in words, each by its id."""
    comments = ((one, _attribute(one, "id")) for one in find_named(_tree(part), "comment"))
    return {number: _comment(_attribute(one, "author"), one) for one, number in comments}


def slide_comments(part: bytes, authors: Mapping[str, str]) -> list[str]:
    """Return the comments on a slide in words; `authors` are names by id."""
    comments = (*find_named(_tree(part), "cm"), *find_named(_tree(part), "reply"))
    return [_comment(authors.get(_attribute(one, "authorId"), ""), one) for one in comments]


def slide_authors(parts: Mapping[str, bytes]) -> dict[str, str]:
    """Return who commented on the slides of a file: names by id."""
    lists = (parts.get(f"ppt/{name}.xml", b"") for name in ("commentAuthors", "authors"))
    people = (one for part in lists for one in _tree(part).iter() if _attribute(one, "name"))
    return {_attribute(one, "id"): _attribute(one, "name") for one in people}


def sheet_comments(part: bytes, people: Mapping[str, str]) -> dict[str, str]:
    """Return the comments on a sheet in words, those of a cell together, by the cell's name.

    Threads name their authors by id, notes by their place in a list.
    """
    root, found = _tree(part), dict[str, str]()
    names = {str(at): "".join(one.itertext()) for at, one in enumerate(find_named(root, "author"))}
    for one in (*find_named(root, "comment"), *find_named(root, "threadedComment")):
        author = people.get(_attribute(one, "personId")) or names.get(_attribute(one, "authorId"))
        cell, said = _attribute(one, "ref"), _comment(author or "", one)
        found[cell] = f"{found[cell]} {said}" if cell in found else said
    return found


def people_of(part: bytes) -> dict[str, str]:
    """Return who took part in the threads of a workbook: names by id."""
    people = find_named(_tree(part), "person")
    return {_attribute(one, "id"): _attribute(one, "displayName") for one in people}


def chart_lines(part: bytes) -> list[str]:
    """Return the titles of a chart, then its values, a line for each series."""
    root = _tree(part)
    titles = [text for one in find_named(root, "title") if (text := _words(one))]
    return [*(f"Chart: {title}" for title in titles), *map(_series, find_named(root, "ser"))]


def targets_of(parts: Mapping[str, bytes], name: str) -> Iterator[str]:
    """Yield the names of the parts that a part refers to, in the order of the file."""
    folder, file = posixpath.split(name)
    for one in find_named(_tree(parts.get(f"{folder}/_rels/{file}.rels", b"")), "Relationship"):
        target = posixpath.join(f"/{folder}", _attribute(one, "Target"))
        yield posixpath.normpath(target).lstrip("/")


def _tree(part: bytes) -> ET.Element:
    try:
        return ET.fromstring(part)  # noqa: S314  expat bounds entities, and this process is bounded
    except (ET.ParseError, ValueError):
        return ET.Element("damaged")


def _local(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def find_named(root: ET.Element, name: str) -> Iterator[ET.Element]:
    """Return the elements of this local name, in the order of the file."""
    return (one for one in root.iter() if _local(one) == name)


def _attribute(element: ET.Element, name: str) -> str:
    values = (value for key, value in element.items() if key.rpartition("}")[2] == name)
    return next(values, "")


def _words(element: ET.Element) -> str:
    """Return the text of an element on one line."""
    parts = (
        (one.text or "") if _local(one) in _TEXTS else " "
        for one in element.iter()
        if _local(one) in _TEXTS | _BLANKS
    )
    return " ".join("".join(parts).split())


def _comment(author: str, element: ET.Element) -> str:
    paragraphs = [_words(one) for one in find_named(element, "p")] or [_words(element)]
    text = " ".join(filter(None, paragraphs))
    return f"[Comment by {author}: {text}]" if author else f"[Comment: {text}]"


def _series(series: ET.Element) -> str:
    named, labels, values = (_points(series, *names) for names in _POINTS)
    pairs = (f"{labels.get(at, '')} {value}".strip() for at, value in values.items())
    return ": ".join(filter(None, (" ".join(named.values()), ", ".join(pairs))))


_POINTS = (("tx",), ("cat", "xVal"), ("val", "yVal"))
"""Where a series of a chart keeps its name, its labels and its values."""


def _points(series: ET.Element, *names: str) -> dict[str, str]:
    """Return the values of the points below the first element of these names, by their place."""
    found = (one for one in series if _local(one) in names)
    points = find_named(next(found, ET.Element("none")), "pt")
    return {_attribute(one, "idx"): "".join(one.itertext()).strip() for one in points}
