"""The versions of an item: listed, and brought back."""

from simonides.api.arguments import check_texts
from simonides.index.open_space import OpenSpace
from simonides.maintenance.item_history import history as versions_of
from simonides.maintenance.item_history import restore as restore_version
from simonides.model.item import Item
from simonides.model.maintenance import Version


def history(opened: OpenSpace, item_id: str) -> tuple[Version, ...]:
    """Return every stored version of an item, oldest first."""
    check_texts(item_id, field="item_id")
    return versions_of(item_id, opened)


def restore(opened: OpenSpace, item_id: str, *, version: int | None) -> Item:
    """Restore a forgotten item, or an earlier version of one, as a new version; return it."""
    check_texts(item_id, field="item_id")
    return restore_version(item_id, opened, version=version)
