"""The Containerfile builds what it says, from what is there, and runs it with few rights."""

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch
from typing import Final

from tests.unit.deploy.deployed import (
    DEFAULT_PORT,
    DEPLOY,
    PATHS,
    ROOT,
    USER,
    check_environment,
    parsed,
)

from simonides.cli.verbs.serve import NEEDED

JOINED: Final = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text("utf-8"))
LINES: Final = [
    (line.split(maxsplit=1)[0], line.split(maxsplit=1)[1].strip())
    for line in JOINED.splitlines() if line and not line.startswith("#")
]  # fmt: skip
FINAL: Final = LINES[max(at for at, (word, _) in enumerate(LINES) if word == "FROM") :]


def last(word: str) -> str:
    """Return what an instruction says last in the image that is kept."""
    return [said for found, said in FINAL if found == word][-1]


def sent_to_the_builder(path: str) -> bool:
    """Return whether `.dockerignore` lets a path of the checkout through: the last match holds."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        pattern = line.removeprefix("!")
        parts = path.split("/")
        above = ["/".join(parts[: at + 1]) for at in range(len(parts))]
        if line and line[0] != "#" and any(fnmatch(one, pattern) for one in above):
            sent = line.startswith("!")
    return sent


def test_images_are_named_by_a_version_and_no_host() -> None:
    stages = {said.partition(" AS ")[2] for word, said in LINES if word == "FROM"}
    known = {*stages, "scratch", "${WHEELS}"}
    images = [said.split()[0] for word, said in LINES if word == "FROM"]
    images = [one for one in images if one not in known]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))

    assert len(set(images)) == 1
    name, _, tag = images[0].partition(":")
    assert not re.search(r"[.:/]", name), "the name of a registry"
    assert tuple(map(int, tag.split("-")[0].split("."))) >= oldest


def test_it_runs_as_a_user_without_a_name_in_it_being_needed() -> None:
    assert last("USER") == f"{USER}:{USER}"
    assert f"--uid {USER} --gid {USER}" in JOINED
    assert last("VOLUME") == '["/data"]'
    assert f"install --directory --owner {USER} --group {USER} --mode 0700 /data" in JOINED


def test_every_package_is_pinned_by_a_hash_and_ours_are_wheels() -> None:
    pinned, ours = re.findall(r"pip install ([^&\n]*)", JOINED)

    assert {"--require-hashes", "--only-binary"} <= set(pinned.split())
    assert ours.split() == ["--no-cache-dir", "--no-index", "--no-deps", "/wheels/*.whl"]
    assert not re.search(r"\b(curl|wget|git|apt-get|ADD)\b", "".join(one for _, one in LINES))


def test_wheels_are_of_this_checkout_or_of_dist_and_the_last_stage_has_nothing_else() -> None:
    offered = re.findall(r"^FROM \S+ AS (checkout|dist)$", JOINED, re.MULTILINE)

    assert offered == ["checkout", "dist"]
    assert ("ARG", "WHEELS=checkout") in LINES
    assert ("FROM", "${WHEELS} AS wheels") in LINES
    assert [said for word, said in FINAL if word == "COPY"] == [
        "--from=installed /opt/simonides /opt/simonides"
    ]
    assert not re.search(r"\b(pip|gcc|hatchling)\b", " ".join(said for _, said in FINAL))


def test_labels_say_what_the_package_says_and_name_no_host() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    labels = dict(one.split("=", 1) for one in shlex.split(last("LABEL")))

    of = "org.opencontainers.image."
    assert {key.removeprefix(of): value for key, value in labels.items()} == {
        "title": "Simonides", "description": project["description"],
        "version": project["version"], "licenses": project["license"],
    }  # fmt: skip


def test_what_the_server_needs_is_among_the_packages() -> None:
    pinned = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")

    for needed in (*NEEDED, "psycopg", "onnxruntime"):
        assert re.search(rf"^{needed.replace('_', '[-_]')}==", pinned, re.MULTILINE), needed


def test_what_is_copied_is_there_and_sent_and_nothing_else_is() -> None:
    copied = [
        source
        for word, said in LINES
        if word == "COPY" and not said.startswith("--from")
        for source in said.split()[:-1]
    ]
    wheels = [one for one in copied if one.startswith("dist/")]
    copied = [one for one in copied if one not in wheels]

    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert sent_to_the_builder(source), source
    assert all(sent_to_the_builder(one.replace("*", "0.1.0-py3-none-any")) for one in wheels)
    assert len(wheels) == len([one for one in copied if one.startswith("packages/")]) + 1
    for other in (
        "dist/simonides_bench-0.1.0-py3-none-any.whl",
        ".git",
        "tests",
        "deploy",
        "samples/README.md",
        "src/simonides/__pycache__",
        "home",
    ):
        assert not sent_to_the_builder(other), other


def test_what_the_wheel_includes_from_elsewhere_is_copied_to_the_same_place() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]

    for source in tool["hatch"]["build"]["targets"]["wheel"]["force-include"]:
        assert ("COPY", f"{source} {source}") in LINES


def test_the_command_is_one_that_the_program_takes_and_others_reach() -> None:
    assert json.loads(last("ENTRYPOINT")) == ["simonides"]
    serve = parsed(json.loads(last("CMD")))

    assert (serve.verb, serve.host, serve.port) == ("serve", "0.0.0.0", DEFAULT_PORT)  # noqa: S104
    assert last("EXPOSE") == str(DEFAULT_PORT)
    assert last("STOPSIGNAL") == "SIGTERM"


def test_the_health_check_asks_a_route_that_answers_without_a_key() -> None:
    _, _, command = last("HEALTHCHECK").partition("CMD ")
    asked = re.search(rf"http://127\.0\.0\.1:{DEFAULT_PORT}(/[a-z/]+)", json.loads(command)[-1])

    assert asked
    assert asked[1] in PATHS


def test_its_environment_is_one_of_real_settings() -> None:
    environment = dict(one.split("=", 1) for one in shlex.split(last("ENV")))

    check_environment(environment)
    assert environment["SIMONIDES_HOME"].startswith("/data/")
    assert environment["PATH"].startswith("/opt/simonides/bin:")
