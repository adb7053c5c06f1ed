# SPDX-License-Identifier: GPL-3.0-or-later
"""Every mistake in a ModelService is found, at once, with its field and value and the way out."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.normalise import load

from .build import document, errors, problems, settings

SECRET = "hunter2-5678901"


def _engine(**engine: Any) -> dict[str, Any]:
    return document(engine={"image": "vllm:1", **engine})


def _decode(**decode: Any) -> dict[str, Any]:
    return document(decode=decode)


def _amounts(limits: dict[str, Any], requests: dict[str, Any] | None = None) -> dict[str, Any]:
    return _decode(resources={"limits": limits, "requests": requests or {}})


def _pool(**picker: Any) -> dict[str, Any]:
    return document(inferencePool={"endpointPicker": picker})


def _route(namespace: str = "", hostnames: list[Any] | None = None) -> dict[str, Any]:
    return document(
        httpRoute={
            "gatewayRef": {"name": "edge", "namespace": namespace},
            "hostnames": hostnames or [],
        }
    )


def _model(**model: Any) -> dict[str, Any]:
    return document(model={"name": "a", "image": "b", **model})


WRONG = {
    "text for a number": (_decode(parallelism={"tensor": "four"}), "spec.decode.parallelism.tensor", '"four" is not an integer'),
    "true for a number": (_decode(replicas=True), "spec.decode.replicas", "true is not an integer"),
    "a fraction": (_decode(replicas=1.5), "spec.decode.replicas", "1.5 is not an integer"),
    "negative": (_decode(replicas=-1), "spec.decode.replicas", "below the minimum of 0"),
    "beyond int32": (_decode(replicas=2**31), "spec.decode.replicas", "above the maximum"),
    "number for text": (_engine(args=[8192]), "spec.engine.args[0]", 'put it in quotes: "8192"'),
    "text for a boolean": (
        document(routingProxy={"secureProxy": "yes"}), "spec.routingProxy.secureProxy", "true or false without quotes"),
    "half a character": (_engine(args=["--x=\ud800"]), "spec.engine.args[0]", "half a character"),
    "text for a list": (_engine(args="--x"), "spec.engine.args", "is not a list"),
    "list for a map": (document(decode=[]), "spec.decode", "is not a map"),
    "unknown field": (_engine(arg=["--x"]), "spec.engine.arg", 'did you mean "args"?'),
    "field of another block": (document(hostnames=["a"]), "spec.hostnames", "spec.httpRoute.hostnames"),
    "field of a role": (_decode(image="x"), "spec.decode.image", "spec.engine.image"),
    "field of a later release": (_decode(annotations={"a": "b"}), "spec.decode.annotations", "1.0.1"),
    "unknown top field": ({**document(), "specs": {}}, "specs", 'did you mean "spec"?'),
    "unknown accelerator": (document(accelerator={"type": "nvida"}), "spec.accelerator.type", 'did you mean "nvidia"?'),
    "missing": (document(model={"name": "a"}), "spec.model.image", "missing"),
    "missing block": (document(engine=None), "spec.engine", "missing"),
    "no name": (_model(name=""), "spec.model.name", "must not be empty"),
    "empty enum": (_pool(failureMode=""), "spec.inferencePool.endpointPicker.failureMode", "FailOpen, FailClose"),
    "other kind": ({**document(), "kind": "ModelServices"}, "kind", "ModelService"),
    "no namespace": ({**document(), "metadata": {"name": "a"}}, "metadata.namespace", "missing"),
    "label": (
        {**document(), "metadata": {"name": "a", "namespace": "b", "labels": {"x": "a b"}}}, "metadata.labels.x", "a b"),
    "generated name": (
        {**document(), "metadata": {"generateName": "a-", "namespace": "b"}}, "metadata.generateName", "name"),
    "name too long": (document("a" * 60), "metadata.name", "at most 59"),
    "digit-first name too long": (document("9" + "a" * 57), "metadata.name", "at most 57"),
    "capitals": (document("Chat"), "metadata.name", '"Chat"'),
    "nothing usable": (document("模型"), "metadata.name", "模型"),
    "env value": (_engine(env=[{"name": "VLLM_USE_V1", "value": True}]), "spec.engine.env[0].value", 'quotes: "true"'),
    "env without name": (_engine(env=[{"value": "x"}]), "spec.engine.env[0].name", "missing"),
    "env name": (_engine(env=[{"name": "1=bad", "value": "x"}]), "spec.engine.env[0].name", "1=bad"),
    "env source": (_engine(env=[{"name": "A", "valueFrom": {}}]), "spec.engine.env[0].valueFrom", "exactly one"),
    "env both": (
        _engine(env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]),
        "spec.engine.env[0].valueFrom", "not both"),
    "env field": (
        _engine(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.podIP"}}}]),
        "spec.engine.env[0].valueFrom.fieldRef.fieldPath", "status.podIP"),
    "env secret": (
        _engine(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"key": "token"}}}]),
        "spec.engine.env[0].valueFrom.secretKeyRef.name", "empty"),
    "env read before it is replaced": (
        _engine(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}, {"name": "A", "value": "2"}]),
        "spec.engine.env[0]", "B reads the first value"),
    "env unit": (
        _engine(env=[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Mi"}}}]),
        "spec.engine.env[0].valueFrom.resourceFieldRef.divisor", "1, 1m"),
    "env file of no volume": (
        _engine(env=[{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "x", "path": "a", "key": "B"}}}]),
        "spec.engine.env[0].valueFrom.fileKeyRef.volumeName", "model, model-tmp"),
    "pull policy": (_engine(imagePullPolicy="Sometimes"), "spec.engine.imagePullPolicy", "Always, IfNotPresent, Never"),
    "image with a blank": (_engine(image=" vllm:1"), "spec.engine.image", "blanks"),
    "first pull secret": (_model(imagePullSecrets=[{}]), "spec.model.imagePullSecrets[0].name", "missing"),
    "mount path": (_model(mountPath="/tmp/model-oci"), "spec.model.mountPath", "/tmp/model-oci"),
    "mount path with secrets": (
        _model(mountPath="/.docker", imagePullSecrets=[{"name": "a"}]), "spec.model.mountPath", "credentials"),
    "picker port metrics": (_pool(port=9090), "spec.inferencePool.endpointPicker.port", "metrics"),
    "picker port health": (_pool(port=9003), "spec.inferencePool.endpointPicker.port", "health"),
    "pool without picker": (document(inferencePool={}), "spec.inferencePool.endpointPicker", "missing"),
    "quantity": (_amounts({"memory": "12Gx"}), "spec.decode.resources.limits.memory", "12Gx"),
    "quantity as fraction": (_amounts({"cpu": 0.5}), "spec.decode.resources.limits.cpu", 'quotes: "0.5"'),
    "negative quantity": (_amounts({"cpu": "-1"}), "spec.decode.resources.limits.cpu", "negative"),
    "request over limit": (
        _amounts({"memory": "8Gi"}, {"memory": "16Gi"}), "spec.decode.resources.requests.memory", "limit of 8Gi"),
    "resource name": (_amounts({"gpu": "1"}), "spec.decode.resources.limits.gpu", "not a resource of a container"),
    "half a device": (
        document(accelerator={"type": "cpu"}, decode={"resources": {"limits": {"nvidia.com/gpu": "500m"}}}),
        'spec.decode.resources.limits["nvidia.com/gpu"]', "whole number"),
    "device without limit": (
        document(accelerator={"type": "cpu"}, decode={"resources": {"requests": {"nvidia.com/gpu": "1"}}}),
        'spec.decode.resources.requests["nvidia.com/gpu"]', "needs a limit"),
    "huge pages alone": (
        document(accelerator={"type": "cpu"}, decode={"resources": {"limits": {"hugepages-2Mi": "4Mi"}}}),
        "spec.decode.resources", "cpu or memory"),
    "part of a huge page": (
        _amounts({"hugepages-2Mi": "3Mi", "cpu": "1"}), "spec.decode.resources.limits.hugepages-2Mi", "page size"),
    "claims": (_decode(resources={"claims": [{"name": "accel"}]}), "spec.decode.resources.claims[0]", "accel"),
    "claims twice": (
        _decode(resources={"claims": [{"name": "a"}, {"name": "a"}]}), "spec.decode.resources.claims[1]", "claims[0]"),
    "toleration operator": (_decode(tolerations=[{"key": "a", "operator": "In"}]), "spec.decode.tolerations[0].operator", "Exists"),
    "toleration without key": (_decode(tolerations=[{"value": "a"}]), "spec.decode.tolerations[0].operator", "key"),
    "toleration value": (
        _decode(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]), "spec.decode.tolerations[0].value", "Exists"),
    "toleration effect": (
        _decode(tolerations=[{"key": "a", "effect": "NoRun"}]), "spec.decode.tolerations[0].effect", "NoSchedule"),
    "toleration seconds": (
        _decode(tolerations=[{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 3}]),
        "spec.decode.tolerations[0].tolerationSeconds", "NoExecute"),
    "node selector": (_decode(nodeSelector={"a b": "c"}), 'spec.decode.nodeSelector["a b"]', "a b"),
    "node selector value": (_decode(nodeSelector={"gpu": True}), "spec.decode.nodeSelector.gpu", "quotes"),
    "host name": (_route(hostnames=["Models.Example.org"]), "spec.httpRoute.hostnames[0]", "Models.Example.org"),
    "empty host name": (_route(hostnames=[""]), "spec.httpRoute.hostnames[0]", "host name"),
    "host names": (_route(hostnames=[f"a{n}.example.org" for n in range(17)]), "spec.httpRoute.hostnames", "at most 16"),
    "gateway namespace": (_route(namespace="Infra_1"), "spec.httpRoute.gatewayRef.namespace", "Infra_1"),
    "interval": (
        document(monitoring={"podMonitor": {"enabled": True, "interval": "soon"}}),
        "spec.monitoring.podMonitor.interval", "soon"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "path", "text"), WRONG.values(), ids=WRONG)
def test_mistake_is_named_with_its_field(given: dict[str, Any], path: str, text: str) -> None:
    found = errors(given)
    assert path in found
    assert text in found[path]


@pytest.mark.parametrize("name", WRONG)
def test_mistake_brings_no_follow_up_errors(name: str) -> None:
    given, path, dummy = WRONG[name]
    others = set(errors(given)) - {path}
    # The first claim cannot be used either, and a generated name is a missing one.
    assert others <= {"metadata.name", "spec.decode.resources.claims[0]"}


def test_all_mistakes_are_named_at_once() -> None:
    given = document(
        "a" * 70,
        engine={"arg": [], "port": "high", "env": [{"name": "A", "value": 1}]},
        decode={"parallelism": {"tensor": 0}, "resources": {"limits": {"memory": "1X"}}},
        inferencePool={"endpointPicker": {"port": 9090}},
    )
    assert set(errors(given)) == {
        "metadata.name",
        "spec.decode.parallelism.tensor",
        "spec.decode.resources.limits.memory",
        "spec.engine.arg",
        "spec.engine.env[0].value",
        "spec.engine.port",
        "spec.inferencePool.endpointPicker.port",
    }


@pytest.mark.parametrize(
    "value", [int(SECRET[-7:]), [SECRET], {"token": SECRET}, float(SECRET[-7:])]
)
def test_value_of_an_environment_variable_is_never_shown(value: Any) -> None:
    said = str(problems(_engine(env=[{"name": "TOKEN", "value": value}])))
    assert "TOKEN" in said
    assert SECRET not in said
    assert SECRET[-7:] not in said


@pytest.mark.parametrize(
    "given",
    [{}, {"metadata": None}, {"metadata": [], "spec": "x"}, {"spec": []}, {"spec": {"decode": 1}}],
)
def test_rubbish_gives_problems_and_no_traceback(given: dict[str, Any]) -> None:
    loaded = load(given, settings())
    assert loaded.service is None
    assert loaded.problems


def test_empty_default_image_is_refused() -> None:
    given = document(engine={})
    found = errors(given, settings(images={"engine": ""}))
    assert found == {
        "spec.engine.image": "missing, and the setting images.engine is empty; give one of them"
    }


def test_shared_memory_takes_its_mount_path() -> None:
    given = document(
        model={"name": "a", "image": "b", "mountPath": "/dev/shm"},
        decode={"parallelism": {"tensor": 2}},
    )
    assert not errors(given)
    assert "shared memory" in errors(given, settings(shared_memory=True))["spec.model.mountPath"]


def test_mount_path_is_free_without_the_download() -> None:
    given = document(model={"name": "a", "image": "b", "mountPath": "/tmp/model-oci"})
    assert not errors(given, settings(images={"model_kit": ""}))
