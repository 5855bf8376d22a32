"""Attached files of a mail as items of their own, read by the reader of their format.

Knows how a mail and the items of its attachments name each other. Must not know any format, nor
where the mail came from. An attachment comes from whoever wrote the mail: it never takes the id of
what was imported from its own source (an event apart, which an invitation is meant to change, if
`event_states` lets its sender), and is never trusted further than the mail's author.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

from simonides.disk import new_private_file, scratch_folder
from simonides.errors import ImportFailed
from simonides.importers.allowance import MAIL_FREE_BYTES, MAIL_ZONE_RULES_MAX, UnpackingBudget
from simonides.importers.calendar import items_of_calendar
from simonides.importers.contents import Attachment
from simonides.importers.event_states import describe_sender
from simonides.importers.formats import detect
from simonides.importers.mail_copies import without_ids
from simonides.importers.message import Message, attachment_entry
from simonides.importers.mime import ParseBudget
from simonides.importers.reading import read_file
from simonides.model.item import Item, Kind, Person, Role, Trust, digest, with_trust
from simonides.model.metadata_keys import ATTACHED_KEY
from simonides.ports.importer import Allowance, SourceFile

SOURCE = "attachment"
"""The source of attached documents."""

ITEMS_MAX = 10_000
"""Most items made of the attachments of one mail; an archive may hold any number of files."""

NAMED_ITEMS_MAX = 100
"""Most items of one attachment that its mail names; all of them name the mail."""

NOTHING_LEFT = "not read, since its mail has more text than one may have"
"""Why an attachment is passed over once others took all that the mail may have."""

_SUFFIXES = {"text/html": ".html", "text/vcard": ".vcf", "text/x-vcard": ".vcf"}
"""Suffixes by which text formats are known where an attachment has no name of its own."""


def items_of(message: Message, file: SourceFile, budget: ParseBudget) -> list[Item]:
    """Return the mail, which names the items of its attachments, and then these items.

    What could not be read of an attachment is noted in the budget.
    """
    size_bytes = sum(one.size_bytes for one in message.attachments)
    allowance = UnpackingBudget.of(size_bytes, free_bytes=MAIL_FREE_BYTES, outer=file.allowance)
    reader = _AttachmentReader(message.mail, file, budget, allowance)
    entries = []
    for number, attachment in enumerate(message.attachments, start=1):
        made = list(reader.items_of(attachment, number=number))
        ids = list(dict.fromkeys(item.id for item in made))[:NAMED_ITEMS_MAX]
        entries.append(attachment_entry(attachment) | ({"items": ids} if ids else {}))
    if not entries:
        return [message.mail]
    mail = replace(message.mail, metadata={**message.mail.metadata, "attachments": entries})
    return [mail, *reader.items]


class _AttachmentReader:
    """The reader of the attachments of one mail, and the items found so far, each once."""

    def __init__(
        self, mail: Item, file: SourceFile, budget: ParseBudget, allowance: Allowance
    ) -> None:
        self.mail = mail
        self.file = file
        self.budget = budget
        self.items: list[Item] = []
        self._seen: set[bytes] = set()
        self._allowance = allowance
        self._zone_rules = file.zone_rules or UnpackingBudget(MAIL_ZONE_RULES_MAX)

    def items_of(self, attachment: Attachment, *, number: int) -> Iterator[Item]:
        """Yield the items of one attachment, those that an earlier one held, too."""
        for item in self._read(attachment, number=number):
            if len(self.items) >= ITEMS_MAX:
                self.budget.lose("", f"more than {ITEMS_MAX} items in its attachments")
                return
            key = digest(item)
            if key not in self._seen:
                self._seen.add(key)
                self.items.append(item)
            yield item

    def _read(self, attachment: Attachment, *, number: int) -> Iterator[Item]:
        events = list(self._events(attachment, number=number)) if attachment.is_calendar else []
        if events:
            yield from events
        elif attachment.text:
            yield self._text_document(attachment, number=number)
        elif self.budget.is_used_up:
            self.budget.lose(attachment.part, f"{attachment.name}: {NOTHING_LEFT}")
        elif attachment.blocks is not None:
            yield from self._by_format(attachment, attachment.blocks(), number=number)

    def _events(self, attachment: Attachment, *, number: int) -> Iterator[Item]:
        """Yield the events of an invitation, and tasks that are sent the same way."""
        for found in items_of_calendar(
            attachment.payload,
            sent_at=self.mail.happened_at,
            zone_rules=self._zone_rules,
            timezone=self.file.timezone,
        ):
            if isinstance(found, str):
                self.budget.lose(attachment.part, f"{attachment.name}: {found}")
            else:
                yield self._adopt(found, where=self._where(attachment, number))

    def _where(self, attachment: Attachment, number: int) -> str:
        return f"{self.mail.source_id}/{number}/{attachment.name}"

    def _text_document(self, attachment: Attachment, *, number: int) -> Item:
        return Item(
            kind=Kind.DOCUMENT,
            source=SOURCE,
            source_id=self._where(attachment, number),
            title=attachment.name,
            content=attachment.text or "",
            people=_authors(self.mail),
            happened_at=self.mail.happened_at,
            session=self.mail.session,
            metadata={
                "_media_type": attachment.media_type,
                **self._links,
                **describe_sender(self.mail),
            },
        )

    @property
    def _links(self) -> dict[str, str]:
        return {ATTACHED_KEY: self.mail.source_id, f"{ATTACHED_KEY}_item": self.mail.id}

    def _by_format(
        self, attachment: Attachment, blocks: Iterable[bytes], *, number: int
    ) -> Iterator[Item]:
        """Yield the items that the reader of its format finds; none where no format fits."""
        suffix = PurePosixPath(attachment.name).suffix or _SUFFIXES.get(attachment.media_type, "")
        with scratch_folder(self.file.scratch) as folder:
            path = folder / f"attachment{suffix}"
            with new_private_file(path) as stream:
                stream.writelines(blocks)
            inner = SourceFile(
                path=path,
                where=self._where(attachment, number),
                size_bytes=path.stat().st_size,
                depth=self.file.depth + 1,
                scratch=self.file.scratch,
                allowance=self._allowance,
                zone_rules=self._zone_rules,
                timezone=self.file.timezone,
            )
            try:
                importer = detect(path)
            except ImportFailed:
                return  # the mail names it all the same
            try:
                for step in read_file(inner, importer=importer):
                    if self.budget.is_used_up:
                        return
                    if step.item is not None and self._may_keep(step.item, attachment):
                        yield self._adopt(step.item, where=inner.where)
                    elif step.skipped is not None:
                        place = step.skipped.where.removeprefix(inner.where).lstrip("/: ")
                        shown = ", ".join(filter(None, [attachment.name, place]))
                        self.budget.lose(attachment.part, f"{shown}: {step.skipped.reason}")
            except ImportFailed as error:
                self.budget.lose(attachment.part, f"{attachment.name}: {error}")

    def _when(self, item: Item) -> datetime | None:
        """Return when an item of this mail happened: a document not after it was sent."""
        stated, sent = item.happened_at, self.mail.happened_at
        is_later = item.kind is Kind.DOCUMENT and stated and sent and stated > sent
        return sent if is_later else stated or sent

    def _may_keep(self, item: Item, attachment: Attachment) -> bool:
        text = self.budget.take_text(item.content, part=attachment.part)
        return bool(text) or not item.content

    def _adopt(self, item: Item, *, where: str) -> Item:
        """Return an item as one of this mail's: linked to it, and dated by it if it has no date.

        It has no position in the mail's session: each attached file counts its pages from 1.
        """
        source, source_id = item.source, item.source_id
        is_event = item.kind is Kind.EVENT
        if item.kind is Kind.DOCUMENT and source == "file":
            source = SOURCE
        if not is_event and not source_id.startswith(where):
            source_id = f"{where}/{source_id or item.id}"
        adopted = replace(
            item,
            id="",
            source=source,
            source_id=source_id,
            people=_with_authors(item.people, _authors(self.mail)),
            happened_at=self._when(item),
            collection=self.mail.collection,
            session=item.session if is_event else self.mail.session,
            position=item.position if is_event else None,
            metadata=without_ids(item.metadata) | self._links | describe_sender(self.mail),
        )
        if item.kind in (Kind.DOCUMENT, Kind.EVENT):
            return adopted
        return with_trust(adopted, Trust.UNKNOWN)


def _authors(mail: Item) -> tuple[Person, ...]:
    return tuple(one for one in mail.people if one.role is Role.AUTHOR)


def _with_authors(people: tuple[Person, ...], authors: tuple[Person, ...]) -> tuple[Person, ...]:
    """Return people with these authors, who stand first where there is no other author.

    An author without an address whom the mail names with one is the same.
    """
    names = {one.name for one in authors if one.name}
    own = [p for p in people if p.address or p.role is not Role.AUTHOR or p.name not in names]
    known = {(one.address or one.name, one.role) for one in own}
    new = [one for one in authors if (one.address or one.name, one.role) not in known]
    has_author = any(one.role is Role.AUTHOR for one in own)
    return tuple([*own, *new] if has_author else [*new, *own])
