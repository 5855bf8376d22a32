"""`simonides config`: the settings in force."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.settings_text import MEANINGS

HELP = "Print the settings in force: config.toml, then the environment, then options."
EXAMPLE = "simonides config --home ~/.simonides"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--home` says it all."""


def run(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Write each setting with its value and meaning."""
    path = context.home / "config.toml"
    record = {"home": context.home, "config": path, "settings": context.settings}
    context.output.answer(record, draw=lambda: _draw(context))


def _draw(context: Context) -> None:
    rows = [
        (name, _shown(getattr(context.settings, name)), meaning)
        for name, meaning in MEANINGS.items()
    ]
    context.output.table(("setting", "value", "meaning"), rows)
    context.output.note((f"set them in {context.home / 'config.toml'}", "dim"))


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
