"""The text output of results: tables, facts and sentences, one function for each record.

Knows how a record is laid out on a page. Must not know how it was asked for.
"""

from collections.abc import Iterable, Mapping, Sequence
from os.path import commonprefix
from typing import Any

from simonides.cli.context import Context
from simonides.cli.hits import title_of
from simonides.cli.tables import TEXT_WIDTH, more, table
from simonides.cli.terminal_text import clip, one_line
from simonides.context.values import write_value
from simonides.model.answer import EmbedReport, Finding, Page, SpaceStats
from simonides.model.chat import Preference, Session
from simonides.model.counts import ItemCounts
from simonides.model.item import Item, Person, Status
from simonides.model.maintenance import BackupReport, Compaction, RepairReport, Version
from simonides.model.memories import (
    Compared,
    MergeOp,
    MergeReason,
    Proposal,
    ProposalsMade,
    Remembered,
)
from simonides.model.stored import Background, Engagement, Outcome, Surrogate, SurrogatesBuilt, Tier

SHOWN_MAX = 10
"""How many of what went wrong are listed one by one."""


def outcome(context: Context, one: Outcome, _: Any = None) -> None:
    """Draw the outcome of one added item."""
    context.output.line(f"{one.change} ", (one.id, "bold"))


def facts(context: Context, known: Iterable[tuple[str, str]], *, indent: str = "") -> None:
    """Draw names with their values, one per line, without empty values."""
    rows = [(one_line(name), one_line(value)) for name, value in known if value]
    width = max((len(name) for name, _ in rows), default=0) + 2
    for name, value in rows:
        context.output.line((f"{indent}{name:{width}}", "dim"), value)


# ── items ─────────────────────────────────────────────────────────────────────────────────────


def item(context: Context, one: Item, _: Any = None) -> None:
    """Draw the fields of an item, an empty line, and its content."""
    known = [
        ("id", one.id),
        ("title", one.title),
        ("kind", f"{one.kind} from {one.source}"),
        ("happened", context.minute(one.happened_at)),
        *((person.role.value, _name(person)) for person in one.people),
        ("tags", ", ".join(one.tags)),
        ("session", one.session),
        ("summary", one.summary),
        *((key, write_value(value)) for key, value in one.metadata.items()),
    ]
    facts(context, known)
    context.output.line()
    context.output.line(one.content)


def _name(person: Person) -> str:
    if person.name and person.address:
        return f"{person.name} <{person.address}>"
    return person.name or person.address


items = table(
    ("date", "kind", "source", "title", "id"),
    lambda context, one: (
        context.day(one.happened_at), one.kind, one.source, title_of(one, width=TEXT_WIDTH), one.id,
    ),
    of="items", empty="nothing kept that fits",
)  # fmt: skip


COUNTS_SHOWN = 20
"""People, and values of metadata, whose counts are drawn."""


def counts(context: Context, found: ItemCounts, _: Any = None) -> None:
    """Draw the numbers of items, those of each month on a line of their own."""
    context.output.line(f"{found.items:,} items, {found.undated:,} undated")
    for name, by in (("sources", found.by_source), ("kinds", found.by_kind)):
        if by:
            context.output.line(f"  {name}: {most_first(by)}")
    if len(found.by_collection) > 1:
        context.output.line(f"  collections: {most_first(found.by_collection)}")
    for name, by in (("people", found.by_person), ("values", found.by_value)):
        if by:
            context.output.line(f"  {name}: {most_first(dict([*by.items()][:COUNTS_SHOWN]))}")
    for month, count in found.by_month.items():
        context.output.line(f"  {month}  {count:,}")


def ids(context: Context, found: Sequence[str], _: Any = None) -> None:
    """Draw ids, one per line."""
    for one in found:
        context.output.line(one)
    if not found:
        context.output.note("nothing kept that fits")


def versions(context: Context, found: Sequence[Version], _: Any = None) -> None:
    """Draw the versions of an item, and the reason why the last one ended."""
    texts = [" ".join((one.item.content or one.item.title).split()) for one in found]
    alike = len(commonprefix(texts)) if len(set(texts)) > 1 else 0  # noqa: RUF071  it is text
    start = alike - 12 if alike > 32 else 0  # noqa: PLR2004  it is seen all the same
    _versions(
        context,
        [
            (one, f"…{text[start:]}" if start else text)
            for one, text in zip(found, texts, strict=True)
        ],
    )
    last = found[-1]
    if last.cause is not None:
        when = context.minute(last.died_at)
        context.output.note((f"{last.cause} at revision {last.died}, {when}", "yellow"))


_versions = table(
    ("version", "date", "revisions", "changed", "text"),
    lambda context, one: (
        str(one[0].version), context.minute(one[0].born_at), _life(one[0]),
        ", ".join(one[0].changed), clip(one[1], 40),
    ),
    empty="no version is kept",
)  # fmt: skip


def _life(one: Version) -> str:
    """Return the range of revisions in which a version was present: `3 to 7`, `7 on`."""
    return f"{one.born} on" if one.died is None else f"{one.born} to {one.died}"


def usage(context: Context, one: Engagement, _: Any = None) -> None:
    """Draw the usage of an item: the counts and the last time."""
    facts(context, [("count", f"{one.count:,}"), ("last", context.minute(one.last_at))])


# ── background ────────────────────────────────────────────────────────────────────────────────


def background_put(context: Context, one: Background, _: Any = None) -> None:
    """Draw the id of a new snapshot."""
    context.output.line("put ", (one.id, "bold"))


def background(context: Context, one: Background, _: Any = None) -> None:
    """Write the text to stdout, ready for a prompt, and its time to stderr."""
    context.output.line(one.text.rstrip("\n"))
    context.output.note((f"put {context.minute(one.created_at)}, id {one.id}", "dim"))


backgrounds = table(
    ("date", "characters", "text", "id"),
    lambda context, one: (
        context.minute(one.created_at), f"{len(one.text):,}", clip(one.text, TEXT_WIDTH), one.id,
    ),
    of="snapshots", empty="no background was put",
)  # fmt: skip


# ── sessions and preferences ──────────────────────────────────────────────────────────────────

sessions = table(
    ("date", "messages", "title", "id"),
    lambda context, one: (
        context.minute(one.updated_at), f"{one.messages:,}", clip(one.title, TEXT_WIDTH), one.id,
    ),
    of="sessions", empty="no conversation is kept",
)  # fmt: skip


def session(context: Context, one: Session, _: Any = None) -> None:
    """Draw one conversation."""
    context.output.line((one.id, "bold"), f"  {clip(one.title, TEXT_WIDTH)}")
    began, used = context.minute(one.started_at), context.minute(one.updated_at)
    context.output.note((f"{one.messages:,} messages, {began} to {used}", "dim"))


def messages(context: Context, page: Page, _: Any = None) -> None:
    """Draw a page of messages."""
    transcript(context, page.items)
    more(context, page)


def transcript(context: Context, items: Sequence[Item], _: Any = None) -> None:
    """Draw messages, each below its author and time."""
    if not items:
        context.output.note("nothing was said")
    for one in items:
        author = one.author.name if one.author else "unknown"
        context.output.line(
            (f"{context.minute(one.happened_at)}  ", "green"), (f"{author}: ", "magenta")
        )
        for line in one.content.split("\n"):
            context.output.paragraph(line, indent="  ")


preferences = table(
    ("sure", "origin", "seen", "date", "key", "value"),
    lambda context, one: (
        f"{one.confidence:.2f}", one.origin, f"{one.seen:,}", context.day(one.updated_at),
        one.key, clip(one.value, TEXT_WIDTH),
    ),
    empty="no preference is kept",
)  # fmt: skip


def preference(context: Context, one: Preference, _: Any = None) -> None:
    """Write `key: value` to stdout, and the confidence to stderr."""
    context.output.line((f"{one.key}: ", "bold"), one.value)
    note = f"{one.origin}, sure {one.confidence:.2f}, seen {one.seen:,}"
    context.output.note((f"{note}, last {context.minute(one.updated_at)}", "dim"))


# ── memories and proposals ────────────────────────────────────────────────────────────────────

DONE = {
    MergeOp.ADD: "added",
    MergeOp.UPDATE: "updated",
    MergeOp.SUPERSEDE: "added in place of another",
    MergeOp.NOOP: "unchanged",
    MergeOp.DELETE: "deleted",
}
"""What was done, in a word."""

REASONS = {
    MergeReason.NO_SIMILAR_MEMORY: "no memory is like it",
    MergeReason.DUPLICATE_TEXT_METADATA_UPDATE: "it was remembered, not as sure or as long",
    MergeReason.QUARANTINE_LIFTED: "it is no longer quarantined",
    MergeReason.DUPLICATE_TEXT: "it is remembered already",
    MergeReason.ASKED_FOR: "it was asked for",
    MergeReason.RECALLED_TEXT: "memories say all of it already",
    MergeReason.NEW_MEMORY_SCOPE_OR_TYPE_MISMATCH: "the one like it is of another scope or type",
    MergeReason.EXISTING_MEMORY_NOT_ACTIVE: "the one like it does not hold any more",
    MergeReason.CANDIDATE_NOT_ACTIVE: "its own status is not active",
    MergeReason.NEW_MEMORY_NON_CONFLICTING: "the one like it is not about the same entity",
    MergeReason.LOWER_CONFIDENCE_CANDIDATE: "what is remembered is surer",
    MergeReason.OLDER_THAN_EXISTING: "what is remembered is newer",
    MergeReason.HIGHER_CONFIDENCE_OR_NEWER_FACT: "it is newer, and about as sure",
}
"""Why, in words."""


_LIFT = "lift that by `simonides update {id} --status active`"


def decision(context: Context, made: Remembered, asked: Any) -> None:
    """Draw the decision on a statement, and the memories that it was compared with."""
    would = "would be " if asked.dry_run else ""
    named = made.id or made.compared[0].id
    context.output.line(f"{would}{DONE[made.op]}: ", (named, "bold"), f" ({REASONS[made.reason]})")
    if made.superseded:
        context.output.line(f"  {would}superseded: {made.superseded}")
    for one in made.compared:
        context.output.line((f"  compared with {one.id}  {_draw_comparison(one)}", "dim"))
        if made.op is MergeOp.NOOP and one.id == made.id and one.status is Status.QUARANTINED:
            context.output.note(f"  quarantined, so nothing finds it; {_LIFT.format(id=one.id)}")


def _draw_comparison(one: Compared) -> str:
    about = ", the same entity" if one.same_entity else ""
    status = "" if one.status is Status.ACTIVE else f", {one.status}"
    alike = f"{one.likeness:.0%} alike" if one.likeness else "other words or numbers"
    return f"{clip(one.text, 60)} ({alike}{about}{status})"


import_log = table(
    ("when", "files", "added", "updated", "skipped", "why"),
    lambda context, one: (
        context.minute(one.kept_at), clip(", ".join(one.files), 40), f"{one.added:,}",
        f"{one.updated:,}", f"{one.skipped:,}",
        clip("; ".join(f"{group.count} {group.reason}" for group in one.skipped_groups), 80),
    ),
    of="imports", empty="no import has come to its end yet",
)  # fmt: skip
receipts = table(
    ("kept", "budget", "items", "question", "id"),
    lambda context, one: (
        context.day(one.kept_at), f"{one.budget} {one.unit}", str(one.items),
        clip(one.query, 60), one.id,
    ),
    of="receipts", empty="no receipts are kept; `brief --keep-receipt` keeps one",
)  # fmt: skip
proposals = table(
    ("date", "status", "by", "text", "id"),
    lambda context, one: (
        context.day(one.created_at), one.status, one.by, clip(one.proposed.text, 60), one.id
    ),
    of="proposals", empty="nothing is proposed",
)  # fmt: skip


def proposal(context: Context, one: Proposal, _: Any = None) -> None:
    """Draw one proposal with all its fields."""
    proposed, traits = one.proposed, one.proposed.traits
    context.output.line((proposed.text, "bold"))
    known = [
        ("status", one.status), ("by", one.by), ("proposed", context.minute(one.created_at)),
        ("happened", context.minute(proposed.happened_at)),
        ("evidence", " ".join(proposed.evidence)),
        ("scope", traits.scope), ("type", traits.type), ("entity", traits.entity),
        ("confidence", f"{traits.confidence:g}"), ("note", proposed.note),
        ("decided", context.minute(one.decided_at)), ("came of it", _came(one)),
    ]  # fmt: skip
    facts(context, known, indent="  ")


def _came(one: Proposal) -> str:
    if one.outcome is None:
        return ""
    return f"{DONE[one.outcome.op]}: {one.outcome.id} ({REASONS[one.outcome.reason]})"


def decisions(context: Context, all_of_them: Sequence[Proposal], asked: Any = None) -> None:
    """Draw the results of decisions on proposals."""
    would = "would be " if getattr(asked, "dry_run", False) else ""
    for one in all_of_them:
        context.output.line(f"{would}{one.status}: ", (one.id, "bold"))
        if came := _came(one):
            context.output.line(f"  {would}{came}")


def proposals_made(context: Context, made: ProposalsMade, _: Any = None) -> None:
    """Draw how many items were read, and what was proposed of them."""
    context.output.line(f"{made.read:,} items read")
    for one in made.proposed:
        context.output.line(f"  {clip(one.proposed.text, 80)}  ", (one.id, "dim"))
    proposal_counts(context, made)


def proposal_counts(context: Context, made: ProposalsMade) -> None:
    """Draw the number of stored proposals, and the refused ones."""
    sentence = (
        f"{len(made.proposed):,} proposed, {made.known:,} known, {len(made.refused):,} refused"
    )
    context.output.line(sentence)
    for one in made.refused[:SHOWN_MAX]:
        context.output.note((f"refused: {clip(one.text, 60)}: {one.reason}", "yellow"))


# ── the space ─────────────────────────────────────────────────────────────────────────────────


def summaries_built(context: Context, built: SurrogatesBuilt, _: Any = None) -> None:
    """Draw the number of written summaries, and the failed ones."""
    context.output.line(
        f"{built.built:,} built in {built.took_s:.1f} s, {built.up_to_date:,} up to date, "
        f"{built.left:,} left"
    )
    for one in built.unwritten[:SHOWN_MAX]:
        context.output.note((f"not written: {one.id}: {one.reason}", "yellow"))
    if (left := len(built.unwritten) - SHOWN_MAX) > 0:
        context.output.note((f"and {left:,} more; --json lists all", "yellow"))


def embedding(context: Context, done: EmbedReport, _: Any = None) -> None:
    """Draw the number of embedded chunks, and of those that still wait."""
    left = f"{done.waiting:,} wait" if done.waiting else "none waits"
    context.output.line(f"{done.embedded:,} chunks embedded in {done.took_s:.1f} s, {left}")


def summaries(context: Context, found: Surrogate, _: Any = None) -> None:
    """Draw the summaries of an item."""
    facts(context, [(tier.value, getattr(found, tier.value)) for tier in Tier])


def stats(context: Context, found: SpaceStats, _: Any = None) -> None:
    """Draw the counts and sizes of a space."""
    span = f"{context.day(found.oldest)} to {context.day(found.newest)}" if found.newest else ""
    known = [
        ("space", found.space),
        ("revision", f"{found.revision:,}"),
        ("items", f"{found.items:,}"),
        ("by kind", most_first(found.by_kind)),
        ("by source", most_first(found.by_source)),
        ("by language", most_first(found.by_language)),
        ("chunks", f"{found.chunks:,}"),
        ("waiting", f"{found.waiting:,} chunks for their vectors" if found.waiting else ""),
        ("archived", f"{found.archived:,}"),
        ("happened", span),
        ("on disk", f"{found.bytes_on_disk / 1e6:,.1f} MB"),
        ("embedder", found.embedder),
        ("scrubbed", _draw_scrub(context, found)),
        ("backed up", context.minute(found.backed_up_at) or "never"),
        ("history since", context.minute(found.history_since)),
    ]
    facts(context, known)


def finding(one: Finding) -> tuple[str, str, str]:
    """Return the cells of a finding: what was looked at, the result, and its detail."""
    return one.check, "sound" if one.sound else "PROBLEM", one.detail


def draw_findings(context: Context, findings: Iterable[Finding]) -> None:
    """Draw the findings of a check."""
    context.output.table(("check", "result", "detail"), [*map(finding, findings)])


PAGES_OF_SERVER = "pages are the database server's, which checks them itself"


def _draw_scrub(context: Context, found: SpaceStats) -> str:
    if context.settings.store:
        return PAGES_OF_SERVER
    if not found.page_checksums:
        return "pages have no checksums; run `simonides doctor`"
    damaged = f", {found.pages_damaged:,} pages damaged" if found.pages_damaged else ""
    return f"{context.day(found.scrubbed_at)}{damaged}" if found.scrubbed_at else "never"


def most_first(counts: Mapping[str, int]) -> str:
    """Return counts as `170 fr, 40 en`."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered)


audit = table(
    ("time", "key", "verb", "space", "status", "count"),
    lambda context, one: (
        context.minute(one.at), one.key_id or "-", one.verb, one.space, str(one.status),
        str(one.count),
    ),
    of="entries", empty="nothing was noted",
)  # fmt: skip


def compaction(context: Context, done: Compaction, _: Any = None) -> None:
    """Draw the counts of a compaction."""
    known = [
        ("versions", f"{done.versions:,}"),
        ("backgrounds", f"{done.backgrounds:,}"),
        ("engagements", f"{done.engagements:,}"),
        ("proposals", f"{done.proposals:,}"),
        ("on disk", f"{done.bytes_before / 1e6:,.1f} MB, now {done.bytes_after / 1e6:,.1f} MB"),
        ("history", f"from revision {done.oldest:,} on" if done.oldest else "whole"),
    ]
    facts(context, known)


def spaces(context: Context, names: Sequence[str], _: Any) -> None:
    """Draw the names of spaces, one per line."""
    for name in names:
        context.output.line(name)
    if not names:
        context.output.note("no space yet; `simonides add` makes one")


def backup(context: Context, report: BackupReport, _: Any) -> None:
    """Draw the file of a backup, and its revision and size."""
    sentence = f"{report.items:,} items as of revision {report.revision:,}, {report.bytes:,} bytes"
    context.output.line((report.file, "bold"), f": {sentence}")


def repair(context: Context, report: RepairReport, _: Any) -> None:
    """Draw the findings and losses of a repair."""
    output = context.output
    anew = f", {report.prepared_anew:,} of them indexed anew" if report.prepared_anew else ""
    output.line(f"{report.items:,} items, {report.versions:,} versions{anew}")
    wrong = (
        [f"lost {one.what} {one.which}: {one.reason}" for one in report.lost],
        [f"altered: item {item_id} is not what was written" for item_id in report.altered],
        [f"kept from a damaged page, and may differ: {name}" for name in report.doubtful],
    )
    for sentences in wrong:
        for sentence in sentences[:SHOWN_MAX]:
            output.line((f"  {sentence}", "yellow"))
    if more := sum(len(sentences[SHOWN_MAX:]) for sentences in wrong):
        output.line((f"  and {more:,} more; --json lists all", "yellow"))
    for note in report.notes:
        output.note((note, "yellow"))
