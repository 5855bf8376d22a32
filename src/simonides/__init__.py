"""Simonides: an embeddable memory and context engine for LLM assistants.

The public names, each imported when it is first used: `Memory` keeps, finds and briefs; the
records are what goes in and comes out.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from simonides.version import __version__

if TYPE_CHECKING:
    # isort: off
    # fmt: off
    from simonides.api.aio import (
        AsyncBackgrounds, AsyncEntities, AsyncKeys, AsyncPreferences, AsyncProposals,
        AsyncSessions, AsyncSurrogates,
    )
    from simonides.api.arguments import (
        ChangedFields, ChatFields, EmbedFields, SearchFields, StateLike,
    )
    from simonides.api.background import Backgrounds
    from simonides.api.briefs import BriefFields
    from simonides.api.chat import Sessions
    from simonides.api.database import Database
    from simonides.api.entities import Entities
    from simonides.api.keys import Keys
    from simonides.api.memories import Preferences, Proposals
    from simonides.api.memory import AsyncMemory, Memory, Opening
    from simonides.api.moving import move_space
    from simonides.api.surrogates import SurrogateBuild, Surrogates
    from simonides.assistant.tools import Tool, tool
    from simonides.config import Settings
    from simonides.context.build import build_active_context
    from simonides.errors import (
        AccessDenied, AlreadyDone, Conflict, EmbedderError, EmbedderTimeout, HistoryGone,
        ImportFailed, InvalidInput, InvalidSpaceName, ModelError, ModelTimeout, NewerFormat,
        NotASpace, NotFound, PluginWarning, SimonidesError, StoreBusy, StoreCorrupt, StoreError,
        StoreFull, WorkTaken, WrongEmbedder,
    )
    from simonides.maintenance.surrogates import SurrogateWriter
    from simonides.memories.merge import merge_candidate
    from simonides.memories.scoped_merge import (
        MergeStats, ScopedMerge, Selected, SelectionReason, merge_scoped_candidates,
    )
    from simonides.model.access import ApiKey, AuditEntry, AuditPage, NewKey, Permission
    from simonides.model.agenda import Agenda, AgendaEntry, Attendee
    from simonides.model.answer import (
        Contribution, Diagnostics, Direction, EmbedReport, Entity, Explanation, Finding, Hit,
        LaneReport, Mode, MultiSpaceResult, Page, Plan, PlanPart, Replacement, ReplyState, Scorer,
        SearchResult, SpaceHit, SpaceStats, TaskState, TimeRange,
    )
    from simonides.model.brief import (
        ActiveContext, Brief, BriefItem, ContextConfig, ContextFields, ContextMode, Dropped,
        DropReason, Explained, Form, Layout, Receipt, ReceiptItem, ReceiptSpace, Replay, Section,
        Stage, TierPolicy,
    )
    from simonides.model.chat import (
        ChatEvent, ChatEventKind, ChatMessage, ChatMode, ChatReply, Citation, ModelReply,
        ModelRequest, Origin, Preference, Retrieved, Session, SessionPage, Stop, ToolCall,
        ToolSchema, Usage,
    )
    from simonides.model.chat_role import ChatRole
    from simonides.model.counts import ItemCounts
    from simonides.model.database import (
        DatabaseCheck,
        DatabaseDistribution,
        DatabaseIndexes,
        DatabaseUpgrade,
    )
    from simonides.model.decay import DecayConfig
    from simonides.model.entity import EntityDetails, RelatedEntity
    from simonides.model.export import ExportReport
    from simonides.model.filter import (
        AllOf, AnyOf, Compare, Condition, Filter, FilterFields, FilterLike, Not, Operator, Viewer,
        ViewerFields, parse_condition,
    )
    from simonides.model.import_report import (
        ImportLog, ImportProgress, ImportRecord, ImportReport, Skipped, SkippedGroup,
    )
    from simonides.model.item import (
        Item, ItemFields, Kind, MemoryTraits, MemoryType, PeopleLike, Person, PersonFields, Role,
        Scope, StatementFields, Status, TraitFields, Trust,
    )
    from simonides.model.maintenance import (
        BackupReport, Cause, Compaction, ErasureReport, Lost, Proof, RepairReport, Version,
    )
    from simonides.model.memories import (
        Compared, ItemChange, MergeConfig, MergeDecision, MergeOp, MergeReason,
        Proposal, ProposalOutcome, ProposalPage, ProposalsMade, ProposalStatus, ProposedMemory,
        Refused, Remembered,
    )
    from simonides.model.move import MovePlan, MoveReport, MoveTarget
    from simonides.model.query import NamedTime
    from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff, ReceiptDiff
    from simonides.model.receipt_list import ReceiptPage, ReceiptSummary
    from simonides.model.scrub import Scrub
    from simonides.model.stored import (
        Background, BackgroundPage, Change, EmbedderIdentity, Engaged, Engagement, Outcome,
        ScoredBackground, Surrogate, SurrogatesBuilt, Tier, Unwritten,
    )
    from simonides.model.story import Story, StoryStep
    from simonides.model.times import TimeLike
    from simonides.ports.memories import Extractor
    from simonides.ports.models import ChatModel, Clock, Embedder, Reranker, WorkingMemory
    from simonides.scoring.importance import decayed_importance
    from simonides.text.surrogates import SurrogateTexts
    # fmt: on
    # isort: on

__all__ = [
    "AccessDenied", "ActiveContext", "Agenda", "AgendaEntry", "AllOf", "AlreadyDone", "AnyOf",
    "ApiKey", "AsyncBackgrounds", "AsyncEntities", "AsyncKeys", "AsyncMemory", "AsyncPreferences",
    "AsyncProposals", "AsyncSessions", "AsyncSurrogates", "Attendee", "AuditEntry", "AuditPage",
    "Background", "BackgroundPage", "Backgrounds", "BackupReport", "Brief", "BriefFields",
    "BriefItem", "Cause", "Change", "ChangedFields", "ChatEvent", "ChatEventKind", "ChatFields",
    "ChatMessage", "ChatMode", "ChatModel", "ChatReply", "ChatRole", "Citation", "Clock",
    "Compaction", "Compare", "Compared", "Condition", "Conflict", "ContextConfig", "ContextFields",
    "ContextMode", "Contribution", "Database", "DatabaseCheck", "DatabaseDistribution",
    "DatabaseIndexes", "DatabaseUpgrade", "DecayConfig",
    "Diagnostics", "DiffChange", "Difference", "Direction", "DropReason", "Dropped", "EmbedFields",
    "EmbedReport", "Embedder", "EmbedderError", "EmbedderIdentity", "EmbedderTimeout", "Engaged",
    "Engagement", "Entities", "Entity", "EntityDetails", "ErasureReport", "Explained",
    "Explanation", "ExportReport", "Extractor", "Filter", "FilterFields", "FilterLike", "Finding",
    "Form", "HistoryGone", "Hit", "ImportFailed", "ImportLog", "ImportProgress", "ImportRecord",
    "ImportReport", "InvalidInput", "InvalidSpaceName", "Item", "ItemChange", "ItemCounts",
    "ItemDiff", "ItemFields", "Keys", "Kind", "LaneReport", "Layout", "Lost", "Memory",
    "MemoryTraits", "MemoryType", "MergeConfig", "MergeDecision", "MergeOp", "MergeReason",
    "MergeStats", "Mode", "ModelError", "ModelReply", "ModelRequest", "ModelTimeout", "MovePlan",
    "MoveReport", "MoveTarget",
    "MultiSpaceResult", "NamedTime", "NewKey", "NewerFormat", "Not", "NotASpace", "NotFound",
    "Opening", "Operator", "Origin", "Outcome", "Page", "PeopleLike", "Permission", "Person",
    "PersonFields", "Plan", "PlanPart", "PluginWarning", "Preference", "Preferences", "Proof",
    "Proposal", "ProposalOutcome", "ProposalPage", "ProposalStatus", "Proposals", "ProposalsMade",
    "ProposedMemory", "Receipt", "ReceiptDiff", "ReceiptItem", "ReceiptPage", "ReceiptSpace",
    "ReceiptSummary", "Refused", "RelatedEntity", "Remembered", "RepairReport", "Replacement",
    "Replay", "ReplyState", "Reranker", "Retrieved", "Role", "Scope", "ScopedMerge",
    "ScoredBackground", "Scorer",
    "Scrub", "SearchFields", "SearchResult", "Section", "Selected", "SelectionReason", "Session",
    "SessionPage", "Sessions", "Settings", "SimonidesError", "Skipped", "SkippedGroup", "SpaceHit",
    "SpaceStats", "Stage", "StateLike", "StatementFields", "Status", "Stop", "StoreBusy",
    "StoreCorrupt", "StoreError", "StoreFull", "Story", "StoryStep", "Surrogate", "SurrogateBuild",
    "SurrogateTexts", "SurrogateWriter", "Surrogates", "SurrogatesBuilt", "TaskState", "Tier",
    "TierPolicy", "TimeLike", "TimeRange", "Tool", "ToolCall", "ToolSchema", "TraitFields", "Trust",
    "Unwritten", "Usage", "Version", "Viewer", "ViewerFields", "WorkTaken", "WorkingMemory",
    "WrongEmbedder", "__version__", "build_active_context", "decayed_importance", "merge_candidate",
    "merge_scoped_candidates", "move_space", "parse_condition", "tool",
]  # fmt: skip

_NAMES = {
    "api.aio": (
        "AsyncBackgrounds AsyncEntities AsyncKeys AsyncPreferences AsyncProposals AsyncSessions "
        "AsyncSurrogates"
    ),
    "api.arguments": "ChangedFields ChatFields EmbedFields SearchFields StateLike",
    "api.background": "Backgrounds",
    "api.briefs": "BriefFields",
    "api.chat": "Sessions",
    "api.database": "Database",
    "api.entities": "Entities",
    "api.keys": "Keys",
    "api.memories": "Preferences Proposals",
    "api.memory": "AsyncMemory Memory Opening",
    "api.moving": "move_space",
    "api.surrogates": "SurrogateBuild Surrogates",
    "assistant.tools": "Tool tool",
    "config": "Settings",
    "context.build": "build_active_context",
    "errors": (
        "AccessDenied AlreadyDone Conflict EmbedderError EmbedderTimeout HistoryGone ImportFailed "
        "InvalidInput InvalidSpaceName ModelError ModelTimeout NewerFormat NotASpace NotFound "
        "PluginWarning SimonidesError StoreBusy StoreCorrupt StoreError StoreFull WorkTaken "
        "WrongEmbedder"
    ),
    "maintenance.surrogates": "SurrogateWriter",
    "memories.merge": "merge_candidate",
    "memories.scoped_merge": (
        "MergeStats ScopedMerge Selected SelectionReason merge_scoped_candidates"
    ),
    "model.access": "ApiKey AuditEntry AuditPage NewKey Permission",
    "model.agenda": "Agenda AgendaEntry Attendee",
    "model.answer": (
        "Contribution Diagnostics Direction EmbedReport Entity Explanation Finding Hit "
        "LaneReport Mode MultiSpaceResult Page Plan PlanPart Replacement ReplyState Scorer "
        "SearchResult "
        "SpaceHit SpaceStats TaskState TimeRange"
    ),
    "model.brief": (
        "ActiveContext Brief BriefItem ContextConfig ContextFields ContextMode DropReason Dropped "
        "Explained Form Layout Receipt ReceiptItem ReceiptSpace Replay Section Stage TierPolicy"
    ),
    "model.counts": "ItemCounts",
    "model.entity": "EntityDetails RelatedEntity",
    "model.import_report": (
        "ImportLog ImportProgress ImportRecord ImportReport Skipped SkippedGroup"
    ),
    "model.story": "Story StoryStep",
    "model.receipt_list": "ReceiptPage ReceiptSummary",
    "model.receipt_diff": "DiffChange Difference ItemDiff ReceiptDiff",
    "model.chat": (
        "ChatEvent ChatEventKind ChatMessage ChatMode ChatReply Citation ModelReply "
        "ModelRequest Origin Preference Retrieved Session SessionPage Stop ToolCall ToolSchema "
        "Usage"
    ),
    "model.chat_role": "ChatRole",
    "model.database": "DatabaseCheck DatabaseDistribution DatabaseIndexes DatabaseUpgrade",
    "model.decay": "DecayConfig",
    "model.export": "ExportReport",
    "model.filter": (
        "AllOf AnyOf Compare Condition Filter FilterFields FilterLike Not Operator Viewer "
        "ViewerFields parse_condition"
    ),
    "model.item": (
        "Item ItemFields Kind MemoryTraits MemoryType PeopleLike Person PersonFields Role Scope "
        "StatementFields Status TraitFields Trust"
    ),
    "model.maintenance": (
        "BackupReport Cause Compaction ErasureReport Lost Proof RepairReport Version"
    ),
    "model.memories": (
        "Compared ItemChange MergeConfig MergeDecision MergeOp MergeReason Proposal "
        "ProposalOutcome ProposalPage ProposalStatus ProposalsMade ProposedMemory Refused "
        "Remembered"
    ),
    "model.move": "MovePlan MoveReport MoveTarget",
    "model.query": "NamedTime",
    "model.scrub": "Scrub",
    "model.stored": (
        "Background BackgroundPage Change EmbedderIdentity Engaged Engagement Outcome "
        "ScoredBackground Surrogate SurrogatesBuilt Tier Unwritten"
    ),
    "model.times": "TimeLike",
    "ports.memories": "Extractor",
    "ports.models": "ChatModel Clock Embedder Reranker WorkingMemory",
    "scoring.importance": "decayed_importance",
    "text.surrogates": "SurrogateTexts",
}
"""Where each name stands: a test holds it against the imports and the list above."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Return a public name from its module, and remember it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
