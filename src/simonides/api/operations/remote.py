"""The operations as a caller over HTTP or MCP gets them: within the one space of the caller.

Python and the command line look after a whole home. Through an interface the same operations see
the keys, the audit log and the files of one space, and no result names a folder of the machine.
Must not know an interface, nor how a caller is let in.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simonides.api.operations import home
from simonides.api.operations.arguments import Sent, arguments_of
from simonides.api.operations.fields import Nothing
from simonides.api.operations.operation import Operation
from simonides.api.operations.table import OPERATIONS
from simonides.errors import AccessDenied, InvalidInput, NotFound
from simonides.text.clean import without_folders

if TYPE_CHECKING:
    from simonides.api.memory import Memory
    from simonides.model.access import ApiKey, AuditPage, NewKey
    from simonides.model.answer import Finding
    from simonides.model.maintenance import ErasureReport, RepairReport

FIRST_KEY = (
    "the first key is created on the machine of the home: simonides keys create --space NAME"
)
"""The first key ends the access without one for everybody, so nobody without a key creates it."""


def create_key(memory: "Memory", sent: Sent) -> "NewKey":
    """Create a key for the caller's space.

    Raises:
        AccessDenied: No key was ever created.
    """
    if not memory.keys.exist():
        raise AccessDenied(FIRST_KEY)
    return memory.keys.create(space=memory.space, **sent)


def list_keys(memory: "Memory", _: Sent) -> "tuple[ApiKey, ...]":
    """Return the keys of the caller's space."""
    return tuple(one for one in memory.keys.list() if one.space == memory.space)


def revoke_key(memory: "Memory", sent: Sent) -> "ApiKey":
    """Revoke a key of the caller's space.

    Raises:
        NotFound: The space has no such key, whether another space has it or not.
    """
    named = sent["key_id"].strip().split("_")  # an id, `sim_id`, or the whole key
    found = next((one.id for one in list_keys(memory, {}) if one.id in named), "")
    if not found:
        raise NotFound("key", "_".join(named[:2]))
    return memory.keys.revoke(found)


def audit(memory: "Memory", sent: Sent) -> "AuditPage":
    """Return a page of the audit log of the caller's space."""
    return memory.keys.audit(**sent, space=memory.space)


def spaces(memory: "Memory", *, shared: Iterable[str], sees_all: bool) -> dict[str, Any]:
    """Return the caller's space and all that they may read, or the name of each for `admin`."""
    names = memory.spaces() if sees_all else ()
    return {"space": memory.space, "spaces": sorted({memory.space, *shared, *names})}


def verify(memory: "Memory", _: Sent) -> "tuple[Finding, ...]":
    """Return the findings of a complete check."""
    return _findings(memory.verify())


def doctor(memory: "Memory", _: Sent) -> "tuple[Finding, ...]":
    """Return the findings of a quick check."""
    return _findings(memory.doctor())


def _findings(found: "Iterable[Finding]") -> "tuple[Finding, ...]":
    return tuple(replace(one, detail=without_folders(one.detail)) for one in found)


def repair(memory: "Memory", _: Sent) -> "RepairReport":
    """Repair the caller's space; the file that is set aside is named without its folder."""
    done = memory.repair()
    lost = tuple(replace(one, reason=without_folders(one.reason)) for one in done.lost)
    notes = tuple(map(without_folders, done.notes))
    aside = Path(done.aside).name if done.aside else ""
    return replace(done, aside=aside, lost=lost, notes=notes)


def check_erasure(memory: "Memory", asked: Any, *, now: datetime) -> None:
    """Refuse an erasure of nothing, or by more than one choice, before it is noted as begun.

    Raises:
        InvalidInput: The request cannot be carried out.
    """
    if bool(asked.ids) + (asked.filter is not None) + asked.everything != 1:
        raise InvalidInput("erase", "give ids, or a filter, or everything: just one of them")
    arguments_of(asked, timezone=memory.settings.timezone, now=now)


def erase(memory: "Memory", sent: Sent) -> "ErasureReport":
    """Erase permanently; files are named without their folders."""
    done = memory.erase(*sent.pop("ids", ()), **sent)
    proof = done.proof
    if proof is not None:
        proof = replace(
            proof, files=_names(proof.files), where=_names(proof.where),
            problem=without_folders(proof.problem),
        )  # fmt: skip
    notes = tuple(map(without_folders, done.notes))
    return replace(done, files=_names(done.files), notes=notes, proof=proof)


def _names(files: Iterable[str]) -> tuple[str, ...]:
    return tuple(Path(one).name for one in files)


_DIFFERENT: Mapping[str, Mapping[str, Any]] = {
    "verify": {"call": verify},
    "doctor": {"call": doctor},
    "repair": {"call": repair, "request": Nothing},
    "erase": {"call": erase},
    "keys.create": {"call": create_key, "request": home.CreateOwnKeyRequest},
    "keys.list": {"call": list_keys},
    "keys.revoke": {"call": revoke_key},
    "keys.audit": {"call": audit, "request": home.OwnAuditRequest},
}
"""What differs through an interface: the function, and the request where it has less to say."""

REMOTE: Mapping[str, Operation] = {
    name: replace(one, **_DIFFERENT.get(name, {})) for name, one in OPERATIONS.items()
}
"""Operations by name, as HTTP and MCP offer them."""

WITHHELD = {
    ("import_", "wait"): "the server answers before it imports, and makes vectors when it is idle",
    ("repair", "backup"): "a path of the machine; a file from elsewhere is no safe database",
    ("keys.create", "space"): "the space of the caller's key",
    ("keys.create", "shared"): "other spaces are shared on the machine of the home",
    ("keys.audit", "space"): "the space of the caller's key",
}
"""Fields that a request through an interface does not have, with the reason."""
