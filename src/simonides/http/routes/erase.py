"""`/v1/erase`: take items, or the whole space of the key, away for good."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from simonides.errors import InvalidInput
from simonides.http.arguments import read_filter
from simonides.http.bodies.items import EraseBody
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import schema_of
from simonides.model.access import AuditEntry, Permission
from simonides.model.maintenance import ErasureReport
from simonides.text.safe_error import without_folders


def erase(call: Call) -> Answer:
    """Erase; that it was asked for is noted before it is done."""
    body: EraseBody = call.body
    if bool(body.ids) + (body.filter is not None) + body.everything != 1:
        raise InvalidInput("erase", "give ids, or a filter, or everything: just one of them")
    zone, now = call.memory.settings.timezone, call.server.now()
    wanted = read_filter(body.filter, now=now, timezone=zone) if body.filter else None
    _note(call)
    done = call.memory.erase(*body.ids, filter=wanted, everything=body.everything, prove=body.prove)
    return Answer(record=_without_folders(done), count=len(done.items))


def _without_folders(done: ErasureReport) -> ErasureReport:
    """Return a report in which files are told by their names alone."""
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


def _note(call: Call) -> None:
    caller = call.caller
    entry = AuditEntry(at=call.server.now(), verb="erase", status=0, key_id=caller.id,
                       space=caller.space)  # fmt: skip
    call.server.audit.now(entry)


ROUTES = (
    Route(
        method="POST", path="/v1/erase", verb="erase", tag="spaces", run=erase,
        told="Erase items, or the whole space, for good, from every file.",
        permission=Permission.ERASE, body=EraseBody, answers={200: schema_of(ErasureReport)},
        problems=(404,), writes=True, example={"ids": ["8ck4h2v0q1e7m3s5t6u9x0y1z2"]},
    ),
)  # fmt: skip
