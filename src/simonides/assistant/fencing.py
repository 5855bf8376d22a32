"""Text of others where a prompt holds it: it can not pass for a role, a turn or a section.

What items say in a brief is tamed by its layout (`context.safety`). This is for what stands
elsewhere in a prompt. Knows the marks by which chat templates tell turns apart. Words stay.
"""

import re

from simonides.context.safety import BAR, visible

_MARK = re.compile(
    r"""
      <[|\uff5c]                                                # <|im_start|>, and DeepSeek's
    | \[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])
    | <(?=</?SYS>>|/?s>|/?(?:bos|eos|pad)>|(?:start|end)_of_turn>)
    | <(?=/?(?:system|user|assistant|tool_call|tool_response|function_calls?|think)>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Where marks of ChatML, Llama, Mistral, Gemma and Qwen begin: servers read them in texts too."""

_HEADING = re.compile(
    r"^(?=[ \t]*\#*[ \t]*(?:available\ context|known\ entities|user\ request)\b)",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def unmarked(text: str) -> str:
    """Return the text with every mark of a chat template broken by a blank."""
    return _MARK.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)


def said_before(text: str) -> str:
    """Return an earlier message: no mark of a template, no header of the context in it."""
    return _HEADING.sub(BAR, unmarked(visible(text)))
