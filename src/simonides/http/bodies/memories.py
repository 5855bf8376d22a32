"""What the routes of `/v1/memories` and `/v1/preferences` take.

They give a `Remembered`, each memory as the `Item` that it is, and each `Preference`.
"""

from typing import Annotated

from pydantic import Field

from simonides.http.bodies.form import Body
from simonides.http.bodies.items import FieldsBody


class RememberBody(FieldsBody):
    """A statement that is compared with the memories there are."""

    text: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)] | None = None
    dry_run: bool = False


class PreferenceBody(Body):
    """How the user wants something to be; `inferred` says that it was not told in so many words."""

    value: Annotated[str, Field(min_length=1, max_length=300)]
    inferred: bool = False
