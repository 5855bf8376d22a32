"""`/v1/imports`: upload mail, notes, chats or an export; get the progress; cancel."""

import functools
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from simonides.api.caller import only_writes
from simonides.api.operations.home import ImportRequest
from simonides.codec.request import SPACE, MalformedJson, decode, read_request
from simonides.codec.schema import array, record, schema_of
from simonides.disk import new_private_file
from simonides.errors import InvalidInput, StoreFull
from simonides.http.errors import RequestRefused
from simonides.http.import_status import ImportStatus
from simonides.http.imports import safe_name
from simonides.http.pipeline import run_verb
from simonides.http.request_body import TooLarge, content_length
from simonides.http.route import Answer, Call, Route, Way
from simonides.model.access import Permission
from simonides.model.coercion import refuse_unknown

PIECE_BYTES = 1 << 20

_FIELDS = ("source", "trust", "dry_run", "kind", "mapping")


async def begin(call: Call) -> Response:
    """Receive an upload and queue its import; the answer has the id for its progress."""
    request, server = call.request, call.server
    _check_size(request, server.limits.upload_bytes_max)
    with server.uploading.room(1, caller=call.who):
        try:
            async with request.form(max_files=1, max_fields=8) as form:
                file = form.get("file")
                if not isinstance(file, UploadFile):
                    raise InvalidInput("file", "is missing: send one file as multipart/form-data")
                keep = functools.partial(_keep, call, file, _read_request(form, file))
                return await server.streams.run(keep, caller=call.who)
        except HTTPException as error:  # what the reader of forms makes of a broken one
            raise RequestRefused(400, f"the upload cannot be read: {error.detail}") from error


def _read_request(form: FormData, file: UploadFile) -> ImportRequest:
    """Return the request in a form, whose mapping is a JSON object as text.

    Raises:
        InvalidInput: A field is not known, or does not fit.
    """
    refuse_unknown((one for one in form if one != SPACE), ("file", *_FIELDS))
    fields: dict[str, Any] = {name: form[name] for name in _FIELDS if form.get(name)}
    try:
        fields["mapping"] = decode(str(form.get("mapping") or "{}").encode())
    except MalformedJson as error:
        problem = 'must be a JSON object such as {"content": "Text"}'
        raise InvalidInput("mapping", problem) from error
    fields["paths"] = [file.filename or "upload"]
    return read_request(ImportRequest, fields, from_text=True)


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


def _keep(call: Call, file: UploadFile, asked: ImportRequest) -> Response:
    """Write the upload to a folder of its own and queue it, unless it was queued before.

    Raises:
        StoreFull: It cannot be written; nothing of it is left.
    """
    try:
        folder = call.server.imports.folder()
        begun: list[ImportStatus] = []
        try:
            path = folder / safe_name(file.filename or "")
            sent = _write(file, path) + repr(asked).encode()
            queue = functools.partial(_queue, path=path, asked=asked, begun=begun)
            return run_verb(replace(call, sent=sent), queue)[0]
        finally:
            if not begun:
                call.server.imports.remove(folder)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = f"the upload cannot be written ({reason}); make room, or check the server's disk"
        raise StoreFull(problem) from error


def _queue(call: Call, *, path: Path, asked: ImportRequest, begun: list[ImportStatus]) -> Answer:
    status = call.server.imports.begin(
        path, space=call.caller.space, asked=asked, key_id=call.caller.id
    )
    begun.append(status)
    return Answer(record=status, status=202, headers={"Location": f"/v1/imports/{status.id}"})


def _write(file: UploadFile, path: Path) -> bytes:
    """Write an upload to a file and return its hash."""
    digest = hashlib.sha256()
    file.file.seek(0)
    with new_private_file(path) as target:
        while piece := file.file.read(PIECE_BYTES):
            digest.update(piece)
            target.write(piece)
    return digest.digest()


def get(call: Call) -> ImportStatus:
    """Return the status of an import."""
    return _show(call, call.server.imports.get(call.ids["id"], **_list_visible(call)))


def list_imports(call: Call) -> Any:
    """Return the imports of the key's space since the start of the server, latest first."""
    return {
        "imports": [_show(call, one) for one in call.server.imports.list(**_list_visible(call))]
    }


def cancel(call: Call) -> ImportStatus:
    """Cancel an import at once; stored items stay."""
    return _show(call, call.server.imports.cancel(call.ids["id"], **_list_visible(call)))


def _list_visible(call: Call) -> dict[str, Any]:
    """Return the imports visible to the caller: without `read`, only its own."""
    caller = call.caller
    return {"space": caller.space, "only_of": caller.id if only_writes(caller) else None}


def _show(call: Call, status: ImportStatus) -> ImportStatus:
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
