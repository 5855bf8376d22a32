"""What a running turn tells whoever listens; what was told always adds up to the answer.

Law: the texts since the last retraction, joined, are the message of the reply.
"""

from collections.abc import Callable

from simonides.model.chat import ChatEvent, ChatEventKind

OnEvent = Callable[[ChatEvent], None]
"""Is told each event as it comes."""


class EventStream:
    """Tells events, and remembers which text was told."""

    def __init__(self, on_event: OnEvent | None) -> None:
        self._on_event = on_event
        self.told = ""

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return self._on_event is not None

    def text(self, piece: str) -> None:
        """Tell a piece of the answer."""
        if piece:
            self.told += piece
            self._tell(ChatEvent(kind=ChatEventKind.TEXT, text=piece))

    def retract(self) -> None:
        """Take back what was told as text."""
        if self.told:
            self.told = ""
            self._tell(ChatEvent(kind=ChatEventKind.RETRACT))

    def settle(self, message: str) -> None:
        """Tell what is missing of the message; what does not belong to it is taken back."""
        if not message.startswith(self.told):
            self.retract()
        self.text(message[len(self.told) :])

    def called(self, name: str) -> None:
        """Tell that a tool was called."""
        self._tell(ChatEvent(kind=ChatEventKind.TOOL, name=name))

    def returned(self, name: str, line: str) -> None:
        """Tell in a line what a tool returned."""
        self._tell(ChatEvent(kind=ChatEventKind.TOOL_RESULT, name=name, text=line))

    def _tell(self, event: ChatEvent) -> None:
        if self._on_event is not None:
            self._on_event(event)
