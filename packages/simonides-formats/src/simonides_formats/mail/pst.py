"""Outlook data files (.pst, .ost): the mails in them, folder by folder.

Knows which nodes are folders, mails, recipients and attachments ([MS-PST], section 2.4). Must not
know how a node lies in the file, nor what the properties say of a mail.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from simonides.importers.marks import Mark, marks_of_labels, reason_left_out
from simonides.model.item import Item, Kind
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.mail.mapi import (
    ATTACH_DATA,
    ATTACH_METHOD,
    DISPLAY_NAME,
    MESSAGE_CLASS,
    MapiAttachment,
    MapiMessage,
)
from simonides_formats.mail.outlook_mail import mapi_steps
from simonides_formats.mail.pst_nodes import Node, NodeFile
from simonides_formats.mail.pst_tables import long_value, properties, rows

PARTS_MAX = 2_000
"""Most recipients, and most attachments, of one mail."""

DEPTH_MAX = 8
"""How deep mails are read that are attached to each other."""

FOLDERS_MAX = 64
"""How deep folders may lie in each other."""

_STORE = 0x21
_KINDS, _FOLDER, _MAIL = 0x1F, 0x02, 0x04
_RECIPIENTS, _ATTACHMENTS = 0x692, 0x671
_WASTEBASKET, _EMBEDDED_MAIL = 0x35E3, 5
_ENTRY_ID_BYTES = 24
_MAIL_DOTTED = ("IPM.NOTE.", "IPM.POST.", "IPM.SCHEDULE.", "REPORT.")


def read_pst(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mails of a data file and their attachments; others of its items as documents."""
    with file.path.open("rb") as stream:
        data = NodeFile(stream, size_bytes=file.size_bytes)
        folders = _Folders(data)
        count = max(folders.mails, 1)
        number = 0
        for node in data.nodes():
            if node.number & _KINDS != _MAIL:
                continue
            number += 1
            yield from _mail(file, data, node, folders, number=number, count=count)
    if not number:
        yield file.skip("no mail in it", bytes_done=file.size_bytes)


class _Folders:
    """The folders of a file: their paths, and which of them hold what was thrown away."""

    def __init__(self, data: NodeFile) -> None:
        self._names: dict[int, tuple[str, int]] = {}
        self.mails = 0
        self._wastebasket = -1
        for node in data.nodes():
            kind = node.number & _KINDS
            self.mails += kind == _MAIL
            if kind == _FOLDER:
                name = properties(node, data).get(DISPLAY_NAME)
                self._names[node.number] = (str(name or ""), node.parent)
            elif node.number == _STORE:
                entry = properties(node, data).get(_WASTEBASKET)
                if isinstance(entry, bytes) and len(entry) >= _ENTRY_ID_BYTES:
                    self._wastebasket = int.from_bytes(entry[20:24], "little")

    def path(self, number: int) -> tuple[list[str], frozenset[Mark]]:
        """Return the names of the folders above a mail, and the marks that these give it."""
        names: list[str] = []
        thrown_away: set[Mark] = set()
        for _ in range(FOLDERS_MAX):
            name, parent = self._names.get(number, ("", number))
            if number == self._wastebasket:
                thrown_away = {Mark.DELETED}
            names += [name] if name else []
            if parent == number:
                break
            number = parent
        return names[::-1], marks_of_labels(names) | thrown_away


def _mail(
    file: SourceFile, data: NodeFile, node: Node, folders: _Folders, *, number: int, count: int
) -> Iterator[ImportEvent]:
    names, marks = folders.path(node.parent)
    done = file.size_bytes * number // count
    part = f"mail {number} in {'/'.join(names[-1:]) or 'no folder'}"
    if reason := reason_left_out(marks):
        yield file.skip(reason, part=part, bytes_done=done)
        return
    message = _message(data, node, depth=0)
    for step in mapi_steps(file, message, bytes_done=done, part=part):
        if step.item is None or step.item.kind is not Kind.EMAIL:
            yield step
        else:
            yield replace(step, item=_place(step.item, message, names))


def _place(item: Item, message: MapiMessage, names: list[str]) -> Item:
    """Return a mail with its folder; what is no mail is a document."""
    stated = str(message.values.get(MESSAGE_CLASS) or "").upper()
    is_mail = stated in ("", "IPM") or f"{stated}.".startswith(_MAIL_DOTTED)
    folder = "/".join(names[-FOLDERS_MAX:])
    return replace(
        item,
        kind=Kind.EMAIL if is_mail else Kind.DOCUMENT,
        metadata={**item.metadata, **({"folder": folder} if folder else {})},
    )


def _message(data: NodeFile, node: Node, *, depth: int) -> MapiMessage:
    below = data.subnodes(node.below)
    message = MapiMessage(values=properties(node, data))
    if table := below.get(_RECIPIENTS):
        found = rows(table, data)
        message.recipients = [row.values for row, _ in zip(found, range(PARTS_MAX), strict=False)]
    if table := below.get(_ATTACHMENTS):
        for row, _ in zip(rows(table, data), range(PARTS_MAX), strict=False):
            if inner := below.get(row.number):
                message.attachments.append(_attachment(data, inner, depth=depth))
    return message


def _attachment(data: NodeFile, node: Node, *, depth: int) -> MapiAttachment:
    values = properties(node, data, without=(ATTACH_DATA,))
    if values.get(ATTACH_METHOD) != _EMBEDDED_MAIL:
        return MapiAttachment(values=values, data=partial(long_value, node, data, ATTACH_DATA))
    number = properties(node, data).get(ATTACH_DATA)
    inner = data.subnodes(node.below).get(number) if isinstance(number, int) else None
    message = _message(data, inner, depth=depth + 1) if inner and depth < DEPTH_MAX else None
    return MapiAttachment(values=values, message=message)
