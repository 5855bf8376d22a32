"""What a model may erase and administer: nothing by default, and what its host names."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.mcp.test_mcp_operations import listed

from simonides.mcp.tool import ToolHost
from simonides.mcp.tools import TOOLS
from simonides.model.access import DEFAULT_PERMISSIONS, Permission

if TYPE_CHECKING:
    from tests.unit.mcp.conftest import Desk

BEYOND = [
    one.name for one in TOOLS.values() if {*one.permissions} & {Permission.ERASE, Permission.ADMIN}
]


def test_there_are_tools_for_all_that_a_space_needs() -> None:
    assert set(BEYOND) == {
        "verify", "compact", "erase", "doctor", "repair", "reembed", "keys_create", "keys_list",
        "keys_revoke", "keys_audit",
    }  # fmt: skip
    destroying = {one for one in BEYOND if TOOLS[one].destroys}
    assert destroying == {"compact", "erase", "repair", "keys_revoke"}
    assert not TOOLS["keys_create"].repeats


@pytest.mark.parametrize("name", BEYOND)
def test_a_host_hands_on_reading_and_writing_alone(desk: "Desk", name: str) -> None:
    kept = desk.memory.add("Alpha is due.").id
    host = ToolHost(desk.memory, now=lambda: datetime(2026, 3, 6, tzinfo=UTC))
    desk.visitor.allowed = DEFAULT_PERMISSIONS

    reported = desk.error(name, **({"ids": [kept]} if name == "erase" else {}))

    assert reported["code"] == "access_denied"
    assert f"`simonides mcp --allow {TOOLS[name].permissions[0]}`" in reported["message"]
    assert name not in listed(desk)
    assert [host.allows(one) for one in Permission] == [True, True, False, False, False]
    assert desk.memory.get(kept).content == "Alpha is due."


@pytest.mark.parametrize(
    ("named", "allowed"),
    [
        (Permission.ERASE, {Permission.ERASE}),
        (Permission.ADMIN, set(Permission)),
    ],
)
def test_a_host_names_what_else_is_allowed(
    desk: "Desk", named: Permission, allowed: set[Permission]
) -> None:
    host = ToolHost(desk.memory, now=lambda: datetime.now(UTC), permissions=(named,))

    assert {one for one in Permission if host.allows(one)} == allowed


def test_an_erasure_is_announced_before_it_is_done(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due.").id

    report = desk.answer("erase", ids=[kept], prove=False)

    assert report["items"] == [kept]
    assert str(desk.memory.opening.home) not in str(report)
    assert desk.visitor.announced == ["erase"]
    assert [one[0] for one in desk.visitor.noted] == ["erase"]


@pytest.mark.parametrize("given", [{}, {"ids": ["x"], "everything": True}])
def test_an_erasure_that_cannot_be_done_is_not_announced(desk: "Desk", given: Any) -> None:
    desk.memory.add("Alpha is due.")

    assert desk.error("erase", **given)["code"] == "invalid_input"
    assert desk.visitor.announced == []
    assert len(desk.memory.list().items) == 1


def test_a_space_is_checked_repaired_and_embedded_anew(desk: "Desk") -> None:
    desk.memory.add("Alpha is due.")

    findings = desk.answer("doctor")["findings"] + desk.answer("verify")["findings"]
    repaired = desk.answer("repair")
    embedded = desk.answer("reembed")

    assert all(one["sound"] for one in findings)
    assert (repaired["items"], repaired["lost"]) == (1, [])
    assert embedded == {"embedded": 1}
    assert desk.error("repair", backup="/etc/passwd")["message"].startswith(
        "backup: is no argument"
    )


def test_keys_and_the_audit_log_are_those_of_the_space(desk: "Desk") -> None:
    assert "on the machine of the home" in desk.error("keys_create")["message"]
    other = desk.memory.keys.create(space="other")
    made = desk.answer("keys_create", permissions=["read"], expires=1)

    assert (made["space"], made["permissions"]) == ("default", ["read"])
    assert [one["id"] for one in desk.answer("keys_list")["keys"]] == [made["id"]]
    assert desk.error("keys_revoke", key_id=other.id)["code"] == "not_found"
    assert desk.answer("keys_revoke", key_id=made["id"])["revoked_at"]
    assert desk.answer("keys_audit")["entries"] == []
    assert desk.memory.keys.check(other.key).id == other.id


def test_the_spaces_are_the_own_one_the_shared_ones_and_all_for_an_admin(desk: "Desk") -> None:
    desk.memory.in_space("bob").add("x")
    desk.visitor.shared = ("team",)
    every = desk.answer("spaces")
    desk.visitor.allowed = (Permission.READ,)

    assert every == {"space": "default", "spaces": ["bob", "default", "team"]}
    assert desk.answer("spaces") == {"space": "default", "spaces": ["default", "team"]}
