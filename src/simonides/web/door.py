"""The pages as an ASGI application: who may enter, what the address asks for, and the answer.

Two parts, because the rules of the HTTP interface stand between them: `WebDoor` is asked first and
turns the cookie of a signed-in browser into the header that the rules know; `Pages` answers those
who were let in. Must not know how a caller is let in: `caller_of` says who it is.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simonides.errors import AccessDenied, InvalidInput, SimonidesError
from simonides.model.access import Permission
from simonides.web import ask, browse, chat, memories, status
from simonides.web.page import Page, PageCaller, Visit
from simonides.web.render import as_json, render

_ROOMS = (ask, chat, browse, memories, status)
PAGES: Mapping[str, Page] = {page.path: page for room in _ROOMS for page in room.PAGES}
MENU = tuple(page for page in PAGES.values() if page.in_menu)

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
STATIC = {
    "/static/style.css": "text/css",
    "/static/htmx-4.0.1.min.js": "text/javascript",
    "/static/page.js": "text/javascript",
    "/static/icon.svg": "image/svg+xml",
}
UNKNOWN = "/404"
"""Where the server looks for the answer to browsers at an address that nothing has."""
PATHS = (*PAGES, SIGN_IN, SIGN_OUT, *STATIC, UNKNOWN)
"""Every address that is answered here."""

KEY_COOKIE, FORM_COOKIE = "simonides_key", "simonides_form"
FORM_BYTES_MAX = 1 << 20
FORM_S = 10


class WebDoor:
    """Answers what needs no key (style, script, signing in) and hands the rest to `guarded`."""

    def __init__(self, guarded: ASGIApp) -> None:
        self._guarded = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        path = scope["path"]
        if path in STATIC:
            await _static(path)(scope, receive, send)
        elif path == SIGN_IN:
            await (await _sign_in(request))(scope, receive, send)
        elif path == SIGN_OUT:
            await (await _sign_out(request))(scope, receive, send)
        elif path in PAGES:
            await self._guarded(_with_key(request), receive, _to_sign_in(request, send))
        else:
            view = {"problem": f"There is no page {path}"}
            await _page(request, "problem.html", view, status=404)(scope, receive, send)


def _with_key(request: Request) -> Scope:
    """Return the scope of a request, with the key of its cookie as the header that is known."""
    key = request.cookies.get(KEY_COOKIE)
    if not key or "authorization" in request.headers:
        return request.scope
    header = (b"authorization", f"Bearer {key}".encode("ascii", "replace"))
    return {**request.scope, "headers": [*request.scope["headers"], header]}


def _to_sign_in(request: Request, send: Send) -> Send:
    """Return a sender that sends those without a valid key to the page where they sign in."""
    is_refused = False

    async def forward(message: Message) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start" and message["status"] == 401:  # noqa: PLR2004
            is_refused = True
            wrong = "wrong" if KEY_COOKIE in request.cookies else ""
            place = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            going = _redirect_signed_out(f"{SIGN_IN}?next={quote(place, safe='')}&why={wrong}")
            await going(request.scope, _nothing, send)
        elif not is_refused:
            await send(message)

    return forward


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _sign_in(request: Request) -> Response:
    """Return the form for a key; once sent, the key is kept in a cookie that no script can read.

    Whether it is valid says the page that is gone to: it is asked for there as by any other client.
    """
    if request.method != "POST":
        asked = {one: request.query_params.get(one, "") for one in ("next", "why")}
        return _page(request, "sign_in.html", asked)
    fields = await _form(request)
    if not _is_own_form(request, fields):
        return PlainTextResponse("this form is out of date; go back and reload", 403)
    response = RedirectResponse(_own_place(fields.get("next", [""])[-1]), 303)
    key = fields.get("key", [""])[-1].strip()
    _set_cookie(request, response, KEY_COOKIE, quote(key, safe=""))
    return response


async def _sign_out(request: Request) -> Response:
    """Return to the form for a key, without the cookie, if our own page asks for it."""
    if request.method != "POST" or not _is_own_form(request, await _form(request)):
        return RedirectResponse("/", 303)
    return _redirect_signed_out(SIGN_IN)


def _own_place(next_: str) -> str:
    """Return an address of ours: nobody is sent elsewhere."""
    path = next_.partition("?")[0]
    return next_ if path in PAGES else "/"


def _redirect_signed_out(place: str) -> Response:
    response = RedirectResponse(place, 303)
    response.delete_cookie(KEY_COOKIE, path="/", httponly=True, samesite="strict")
    return response


def _static(path: str) -> Response:
    content = files("simonides.web").joinpath(path.removeprefix("/")).read_bytes()
    caching = {"Cache-Control": "max-age=300"}
    return Response(content, media_type=STATIC[path], headers=caching)


class Pages:
    """The pages for those who were let in."""

    def __init__(self, caller_of: Callable[[Scope], PageCaller]) -> None:
        self._caller_of = caller_of

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run: there is nothing to start."""
        yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request, caller = Request(scope, receive), self._caller_of(scope)
        page = PAGES[scope["path"]]
        response = await self._response(request, page, caller)
        await response(scope, receive, send)

    async def _response(self, request: Request, page: Page, caller: PageCaller) -> Response:
        is_form, verb = request.method == "POST", page.verb
        needed = Permission.WRITE if is_form else Permission.READ
        try:
            if is_form and page.act is None:
                return PlainTextResponse("nothing can be sent here", 405, {"Allow": "GET"})
            for one in {needed, Permission.READ}:
                if not caller.allows(one):
                    raise AccessDenied(f"this key does not allow to {one}")
            if is_form:
                verb, response = await _change(request, page, caller)
            else:
                response = await _show(request, page, caller)
        except SimonidesError as error:
            status, problem = caller.refusal(error)
            view = {**_frame(page, caller), "problem": problem}
            response = _page(request, "problem.html", view, status=status)
        caller.note(verb, permission=needed, status=response.status_code, count=1)
        return response


async def _show(request: Request, page: Page, caller: PageCaller) -> Response:
    given = request.query_params
    fields = {name: given.getlist(name) for name in given}
    visit = _visit(caller, fields, is_part="hx-request" in request.headers)

    def answer() -> Response:
        view = page.find(visit)
        if visit.text("format") == "json":
            return as_json(view)
        framed = {**_frame(page, caller), **view}
        return _page(request, page.template, {**framed, **page.draw(framed)})

    return await caller.run(answer)


async def _change(request: Request, page: Page, caller: PageCaller) -> tuple[str, Response]:
    """Return the operation that a form asked for, done, and where it leads."""
    fields = await _form(request)
    if not _is_own_form(request, fields):
        raise AccessDenied("this form is out of date; go back and reload the page")
    act = page.act
    assert act is not None  # noqa: S101  asked before
    visit = _visit(caller, fields)
    done = await caller.run(lambda: act(visit))
    if done.place:
        return done.verb, RedirectResponse(done.place, 303)
    return done.verb, _page(request, done.template, {**_frame(page, caller), **done.view})


def _visit(caller: PageCaller, fields: Mapping[str, list[str]], *, is_part: bool = False) -> Visit:
    return Visit(caller=caller, now=caller.now(), fields=fields, is_part=is_part)


_NOBODY = {
    "page": None, "menu": (), "space": "", "timezone": "", "may_write": False, "may_erase": False,
}  # fmt: skip
"""The frame of a page for those who are not let in yet."""


def _frame(page: Page, caller: PageCaller) -> dict[str, Any]:
    """Return the frame of a page: title, menu, space, the zone of its times, what may be done."""
    return {
        "page": page,
        "menu": MENU,
        "space": caller.memory.space,
        "timezone": caller.memory.settings.timezone,
        "may_write": caller.allows(Permission.WRITE),
        "may_erase": caller.allows(Permission.ERASE),
    }


def _page(
    request: Request, template: str, view: Mapping[str, Any], *, status: int = 200
) -> Response:
    """Return a page whose forms have a token, which a cookie keeps."""
    known = request.cookies.get(FORM_COOKIE, "")
    token = known or secrets.token_urlsafe(24)
    given = {"token": token, "signed_in": KEY_COOKIE in request.cookies}
    response = render(template, {**_NOBODY, **given, **view}, status=status)
    if not known:
        _set_cookie(request, response, FORM_COOKIE, token)
    return response


async def _form(request: Request) -> dict[str, list[str]]:
    sent = bytearray()
    try:
        async with asyncio.timeout(FORM_S):
            async for piece in request.stream():
                sent += piece
                if len(sent) > FORM_BYTES_MAX:
                    raise InvalidInput("form", f"has more than {FORM_BYTES_MAX:,} bytes")
    except TimeoutError:
        raise InvalidInput("form", f"did not arrive within {FORM_S} s") from None
    text = sent.decode("utf-8", "replace")
    return parse_qs(text, keep_blank_values=True, max_num_fields=100)


def _is_own_form(request: Request, fields: Mapping[str, list[str]]) -> bool:
    """Return whether a form was made for this browser: it has the token of the cookie."""
    token = request.cookies.get(FORM_COOKIE, "")
    given = fields.get("token", [""])[-1]
    return bool(token) and secrets.compare_digest(token.encode(), given.encode())


def _set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    response.set_cookie(
        name, value, path="/", httponly=True, samesite="strict",
        secure=_is_encrypted(request),
    )  # fmt: skip


def _is_encrypted(request: Request) -> bool:
    """Return whether the browser's own connection is by TLS, as far as a proxy says so.

    A proxy's word is only taken for the stricter cookie.
    """
    said = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    forwarded = request.headers.get("forwarded", "").partition(",")[0].lower()
    return "https" in (request.url.scheme, said) or "proto=https" in forwarded.replace('"', "")


def pages_of(
    guard: Callable[[Pages], ASGIApp], caller_of: Callable[[Scope], PageCaller]
) -> tuple[tuple[str, ASGIApp], ...]:
    """Return all addresses with what answers; `guard` puts the rules of the interface before it."""
    door = WebDoor(guard(Pages(caller_of)))
    return tuple((path, door) for path in PATHS)
