"""What other packages add: found by entry points, used by name, reported where it fails."""

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from tests.unit.plugins.conftest import Install

from simonides import Memory, Settings
from simonides.api.model_factories import make_chat_model, make_embedder, make_reranker
from simonides.cli.main import build_parser, run, verbs_for
from simonides.config import CHAT_PROVIDERS, EMBEDDERS
from simonides.errors import (
    EmbedderError,
    InvalidInput,
    ModelError,
    PluginWarning,
    SimonidesError,
    StoreError,
)
from simonides.plugins import find_installed

PAGE: Final = Path(__file__).parents[3] / "docs/how-to/write-a-plugin.md"
TASKS: Final = "id,task,notes\n1,Book the ferry,Before June.\n2,,Nothing\n3,Call Mira,\n"

MODELS: Final = """
from simonides.plugins import ChatModelFactory, EmbedderFactory, Plugin, RerankerFactory, VerbModule
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.scripted import ScriptedChatModel

def plugin():
    return Plugin(
        embedders=(EmbedderFactory(name={name!r}, make=lambda _: HashingEmbedder(64)),),
        chat_models=(ChatModelFactory(name={name!r}, make=lambda _: ScriptedChatModel([])),),
        rerankers=(RerankerFactory(name={name!r}, make=lambda options: options.place),),
        verbs=(VerbModule(name={name!r}, module="{module}"),),
    )
"""
VERB: Final = """
HELP, EXAMPLE = "Say a word.", "simonides greet"
def add_arguments(parser): parser.add_argument("word")
def run(context, arguments): context.output.answer({"word": arguments.word}, draw=lambda: None)
PLUGIN = None
"""


def page_example() -> str:
    """Return the importer that the page shows."""
    found = re.search(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def undetecting() -> str:
    """Return the importer of the page with a `detect` that fails."""
    return page_example().replace("return path.suffix", "raise ValueError\n    return path.suffix")


def memory(home: Path) -> Memory:
    return Memory(home, settings=Settings(embedder="none", timezone="UTC"))


def call(*argv: str, home: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = run(
        argv, stdin=io.StringIO(), out=out, err=err, open_memory=Memory,
        environment={"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none"},
    )  # fmt: skip
    return status, out.getvalue(), err.getvalue()


# ── importers ─────────────────────────────────────────────────────────────────────────────────


def test_the_importer_of_the_page_reads_its_format(tmp_path: Path, install: Install) -> None:
    install("tasks", page_example())
    path = tmp_path / "tasks.csv"
    path.write_text(TASKS, "utf-8")

    with memory(tmp_path / "home") as opened:
        report = opened.import_(path)
        again = opened.import_(path)
        [hit, *_] = opened.search("ferry").hits

    assert (report.added, again.added, again.unchanged) == (2, 0, 2)
    assert [one.where for one in report.skipped] == ["tasks.csv: line 3"]
    assert (hit.item.title, hit.item.source) == ("Book the ferry", "tasks")


def test_a_plugin_is_not_asked_about_a_built_in_format(tmp_path: Path, install: Install) -> None:
    install("tasks", undetecting())
    path = tmp_path / "a.md"
    path.write_text("# Ferry", "utf-8")

    with memory(tmp_path / "home") as opened:
        assert opened.import_(path).added == 1


def test_a_reader_that_fails_is_a_skipped_file_and_others_are_read(
    tmp_path: Path, install: Install
) -> None:
    failing = page_example().replace("if not row", "raise KeyError('x')\n            if not row")
    install("tasks", failing)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "tasks.csv").write_text(TASKS, "utf-8")
    (folder / "z.md").write_text("# Ferry", "utf-8")

    with memory(tmp_path / "home") as opened:
        report = opened.import_(folder)

    assert report.added == 1
    assert [one.reason for one in report.skipped] == [
        "the importer 'task-list' failed: KeyError: 'x'"
    ]


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("'a text'", "file.keep(…) or file.skip(…), got str"),
        ("file.keep('x', bytes_done=0)", "an Item, got str"),
    ],
)
def test_a_reader_that_gives_no_events_is_a_skipped_file(
    tmp_path: Path, install: Install, given: str, got: str
) -> None:
    install(
        "tasks", page_example().replace("yield file.keep(item, bytes_done=0)", f"yield {given}")
    )
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "tasks.csv").write_text(TASKS, "utf-8")
    (tmp_path / "folder" / "z.md").write_text("# Ferry", "utf-8")

    with memory(tmp_path / "home") as opened:
        report = opened.import_(tmp_path / "folder")

    assert report.added == 1
    [skipped] = report.skipped
    assert skipped.reason.startswith("the importer 'task-list' failed: TypeError: it must")
    assert skipped.reason.endswith(got)


def test_a_detection_that_fails_is_warned_of_and_the_file_is_a_table(
    tmp_path: Path, install: Install
) -> None:
    install("tasks", undetecting())
    path = tmp_path / "tasks.csv"
    path.write_text(TASKS, "utf-8")

    with (
        memory(tmp_path / "home") as opened,
        pytest.warns(PluginWarning, match="'task-list' failed to detect: ValueError"),
    ):
        assert opened.import_(path).kinds == {"document": 1}


# ── models ────────────────────────────────────────────────────────────────────────────────────


def test_models_of_a_plugin_are_named_in_the_settings(install: Install) -> None:
    install("acme", MODELS.format(name="acme", module="x"), target="plugin")
    settings = Settings(embedder="acme", chat_provider="acme", reranker="acme")

    embedder = make_embedder(settings)
    assert embedder
    assert embedder.identity.dimension == 64
    assert make_chat_model(settings)
    assert str(make_reranker(settings)) == "acme"


FAILING: Final = """
import os
from simonides.plugins import *

def make(options):
    {fails}

PLUGIN = Plugin(
    embedders=(EmbedderFactory(name="acme", make=make),),
    chat_models=(ChatModelFactory(name="acme", make=make),),
    rerankers=(RerankerFactory(name="acme", make=make),),
    stores=(StoreFactory(name="acme", schemes=("acme",), make=make),),
)
"""


def keep_and_search(home: Path, settings: Settings) -> None:
    with Memory(home, settings=settings) as opened:
        opened.add("The ferry leaves at nine.")
        opened.search("ferry")


BROKEN: Final[dict[str, type[SimonidesError]]] = {
    "embedder": EmbedderError,
    "reranker": ModelError,
    "store": StoreError,
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize(
    ("fails", "says"),
    [
        ("return os.environ['ACME_KEY']", "'acme' cannot be made: KeyError: 'ACME_KEY'"),
        ("pass", "'acme' cannot be made: its plugin gave nothing"),
    ],
)
def test_what_a_plugin_cannot_make_is_an_error_that_names_it(
    tmp_path: Path, install: Install, name: str, fails: str, says: str
) -> None:
    install("acme", FAILING.format(fails=fails))
    chosen: Any = {"embedder": "none", name: "acme://shelf" if name == "store" else "acme"}
    settings = Settings(**chosen)

    with pytest.raises(BROKEN[name], match=says):
        keep_and_search(tmp_path / "home", settings)


@pytest.mark.parametrize("name", ["embedder", "chat_provider", "reranker"])
def test_a_name_that_nobody_has_is_refused_with_those_of_plugins(
    install: Install, name: str
) -> None:
    install("acme", MODELS.format(name="acme", module="x"), target="plugin")

    with pytest.raises(InvalidInput, match=r"must be one of .*, acme; got 'akme'"):
        Settings(**{name: "akme"})  # type: ignore[arg-type]


def test_built_in_names_and_first_names_stay_and_it_is_said(install: Install) -> None:
    install("acme", MODELS.format(name="minilm", module="x"), target="plugin")
    with (
        pytest.warns(PluginWarning, match="the plugin 'acme': 'minilm' is built in"),
        pytest.raises(InvalidInput),
    ):
        Settings(embedder="other")
    assert type(make_embedder(Settings(embedder="minilm"))).__name__ == "MiniLMEmbedder"

    find_installed.cache_clear()
    for name in ("b", "c"):
        install(name, MODELS.format(name="same", module="x"), target="plugin")
    with pytest.warns(PluginWarning) as warned:
        Settings(embedder="same")
    assert "the plugin 'c': 'same' is another plugin's" in "\n".join(str(w.message) for w in warned)


@pytest.mark.parametrize(("name", "values"), [("embedder", EMBEDDERS), ("chat", CHAT_PROVIDERS)])
def test_every_built_in_name_has_an_adapter(name: str, values: tuple[str, ...]) -> None:
    from simonides.api import model_factories

    table = model_factories._EMBEDDERS if name == "embedder" else model_factories._CHAT_MODELS

    assert {*table, "none"} == set(values)


# ── verbs ─────────────────────────────────────────────────────────────────────────────────────


def test_a_verb_of_a_plugin_is_run_and_stands_in_the_help(tmp_path: Path, install: Install) -> None:
    install("greeting", VERB)
    install("acme", MODELS.format(name="greet", module="greeting_plugin"), target="plugin")
    with pytest.warns(PluginWarning, match="'greeting'.*must be a simonides.plugins.Plugin"):
        find_installed()

    assert call("greet", "hello", "--json", home=tmp_path)[:2] == (0, '{"word": "hello"}\n')
    assert call("--home", str(tmp_path), "greet", "hello", home=tmp_path)[0] == 0
    assert call("greet", home=tmp_path)[0] == 2
    assert "Say a word" in build_parser(verbs_for(["--help"])).format_help()
    assert "greet" not in verbs_for(["search", "greet"])


def test_a_verb_whose_module_does_not_load_is_no_verb(tmp_path: Path, install: Install) -> None:
    install("acme", MODELS.format(name="greet", module="no_such_module"), target="plugin")

    with pytest.warns(PluginWarning, match="'greet' is not loaded: ModuleNotFoundError"):
        status, _, err = call("greet", home=tmp_path)
    assert status == 2
    assert "greet" in err


# ── finding ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("def PLUGIN(): 1 / 0", "ZeroDivisionError: division by zero"),
        ("PLUGIN = 3", "TypeError: must be a simonides.plugins.Plugin, got int"),
        (
            "from simonides.plugins import Plugin\nPLUGIN = Plugin(verbs=('x',))",
            "TypeError: verbs must hold VerbModule, got 'x'",
        ),
    ],
)
def test_a_plugin_that_does_not_load_is_a_warning_and_a_problem_for_the_doctor(
    tmp_path: Path, install: Install, code: str, error: str
) -> None:
    install("broken", code)
    install("tasks", page_example())
    with memory(tmp_path / "home") as opened:
        opened.add("x")
        with pytest.warns(PluginWarning, match=re.escape("'broken' (broken_plugin:PLUGIN)")):
            found = [one for one in opened.doctor() if one.check == "plugin"]

    assert [
        (one.sound, one.detail)
        for one in found
        if one.detail.split()[0] not in ("bench", "formats", "postgres")
    ] == [
        (False, f"broken (broken-simonides 1.5): not loaded: {error}"),
        (True, "tasks (tasks-simonides 1.5): importers task-list"),
    ]


def test_plugins_are_listed_by_name_and_bench_is_one(install: Install) -> None:
    install("zeta", page_example())
    install("alpha", page_example())

    names = [one.name for one in find_installed()]
    assert names == sorted(names)
    assert {"alpha", "bench", "zeta"} <= set(names)


LOOK: Final = """
import io, sys
from importlib import metadata
def refused(*_, **__): raise AssertionError("plugins were looked up")
metadata.entry_points = refused
import simonides
from simonides.cli.main import build_parser, run, verbs_for
def call(*argv):
    return run(argv, stdin=io.StringIO(), out=io.StringIO(), err=sys.stderr, environment={},
               open_memory=simonides.Memory)
home = ["--home", sys.argv[1], "--embedder", "none"]
assert call("add", "the ferry", *home) == 0
assert call(*home, "search", "ferry", "--json") == 0
assert "simonides_bench" not in sys.modules
assert call("unknown") != 0
"""


def test_a_search_does_not_look_for_plugins(tmp_path: Path) -> None:
    done: Any = subprocess.run(
        [sys.executable, "-c", LOOK, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "plugins were looked up" in done.stderr  # of the unknown verb


# ── stores ────────────────────────────────────────────────────────────────────────────────────

STORE: Final = """
from pathlib import Path
from simonides.plugins import Plugin, StoreFactory
from simonides.storage.sqlite import SQLiteStore

def make(options):
    return SQLiteStore(Path({folder!r}), durability=options.durability, timeout_s=options.timeout_s)

PLUGIN = Plugin(stores=(StoreFactory(name="boxes", schemes=("box",), make=make),))
"""


def test_a_store_is_found_by_its_scheme_and_keeps_the_spaces(
    tmp_path: Path, install: Install
) -> None:
    install("boxes", STORE.format(folder=str(tmp_path / "boxes")))
    settings = Settings(embedder="none", timezone="UTC", store="box://shelf")

    with Memory(tmp_path / "home", settings=settings) as opened:
        opened.add("The ferry leaves at nine.")
        assert [hit.item.content for hit in opened.search("ferry")] == ["The ferry leaves at nine."]

    assert (tmp_path / "boxes" / "spaces" / "default.sqlite3").exists()
    assert not (tmp_path / "home" / "spaces").exists()


def test_an_address_that_nobody_reads_is_refused(tmp_path: Path, install: Install) -> None:
    install("tasks", page_example())
    settings = Settings(embedder="none", timezone="UTC", store="box://shelf")

    with (
        Memory(tmp_path / "home", settings=settings) as opened,
        pytest.raises(InvalidInput, match=r"store: must begin with postgresql://, got box://"),
    ):
        opened.add("The ferry leaves at nine.")


def test_without_its_package_postgresql_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.plugins.find_installed", tuple)
    settings = Settings(embedder="none", timezone="UTC", store="postgresql://ana@h/d")

    with (
        Memory(tmp_path / "home", settings=settings) as opened,
        pytest.raises(InvalidInput, match=r"pip install 'simonides\[postgres\]'"),
    ):
        opened.add("The ferry leaves at nine.")
