"""Ids and names of sessions for records that have none, or too long ones.

Must not know a format.
"""

import json
from collections import Counter

from simonides.model.bounds import NAME
from simonides.model.item import short_hash


def short_name(text: str) -> str:
    """Return the name of a session, or its hash where it is too long for one."""
    return text if len(text) <= NAME.chars_max else short_hash(text)


class DerivedIds:
    """Ids made of what a message says, and of a count of equal ones.

    So a message keeps its id when the file grows, and when messages come in before it. Holds one
    number for each message.
    """

    def __init__(self) -> None:
        self._equal: Counter[int] = Counter()

    def of(self, *fields: str) -> str:
        """Return the id of the next message with these fields."""
        key = short_hash(json.dumps(fields))
        short = int(key[:12], 32)  # 60 bits tell the messages of one file apart
        self._equal[short] += 1
        return short_hash(f"{key}/{self._equal[short]}")
