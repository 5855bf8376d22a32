"""`memory.entities`: the people, projects, issues and topics of a space, and their names.

It decides nothing itself: `memories.naming` has the rules.
"""

from simonides.api.arguments import check_limit, check_texts
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.memories import naming
from simonides.model.answer import Entity
from simonides.model.bounds import NAME, show_value
from simonides.model.entity import EntityDetails
from simonides.text.clean import printable


class Entities:
    """The entities of a space: called, it lists them; get, merge, rename and alias one.

    What is said is kept as an item (source `entity`): forgetting it undoes it.
    """

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def __call__(self, *, name: str = "", limit: int = 50, after: str = "") -> tuple[Entity, ...]:
        """Return the people, projects, issues and topics mentioned, most frequent first.

        `name` selects those whose id or a name of which contains it. The next page begins `after`
        the last id of the one before.

        Raises:
            InvalidInput: The limit is below 1, or no entity of the list has the id `after`.
        """
        check_limit(limit)
        check_texts(name, after, field="name")
        found = naming.list_entities(self._opened, name=name)
        ids = [one.id for one in found] if after else []
        if after and after not in ids:
            raise InvalidInput("after", f"{show_value(after)} is not among them; begin anew")
        first = ids.index(after) + 1 if after else 0
        return found[first : first + limit]

    def get(self, entity: str, /, *, related: int = 30) -> EntityDetails:
        """Return an entity by its id or a name: its addresses, and what it is mentioned with.

        Raises:
            NotFound: It is not there.
            InvalidInput: It names several, or `related` is below 1.
        """
        check_limit(related, field="related")
        check_texts(entity, field="entity")
        return naming.find_entity(self._opened, entity, related=related)

    def merge(self, entity: str, /, *others: str) -> Entity:
        """Merge other entities into one, by ids or names; all their names mean it from now on.

        Raises:
            NotFound: One of them is not there.
            InvalidInput: A name means several, no other is named, or they are of two kinds.
            StoreError: The commit failed; nothing was written.
        """
        check_texts(entity, *others, field="entity")
        return naming.merge(entity, others, self._opened)

    def rename(self, entity: str, name: str, /) -> Entity:
        """Give an entity the name by which it is shown; it answers to its other names, too.

        Raises:
            NotFound: It is not there.
            InvalidInput: It names several, or the name is empty, too long or that of another.
            StoreError: The commit failed; nothing was written.
        """
        check_texts(entity, name, field="name")
        return naming.rename(entity, _name(name), self._opened)

    def alias(self, entity: str, /, *names: str) -> Entity:
        """Give an entity further names that it answers to.

        Raises:
            NotFound: It is not there.
            InvalidInput: It names several, or a name is empty, too long or that of another.
            StoreError: The commit failed; nothing was written.
        """
        check_texts(entity, *names, field="names")
        return naming.alias(entity, [_name(one) for one in names], self._opened)


def _name(text: str) -> str:
    line = " ".join(printable(text).split())
    if not line:
        raise InvalidInput("name", "is empty, or holds characters that do not show")
    return NAME.check(line, field="name")
