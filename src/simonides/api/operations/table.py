"""Every operation, by subject: the one place where it is said what can be asked of a space.

Must not know how an operation is done, nor which interface asks.
"""

from collections.abc import Mapping

from simonides.api.operations import requests as ask
from simonides.api.operations.operation import Operation
from simonides.assistant.sessions import SessionPage
from simonides.model.access import Permission
from simonides.model.answer import Entity, Finding, Page, SpaceStats
from simonides.model.background import Background, BackgroundPage, ScoredBackground
from simonides.model.chat import Preference, Session
from simonides.model.item import Item
from simonides.model.maintenance import Compaction, Version
from simonides.model.memories import Proposal, ProposalPage
from simonides.model.stored import Engagement, Outcome, Surrogate, SurrogatesBuilt

WRITE, ADMIN = Permission.WRITE, Permission.ADMIN
_AN_ID = "8ck4h2v0q1e7m3s5t6u9x0y1z2"

_ITEMS = (
    Operation(
        name="history", subject="items", method="GET", path="/v1/items/{id}/history",
        summary="Return every version of an item that is kept.",
        request=ask.ItemId, positional=("item_id",),
        result=tuple[Version, ...], result_name="versions", problems=(404,),
    ),
    Operation(
        name="restore", subject="items", method="POST", path="/v1/items/{id}/restore",
        summary="Bring back a forgotten item, or an earlier version, as a new version.",
        request=ask.RestoreItem, positional=("item_id",), result=Item,
        permission=WRITE, shows=True, writes=True, problems=(404, 409), example={"version": 1},
    ),
    Operation(
        name="engage", subject="items", method="POST", path="/v1/engage",
        summary="Record that items were used, cited or opened.",
        request=ask.RecordUsage, spread="ids", result=tuple[str, ...], result_name="engaged",
        permission=WRITE, writes=True, example={"ids": [_AN_ID], "how": "cited"},
    ),
    Operation(
        name="engagement", subject="items", method="GET", path="/v1/items/{id}/engagement",
        summary="Return how often an item was used, cited and opened, and when last.",
        request=ask.ItemId, positional=("item_id",), result=Engagement, missing="engagement",
        problems=(404,),
    ),
    Operation(
        name="entities", subject="entities", method="GET", path="/v1/entities",
        summary="List the people, projects and topics mentioned, most often first.",
        request=ask.ListEntities, result=tuple[Entity, ...], result_name="entities",
    ),
)  # fmt: skip

_BACKGROUND = (
    Operation(
        name="background.put", subject="background", method="POST", path="/v1/background",
        summary="Put a collection's background; earlier ones stay in its history.",
        request=ask.PutBackground, positional=("text",), result=Background,
        permission=WRITE, writes=True, is_new=True,
        example={"text": "Working on the Alpha launch; the demo is on Friday."},
    ),
    Operation(
        name="background.get", subject="background", method="GET", path="/v1/background",
        summary="Return a collection's background, now or as of a time.",
        request=ask.GetBackground, result=Background, missing="background of collection",
        problems=(404,),
    ),
    Operation(
        name="background.history", subject="background", method="GET",
        path="/v1/background/history", summary="List a collection's snapshots, latest first.",
        request=ask.ListBackgrounds, result=BackgroundPage,
    ),
    Operation(
        name="background.best", subject="background", method="POST", path="/v1/background/best",
        summary="Return the snapshots that share most with a question.",
        request=ask.MatchBackgrounds, positional=("query",),
        result=tuple[ScoredBackground, ...], result_name="snapshots",
        example={"query": "When is the demo?"},
    ),
    Operation(
        name="background.delete", subject="background", method="DELETE",
        path="/v1/background/{id}", summary="Hide a snapshot at once and for good.",
        request=ask.BackgroundId, positional=("background_id",), result=bool,
        result_name="deleted", permission=WRITE, missing="background", problems=(404,),
    ),
)  # fmt: skip

_SESSIONS = (
    Operation(
        name="sessions.create", subject="sessions", method="POST", path="/v1/sessions",
        summary="Begin a conversation; it is listed once its first message is kept.",
        request=ask.CreateSession, result=Session,
        permission=WRITE, shows=True, writes=True, is_new=True,
        example={"title": "About Alpha"},
    ),
    Operation(
        name="sessions.list", subject="sessions", method="GET", path="/v1/sessions",
        summary="List the conversations, last used first.",
        request=ask.ListPage, result=SessionPage,
    ),
    Operation(
        name="sessions.get", subject="sessions", method="GET", path="/v1/sessions/{id}",
        summary="Return one conversation.",
        request=ask.GetSession, positional=("session_id",), result=Session, problems=(404,),
    ),
    Operation(
        name="sessions.messages", subject="sessions", method="GET",
        path="/v1/sessions/{id}/messages",
        summary="List a conversation's messages, in their order.",
        request=ask.ListMessages, positional=("session_id",), result=Page,
    ),
    Operation(
        name="sessions.add", subject="sessions", method="POST",
        path="/v1/sessions/{id}/messages",
        summary="Keep one message at the end of a conversation.",
        request=ask.AddMessage, positional=("session_id", "role", "content"), result=Outcome,
        permission=WRITE, writes=True, is_new=True,
        example={"role": "user", "content": "When is Alpha due?"},
    ),
    Operation(
        name="sessions.forget", subject="sessions", method="DELETE", path="/v1/sessions/{id}",
        summary="Forget a conversation's messages.",
        request=ask.GetSession, positional=("session_id",), result=tuple[str, ...],
        result_name="forgotten", permission=WRITE, missing="session", problems=(404,),
    ),
)  # fmt: skip

_PREFERENCES = (
    Operation(
        name="preferences.list", subject="preferences", method="GET", path="/v1/preferences",
        summary="List the preferences, the surest first.",
        request=ask.ListPreferences, result=tuple[Preference, ...], result_name="preferences",
    ),
    Operation(
        name="preferences.get", subject="preferences", method="GET", path="/v1/preferences/{id}",
        summary="Return one preference, by its key.",
        request=ask.GetPreference, positional=("key",), result=Preference, problems=(404,),
    ),
    Operation(
        name="preferences.set", subject="preferences", method="PUT", path="/v1/preferences/{id}",
        summary="Keep how the user wants something to be.",
        request=ask.SetPreference, positional=("key", "value"), result=Preference,
        permission=WRITE, shows=True, example={"value": "short"},
    ),
    Operation(
        name="preferences.infer", subject="preferences", method="POST",
        path="/v1/preferences/{id}/infer",
        summary="Keep how the user seems to want something to be; it gets surer when repeated.",
        request=ask.SetPreference, positional=("key", "value"), result=Preference,
        permission=WRITE, shows=True, writes=True, example={"value": "short"},
    ),
    Operation(
        name="preferences.forget", subject="preferences", method="DELETE",
        path="/v1/preferences/{id}", summary="Forget a preference.",
        request=ask.GetPreference, positional=("key",), result=bool, result_name="forgotten",
        permission=WRITE, missing="preference", problems=(404,),
    ),
)  # fmt: skip

_PROPOSALS = (
    Operation(
        name="proposals.list", subject="proposals", method="GET", path="/v1/proposals",
        summary="List what was proposed to be remembered, latest first.",
        request=ask.ListProposals, result=ProposalPage,
    ),
    Operation(
        name="proposals.get", subject="proposals", method="GET", path="/v1/proposals/{id}",
        summary="Return one proposal, with what it was read out of.",
        request=ask.ProposalId, positional=("proposal_id",), result=Proposal, problems=(404,),
    ),
    Operation(
        name="proposals.accept", subject="proposals", method="POST",
        path="/v1/proposals/{id}/accept",
        summary="Remember what is proposed, by the rules of `remember`.",
        request=ask.AcceptProposal, positional=("proposal_id",), result=Proposal,
        permission=WRITE, shows=True, writes=True, problems=(404, 409),
        example={"dry_run": True},
    ),
    Operation(
        name="proposals.reject", subject="proposals", method="POST",
        path="/v1/proposals/{id}/reject",
        summary="Reject a proposal; it is not proposed again.",
        request=ask.ProposalId, positional=("proposal_id",), result=Proposal,
        permission=WRITE, shows=True, writes=True, problems=(404,), example={},
    ),
    Operation(
        name="proposals.undo", subject="proposals", method="POST",
        path="/v1/proposals/{id}/undo",
        summary="Take a decision back; every item has its state of before again.",
        request=ask.ProposalId, positional=("proposal_id",), result=Proposal,
        permission=WRITE, shows=True, writes=True, problems=(404, 409, 410), example={},
    ),
)  # fmt: skip

_SPACE = (
    Operation(
        name="surrogates.get", subject="surrogates", method="GET", path="/v1/surrogates/{id}",
        summary="Return the summaries of an item: full, gist and micro.",
        request=ask.GetSurrogate, positional=("item_id",), result=Surrogate,
        missing="surrogate of item", problems=(404,),
    ),
    Operation(
        name="surrogates.build", subject="surrogates", method="POST", path="/v1/surrogates/build",
        summary="Write the summaries of long items that have none yet.",
        request=ask.BuildSurrogates, result=SurrogatesBuilt, permission=WRITE, writes=True,
        example={"items_max": 100},
    ),
    Operation(
        name="stats", subject="space", method="GET", path="/v1/stats",
        summary="Return counts and sizes of the space.",
        request=ask.Nothing, result=SpaceStats, problems=(404,),
    ),
    Operation(
        name="verify", subject="space", method="POST", path="/v1/verify",
        summary="Compare all that is kept with its checksums and with the index.",
        request=ask.Nothing, result=tuple[Finding, ...], result_name="findings",
        permission=ADMIN, example={},
    ),
    Operation(
        name="compact", subject="space", method="POST", path="/v1/compact",
        summary="Remove the past that retention no longer keeps, and give back its room.",
        request=ask.Compact, result=Compaction, permission=ADMIN, problems=(404,), example={},
    ),
)  # fmt: skip

OPERATIONS: Mapping[str, Operation] = {
    one.name: one
    for one in (*_ITEMS, *_BACKGROUND, *_SESSIONS, *_PREFERENCES, *_PROPOSALS, *_SPACE)
}
"""Operations by name, in the order in which the reference lists them."""
