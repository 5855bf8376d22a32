"""The comments on the cells of Office workbooks, which calamine leaves out.

Must not know rows. Loaded by `sheet_rows.py` alone.
"""

import re
import zipfile
from typing import BinaryIO

from simonides_formats.documents.office_parts import people_of, sheet_comments, targets_of
from simonides_formats.documents.sheet_formats import DAMAGED, PART_BYTES_MAX, members_of

_NEEDED = re.compile(
    r"xl/(?:worksheets/_rels/.+\.rels|(?:comments|threadedComments|persons).*\.xml)"
)
_THREADS = "xl/threadedComments/"
_PEOPLE = "xl/persons/person.xml"


def comments_by_sheet(stream: BinaryIO) -> dict[str, list[str]]:
    """Return a line for each cell with comments, by the name of its sheet; none if damaged.

    What a thread says stands again in a note for older programs, which is left out.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            names = [one for one in archive.infolist() if _NEEDED.fullmatch(one.filename)]
            parts = {
                one.filename: archive.read(one) for one in names if one.file_size < PART_BYTES_MAX
            }
            sheets = members_of(archive) if parts else {}
    except DAMAGED:
        return {}
    people = people_of(parts.get(_PEOPLE, b""))
    found = {}
    for sheet, member in sheets.items():
        cells: dict[str, str] = {}
        for target in sorted(targets_of(parts, member), key=lambda name: name.startswith(_THREADS)):
            cells |= sheet_comments(parts.get(target, b""), people)
        found[sheet] = [f"{cell}: {said}" for cell, said in cells.items()]
    return found
