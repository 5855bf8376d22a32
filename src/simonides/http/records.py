"""The records that answers are made of: what the OpenAPI document describes by name."""

from simonides.assistant.sessions import SessionPage
from simonides.http.imports import ImportStatus
from simonides.model import answer, background, brief, chat, item, maintenance, memories, stored
from simonides.model.stored import Engagement, Surrogate, SurrogatesBuilt, Unwritten

RECORDS = (
    item.Item, item.Person, item.MemoryTraits,
    stored.Outcome,
    answer.Hit, answer.Contribution, answer.SearchResult, answer.LaneReport, answer.Plan,
    answer.TimeRange, answer.Page, answer.Entity, answer.SpaceStats, answer.ImportProgress,
    answer.ImportReport, answer.Skipped,
    background.Background, background.BackgroundPage, background.ScoredBackground,
    brief.Brief, brief.BriefItem, brief.Dropped, brief.Section, brief.Receipt, brief.Explained,
    brief.Replay, brief.ReceiptDiff, brief.Difference, brief.ItemDiff,
    maintenance.Version,
    memories.Remembered, memories.Compared,
    maintenance.ErasureReport, maintenance.Proof,
    answer.Diagnostics,
    Engagement, Surrogate, SurrogatesBuilt, Unwritten,
    ImportStatus,
    chat.ChatReply, chat.Retrieved, chat.Session, chat.Preference,
    SessionPage,
    answer.Finding, maintenance.Compaction,
    memories.Proposal, memories.ProposalPage, memories.ProposedMemory, memories.ProposalOutcome,
    memories.ItemChange,
)  # fmt: skip
"""Every record that some answer holds; a test looks for those that are missing."""
