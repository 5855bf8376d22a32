"""Who made an event, who mailed a state of it, and whether that is somebody else.

Must not know where items are read or kept.
"""

from simonides.model.item import Item, Kind, Role
from simonides.model.metadata_keys import SENT_BY_KEY


def addresses(item: Item) -> frozenset[str]:
    """Return the addresses of the item's authors: an event's organizer, and who sent it."""
    people = (one for one in item.people if one.role is Role.AUTHOR and one.address)
    return frozenset(one.address.casefold() for one in people)


def senders(item: Item) -> frozenset[str] | None:
    """Return who mailed this state of an event; None for what did not come with a mail."""
    named = item.metadata.get(SENT_BY_KEY)
    if item.kind is not Kind.EVENT or not isinstance(named, list):
        return None
    return frozenset(str(one).casefold() for one in named)


def is_of_another(sent: frozenset[str] | None, makers: frozenset[str]) -> bool:
    """Return whether somebody mailed a state of an event of others; nobody is its maker either."""
    return sent is not None and not (sent and sent <= makers)
