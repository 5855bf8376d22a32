"""`simonides hook`: what a coding agent calls before a prompt and after a turn."""

from argparse import ArgumentParser, Namespace

from simonides.api.memory import Memory
from simonides.cli.agents.events import Event, context_of, read_event
from simonides.cli.context import Context
from simonides.model.bounds import QUESTION
from simonides.model.chat_role import ChatRole
from simonides.model.filter import Compare, Filter, Not, Operator

HELP = "Answer a coding agent's hook: a brief before a prompt, and keep what was said."
EXAMPLE = "simonides hook prompt --budget-tokens 500"

BUDGET_TOKENS = 800
"""The size of a brief: it stands in every prompt."""

RELEVANCE_MIN = 0.2
"""Hits below it are left out: of what is less likely, four of five would only distract."""

SESSION_KEY = "_agent_session"
"""The metadata key of what an agent's session said: that session has it before it already."""

HEAD = "From the user's own memory (simonides); leave out what does not help.\n"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the task and the size of the brief."""
    add = parser.add_argument
    add("task", choices=("prompt", "stop"),
        help="print a brief for the prompt and keep it, or keep what the agent said")  # fmt: skip
    add("--budget-tokens", type=int, default=BUDGET_TOKENS, metavar="N",
        help=f"the hard size of the brief ({BUDGET_TOKENS})")  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Answer the event on standard input."""
    event = read_event(context.read_text("-"))
    with context.memory() as memory:
        if arguments.task == "prompt" and event.is_asked:
            brief = _brief(memory, event, arguments.budget_tokens)
            if brief:
                context.output.line(context_of(HEAD + brief))
        if event.is_asked and event.is_kept:
            _keep(memory, event, ChatRole.USER, event.prompt)
        if arguments.task == "stop":
            _keep_answer(memory, event)


def _brief(memory: Memory, event: Event, budget_tokens: int) -> str:
    own = Compare(key=SESSION_KEY, operator=Operator.EQ, value=event.session_id)
    brief = memory.brief(
        event.prompt[: QUESTION.chars_max],
        budget_tokens=budget_tokens,
        min_relevance=RELEVANCE_MIN,
        filter=Filter(where=Not(part=own)) if event.session_id else None,
    )
    return brief.text if brief.items else ""


def _keep_answer(memory: Memory, event: Event) -> None:
    """Keep what the agent said, unless it stands last already: a turn may stop more than once."""
    answer = event.answer()
    last = [one.content for one in memory.sessions.last(_session(event), 1)]
    if answer and last != [answer]:
        _keep(memory, event, ChatRole.ASSISTANT, answer)


def _keep(memory: Memory, event: Event, role: ChatRole, text: str) -> None:
    about = {SESSION_KEY: event.session_id, "folder": event.folder}
    kept = {name: value for name, value in about.items() if value}
    memory.sessions.add(_session(event), role, text, metadata=kept)


def _session(event: Event) -> str:
    return event.session_id or "agent"
