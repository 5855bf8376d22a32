"""The keys of metadata that the engine itself writes, and what each of them says."""

ATTACHED_KEY = "_attached_to"
"""The metadata key by which an attachment names its mail; it comes from whom the mail comes."""

SENT_BY_KEY = "_sent_by"
"""The metadata key under which an event that came with a mail names the mail's authors."""

MOVED_KEY = "_moved"
"""The metadata key of `{"from": …, "to": …}`: where the file first lay, and where it does now."""

AUTOMATIC_KEY = "_automatic"
"""The metadata key of a mail that a program sent: `auto-replied` (an out-of-office answer) or
`auto-generated` as in its Auto-Submitted header (RFC 3834), or `bulk`."""

DRAFT_TAG = "draft"
"""The tag of a mail that was written and not sent."""

QUOTES_KEY = "_quotes"
"""The metadata key of an answer that only quotes what was found: it is no source of anything."""

CITED_KEY = "_cited"
"""The metadata key of an answer under which are the ids of the items that it cites."""

CITATIONS_KEY = "_citations"
"""The metadata key of an answer under which are its citations: number, id and spans of each."""

ASKS_KEY = "_asks"
"""The metadata key of a message to the assistant that only asks: a question is no evidence."""

CONTEXT_KEY = "_context"
"""The metadata key of a kept answer under which the ids of what it was made with stand."""

TIME_ZONE_KEY = "time_zone"
"""The metadata key of an event's time zone, by its name."""

OPEN_TASKS_KEY = "open_tasks"
"""The metadata key of a note that says how many of its check boxes are empty."""

FINISHED = ("completed", "cancelled", "canceled", "done", "closed", "resolved")
"""Values of `status` of tasks that leave nothing to do: those of RFC 5545, and of most trackers."""

SUPERSEDES_KEY, SUPERSEDED_BY_KEY = "_supersedes", "_superseded_by"
"""The metadata keys by which a memory and the one whose place it took name each other."""
