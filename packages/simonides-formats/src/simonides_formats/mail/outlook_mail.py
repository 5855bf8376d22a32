"""Mails of Outlook as items: a wrapped mail by itself, in another mail, and from its other files.

Knows how what Outlook's properties say becomes a mail. Must not know the files that they are kept
in.
"""

from collections.abc import Iterator
from functools import partial

from simonides.errors import ImportFailed
from simonides.importers.contents import Body
from simonides.importers.mailbox import steps_of
from simonides.importers.message import Known, Message, as_import_failure, message_of
from simonides.importers.mime import RAW_BYTES_MAX, ParseBudget
from simonides.model.item import short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.mail.mapi import MapiMessage
from simonides_formats.mail.mapi_mail import body_of_mapi, fields_of, marks_of
from simonides_formats.mail.tnef import read_tnef


def read_winmail(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mail in a wrapping of Outlook's (winmail.dat) and its attachments."""
    with file.path.open("rb") as stream:
        message = read_tnef(stream.read(RAW_BYTES_MAX))
    if message is None:
        yield file.skip("not a wrapped mail", bytes_done=file.size_bytes)
    else:
        yield from mapi_steps(file, message, bytes_done=file.size_bytes)


def read_wrapped_body(raw: bytes, budget: ParseBudget, depth: int) -> Body | None:
    """Return the contents of a mail that is attached in a wrapping; None where it is none."""
    message = read_tnef(raw)
    return None if message is None else body_of_mapi(message, budget, depth=depth)


def mapi_steps(
    file: SourceFile, message: MapiMessage, *, bytes_done: int, part: str = ""
) -> Iterator[ImportEvent]:
    """Yield the items of one mail of Outlook's, then the reports of what was left out."""
    budget = ParseBudget()
    read = partial(outlook_message, message, source=file.source, budget=budget)
    yield from steps_of(file, read, budget, part=part, bytes_done=bytes_done)


def outlook_message(message: MapiMessage, *, source: str, budget: ParseBudget) -> Message:
    """Return a mail that was read out of one of Outlook's files, with its attachments.

    Raises:
        ImportFailed: It says what no item can hold; says which.
    """
    with as_import_failure():
        fields = fields_of(message)
        body = body_of_mapi(message, budget)
        if not (fields or body.texts or body.attachments):
            raise ImportFailed("an empty mail")
        name = partial(short_hash, f"{sorted(fields.items())}{body.texts}")
        known = Known(marks=marks_of(message), own_hash=name, source=source or "outlook")
        return message_of(fields, body, known, budget)
