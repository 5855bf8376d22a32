"""`/v1/imports`: upload mail, notes, chats or an export; get the progress; cancel."""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from simonides.api.operations.home import ImportRequest
from simonides.codec.request import read_request
from simonides.codec.schema import array, record, schema_of
from simonides.codec.write import to_json
from simonides.disk import new_private_file
from simonides.errors import InvalidInput, StoreFull
from simonides.http.authentication import only_writes
from simonides.http.errors import RequestRefused
from simonides.http.idempotency import REPLAYED, StoredResponse, key_of
from simonides.http.import_status import ImportStatus
from simonides.http.imports import safe_name
from simonides.http.request_body import TooLarge, content_length
from simonides.http.route import Call, Route, Way
from simonides.model.access import Permission

PIECE_BYTES = 1 << 20


async def begin(call: Call) -> Response:
    """Receive an upload and queue its import; the answer has the id for its progress."""
    request, server = call.request, call.server
    _check_size(request, server.limits.upload_bytes_max)
    with server.uploading.room(1, caller=call.who):
        return await _begin(call, request)


async def _begin(call: Call, request: Request) -> Response:
    server = call.server
    try:
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InvalidInput("file", "is missing: send one file as multipart/form-data")
            names = ("source", "trust", "dry_run", "kind")
            options = {name: form[name] for name in names if form.get(name)}
            named = {
                **options,
                "mapping": _mapping(form.get("mapping")),
                "paths": [file.filename or "upload"],
            }
            asked = read_request(ImportRequest, named, from_text=True)
            keep = functools.partial(_keep, call, file, asked)
            given, is_replayed = await server.streams.run(keep, key=call.who)
    except HTTPException as error:  # what the reader of forms makes of a broken one
        raise RequestRefused(400, f"the upload cannot be read: {error.detail}") from error
    headers = {**given.headers, **({REPLAYED: "true"} if is_replayed else {})}
    return Response(given.body, given.status, headers, "application/json")


def _mapping(given: object) -> Any:
    """Return the mapping in a form, which is a JSON object as text.

    Raises:
        InvalidInput: It is no JSON.
    """
    if not isinstance(given, str) or not given:
        return {}
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "mapping", 'must be a JSON object such as {"content": "Text"}'
        ) from error


def _check_size(request: Request, bytes_max: int) -> None:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "multipart/form-data":
        raise RequestRefused(415, f"send multipart/form-data, not {media or 'nothing'!r}")
    length = content_length(request)
    if length is None:
        raise RequestRefused(
            411, "say how long the upload is: Content-Length", code="length_required"
        )
    if length > bytes_max:
        raise TooLarge(bytes_max)


def _keep(call: Call, file: UploadFile, asked: ImportRequest) -> tuple[StoredResponse, bool]:
    """Write the upload to a folder of its own and queue it, unless it was queued before.

    Raises:
        StoreFull: It cannot be written; nothing of it is left.
    """
    try:
        return _kept(call, file, asked)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = f"the upload cannot be written ({reason}); make room, or check the server's disk"
        raise StoreFull(problem) from error


def _kept(call: Call, file: UploadFile, asked: ImportRequest) -> tuple[StoredResponse, bool]:
    folder = call.server.imports.folder()
    try:
        path = folder / safe_name(file.filename or "")
        sent = _written(file, path) + repr(asked).encode()
        return _begun(call, path, sent, asked)
    except BaseException:
        call.server.imports.remove(folder)
        raise


def _written(file: UploadFile, path: Path) -> bytes:
    """Write an upload to a file and return its hash."""
    digest = hashlib.sha256()
    file.file.seek(0)
    with new_private_file(path) as target:
        while piece := file.file.read(PIECE_BYTES):
            digest.update(piece)
            target.write(piece)
    return digest.digest()


def _begun(
    call: Call, path: Path, sent: bytes, asked: ImportRequest
) -> tuple[StoredResponse, bool]:
    begin_once = call.server.once if key_of(call) else None
    route = ROUTES[0]
    before = begin_once.begin(call, route, sent=sent) if begin_once else None
    if before is not None:
        call.server.imports.remove(path.parent)
        return before, True
    given = None
    try:
        begun = call.server.imports.begin(
            path, space=call.caller.space, asked=asked, key_id=call.caller.id
        )
        headers = {"Location": f"/v1/imports/{begun.id}"}
        given = StoredResponse(status=202, body=to_json(begun), headers=headers)
    finally:
        if begin_once:
            begin_once.end(call, route, given, sent=sent)
    return given, False


def get(call: Call) -> ImportStatus:
    """Return the status of an import."""
    return _shown(call, call.server.imports.get(call.ids["id"], **_seen(call)))


def list_imports(call: Call) -> Any:
    """Return the imports of the key's space since the start of the server, latest first."""
    return {"imports": [_shown(call, one) for one in call.server.imports.list(**_seen(call))]}


def cancel(call: Call) -> ImportStatus:
    """Cancel an import at once; stored items stay."""
    return _shown(call, call.server.imports.cancel(call.ids["id"], **_seen(call)))


def _seen(call: Call) -> dict[str, Any]:
    """Return the imports visible to the caller: without `read`, only its own."""
    caller = call.caller
    return {"space": caller.space, "only_of": caller.id if only_writes(caller) else None}


def _shown(call: Call, status: ImportStatus) -> ImportStatus:
    """Return a status without counts for a key without `read`."""
    if not only_writes(call.caller):
        return status
    return ImportStatus(id=status.id, state=status.state, file=status.file)


_STATUS = schema_of(ImportStatus)

ROUTES = (
    Route(
        method="POST", path="/v1/imports", verb="import", tag="imports", run=begin,
        summary="Upload mail, notes, chats or an export of a space; it is imported afterwards.",
        permission=Permission.WRITE, is_for_writers=True, way=Way.ASYNC, is_upload=True,
        writes=True,
        answers={202: _STATUS}, problems=(411,),
    ),
    Route(
        method="GET", path="/v1/imports", verb="imports", tag="imports", run=list_imports,
        permission=Permission.WRITE, is_for_writers=True,
        summary="List the imports since the start of the server, latest first.",
        answers={200: record(imports=array(ImportStatus))},
    ),
    Route(
        method="GET", path="/v1/imports/{id}", verb="imports", tag="imports", run=get,
        permission=Permission.WRITE, is_for_writers=True,
        summary="Return the progress of an import.",
        answers={200: _STATUS}, problems=(404,),
    ),
    Route(
        method="DELETE", path="/v1/imports/{id}", verb="imports.cancel", tag="imports",
        run=cancel, summary="Cancel an import at once; stored items stay.",
        permission=Permission.WRITE, is_for_writers=True, answers={200: _STATUS}, problems=(404,),
    ),
)  # fmt: skip
