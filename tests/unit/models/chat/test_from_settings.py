"""Which language model a memory uses: the one handed in, or the one that the settings name."""

import sys
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.api.runtime import Runtime
from simonides.errors import InvalidInput
from simonides.models.chat.anthropic import AnthropicChatModel
from simonides.models.chat.openai import OpenAIChatModel
from simonides_bench.testing.scripted import ScriptedChatModel


@pytest.fixture
def parts(tmp_path: Path) -> Any:
    """Return a maker of a home's parts by chat settings."""

    def made(**settings: Any) -> Runtime:
        memory = Memory(tmp_path, settings=Settings(embedder="none", **settings))
        return memory._runtime

    return made


def test_without_a_provider_there_is_none(parts: Any) -> None:
    assert parts().chat_model is None


def test_openai_is_the_providers_own_address_unless_another_is_set(parts: Any) -> None:
    own = parts(chat_provider="openai", chat_model="m")
    other = parts(chat_provider="openai", chat_model="m", chat_base_url="http://127.0.0.1:9/v1")

    assert isinstance(own.chat_model, OpenAIChatModel)
    assert repr(own.chat_model) == "OpenAIChatModel('https://api.openai.com/v1', model='m')"
    assert repr(other.chat_model) == "OpenAIChatModel('http://127.0.0.1:9/v1', model='m')"


def test_anthropic_is_the_providers_own_address_unless_another_is_set(parts: Any) -> None:
    own = parts(chat_provider="anthropic", chat_model="m")
    other = parts(chat_provider="anthropic", chat_model="m", chat_base_url="http://127.0.0.1:9")

    assert isinstance(own.chat_model, AnthropicChatModel)
    assert "api.anthropic.com" in repr(own.chat_model)
    assert "127.0.0.1:9" in repr(other.chat_model)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_provider_without_a_model_is_refused(parts: Any, provider: str) -> None:
    with pytest.raises(InvalidInput, match="chat_model: must name the model"):
        _ = parts(chat_provider=provider).chat_model


def test_a_local_model_needs_its_extra_and_its_file(
    parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(InvalidInput, match=r"simonides\[gguf\]"):
        _ = parts(chat_provider="local").chat_model


def test_it_is_made_once_and_closed_with_the_memory(tmp_path: Path, ask: Any) -> None:
    settings = Settings(embedder="none", chat_provider="openai", chat_model="m")
    with Memory(tmp_path, settings=settings) as memory:
        model = memory._runtime.chat_model
        assert model is memory.in_space("other")._runtime.chat_model

    assert model is not None
    with pytest.raises(Exception, match="was closed"):
        model.complete(ask())


def test_one_handed_in_comes_first_and_stays_open(tmp_path: Path) -> None:
    model = ScriptedChatModel([])
    settings = Settings(embedder="none", chat_provider="openai", chat_model="m")
    with Memory(tmp_path, settings=settings, chat_model=model) as memory:
        assert memory._runtime.chat_model is model

    assert not model.is_closed
