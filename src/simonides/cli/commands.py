"""The commands that are no more than their operation: their names and their output.

Arguments, help and JSON come from `api.operations`. Must not hold what a command does.
"""

from argparse import ArgumentParser, Namespace
from typing import Any

from simonides.api.arguments import expand_home
from simonides.api.memory import Memory
from simonides.cli import drawing
from simonides.cli.context import Context, open_text
from simonides.cli.derived import Command, Draw
from simonides.cli.hits import draw_best_backgrounds
from simonides.cli.options import Exit, TaskGroup, not_empty
from simonides.cli.verbs import propose
from simonides.errors import InvalidInput
from simonides.model.bounds import BACKGROUND as BACKGROUND_TEXT
from simonides.model.stored import Engaged

_AN_ID = "8ck4h2v0q1e7m3s5t6u9x0y1z2"


def _say(sentence: str) -> Draw:
    """Return a function that writes a sentence with the fields of the request and the count."""

    def draw(context: Context, result: Any, asked: Any) -> None:
        count = len(result) if isinstance(result, tuple) else 1
        context.output.line(sentence.format(count=f"{count:,}", asked=asked))

    return draw


# ── items ─────────────────────────────────────────────────────────────────────────────────────


class EachOf(Command):
    """A command on several items: missing ones are reported, and the exit status is 3."""

    def run(self, context: Context, arguments: Namespace) -> None:
        """Run the operation on the items that exist."""
        try:
            record, done, asked = self._run(context, self.read_arguments(context, arguments))
        except InvalidInput as error:
            raise self._rename(error) from error
        missing = [one for one in dict.fromkeys(asked.ids) if one not in done]

        def draw() -> None:
            self.draw(context, done, asked)
            for one in missing:
                verb = self.operation.replace("_", "-")
                problem = f"simonides {verb}: no item {one!r} [not_found]"
                context.output.note((problem, "yellow"))

        how = {"how": asked.how} if hasattr(asked, "how") else {}
        context.output.answer({**record, **how, "missing": missing}, draw=draw)
        if missing:
            raise SystemExit(Exit.NOT_FOUND)


def _draw_each(context: Context, ids: tuple[str, ...], asked: Any) -> None:
    for one in ids:
        context.output.line(f"{getattr(asked, 'how', 'forgotten')} {one}")


FORGET = EachOf(
    operation="forget", draw=_draw_each, example=f"simonides forget {_AN_ID}",
    help="Forget items: no search finds them any more.",
)  # fmt: skip
RECORD_USAGE = EachOf(
    operation="record_usage", draw=_draw_each,
    example=f"simonides record-usage {_AN_ID} --how cited",
    help="Record that items were used, cited or opened; dense briefs then show more of them.",
)  # fmt: skip


PREVIEW_ERASE = Command(
    operation="preview_erase", draw=drawing.ids,
    example="simonides preview-erase --person sarah@example.com",
    help="Print the ids of the items that an erasure would remove; nothing is erased.",
)  # fmt: skip


class Get(Command):
    """`simonides get`: reading an item may be recorded as opening it."""

    def run(self, context: Context, arguments: Namespace) -> None:
        """Write the item to stdout."""
        super().run(context, arguments)
        if arguments.record_usage:
            with context.memory() as memory:
                memory.record_usage(arguments.item_id, how=Engaged.OPENED)


def _declare_usage(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--record-usage", action="store_true", help="record that the item was opened"
    )


GET = Get(
    operation="get", draw=drawing.item, help="Print one item with all its fields.",
    example=f"simonides get {_AN_ID}", declare=_declare_usage,
)  # fmt: skip
LIST = Command(
    operation="list", draw=drawing.items,
    example="simonides list --kind email --since 2026-03-01 --limit 20",
)  # fmt: skip


COUNTS = Command(
    operation="counts", draw=drawing.counts,
    example="simonides counts --kind email --since 2026-03-01",
    meanings={"metadata": "also count the values of this metadata key"},
)  # fmt: skip


def _something(_: Context, __: Namespace, given: dict[str, Any]) -> None:
    """Refuse an update without any field."""
    if not given.keys() - {"item_id", "if_version"}:
        raise InvalidInput("update", "names nothing to change; give --content, --title or others")


UPDATE = Command(
    operation="update", draw=drawing.item, adjust=_something, flags={"people": "--author"},
    help="Update some fields of an item.",
    example=f'simonides update {_AN_ID} --title "Alpha, new deadline" --tag alpha',
    meanings={"content": "new content; - reads stdin", "tags": "a tag instead of all old ones"},
)  # fmt: skip
REMEMBER = Command(
    operation="remember", draw=drawing.decision, left_out=("traits",), texts=("text",),
    help="Remember a statement: add it, or supersede the memory that it contradicts.",
    example='simonides remember "Sarah prefers to be called after 3pm" --entity "Sarah.calls"',
    flags={"people": "--author"},
    meanings={"text": "the statement; - reads stdin",
              "session_id": "the session that it is for",
              "happened_at": "since when it is so, as an ISO time"},
)  # fmt: skip
HISTORY = Command(
    operation="history", draw=drawing.versions, example=f"simonides history {_AN_ID}",
    help="List the versions of an item, including forgotten ones.",
)  # fmt: skip
RESTORE = Command(
    operation="restore", draw=drawing.item, example=f"simonides restore {_AN_ID} --version 1",
    help="Restore a forgotten item, or an earlier version of one, as a new version.",
)  # fmt: skip
ENGAGEMENT = Command(
    operation="engagement", draw=drawing.usage, example=f"simonides engagement {_AN_ID}",
    help="Print how often an item was used, cited or opened, and when last.",
)  # fmt: skip
IMPORT_LOG = Command(
    operation="import_log", draw=drawing.import_log, example="simonides import-log --limit 20"
)
RECEIPTS = Command(
    operation="receipts", draw=drawing.receipts, example="simonides receipts --limit 20",
    help="List the receipts that are kept, last kept first.",
)  # fmt: skip
STATS = Command(
    operation="stats", draw=drawing.stats, example="simonides stats --space default",
    help="Print counts and sizes of one space.",
)  # fmt: skip
SPACES = Command(
    operation="spaces", draw=drawing.spaces, example="simonides spaces --home ~/.simonides",
    help="Print the names of all spaces.",
)  # fmt: skip


def _declare_audited_space(parser: ArgumentParser) -> None:
    parser.add_argument("--of-space", metavar="NAME", type=not_empty, help="only of this space")


def _set_audited_space(_: Context, arguments: Namespace, given: dict[str, Any]) -> None:
    """Set the space of the entries, which is not the space that the command works on."""
    if arguments.of_space:
        given["space"] = arguments.of_space


AUDIT = Command(
    operation="keys.audit", draw=drawing.audit, flags={"key_id": "--key"},
    help="Print the audit log: the operations of each key, latest first, without content.",
    example="simonides audit --limit 20", meanings={"key_id": "only of this key (id or prefix)"},
    left_out=("space",), declare=_declare_audited_space, adjust=_set_audited_space,
)  # fmt: skip
COMPACT = Command(
    operation="compact", draw=drawing.compaction, example="simonides compact --before 2026-01-01",
    help="Remove history past its retention, and shrink the file of the space.",
)  # fmt: skip


BACKUP = Command(
    operation="backup", draw=drawing.backup, progress="backup",
    help="Copy a space to a new file while it is in use; `repair --from` restores it.",
    example="simonides backup default-2026-03-12.sqlite3 --space default",
    meanings={"path": "a new file"},
)  # fmt: skip


def _place(_: Context, __: Namespace, given: dict[str, Any]) -> None:
    if "backup" in given:
        given["backup"] = str(expand_home(not_empty(given["backup"])))


REPAIR = Command(
    operation="repair", draw=drawing.repair, flags={"backup": "--from"}, adjust=_place,
    help="Rebuild the file of a space from all readable data, or from a backup.",
    example="simonides repair --space default",
    meanings={"backup": "put a copy of this backup in its place"},
    status=lambda report: (
        Exit.PROBLEM_FOUND if report.lost or report.altered or report.doubtful else 0
    ),
)  # fmt: skip


# ── background ────────────────────────────────────────────────────────────────────────────────


def _declare_file(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--file", metavar="FILE", type=not_empty, help="read the text from this file instead"
    )


def _text_or_file(_: Context, arguments: Namespace, given: dict[str, Any]) -> None:
    """Read the text of a background from a file, if one is named."""
    if bool(arguments.text) == bool(arguments.file):
        raise InvalidInput("TEXT", "give a text, or --file FILE, and not both")
    if arguments.file:
        with open_text(arguments.file, flag="--file", newline="") as file:
            given["text"] = file.read(BACKGROUND_TEXT.chars_max + 1)  # enough to show it too long


_WHOSE = {"collection": "whose background (main)", "as_of": "as it was at this ISO time"}

BACKGROUND = TaskGroup(
    HELP="Manage the background of a collection, a text that comes with every answer.",
    EXAMPLE='simonides background put "Alpha launches in May; Sarah leads it." --collection work',
    tasks={
        "put": Command(
            operation="background.put", draw=drawing.background_put, needs_text=False,
            meanings={**_WHOSE, "text": "the whole text; - reads stdin"},
            help="Add a snapshot, which becomes the background; earlier ones stay in the history.",
            declare=_declare_file, adjust=_text_or_file,
        ),
        "get": Command(
            operation="background.get", draw=drawing.background, meanings=_WHOSE,
            help="Print the background, now or as of a time.",
        ),
        "history": Command(
            operation="background.history", draw=drawing.backgrounds, meanings=_WHOSE
        ),
        "delete": Command(
            operation="background.delete", draw=_say("deleted {asked.background_id}")
        ),
        "best": Command(
            operation="background.best", draw=draw_best_backgrounds, meanings=_WHOSE,
            help="Search the snapshots for the words of a question.",
        ),
    },
)  # fmt: skip


# ── sessions, preferences, proposals, summaries ───────────────────────────────────────────────


def _session(memory: Memory, asked: Any) -> None:
    """Check that the conversation exists: a mistyped id would look like an empty one."""
    memory.sessions.get(asked.session_id)


_SESSION = {
    "session_id": "the session's id, as `sessions list` prints it",
    "content": "what is said; - reads stdin",
    "happened_at": "when it was said, as an ISO time",
}

SESSIONS = TaskGroup(
    HELP="List and read conversations, including imported chats.",
    EXAMPLE="simonides sessions last trip --n 4",
    tasks={
        "create": Command(operation="sessions.create", meanings=_SESSION, draw=drawing.session),
        "list": Command(
            operation="sessions.list", draw=drawing.sessions,
            help="List the sessions, last used first, one page at a time.",
        ),
        "get": Command(
            operation="sessions.get", meanings=_SESSION, draw=drawing.session,
            help="Print one session: its title, number of messages and times.",
        ),
        "messages": Command(
            operation="sessions.messages", meanings=_SESSION, draw=drawing.messages,
            help="Print the messages, oldest first, one page at a time.",
            before=_session,
        ),
        "last": Command(
            operation="sessions.last", draw=drawing.transcript, texts=("session_id",),
            meanings=_SESSION,
            help="Print the last messages, oldest first.", before=_session,
        ),
        "add": Command(operation="sessions.add", draw=drawing.outcome, meanings=_SESSION),
        "forget": Command(
            operation="sessions.forget", meanings=_SESSION,
            draw=_say("forgot {count} messages of {asked.session_id}"),
            help="Forget all messages of a session.",
        ),
    },
)  # fmt: skip

PREFERENCES = TaskGroup(
    HELP="Manage the user's preferences, which are part of the prompt of a chat.",
    EXAMPLE='simonides preferences set tone "short and plain"',
    tasks={
        "list": Command(operation="preferences.list", draw=drawing.preferences),
        "get": Command(operation="preferences.get", draw=drawing.preference),
        "set": Command(
            operation="preferences.set", draw=drawing.preference,
            help="Store a value; it replaces any other value.",
        ),
        "infer": Command(operation="preferences.infer", draw=drawing.preference),
        "forget": Command(
            operation="preferences.forget", draw=_say("forgot {asked.key}"),
            help="Forget one; only `set` brings it back.",
        ),
    },
)  # fmt: skip

PROPOSALS = TaskGroup(
    HELP="Manage proposed memories: make, list, accept, reject, undo.",
    EXAMPLE=f"simonides proposals accept {_AN_ID}",
    tasks={
        "list": Command(
            operation="proposals.list",
            draw=drawing.proposals,
            meanings={"status": "only those of this one"},
        ),
        "show": Command(operation="proposals.get", draw=drawing.proposal),
        "accept": Command(operation="proposals.accept", draw=drawing.decisions, many="proposals"),
        "reject": Command(operation="proposals.reject", draw=drawing.decisions, many="proposals"),
        "undo": Command(operation="proposals.undo", draw=drawing.decisions, many="proposals"),
        "propose": propose,
        "make": Command(
            operation="proposals.make", draw=drawing.proposals_made,
            meanings={"items": "read this one; may be repeated"},
        ),
    },
)  # fmt: skip

EMBED = Command(
    operation="embed", draw=drawing.embedding, example="simonides embed --seconds 60",
    flags={"chunks_max": "--max", "time_max_s": "--seconds"}, progress="embed", unit="chunks",
    meanings={"chunks_max": "so many chunks at most"},
)  # fmt: skip

SURROGATES = TaskGroup(
    HELP="Build the summaries of long items ahead of time, for dense briefs.",
    EXAMPLE="simonides surrogates build --max 1000",
    tasks={
        "build": Command(
            operation="surrogates.build", draw=drawing.summaries_built,
            flags={"items_max": "--max", "time_max_s": "--seconds"}, progress="surrogates",
            meanings={"items_max": "come to so many items at most"},
        ),
        "get": Command(operation="surrogates.get", draw=drawing.summaries),
    },
)  # fmt: skip
