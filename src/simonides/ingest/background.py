"""A background becomes what the store keeps: checked, named, its terms analysed.

A function of text, collection, time and language alone. Must not know stores or clocks, nor how a
snapshot is found.
"""

import re
from collections import Counter
from datetime import datetime

from simonides.errors import InvalidInput
from simonides.ingest.languages import Spoken
from simonides.model.bounds import BACKGROUND, ITEM_TEXTS
from simonides.model.export import KeptBackground
from simonides.model.item import short_hash
from simonides.model.stored import PreparedBackground
from simonides.model.times import utc
from simonides.text.analyse import analyse
from simonides.text.terms import pack

_LAST_OF_PLANES = "".join(
    chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17)
)
_UNFIT = re.compile(
    f"(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])|(?P<none>[\ufdd0-\ufdef{_LAST_OF_PLANES}])"
)
_SAID = {
    "control": "a control character; of these only tab, line feed and carriage return may be in it",
    "none": "no character and never will be (Unicode 23.7); take it out",
}


def prepare_background(
    text: str, *, collection: str, at: datetime, spoken: Spoken
) -> PreparedBackground:
    """Return the snapshot that `text` is from `at` (aware) on, ready to commit.

    Raises:
        InvalidInput: Text, collection or time can not be kept; says why.
    """
    check_collection(collection)
    check_text(text)
    return PreparedBackground(
        id=background_id(collection, at, text),
        collection=collection,
        text=text,
        terms=pack(Counter(analyse(text, spoken.of(text)))),
    )


def prepare_kept(one: KeptBackground, *, spoken: Spoken) -> PreparedBackground:
    """Return a snapshot that was kept once, ready to be kept again under its own id."""
    terms = pack(Counter(analyse(one.text, spoken.of(one.text))))
    return PreparedBackground(id=one.id, collection=one.collection, text=one.text, terms=terms)


def background_id(collection: str, at: datetime, text: str) -> str:
    """Return 26 characters that name the snapshot of a collection by its time and text.

    No two of them are joined to the same: neither time nor text can hold the mark between.
    """
    when = utc(at, field="at").isoformat()
    return short_hash(f"background\x1f{when}\x1f{collection}\x1f{text}")


def check_text(text: str) -> None:
    """Raise `InvalidInput` unless a snapshot may have this text.

    That is 1 to 65,536 code points of valid Unicode, not all of them blank.
    """
    BACKGROUND.check(text, field="text")
    unfit = _UNFIT.search(text)
    if unfit:
        place = f"character {unfit.start() + 1:,} (U+{ord(unfit[0]):04X})"
        raise InvalidInput("text", f"{place} is {_SAID[str(unfit.lastgroup)]}")
    if not text.strip():
        raise InvalidInput(
            "text", "is empty or blank; to have none, delete the snapshots there are"
        )


def check_collection(collection: str) -> None:
    """Raise `InvalidInput` unless a collection may have this name: the rule of items."""
    ITEM_TEXTS["collection"].check(collection, field="collection")
