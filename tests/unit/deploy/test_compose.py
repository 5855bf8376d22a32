"""The compose files run the image with few rights, hold no secret, and publish to this machine."""

import itertools
import re
from typing import Any, Final

import pytest
from tests.unit.deploy.deployed import (
    DEFAULT_PORT,
    DEPLOY,
    USER,
    check_environment,
    check_image,
    documents,
    is_secret,
    parsed,
)

from simonides.cli.verbs.db import DB
from simonides.http.limits import Limits

FILES: Final = dict(documents("."))
SERVICES: Final = [
    (file, name, service)
    for file, document in FILES.items()
    for name, service in document["services"].items()
]
SERVERS: Final = [one for one in SERVICES if "build" in one[2] and one[2]["command"][0] == "serve"]
LASTING: Final = [one for one in SERVICES if one[2]["restart"] == "unless-stopped"]
ONCE: Final = [one for one in SERVICES if one[2]["restart"] == "no"]

KNOWN: Final = {
    "build", "cap_drop", "command", "depends_on", "entrypoint", "environment", "healthcheck",
    "image", "init", "mem_limit", "networks", "pids_limit", "ports", "read_only", "restart",
    "security_opt", "shm_size", "stop_grace_period", "tmpfs", "user", "volumes",
}  # fmt: skip
"""The keys of the Compose specification that a service here may have; a mistyped one is none."""


def each(services: list[tuple[str, str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Run a test on each of these services."""
    ids = [f"{file}: {name}" for file, name, _ in services]
    return pytest.mark.parametrize("service", [one for *_, one in services], ids=ids)


def volume_of(mount: str) -> str:
    """Return the named volume of a mount, or nothing for a file of the checkout."""
    source = mount.split(":", maxsplit=1)[0]
    return "" if source.startswith(".") else source


def test_there_is_a_file_of_each_sort() -> None:
    assert {file: list(document["services"]) for file, document in FILES.items()} == {
        "compose.yaml": ["simonides"],
        "compose.postgres.yaml": ["simonides", "simonides-2", "database", "valkey"],
        "compose.citus.yaml": [
            "simonides", "distribute", "upgrade", "nodes", "coordinator", "worker-1", "worker-2",
        ],
    }  # fmt: skip
    assert len({document["name"] for document in FILES.values()}) == len(FILES)
    for document in FILES.values():
        others = {key for key in document if not key.startswith("x-")}
        assert others <= {"name", "services", "networks", "volumes"}


@each(SERVICES)
def test_a_service_says_what_compose_knows_and_is_held_in_bounds(service: dict[str, Any]) -> None:
    assert set(service) <= KNOWN
    check_image(service["image"])
    assert re.fullmatch(r"\d+[gm]", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] in {"no", "unless-stopped"}


@each(LASTING)
def test_what_lasts_has_a_health_check_and_time_to_end(service: dict[str, Any]) -> None:
    if "build" in service:
        assert "HEALTHCHECK" in (DEPLOY / "Containerfile").read_text("utf-8")
    else:
        check = service["healthcheck"]
        assert check["test"][0] in {"CMD", "CMD-SHELL"}
        assert {"interval", "timeout", "retries"} <= set(check)
    assert re.fullmatch(r"\d+s", service["stop_grace_period"])


@each([one for one in SERVICES if one[2].get("user")])
def test_what_is_ours_has_few_rights(service: dict[str, Any]) -> None:
    assert service["user"] == f"{USER}:{USER}"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]


@each(SERVERS)
def test_the_server_is_built_and_started_as_the_program_allows(service: dict[str, Any]) -> None:
    build, serve = service["build"], parsed(service["command"])

    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    assert (serve.verb, serve.port) == ("serve", DEFAULT_PORT)
    assert re.fullmatch(rf"127\.0\.0\.1:\d+:{DEFAULT_PORT}", service["ports"][0])
    assert int(service["stop_grace_period"].removesuffix("s")) > Limits().drain_s
    assert service["volumes"] == ["home:/data"]
    assert service["tmpfs"][0].startswith("/tmp:")  # noqa: S108  a place in the container
    check_environment(service.get("environment", {}))


@each([one for one in ONCE if "build" in one[2] and one[2]["command"][1] in DB.tasks])
def test_a_verb_that_runs_once_is_one_of_the_program(service: dict[str, Any]) -> None:
    assert parsed(service["command"]).verb == "db"


def test_tables_are_distributed_after_the_nodes_and_before_the_server() -> None:
    services = FILES["compose.citus.yaml"]["services"]
    chain = ["simonides", "distribute", "upgrade", "nodes"]

    for waits, first in itertools.pairwise(chain):
        done = {"condition": "service_completed_successfully"}
        assert services[waits]["depends_on"] == {first: done}
    assert [services[one]["command"] for one in chain[1:3]] == [
        ["db", "distribute"], ["db", "upgrade"],
    ]  # fmt: skip
    named = (DEPLOY / "citus" / "nodes.sql").read_text("utf-8")
    nodes = set(services["nodes"]["depends_on"])
    assert set(re.findall(r"'(coordinator|worker-\d)'", named)) == nodes
    assert {one for one in services if services[one]["image"].startswith("citus")} == {
        *nodes, "nodes",
    }  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_volumes_networks_and_services_that_are_named_are_there(name: str) -> None:
    file = FILES[name]
    for service in file["services"].values():
        mounted = {volume_of(one) for one in service["volumes"]} - {""}

        assert mounted <= set(file["volumes"])
        assert set(service.get("networks", ())) <= set(file.get("networks", ()))
        for other, how in service.get("depends_on", {}).items():
            runs_once = file["services"][other]["restart"] == "no"
            done = "service_completed_successfully" if runs_once else "service_healthy"
            assert how == {"condition": done}
        for mount in service["volumes"]:
            if not volume_of(mount):
                assert (DEPLOY / mount.split(":")[0]).is_file()
                assert mount.endswith(":ro")


@pytest.mark.parametrize("name", FILES)
def test_passwords_come_from_outside_and_must_be_given(name: str) -> None:
    for service in FILES[name]["services"].values():
        for variable, value in service.get("environment", {}).items():
            if is_secret(variable):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?[^}]+\}", value), variable


@each([one for one in SERVICES if "build" not in one[2]])
def test_databases_are_reached_by_the_servers_alone(service: dict[str, Any]) -> None:
    assert "ports" not in service
    assert service["networks"] == ["back"]


@pytest.mark.parametrize("name", ["compose.postgres.yaml", "compose.citus.yaml"])
def test_addresses_name_services_and_hold_no_password(name: str) -> None:
    file = FILES[name]
    environment = file["services"]["simonides"]["environment"]
    reported = {key: value for key, value in environment.items() if "://" in value}

    assert file["networks"]["back"] == {"internal": True}
    for value in reported.values():
        found = re.fullmatch(r"(?:postgresql://simonides@|redis://)([a-z]+)(?::\d+)?/\w+", value)
        assert found, value
        assert found[1] in file["services"]


def test_valkey_keeps_nothing_on_disk_and_asks_for_its_password() -> None:
    said = (DEPLOY / "valkey" / "start.sh").read_text("utf-8").splitlines()

    assert {'save ""', "appendonly no", 'requirepass "$REDISCLI_AUTH"'} <= set(said)
