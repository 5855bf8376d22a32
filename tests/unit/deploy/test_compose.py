"""The compose files run the image with few rights, hold no secret, and publish to this machine."""

import re
from typing import Any, Final

import pytest
from tests.unit.deploy.deployed import (
    DEFAULT_PORT,
    DEPLOY,
    USER,
    check_environment,
    documents,
    parsed,
)

from simonides.http.limits import Limits

FILES: Final = dict(documents("."))
SERVERS: Final = [(name, file["services"]["simonides"]) for name, file in FILES.items()]
ONE_OF_EACH: Final = pytest.mark.parametrize(
    ("name", "server"), SERVERS, ids=[name for name, _ in SERVERS]
)


def volume_of(mount: str) -> str:
    """Return the named volume of a mount, or nothing for a file of the checkout."""
    source = mount.split(":", maxsplit=1)[0]
    return "" if source.startswith(".") else source


@ONE_OF_EACH
def test_the_server_has_few_rights(name: str, server: dict[str, Any]) -> None:
    assert server["user"] == f"{USER}:{USER}", name
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert server["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "network_mode", "pid"} & set(server)
    assert server["volumes"] == ["home:/data"]
    assert server["tmpfs"][0].startswith("/tmp:")  # noqa: S108  a place in the container


@ONE_OF_EACH
def test_the_server_is_built_and_started_as_the_program_allows(
    name: str, server: dict[str, Any]
) -> None:
    build, serve = server["build"], parsed(server["command"])

    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file(), name
    assert (serve.verb, serve.port) == ("serve", DEFAULT_PORT)
    assert server["ports"] == [f"127.0.0.1:{DEFAULT_PORT}:{DEFAULT_PORT}"]
    assert int(server["stop_grace_period"].removesuffix("s")) > Limits().drain_s
    check_environment(server.get("environment", {}))


@pytest.mark.parametrize("name", FILES)
def test_volumes_networks_and_services_that_are_named_are_there(name: str) -> None:
    file = FILES[name]
    for service in file["services"].values():
        mounted = {volume_of(one) for one in service["volumes"]} - {""}

        assert mounted <= set(file["volumes"])
        assert set(service.get("networks", ())) <= set(file.get("networks", ()))
        assert set(service.get("depends_on", ())) <= set(file["services"])
        for mount in service["volumes"]:
            if not volume_of(mount):
                assert (DEPLOY / mount.split(":")[0]).is_file()
                assert mount.endswith(":ro")


@pytest.mark.parametrize("name", FILES)
def test_passwords_come_from_outside_and_must_be_given(name: str) -> None:
    for service in FILES[name]["services"].values():
        for variable, value in service.get("environment", {}).items():
            if "PASSWORD" in variable:
                assert re.fullmatch(r"\$\{[A-Z_]+:\?[^}]+\}", value), variable


def test_the_database_is_reached_by_the_server_alone() -> None:
    file = FILES["compose.postgres.yaml"]
    database = file["services"]["database"]

    assert "ports" not in database
    assert all(file["networks"][one]["internal"] for one in database["networks"])
    assert not re.search(r"^[^/]*\.[^/]*/", database["image"]), "the name of a registry"
    assert not database["image"].endswith((":latest", "/pgvector"))
    address = file["services"]["simonides"]["environment"]["SIMONIDES_STORE"]
    assert re.fullmatch(r"postgresql://simonides@database/simonides", address)
