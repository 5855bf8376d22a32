"""Conversations: the sessions, one of them with its answers, whose citations open their source."""

import re
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from simonides.assistant.citations import citations_of, find_cited
from simonides.model.chat_role import ChatRole
from simonides.model.item import Item
from simonides.web.page import Done, Page, Visit
from simonides.web.render import query_of

SESSIONS_SHOWN = 30
MESSAGES_SHOWN = 100


def find_chat(visit: Visit) -> dict[str, Any]:
    """Return the sessions, last used first, and the messages of the one that is named."""
    session, sessions = visit.text("session"), visit.memory.sessions
    return {
        "sessions": sessions.list(limit=SESSIONS_SHOWN, cursor=visit.text("cursor")),
        "session": session,
        "messages": sessions.last(session, MESSAGES_SHOWN) if session else (),
        "model": visit.memory.settings.chat_model or visit.memory.settings.chat_provider,
    }


def draw_chat(view: dict[str, Any]) -> dict[str, Any]:
    """Return each message with who said it, and its citations as links."""
    return {"said": [(one, _speaker(one), _link(one)) for one in view["messages"]]}


def _speaker(message: Item) -> str:
    author = message.author
    name = (author.name or author.address) if author else ""
    return {ChatRole.USER.value: "You", ChatRole.ASSISTANT.value: "Answer"}.get(name.lower(), name)


def _link(message: Item) -> Markup:
    """Return the text of a message as HTML, its citations as links to the cited passages."""
    places = {str(one.number): one for one in citations_of(message)}

    def link(match: re.Match[str]) -> Markup:
        one = places.get(match[1])
        if one is None:
            return escape(match[0])
        spans = ",".join(f"{start}-{stop}" for start, stop in one.spans)
        address = f"/item{query_of({'id': one.id, 'spans': spans})}#passage"
        return Markup('<a href="{}">{}</a>').format(address, match[0])

    parts, place = [], 0
    for match in find_cited(message.content):
        parts += [escape(message.content[place : match.start()]), link(match)]
        place = match.end()
    return Markup("").join([*parts, escape(message.content[place:])])


def send_message(visit: Visit) -> Done:
    """Answer a message in its session, by default a new one, and show the session."""
    reply = visit.memory.chat(
        visit.text("message"), session_id=visit.text("session"), now=visit.now
    )
    return Done(verb="chat", place=f"/chat?session={quote(reply.session_id)}#last")


PAGES = (
    Page(
        path="/chat", title="Chat", verb="sessions.messages", find=find_chat, draw=draw_chat,
        template="chat.html", act=send_message,
    ),
)  # fmt: skip
