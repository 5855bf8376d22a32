"""What the routes of `/v1/memories` and `/v1/preferences` take.

They give a `Remembered`, each memory as the `Item` that it is, and each `Preference`.
"""

from typing import Annotated

from simonides.http.bodies.form import within
from simonides.http.bodies.items import FieldsBody, Source
from simonides.model.bounds import ITEM_TEXTS


class RememberBody(FieldsBody):
    """A statement that is compared with the memories there are."""

    text: Annotated[str, within(ITEM_TEXTS["content"], min_length=1)]
    source: Source | None = None
    dry_run: bool = False
