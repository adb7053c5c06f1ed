# SPDX-License-Identifier: GPL-3.0-or-later
"""From values of the chart to a service, the objects that it needs beside it, and what could not be carried over.

Every value that its author gave is carried over, or told with a reason; none is lost in silence.
Source: llm-d-modelservice charts/llm-d-modelservice/values.yaml@v0.4.12.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....kube.fields import filled
from ....kube.manifest import Json
from ....kube.problem import Complaint, InputError, Problem
from .accelerator import Accelerator, Parallelism
from .pod import Shared, pod
from .values import Report, Values

SUBJECT = "values of the chart llm-d-modelservice"
#: The template that the chart's own default of `modelArtifacts.uri` holds, also with a function behind it.
_NAME_TEMPLATE = re.compile(r"\{\{-?\s*\.Values\.modelArtifacts\.name\s*(\|[^}]*)?-?\}\}")
_UNKNOWN = "no field of an LLMInferenceService says this"
#: Values that mean no more than the chart's default, which the presets have as well.
_DEFAULTS: dict[str, Any] = {
    "routing.servicePort": 8000,
    "routing.proxy.targetPort": 8200,
    "routing.proxy.connector": "nixlv2",
    "routing.proxy.secure": False,
    "modelArtifacts.readOnly": True,
}
#: Why values are not carried over, by how their path begins behind the role.
_REASONS = {
    "fullnameOverride": "the service has the name that you give the filter",
    "nameOverride": "the service has the name that you give the filter",
    "extraObjects": "apply them yourself, for example with modelops.inference.applyset",
    "requester": "the two pods of fast model actuation are not made",
    "routing.servicePort": "the presets serve on port 8000",
    "routing.proxy": "the presets bring the routing sidecar; replace it in template.initContainers by its name",
    "modelArtifacts.labels": "the service's own pool selects its pods; add under spec.labels what others select by",
    "modelArtifacts.size": "the model is fetched into the pod; limit it with ephemeral-storage in resources",
    "modelArtifacts.mountPath": "the model is at /mnt/models; change paths in args",
    "modelArtifacts.readOnly": "models on claims are mounted to be read only",
    "monitoring": "create a PodMonitor for the label app.kubernetes.io/name of the service",
    "strategy": "the Deployment has the controller's strategy",
    "subGroupPolicy": "groups are not divided",
    "subGroupExclusiveTopology": "groups are not divided",
    "annotations": "annotations of a Deployment are not kept; those of pods are in podAnnotations",
    "tracing": "flags and names of traces are the presets'",
}


@dataclass(frozen=True)
class Converted:
    """A service, what it needs beside it, the least release of KServe, and what was not carried over, by path."""

    service: Json
    objects: list[Json]
    release: str
    left: dict[str, str]

    def to_json(self) -> Json:
        """Return it as filters and playbooks show it."""
        return {
            "service": self.service,
            "objects": self.objects,
            "release": self.release,
            "left": [{"value": path, "reason": why} for path, why in sorted(self.left.items())],
        }


def convert(values: Json, name: str, namespace: str) -> Converted:
    """Convert values. Raises InputError with everything that is wrong with them."""
    report = Report()
    given = Values(values, report)
    objects: list[Json] = []
    shared = _shared(given, name, namespace, objects)
    multinode = given.flag("multinode", default=False)
    spec: Json = {"model": _model(given.part("modelArtifacts"))}
    spec |= _role(given, "decode", shared, multinode=multinode)
    spec["router"] = {"gateway": {}, "route": {}, "scheduler": {}}
    if prefill := _prefill(given, shared, multinode=multinode):
        spec["prefill"] = prefill
    tracing = _tracing(given.part("tracing"))
    if tracing:
        spec["tracing"] = tracing
    for name_of_helm in ("enabled", "common"):
        given.take(name_of_helm)
    for path, value in given.unread():
        if path not in _DEFAULTS or value != _DEFAULTS[path]:
            report.left.setdefault(*_reason(path))
    if report.wrong:
        problems = tuple(Problem(path, message) for path, message in report.wrong.items())
        raise InputError([Complaint(SUBJECT, problems)])
    service = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": filled({"name": name, "namespace": namespace}),
        "spec": spec,
    }
    for path in _templates(service, ""):
        report.left[path] = "it contains a template of Helm, which nothing fills in; replace it"
    return Converted(service, objects, "0.20" if tracing else "0.17", report.left)


def _model(model: Values) -> Json:
    name = model.text("name", "random/model")
    # Quotes in it are YAML's once the chart is rendered.
    uri = _NAME_TEMPLATE.sub(name, model.text("uri", f"hf://{name}")).replace('"', "")
    scheme, found, rest = uri.partition("://")
    if not found or scheme not in ("hf", "pvc", "pvc+hf", "oci"):
        model.refuse("uri", f"{uri!r} begins with none of hf://, pvc://, pvc+hf://, oci://")
    if scheme == "pvc+hf":
        uri = f"hf://{'/'.join(rest.split('/')[-2:])}"
        model.report.left[model.at("uri")] = (
            f"the cache of Hugging Face on the claim is not used: {uri} is fetched; for a folder with the model itself"
            " write pvc://<claim>/<folder>"
        )
    return {"uri": uri, "name": name}


def _shared(given: Values, name: str, namespace: str, objects: list[Json]) -> Shared:
    """Return what both roles share; an account that reads the token is made where the chart makes one."""
    model = given.part("modelArtifacts")
    secret, account = model.text("authSecretName"), given.text("serviceAccountOverride")
    if secret and account:
        model.report.left[model.at("authSecretName")] = (
            f"add the Secret {secret} to `secrets` of the ServiceAccount {account}, which fetches the model"
        )
    elif secret:
        account = f"{name}-model"
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": filled({"name": account, "namespace": namespace}),
                "secrets": [{"name": secret}],
            }
        )
    return Shared(account, given.text("schedulerName"))


def _role(given: Values, name: str, shared: Shared, *, multinode: bool) -> Json:
    role = given.part(name)
    if name == "decode" and not role.flag("create", default=True):
        role.refuse("create", "a service always has pods that write answers; leave it out")
    sizes = Parallelism.of(role.part("parallelism"))
    template = pod(role, shared, Accelerator.of(given.part("accelerator"), role), sizes)
    spec: Json = {"replicas": role.number("replicas", 1), "parallelism": sizes.to_json()}
    if role.part("autoscaling").flag("enabled", default=False):
        del spec["replicas"]
        role.report.left[role.at("autoscaling.enabled")] = (
            "the number of pods is left to your autoscaler; point it at the Deployment that the service becomes, or set scaling"
        )
    if not role.part("monitoring").part("podmonitor").flag("enabled", default=False):
        role.take("monitoring")
    spec["annotations"] = role.mapping("podAnnotations")
    spec["template"] = template
    if multinode:
        spec["worker"] = copy.deepcopy(template)
    return filled(spec)


def _prefill(given: Values, shared: Shared, *, multinode: bool) -> Json:
    """Return the prefill pods; without any the chart makes none that serve, and its sidecar does nothing."""
    role = given.part("prefill")
    scaled = role.part("autoscaling").flag("enabled", default=False)
    if role.flag("create", default=True) and (scaled or role.number("replicas", 0) > 0):
        given.part("routing").part("proxy").take("enabled")
        return _role(given, "prefill", shared, multinode=multinode)
    if role.given.keys() - {"create", "replicas", "autoscaling"}:
        given.leave("prefill", "it has no replicas, so the service has no prefill pods")
    given.take("prefill")
    given.part("routing").take("proxy")
    return {}


def _tracing(tracing: Values) -> Json:
    if not tracing.flag("enabled", default=False):
        for name in tuple(tracing.given):
            tracing.take(name)
        return {}
    sampling = tracing.part("sampling")
    return {
        "exporterEndpoint": tracing.text("otlpEndpoint", "http://otel-collector:4317"),
        "sampler": sampling.text("sampler", "parentbased_traceidratio"),
        "samplerArg": str(sampling.take("samplerArg", "1.0")),
    }


def _reason(path: str) -> tuple[str, str]:
    """Return what to name, which is the whole part where one reason is true of it, and the reason."""
    role = next((each for each in ("decode.", "prefill.") if path.startswith(each)), "")
    plain = path.removeprefix(role)
    for start, reason in _REASONS.items():
        if plain == start or plain.startswith((f"{start}.", f"{start}[")):
            return role + start, reason
    return path, _UNKNOWN


def _templates(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _templates(below, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _templates(below, f"{path}[{index}]")
    elif isinstance(value, str) and "{{" in value:
        yield path
