"""The question for the owner of a memory, asked at a terminal.

Knows when it is asked and how the answer is read. Must not know how an owner is found.
"""

from shlex import quote

from simonides.api.memory import Memory
from simonides.api.owner import lacks_owner
from simonides.cli.context import Context


def is_asking(context: Context) -> bool:
    """Return whether the input is a terminal, so that a question can be answered."""
    output = context.output
    return context.stdin.isatty() and output.err.isatty() and not output.as_json


def settle_owner(context: Context, memory: Memory, found: tuple[str, ...]) -> None:
    """Set the owner of a home without one: the answer at a terminal, else the owner found."""
    if not lacks_owner(context.home, context.settings, memory.spaces()):
        if found and not context.settings.owner:
            advice = f"simonides init --owner {quote(', '.join(found))}"
            context.output.note(
                f"the owner found was not set, as others may use the home; {advice}"
            )
        return
    owner = ask_owner(context, found) if is_asking(context) else found or None
    if owner is None:
        context.output.note(
            "whose mail this is was not found, so every sender counts as unknown; "
            "say it with simonides init --owner 'NAME, ADDRESS'"
        )
        return
    memory.set_owner(*owner)
    named = ", ".join(owner) or "nobody"
    context.output.note(f"owner: {named} (change it with simonides init --owner)")


def ask_owner(context: Context, found: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names and addresses entered at the terminal; None without an answer."""
    context.output.note("Whose memory is this? Names and addresses with commas; - for nobody.")
    if found:
        context.output.note(f"Found in the mail: {', '.join(found)}; press Enter to take it.")
    answer = context.stdin.readline()
    if answer.strip() == "-":
        return ()
    return split_names(answer) or (found if answer else ()) or None


def split_names(text: str) -> tuple[str, ...]:
    """Return the names and addresses in a text, which commas separate."""
    return tuple(filter(None, map(str.strip, text.split(","))))
