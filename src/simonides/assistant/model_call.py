"""One call of a language model, which anybody may have written: what fails is an error of ours.

Must not know what is asked.
"""

from dataclasses import replace

from simonides.assistant.reasoning import AnswerOnly, without_reasoning
from simonides.errors import ModelError, SimonidesError
from simonides.model.chat import ModelReply, ModelRequest
from simonides.ports.foreign_models import model_failure
from simonides.ports.models import ChatModel, IsCancelled, OnText


def call_model(
    model: ChatModel,
    request: ModelRequest,
    *,
    on_text: OnText | None = None,
    is_cancelled: IsCancelled | None = None,
) -> ModelReply:
    """Return the model's reply to a request; what `on_text` raises is raised as it is.

    Reasoning that stands before the answer is left out.

    Raises:
        ModelError: The model failed, or gave something else than a reply.
    """
    listener = None if on_text is None else _Listener(AnswerOnly(on_text))
    try:
        reply = model.complete(request, on_text=listener, is_cancelled=is_cancelled)
    except SimonidesError:
        raise
    except Exception as failure:
        if listener is not None and failure is listener.failure:
            raise
        raise model_failure(ModelError, model.name, failure) from failure
    if not isinstance(reply, ModelReply):
        raise ModelError(f"{model.name} gave {type(reply).__name__}, not a ModelReply")
    return replace(reply, content=without_reasoning(reply.content, is_cut=reply.is_cut))


class _Listener:
    """A listener to text that remembers its own failure, which is none of the model."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.failure: Exception | None = None

    def __call__(self, piece: str) -> None:
        try:
            self._on_text(piece)
        except Exception as failure:
            self.failure = failure
            raise
