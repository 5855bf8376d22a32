"""The table of all operations, by subject.

Must not know how an operation is done, nor which interface asks.
"""

from collections.abc import Mapping

from simonides.api.operations import calls, home, items, questions
from simonides.api.operations import requests as ask
from simonides.api.operations.operation import Operation
from simonides.model.access import ApiKey, AuditPage, NewKey, Permission
from simonides.model.agenda import Agenda
from simonides.model.answer import (
    EmbedReport,
    Entity,
    Finding,
    ImportReport,
    MultiSpaceResult,
    Page,
    SearchResult,
    SpaceStats,
)
from simonides.model.brief import Brief, Explained, Replay
from simonides.model.chat import ChatReply, Preference, Retrieved, Session, SessionPage
from simonides.model.export import ExportReport
from simonides.model.item import Item
from simonides.model.maintenance import (
    BackupReport,
    Compaction,
    ErasureReport,
    RepairReport,
    Version,
)
from simonides.model.memories import Proposal, ProposalPage, ProposalsMade, Remembered
from simonides.model.receipt_diff import ReceiptDiff
from simonides.model.stored import (
    Background,
    BackgroundPage,
    Engagement,
    Outcome,
    ScoredBackground,
    Surrogate,
    SurrogatesBuilt,
)

WRITE, ADMIN = Permission.WRITE, Permission.ADMIN
_AN_ID = "8ck4h2v0q1e7m3s5t6u9x0y1z2"

_A_RECEIPT = "4m1p0c7d2a9s8v6b3n5k1j0h7g"
_TO_BRIEF = {"query": "What did Sarah send me last week?", "budget_tokens": 800}

_QUESTIONS = (
    Operation(
        name="search", subject="questions", method="POST", path="/v1/search",
        summary="Search for a question; return the hits, best first, each with its explanation.",
        request=questions.SearchRequest, call=calls.search, result=SearchResult | MultiSpaceResult,
        problems=(410,),
        example={"query": "When is Alpha due?", "limit": 5, "filter": {"kinds": ["email"]}},
    ),
    Operation(
        name="brief", subject="questions", method="POST", path="/v1/brief",
        summary="Return the context for a question, within a hard budget, with a receipt.",
        request=questions.BriefRequest, positional=("query",), result=Brief,
        writes_if="keep_receipt", problems=(410,), example=_TO_BRIEF,
    ),
    Operation(
        name="explain", subject="questions", method="POST", path="/v1/explain",
        summary="Explain a brief, and list the items that a larger budget would add.",
        request=questions.ExplainRequest, positional=("query",), result=Explained,
        problems=(410,), example=_TO_BRIEF,
    ),
    Operation(
        name="replay", subject="questions", method="POST", path="/v1/replay",
        summary="Rebuild a brief from its receipt, byte for byte, or list what is missing.",
        request=questions.ReplayRequest, call=calls.replay, result=Replay, problems=(404,),
        example={"receipt": _A_RECEIPT},
    ),
    Operation(
        name="diff", subject="questions", method="POST", path="/v1/diff",
        summary="Return the differences between the briefs of two receipts, with reasons.",
        request=questions.DiffRequest, call=calls.diff, result=ReceiptDiff, problems=(404,),
        example={"before": _A_RECEIPT, "after": "0h7g4m1p0c7d2a9s8v6b3n5k1j"},
    ),
    Operation(
        name="chat", subject="questions", method="POST", path="/v1/chat",
        summary="Send a message to the assistant; both messages are stored in the session.",
        request=questions.ChatRequest, call=calls.chat, result=ChatReply,
        permission=WRITE, shows=True, writes=True,
        example={"message": "What did Sarah send me last week?"},
    ),
    Operation(
        name="retrieve", subject="questions", method="POST", path="/v1/retrieve",
        summary="Search items and conversations together, as a chat turn does.",
        request=questions.RetrieveRequest, positional=("query",), result=Retrieved,
        example={"query": "the Alpha deadline", "time_filter": "last_week"},
    ),
    Operation(
        name="agenda", subject="questions", method="GET", path="/v1/agenda",
        summary="List what takes place and what is due between two times, by time.",
        request=questions.AgendaRequest, result=Agenda, problems=(410,),
    ),
)  # fmt: skip

_ITEMS = (
    Operation(
        name="list", subject="items", method="GET", path="/v1/items",
        summary="List items, newest first, one page at a time.",
        request=questions.ListRequest, result=Page, problems=(410,),
    ),
    Operation(
        name="add", subject="items", method="POST", path="/v1/items",
        summary="Add an item, or several in one transaction; durable when it is answered.",
        request=items.AddRequest, call=calls.add, result=calls.Added,
        permission=WRITE, writes=True, is_new=calls.is_added,
        example={"content": "The Alpha deadline moved to Friday.", "source": "gmail",
                 "tags": ["alpha"]},
    ),
    Operation(
        name="get", subject="items", method="GET", path="/v1/items/{id}",
        summary="Return one item.",
        request=items.GetRequest, positional=("item_id",), result=Item, problems=(404, 410),
    ),
    Operation(
        name="update", subject="items", method="PATCH", path="/v1/items/{id}",
        summary="Replace some fields of an item.",
        request=items.UpdateRequest, positional=("item_id",), call=calls.update, result=Item,
        permission=WRITE, shows=True, problems=(404, 409),
        example={"title": "Alpha, new deadline"},
    ),
    Operation(
        name="forget", subject="items", method="DELETE", path="/v1/items/{id}",
        summary="Forget an item: no search finds it any more; `restore` brings it back.",
        request=items.ForgetRequest, spread="ids", result=tuple[str, ...],
        result_name="forgotten", permission=WRITE, missing="item", problems=(404, 409),
    ),
    Operation(
        name="history", subject="items", method="GET", path="/v1/items/{id}/history",
        summary="Return every stored version of an item.",
        request=ask.ItemId, positional=("item_id",),
        result=tuple[Version, ...], result_name="versions", problems=(404,),
    ),
    Operation(
        name="restore", subject="items", method="POST", path="/v1/items/{id}/restore",
        summary="Restore a forgotten item, or an earlier version, as a new version.",
        request=ask.RestoreItem, positional=("item_id",), result=Item,
        permission=WRITE, shows=True, writes=True, problems=(404, 409), example={"version": 1},
    ),
    Operation(
        name="record_usage", subject="items", method="POST", path="/v1/record-usage",
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
        summary="List the people, projects and topics mentioned, most frequent first.",
        request=ask.ListEntities, result=tuple[Entity, ...], result_name="entities",
    ),
    Operation(
        name="entities.merge", subject="entities", method="POST", path="/v1/entities/merge",
        summary="Merge entities that are one: all their names mean the first from now on.",
        request=ask.MergeEntities, positional=("entity",), spread="others", result=Entity,
        permission=WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "others": ["project:gamma"]},
    ),
    Operation(
        name="entities.rename", subject="entities", method="POST", path="/v1/entities/rename",
        summary="Give an entity the name by which it is shown.",
        request=ask.RenameEntity, positional=("entity", "name"), result=Entity,
        permission=WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "name": "Project Apollo"},
    ),
    Operation(
        name="entities.alias", subject="entities", method="POST", path="/v1/entities/alias",
        summary="Give an entity further names that it answers to.",
        request=ask.AliasEntity, positional=("entity",), spread="names", result=Entity,
        permission=WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "names": ["Apollo"]},
    ),
)  # fmt: skip

_MEMORIES = (
    Operation(
        name="remember", subject="memories", method="POST", path="/v1/memories",
        summary="Remember a statement: add it, supersede what it contradicts, or confirm it.",
        request=items.RememberRequest, call=calls.remember, result=Remembered,
        permission=WRITE, shows=True, writes=True, is_new=calls.is_written,
        example={"text": "Sarah prefers tea.", "traits": {"entity": "sarah", "type": "profile"}},
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
        summary="Return the snapshots that best match a question.",
        request=ask.MatchBackgrounds, positional=("query",),
        result=tuple[ScoredBackground, ...], result_name="snapshots",
        example={"query": "When is the demo?"},
    ),
    Operation(
        name="background.delete", subject="background", method="DELETE",
        path="/v1/background/{id}", summary="Delete a snapshot.",
        request=ask.BackgroundId, positional=("background_id",), result=bool,
        result_name="deleted", permission=WRITE, missing="background", problems=(404,),
    ),
)  # fmt: skip

_SESSIONS = (
    Operation(
        name="sessions.create", subject="sessions", method="POST", path="/v1/sessions",
        summary="Start a session; it is listed once its first message is stored.",
        request=ask.CreateSession, result=Session,
        permission=WRITE, shows=True, writes=True, is_new=True,
        example={"title": "About Alpha"},
    ),
    Operation(
        name="sessions.list", subject="sessions", method="GET", path="/v1/sessions",
        summary="List the sessions, last used first.",
        request=ask.ListPage, result=SessionPage,
    ),
    Operation(
        name="sessions.get", subject="sessions", method="GET", path="/v1/sessions/{id}",
        summary="Return one session.",
        request=ask.GetSession, positional=("session_id",), result=Session, problems=(404,),
    ),
    Operation(
        name="sessions.messages", subject="sessions", method="GET",
        path="/v1/sessions/{id}/messages",
        summary="List the messages of a session, oldest first.",
        request=ask.ListMessages, positional=("session_id",), result=Page,
    ),
    Operation(
        name="sessions.last", subject="sessions", method="GET", path="/v1/sessions/{id}/last",
        summary="Return the last messages of a session, oldest first.",
        request=ask.LastMessages, positional=("session_id", "n"), result=tuple[Item, ...],
        result_name="messages",
    ),
    Operation(
        name="sessions.add", subject="sessions", method="POST",
        path="/v1/sessions/{id}/messages",
        summary="Add a message at the end of a session.",
        request=ask.AddMessage, positional=("session_id", "role", "content"), result=Outcome,
        permission=WRITE, writes=True, is_new=True,
        example={"role": "user", "content": "When is Alpha due?"},
    ),
    Operation(
        name="sessions.forget", subject="sessions", method="DELETE", path="/v1/sessions/{id}",
        summary="Forget the messages of a session.",
        request=ask.GetSession, positional=("session_id",), result=tuple[str, ...],
        result_name="forgotten", permission=WRITE, missing="session", problems=(404,),
    ),
)  # fmt: skip

_PREFERENCES = (
    Operation(
        name="preferences.list", subject="preferences", method="GET", path="/v1/preferences",
        summary="List the preferences, highest confidence first.",
        request=ask.ListPreferences, result=tuple[Preference, ...], result_name="preferences",
    ),
    Operation(
        name="preferences.get", subject="preferences", method="GET", path="/v1/preferences/{id}",
        summary="Return one preference, by its key.",
        request=ask.GetPreference, positional=("key",), result=Preference, problems=(404,),
    ),
    Operation(
        name="preferences.set", subject="preferences", method="PUT", path="/v1/preferences/{id}",
        summary="Store a preference that the user stated.",
        request=ask.SetPreference, positional=("key", "value"), result=Preference,
        permission=WRITE, shows=True, example={"value": "short"},
    ),
    Operation(
        name="preferences.infer", subject="preferences", method="POST",
        path="/v1/preferences/{id}/infer",
        summary="Store a preference that was inferred; repetition raises its confidence.",
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
        name="proposals.propose", subject="proposals", method="POST", path="/v1/proposals",
        summary="Propose memories; nothing is remembered until one is accepted.",
        request=items.ProposeRequest, call=calls.propose, result=ProposalsMade,
        permission=WRITE, shows=True, writes=True,
        example={"proposed": [{"text": "Sarah prefers tea.", "evidence": [_AN_ID]}], "by": "me"},
    ),
    Operation(
        name="proposals.list", subject="proposals", method="GET", path="/v1/proposals",
        summary="List the proposals, latest first.",
        request=ask.ListProposals, result=ProposalPage,
    ),
    Operation(
        name="proposals.get", subject="proposals", method="GET", path="/v1/proposals/{id}",
        summary="Return one proposal, with its evidence.",
        request=ask.ProposalId, positional=("proposal_id",), result=Proposal, problems=(404,),
    ),
    Operation(
        name="proposals.accept", subject="proposals", method="POST",
        path="/v1/proposals/{id}/accept",
        summary="Accept a proposal: remember it by the rules of `remember`.",
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
        summary="Undo a decision; every item gets its former state.",
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
        summary="Write the missing summaries of long items.",
        request=ask.BuildSurrogates, result=SurrogatesBuilt, permission=WRITE, writes=True,
        example={"items_max": 100},
    ),
    Operation(
        name="embed", subject="space", method="POST", path="/v1/embed",
        summary="Make the vectors that imported items wait for, those of the newest first.",
        request=ask.Embed, result=EmbedReport, permission=WRITE, writes=True,
        example={"chunks_max": 1_000},
    ),
    Operation(
        name="stats", subject="space", method="GET", path="/v1/stats",
        summary="Return counts and sizes of the space.",
        request=ask.Nothing, result=SpaceStats, problems=(404,),
    ),
    Operation(
        name="verify", subject="space", method="POST", path="/v1/verify",
        summary="Check the whole space against its checksums and its index.",
        request=ask.Nothing, result=tuple[Finding, ...], result_name="findings",
        permission=ADMIN, example={},
    ),
    Operation(
        name="compact", subject="space", method="POST", path="/v1/compact",
        summary="Remove history past its retention, and shrink the file.",
        request=ask.Compact, result=Compaction, permission=ADMIN, problems=(404,), example={},
        destroys=True,
    ),
)  # fmt: skip

_HOME = (
    Operation(
        name="erase", subject="spaces", method="POST", path="/v1/erase",
        summary="Erase items, or the whole space, permanently, from every file.",
        request=items.EraseRequest, spread="ids", result=ErasureReport,
        permission=Permission.ERASE, writes=True, problems=(404,), example={"ids": [_AN_ID]},
        destroys=True,
    ),
    Operation(
        name="preview_erase", subject="spaces", method="POST", path="/v1/preview-erase",
        summary="Return the ids of the items that an erasure would remove; nothing is erased.",
        request=items.PreviewEraseRequest, positional=("filter",), result=tuple[str, ...],
        result_name="ids", problems=(404,), example={"filter": {"sources": ["gmail"]}},
    ),
    Operation(
        name="doctor", subject="space", method="POST", path="/v1/doctor",
        summary="Check the home and the space quickly: files, checksums, settings, models.",
        request=ask.Nothing, result=tuple[Finding, ...], result_name="findings",
        permission=ADMIN, problems=(404,), example={},
    ),
    Operation(
        name="import_", subject="imports", request=home.ImportRequest, spread="paths",
        summary="Import mail, documents, calendars, tasks, chats, notes, or an export of a space.",
        result=ImportReport, permission=WRITE,
    ),
    Operation(
        name="export", subject="spaces", request=home.PathRequest, positional=("path",),
        summary="Export all data of the space, every version, as JSON Lines.",
        result=ExportReport,
    ),
    Operation(
        name="backup", subject="spaces", request=home.PathRequest, positional=("path",),
        summary="Copy the space to a new file, while others use it.",
        result=BackupReport, permission=ADMIN,
    ),
    Operation(
        name="repair", subject="spaces", method="POST", path="/v1/repair",
        summary="Rebuild the file of the space from all readable data.",
        request=home.RepairRequest, result=RepairReport, permission=ADMIN, problems=(404,),
        example={}, destroys=True,
    ),
    Operation(
        name="reembed", subject="spaces", method="POST", path="/v1/reembed",
        summary="Make all vectors of the space again with the configured embedder.",
        request=ask.Nothing, result=int, result_name="embedded", permission=ADMIN,
        problems=(404,), example={},
    ),
    Operation(
        name="spaces", subject="spaces", method="GET", path="/v1/spaces",
        summary="Return the names of the spaces of the home.",
        request=ask.Nothing, result=tuple[str, ...], result_name="spaces",
    ),
    Operation(
        name="keys.create", subject="keys", method="POST", path="/v1/keys",
        summary="Create a key for a space; it is shown only this once.",
        request=home.CreateKeyRequest, result=NewKey, permission=ADMIN, is_new=True,
        example={"name": "laptop", "permissions": ["read"], "expires": 30},
    ),
    Operation(
        name="keys.list", subject="keys", method="GET", path="/v1/keys",
        summary="List the keys without their secrets, including revoked ones.",
        request=ask.Nothing, result=tuple[ApiKey, ...], result_name="keys", permission=ADMIN,
    ),
    Operation(
        name="keys.revoke", subject="keys", method="DELETE", path="/v1/keys/{id}",
        summary="Revoke a key permanently.",
        request=home.KeyId, positional=("key_id",), result=ApiKey, permission=ADMIN,
        problems=(404,),
    ),
    Operation(
        name="keys.audit", subject="keys", method="GET", path="/v1/audit",
        summary="Return a page of the audit log, latest first.",
        request=home.AuditRequest, result=AuditPage, permission=ADMIN,
    ),
)  # fmt: skip

OPERATIONS: Mapping[str, Operation] = {
    one.name: one
    for one in (
        *_QUESTIONS, *_ITEMS, *_MEMORIES, *_BACKGROUND, *_SESSIONS, *_PREFERENCES, *_PROPOSALS,
        *_SPACE, *_HOME,
    )
}  # fmt: skip
"""Operations by name, in the order in which the reference lists them."""
