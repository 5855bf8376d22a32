"""The commented settings file."""

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from simonides.cli.verbs.settings import MEANINGS, config_text
from simonides.config import Settings, load


def test_every_setting_has_a_meaning_and_nothing_else_has() -> None:
    assert list(MEANINGS) == [one.name for one in fields(Settings)]


def test_a_new_file_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(config_text())

    assert load(tmp_path) == Settings()


def test_what_is_commented_out_are_the_defaults() -> None:
    uncommented = "\n".join(
        line.removeprefix("# ") for line in config_text().splitlines() if " = " in line
    )
    read = tomllib.loads(uncommented)

    assert Settings(**{**read, "owner": tuple(read["owner"])}) == Settings()


@pytest.mark.parametrize("owner", [("Tom O'Neil", 'a "quoted" name'), ("Jürgen",)])
def test_what_is_chosen_is_set(tmp_path: Path, owner: tuple[str, ...]) -> None:
    (tmp_path / "config.toml").write_text(config_text(owner=owner), encoding="utf-8")

    assert load(tmp_path) == Settings(owner=owner)
