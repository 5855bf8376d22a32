"""Which key began which import: a key that only writes sees no other's.

Must not know how an import is run.
"""

import threading
from collections import OrderedDict

from simonides.http.authentication import only_writes
from simonides.http.imports import KEPT_MAX
from simonides.model.access import ApiKey


class ImportOwners:
    """The keys that began the imports of one server. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key_ids: OrderedDict[str, str] = OrderedDict()

    def note(self, import_id: str, key_id: str) -> None:
        """Note who began an import; of as many as are remembered, the first is forgotten."""
        with self._lock:
            self._key_ids[import_id] = key_id
            if len(self._key_ids) > KEPT_MAX:
                self._key_ids.popitem(last=False)

    def may_see(self, caller: ApiKey, import_id: str) -> bool:
        """Return whether a caller may know of an import: of any who may read."""
        with self._lock:
            return not only_writes(caller) or self._key_ids.get(import_id) == caller.id
