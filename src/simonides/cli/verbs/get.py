"""`simonides get`: print one item."""

from argparse import ArgumentParser, Namespace

from simonides.cli.as_of import add_as_of, read_as_of
from simonides.cli.context import Context
from simonides.cli.terminal_text import one_line
from simonides.model.item import Item, Person
from simonides.model.stored import Engaged

HELP = "Print one item, whole."
EXAMPLE = "simonides get 8ck4h2v0q1e7m3s5t6u9x0y1z2"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the id, which state is asked, and whether this counts as opening the item."""
    parser.add_argument("id", metavar="ID", help="the item's id, as `search` and `list` print it")
    add_as_of(parser)
    parser.add_argument("--engage", action="store_true", help="note that it was opened")


def run(context: Context, arguments: Namespace) -> None:
    """Write the item."""
    with context.memory() as memory:
        item = memory.get(arguments.id, **read_as_of(context, arguments))
        if arguments.engage:
            memory.engage(item.id, how=Engaged.OPENED)
    context.output.answer(item, draw=lambda: draw_item(context, item))


def draw_item(context: Context, item: Item) -> None:
    """Draw what is known about an item, an empty line, and its content."""
    known = [
        ("id", item.id),
        ("title", item.title),
        ("kind", f"{item.kind} from {item.source}"),
        ("happened", context.minute(item.happened_at)),
        *((person.role.value, _named(person)) for person in item.people),
        ("tags", ", ".join(item.tags)),
        ("session", item.session),
        ("summary", item.summary),
        *((key, str(value)) for key, value in item.metadata.items()),
    ]
    said = [(one_line(name), one_line(value)) for name, value in known if value]
    width = max(len(name) for name, _ in said) + 2
    for name, value in said:
        context.output.line((f"{name:{width}}", "dim"), value)
    context.output.line()
    context.output.line(item.content)


def _named(person: Person) -> str:
    if person.name and person.address:
        return f"{person.name} <{person.address}>"
    return person.name or person.address
