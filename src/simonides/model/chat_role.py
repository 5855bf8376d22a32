"""Who may have written a message."""

from enum import StrEnum


class ChatRole(StrEnum):
    """The author of a message in a conversation with a model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
