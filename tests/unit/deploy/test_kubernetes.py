"""The manifests of Kubernetes hang together, and their pods have few rights."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from tests.unit.deploy.deployed import (
    DEFAULT_PORT,
    PATHS,
    USER,
    check_environment,
    check_image,
    documents,
    is_secret,
    parsed,
)

from simonides.http.limits import Limits

DOCUMENTS: Final = documents("kubernetes")
LABEL: Final = "app.kubernetes.io/name"


POD_FIELDS: Final = {
    "activeDeadlineSeconds", "automountServiceAccountToken", "containers", "enableServiceLinks",
    "restartPolicy", "securityContext", "terminationGracePeriodSeconds", "volumes",
}  # fmt: skip
CONTAINER_FIELDS: Final = {
    "args", "command", "env", "image", "imagePullPolicy", "livenessProbe", "name", "ports",
    "readinessProbe", "resources", "securityContext", "startupProbe", "volumeMounts",
}  # fmt: skip
"""Fields of the API that a pod and its container here may have; a mistyped one is none."""

KINDS: Final = {
    "Namespace": "v1", "Service": "v1", "Pod": "v1", "PersistentVolumeClaim": "v1",
    "StatefulSet": "apps/v1", "Deployment": "apps/v1", "NetworkPolicy": "networking.k8s.io/v1",
}  # fmt: skip


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, pod) of each manifest that starts one."""
    for file, document in DOCUMENTS:
        if document["kind"] == "Pod":
            yield f"{file}: pod", document
        elif "template" in document.get("spec", {}):
            yield f"{file}: {document['kind']}", document["spec"]["template"]


PODS: Final = dict(pods())
SERVERS: Final = [name for name, pod in PODS.items() if "args" in pod["spec"]["containers"][0]]


def of_kind(file: str, kind: str) -> list[dict[str, Any]]:
    return [one for name, one in DOCUMENTS if name == file and one["kind"] == kind]


def container(name: str) -> dict[str, Any]:
    """Return the only container of a pod."""
    containers: list[dict[str, Any]] = PODS[name]["spec"]["containers"]
    assert len(containers) == 1
    return containers[0]


def test_there_is_a_manifest_of_each_sort() -> None:
    assert sorted(PODS) == [
        "embedded.yaml: StatefulSet", "first-key.yaml: pod", "postgres.yaml: Deployment",
    ]  # fmt: skip
    assert len(SERVERS) == 2


def test_each_manifest_is_of_a_kind_that_the_api_has() -> None:
    for _, one in DOCUMENTS:
        assert set(one) <= {"apiVersion", "kind", "metadata", "spec"}
        assert one["apiVersion"] == KINDS[one["kind"]]


def test_everything_is_in_the_namespace_which_refuses_more_rights() -> None:
    (namespace,) = of_kind("namespace.yaml", "Namespace")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    others = [one for _, one in DOCUMENTS if one is not namespace]
    assert {one["metadata"]["namespace"] for one in others} == {namespace["metadata"]["name"]}


@pytest.mark.parametrize("name", PODS)
def test_a_pod_meets_the_restricted_standard(name: str) -> None:
    spec, rights = PODS[name]["spec"], container(name)["securityContext"]

    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"] == {
        "runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER,
        "fsGroupChangePolicy": "OnRootMismatch", "seccompProfile": {"type": "RuntimeDefault"},
    }  # fmt: skip
    assert rights == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert set(spec) <= POD_FIELDS
    assert set(container(name)) <= CONTAINER_FIELDS
    check_image(container(name)["image"])
    assert "memory" in container(name)["resources"]["limits"]


@pytest.mark.parametrize("name", PODS)
def test_a_pod_may_write_to_its_volumes_alone(name: str) -> None:
    file = name.split(":", maxsplit=1)[0]
    mounted = {one["name"]: one["mountPath"] for one in container(name)["volumeMounts"]}
    volumes = {one["name"]: one for one in PODS[name]["spec"]["volumes"]}
    templates = {
        one["metadata"]["name"]
        for document in of_kind(file, "StatefulSet")
        for one in document["spec"]["volumeClaimTemplates"]
    }

    assert mounted == {"home": "/data", "tmp": "/tmp"}  # noqa: S108  places in the container
    assert set(volumes) | templates == set(mounted)
    assert not any("hostPath" in one for one in volumes.values())
    assert volumes["tmp"]["emptyDir"]["sizeLimit"]


@pytest.mark.parametrize("name", SERVERS)
def test_the_server_starts_as_the_program_allows(name: str) -> None:
    file, serve = name.split(":", maxsplit=1)[0], parsed(container(name)["args"])
    (service,) = of_kind(file, "Service")
    own = service["metadata"]["name"]

    assert (serve.verb, serve.host, serve.port) == ("serve", "0.0.0.0", DEFAULT_PORT)  # noqa: S104
    assert serve.allow_host == [own, f"{own}.{service['metadata']['namespace']}.svc"]
    assert PODS[name]["spec"]["terminationGracePeriodSeconds"] > Limits().drain_s
    assert container(name)["ports"] == [{"name": "http", "containerPort": DEFAULT_PORT}]


@pytest.mark.parametrize("name", SERVERS)
def test_probes_ask_routes_that_answer_without_a_key(name: str) -> None:
    probes = {kind: container(name)[kind]["httpGet"] for kind in
              ("startupProbe", "livenessProbe", "readinessProbe")}  # fmt: skip

    assert {one["path"] for one in probes.values()} <= PATHS
    assert {one["port"] for one in probes.values()} == {"http"}
    assert probes["livenessProbe"]["path"] == "/health/live", "a full disk is no cause to restart"
    assert probes["readinessProbe"]["path"] == "/health/ready"


@pytest.mark.parametrize("name", SERVERS)
def test_variables_are_settings_and_secrets_are_references(name: str) -> None:
    variables = {one["name"]: one for one in container(name).get("env", ())}
    said = {name: one["value"] for name, one in variables.items() if "value" in one}

    check_environment(said)
    for variable, one in variables.items():
        if is_secret(variable):
            assert set(one) == {"name", "valueFrom"}, variable
    assert not of_kind(name.split(":", maxsplit=1)[0], "Secret")


@pytest.mark.parametrize("name", SERVERS)
def test_services_and_policies_choose_the_pod(name: str) -> None:
    file, labels = name.split(":", maxsplit=1)[0], PODS[name]["metadata"]["labels"]
    (service,) = of_kind(file, "Service")
    (policy,) = of_kind(file, "NetworkPolicy")
    (owner,) = [*of_kind(file, "StatefulSet"), *of_kind(file, "Deployment")]

    assert service["spec"]["selector"] == labels
    assert service["spec"]["ports"][0]["targetPort"] == "http"
    assert policy["spec"]["podSelector"]["matchLabels"] == labels
    assert set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert all(rule["from"] for rule in policy["spec"]["ingress"])
    assert owner["spec"]["selector"]["matchLabels"] == labels
    assert owner["spec"]["replicas"] == 1, "keys and working memory are one process's"


def test_the_first_key_is_made_in_the_home_of_the_server() -> None:
    (owner,) = of_kind("embedded.yaml", "StatefulSet")
    (template,) = owner["spec"]["volumeClaimTemplates"]
    volumes = {one["name"]: one for one in PODS["first-key.yaml: pod"]["spec"]["volumes"]}

    claim = volumes["home"]["persistentVolumeClaim"]["claimName"]
    assert claim == f"{template['metadata']['name']}-{owner['metadata']['name']}-0"
    (own,) = of_kind("postgres.yaml", "PersistentVolumeClaim")
    assert own["metadata"]["name"] == "simonides-home"


def test_the_policy_of_the_database_opens_its_port() -> None:
    (policy,) = of_kind("postgres.yaml", "NetworkPolicy")
    opened = {port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]}

    assert opened == {5432, 53}
    assert of_kind("embedded.yaml", "NetworkPolicy")[0]["spec"]["egress"] == []
