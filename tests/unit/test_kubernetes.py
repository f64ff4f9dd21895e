"""The manifest of a cluster, checked by the schemas of Kubernetes and of tsvc."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tsvc.config.load import load_config
from tsvc.config.tables import Config
from tsvc.server.command import command

MANIFEST = Path(__file__).parents[2] / "etc/examples/kubernetes/cluster.yaml"
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all(MANIFEST.read_text("utf-8")))
KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in OBJECTS if one["kind"] == kind}


@pytest.mark.parametrize("version", ["1.28", "1.37"])
def test_the_schemas_of_kubernetes(version: str) -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    for one in OBJECTS:
        kubernetes_validate.validate(one, version, strict=True)
    with pytest.raises(kubernetes_validate.ValidationError, match="dat"):
        kubernetes_validate.validate({**OBJECTS[0], "dat": {}}, version, strict=True)


@pytest.fixture
def configurations(tmp_path: Path) -> dict[str, Config]:
    """Both configurations, with a key instead of the words that ask for it."""
    (tmp_path / "cluster.key").write_text(KEY)
    (tmp_path / "cluster.key").chmod(0o440)
    found = {}
    for name, one in of_kind("ConfigMap").items():
        text = re.sub(r'"PUT HERE [^"]*"', f'"{KEY}"', one["data"]["tsvc.toml"])
        assert KEY in text
        (tmp_path / "tsvc.toml").write_text(text.replace("/etc/tsvc-key", str(tmp_path)))
        found[name] = load_config(tmp_path / "tsvc.toml", {})
    return found


def test_what_is_in_it_fits_together(configurations: dict[str, Config]) -> None:
    agent, coordinator = configurations["tsvc-agent"], configurations["tsvc-coordinator"]
    host, _, port = agent.cluster.coordinator.partition(":")
    ports = {one["port"] for one in of_kind("Service")[host]["spec"]["ports"]}
    assert ports == {int(port), coordinator.rpc.port}
    assert coordinator.cluster.listen == f"0.0.0.0:{port}"
    for name, one in of_kind("StatefulSet").items():
        pod = one["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        probe = container["readinessProbe"]["httpGet"]
        assert configurations[name].http.listen == f"0.0.0.0:{probe['port']}"
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert volumes["configuration"]["configMap"]["name"] in configurations
        assert volumes["key"]["secret"] == {"secretName": name, "defaultMode": 0o440}
        claims = one["spec"].get("volumeClaimTemplates", [])
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {*volumes, *(claim["metadata"]["name"] for claim in claims)}
        assert one["spec"]["serviceName"] in of_kind("Service")


def test_a_core_for_each_process(configurations: dict[str, Config]) -> None:
    pod = of_kind("StatefulSet")["tsvc-agent"]["spec"]["template"]["spec"]
    resources = pod["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"]
    assert int(resources["limits"]["cpu"]) == configurations["tsvc-agent"].cluster.workers + 1


@pytest.mark.parametrize("name", of_kind("StatefulSet"))
def test_the_image_takes_what_it_is_started_with(name: str) -> None:
    """As in a container engine: the entry point, or `command` instead of it, then `args`."""
    image = (MANIFEST.parents[2] / "Containerfile").read_text("utf-8")
    entry = re.search(r"^ENTRYPOINT (\[.*\])$", image, re.MULTILINE)
    assert entry
    pod = of_kind("StatefulSet")[name]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    words = [*(container.get("command") or json.loads(entry[1])), *container.get("args", [])]
    program, *arguments = words
    assert program.endswith("/tsvcd")
    given = command.make_context("tsvcd", arguments).params
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert str(given["path"]) == f"{mounted['configuration']}/tsvc.toml"
