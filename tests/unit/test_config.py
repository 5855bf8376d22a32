"""Settings: file < environment < argument, each known by name, checked and told where it stands."""

from pathlib import Path
from typing import Any

import pytest

from simonides import Memory
from simonides.config import Settings, check_timezone, load
from simonides.errors import InvalidInput


def written(home: Path, text: str) -> Path:
    (home / "config.toml").write_text(text, encoding="utf-8")
    return home


def refused(home: Path, **arguments: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        load(home, **arguments)
    return caught.value


def test_without_anything_there_are_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Settings()
    assert load(tmp_path / "not yet there", {}, {}) == Settings()
    assert Settings().embedder == "multilingual"


def test_the_argument_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    home = written(tmp_path, 'language = "de"\nthreads = 1\ntimeout_s = 2\nowner = ["Ines"]')
    environment = {"SIMONIDES_THREADS": "2", "SIMONIDES_TIMEOUT_S": "3.5", "PATH": "x"}
    settings = load(home, environment, {"timeout_s": 4.0, "threads": None})

    assert settings == Settings(language="de", threads=2, timeout_s=4.0, owner=("Ines",))


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("SIMONIDES_OWNER", "Ines , ines@example.com", "owner", ("Ines", "ines@example.com")),
        ("SIMONIDES_OWNER", "", "owner", ()),
        ("SIMONIDES_OWNER", " , ", "owner", ()),
        ("SIMONIDES_DETECT_LANGUAGE", "0", "detect_language", False),
        ("SIMONIDES_DETECT_LANGUAGE", "No", "detect_language", False),
        ("SIMONIDES_DETECT_LANGUAGE", " TRUE ", "detect_language", True),
        ("SIMONIDES_VIEW_BYTES_MAX", "1000", "view_bytes_max", 1000),
        ("SIMONIDES_EMBEDDER", "none", "embedder", "none"),
        ("SIMONIDES_TIMEZONE", "Europe/Vienna", "timezone", "Europe/Vienna"),
    ],
)
def test_the_environment_is_read_as_in_a_shell(
    tmp_path: Path, variable: str, value: str, field: str, expected: Any
) -> None:
    assert getattr(load(tmp_path, {variable: value}), field) == expected


@pytest.mark.parametrize(
    "variable", ["SIMONIDES_HOME", "SIMONIDES_SPACE", "SIMONIDES_OPENAI_API_KEY"]
)
def test_names_that_are_read_elsewhere_are_no_settings(tmp_path: Path, variable: str) -> None:
    assert load(tmp_path, {variable: "x"}) == Settings()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("colour = 1", "'colour' is no setting; there are "),
        ("threads = [", "is not valid TOML"),
        ("\xff", ""),
        ('threads = "many"', "threads must be a whole number, got 'many'"),
        ("owner = 5", "owner must be a list of texts, got 5"),
        ('detect_language = "maybe"', "detect_language must be true or false"),
        ("view_bytes_max = inf", "view_bytes_max must be a whole number"),
        ("[table]\nx = 1", "'table' is no setting"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(
    tmp_path: Path, text: str, problem: str
) -> None:
    error = refused(written(tmp_path, text))

    assert problem in error.problem
    assert error.field == str(tmp_path / "config.toml")


def test_a_home_that_may_not_be_looked_into_is_reported(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path / ("a" * 300)).problem


def test_a_file_that_is_no_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"language = '\xff'")

    assert "is not valid TOML" in refused(tmp_path).problem


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SIMONIDES_COLOUR", "red"),
        ("SIMONIDES_THREADS", "two"),
        ("SIMONIDES_THREADS", ""),
        ("SIMONIDES_DETECT_LANGUAGE", "maybe"),
        ("SIMONIDES_VIEW_BYTES_MAX", "1e9"),
    ],
)
def test_a_mistake_in_the_environment_is_told_with_the_variable(
    tmp_path: Path, variable: str, value: str
) -> None:
    assert refused(tmp_path, environment={variable: value}).field == variable


def test_an_unknown_argument_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, overrides={"colour": "red"}).field == "colour"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("embedder", "gpt"),
        ("durability", "none"),
        ("encoding", "utf-8"),
        ("openai_dimension", 0),
        ("timeout_s", 0.0),
        ("timeout_s", float("nan")),
        ("view_bytes_max", -1),
        ("threads", -1),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("timezone", "a\x00b"),
    ],
)
def test_a_value_out_of_range_is_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Settings(**{field: value})

    assert caught.value.field == field


def test_a_zone_is_known_by_its_iana_name() -> None:
    check_timezone("UTC")
    with pytest.raises(InvalidInput, match="Europe/Vienna"):
        check_timezone("Vienna")


@pytest.mark.parametrize(
    ("given", "owner"),
    [("me@x.org", ("me@x.org",)), ("Mira, me@x.org", ("Mira", "me@x.org")), ("", ())],
)
def test_an_owner_may_be_one_text_as_in_the_environment(given: str, owner: tuple[str, ...]) -> None:
    assert Settings(owner=given).owner == owner  # type: ignore[arg-type]


def test_an_owner_is_texts_and_a_mailbox_is_a_name_and_an_address() -> None:
    assert Settings(owner=("Ines Duarte <ines@x.example>", " Ines ")).owner == (
        "Ines Duarte", "ines@x.example", "Ines",
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="owner: must be text, got int"):
        Settings(owner=(5,))  # type: ignore[arg-type]


def test_a_file_with_a_mark_of_its_encoding_is_read_and_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('timezone = "Europe/Vienna"\n', encoding="utf-8-sig")

    assert load(tmp_path).timezone == "Europe/Vienna"
    with Memory(tmp_path) as memory:
        memory.set_owner("Ana")
    again = load(tmp_path)
    assert (again.timezone, again.owner) == ("Europe/Vienna", ("Ana",))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("timezone = 5", "timezone must be text, got 5"),
        ("embedder = true", "embedder must be text, got True"),
        ("owner = 5", "owner must be a list of texts, got 5"),
        ("chat_context_items = 2.5", "chat_context_items must be a whole number, got 2.5"),
        ("chat_context_items = true", "chat_context_items must be a whole number, got True"),
    ],
)
def test_a_value_of_another_type_is_named_with_the_file(
    tmp_path: Path, line: str, problem: str
) -> None:
    (tmp_path / "config.toml").write_text(line)

    with pytest.raises(InvalidInput) as refused:
        load(tmp_path)

    assert str(refused.value) == f"{tmp_path / 'config.toml'}: {problem}"
