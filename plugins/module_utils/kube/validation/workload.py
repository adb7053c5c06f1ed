# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of objects that make pods. Source: k8s.io/kubernetes v1.36.3, pkg/apis/apps/validation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..manifest import Json, value_at
from ..problem import Problem
from ..schema_faults import show
from ..selector import selects
from .metadata import annotation_problems, label_problems, selector_problems
from .pod import pod_problems
from .probes import HANDLERS, PROBES

#: Where a Deployment that does not say is given up, in seconds.
_DEADLINE = 600
_WHOLE = 100
#: Where templates of pods stand for which a workload makes claims.
_TEMPLATES = ("template", "leaderTemplate", "workerTemplate")
#: What Knative calls a container without a name.
_KNATIVE_NAME = "user-container"
_PERCENT = re.compile(r"([0-9]+)%", re.ASCII)


def pod_object_problems(pod: Json) -> Iterator[Problem]:
    """Yield what is wrong with a Pod."""
    yield from pod_problems(pod["spec"], "spec")


def deployment_problems(deployment: Json) -> Iterator[Problem]:
    """Yield what is wrong with a Deployment."""
    spec = deployment["spec"]
    yield from _strategy(spec.get("strategy") or {}, "spec.strategy")
    ready, deadline = spec.get("minReadySeconds", 0), spec.get("progressDeadlineSeconds", _DEADLINE)
    if deadline <= ready:
        message = f"{deadline} is not more than minReadySeconds, {ready}"
        yield Problem("spec.progressDeadlineSeconds", message, rule="workload")
    yield from replicated_problems(deployment)


def with_claimed_volumes(workload: Json) -> Json:
    """Return a StatefulSet or LeaderWorkerSet as its pods get it: each claim that it makes for a pod is a volume of the claim's name."""
    spec = workload.get("spec")
    groups = value_at(workload, ("spec", "leaderWorkerTemplate"))
    home = groups if isinstance(groups, dict) else spec
    claims = home.get("volumeClaimTemplates") if isinstance(home, dict) else None
    if not isinstance(home, dict) or not isinstance(spec, dict) or not isinstance(claims, list):
        return workload
    names = [
        name for each in claims if isinstance(name := value_at(each, ("metadata", "name")), str)
    ]
    filled = {field: _with_volumes(home[field], names) for field in _TEMPLATES if home.get(field)}
    judged = {**home, **filled}
    return {
        **workload,
        "spec": judged if home is spec else {**spec, "leaderWorkerTemplate": judged},
    }


def _with_volumes(template: Any, names: Sequence[str]) -> Any:
    pod = value_at(template, ("spec",))
    volumes = pod.get("volumes") or [] if isinstance(pod, dict) else None
    if not isinstance(volumes, list):
        return template
    own = [each for each in volumes if not isinstance(each, dict) or each.get("name") not in names]
    made = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    return {**template, "spec": {**pod, "volumes": [*own, *made]}}


def replicated_problems(workload: Json) -> Iterator[Problem]:
    """Yield what is wrong with a workload that keeps pods running which its selector takes."""
    spec = workload["spec"]
    selector = spec.get("selector")
    faults = list(selector_problems(selector, "spec.selector"))
    yield from faults
    labels = value_at(spec, ("template", "metadata", "labels")) or {}
    if selector is not None and not (
        selector.get("matchLabels") or selector.get("matchExpressions")
    ):
        yield Problem(
            "spec.selector", "empty: it has to take the workload's own pods", rule="workload"
        )
    elif selector is not None and not faults and not selects(selector, labels):
        message = f"the selector of the workload does not take pods with the labels {show(labels)}"
        yield Problem("spec.template.metadata.labels", message, rule="workload")
    yield from running_problems(spec["template"], "spec.template")


def running_problems(template: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with the template of pods that run until somebody ends them."""
    yield from template_problems(template, path)
    pod = template["spec"]
    if pod.get("restartPolicy") in ("OnFailure", "Never"):
        message = f"{show(pod['restartPolicy'])} is not Always, the one policy of pods that are kept running"
        yield Problem(f"{path}.spec.restartPolicy", message, rule="workload")
    if pod.get("activeDeadlineSeconds") is not None:
        message = "pods that are kept running have no deadline; leave it out"
        yield Problem(f"{path}.spec.activeDeadlineSeconds", message, rule="workload")


def template_problems(template: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with the template of pods."""
    metadata = template.get("metadata") or {}
    yield from label_problems(metadata.get("labels") or {}, f"{path}.metadata.labels")
    yield from annotation_problems(
        metadata.get("annotations") or {}, f"{path}.metadata.annotations"
    )
    yield from pod_problems(template["spec"], f"{path}.spec")
    if template["spec"].get("ephemeralContainers"):
        message = "are put into pods that run, not into their template"
        yield Problem(f"{path}.spec.ephemeralContainers", message, rule="workload")


def job_problems(job: Json) -> Iterator[Problem]:
    """Yield what is wrong with a Job."""
    template = job["spec"]["template"]
    yield from template_problems(template, "spec.template")
    policy = template["spec"].get("restartPolicy") or "Always"
    if policy == "Always":
        message = f"{show(policy)} is not one of OnFailure, Never, since a Job ends"
        yield Problem("spec.template.spec.restartPolicy", message, rule="workload")


def groups_problems(groups: Json) -> Iterator[Problem]:
    """Yield what is wrong with a LeaderWorkerSet: its controller makes StatefulSets of its templates."""
    template = groups["spec"]["leaderWorkerTemplate"]
    for name in ("leaderTemplate", "workerTemplate"):
        if template.get(name) is not None:
            yield from running_problems(template[name], f"spec.leaderWorkerTemplate.{name}")


def knative_problems(service: Json) -> Iterator[Problem]:
    """Yield what is wrong with the pods of a Knative Service, of which Knative makes Deployments."""
    template = service["spec"]["template"]
    pod = _as_knative_takes(template["spec"])
    yield from template_problems({**template, "spec": pod}, "spec.template")


def _as_knative_takes(pod: Json) -> Json:
    """Return a pod without the probes that Knative fills in: one for readiness that says no way, and any that says no port."""

    def judged(container: Json) -> Json:
        return {key: value for key, value in container.items() if not _is_filled_in(key, value)}

    return {**pod, "containers": [judged(one) for one in pod.get("containers") or ()]}


def _is_filled_in(field: str, value: Any) -> bool:
    return (
        field == "readinessProbe"
        and isinstance(value, dict)
        and not any(handler in value for handler in HANDLERS)
    )


def with_knative_defaults(manifest: Json) -> Json:
    """Return a Knative Service as Knative fills it in: containers have names, and probes that name port 0 get the container's own port."""
    pod = value_at(manifest, ("spec", "template", "spec"))
    if not isinstance(pod, dict) or not isinstance(pod.get("containers"), list):
        return manifest

    several = len(pod["containers"]) > 1

    def judged(number: int, container: Any) -> Any:
        if not isinstance(container, dict):
            return container
        name = f"{_KNATIVE_NAME}-{number}" if several else _KNATIVE_NAME
        kept = {key: value for key, value in container.items() if not _names_no_port(key, value)}
        return {**kept, "name": container.get("name") or name}

    spec = manifest["spec"]
    pods = {**pod, "containers": [judged(*each) for each in enumerate(pod["containers"])]}
    return {**manifest, "spec": {**spec, "template": {**spec["template"], "spec": pods}}}


def _names_no_port(field: str, value: Any) -> bool:
    if field not in PROBES or not isinstance(value, dict):
        return False
    ways = [value[handler] or {} for handler in HANDLERS if handler in value]
    return any(isinstance(way, dict) and way.get("port") == 0 for way in ways)


def _strategy(strategy: Json, path: str) -> Iterator[Problem]:
    rolling = strategy.get("rollingUpdate")
    if rolling is None:
        return
    if strategy.get("type") == "Recreate":
        yield Problem(f"{path}.rollingUpdate", "has no meaning with Recreate", rule="workload")
        return
    missing, more = rolling.get("maxUnavailable", "25%"), rolling.get("maxSurge", "25%")
    if _count(missing) == 0 and _count(more) == 0:
        message = "0 together with maxSurge 0: no pod could ever be replaced"
        yield Problem(f"{path}.rollingUpdate.maxUnavailable", message, rule="workload")
    if isinstance(missing, str) and _count(missing) > _WHOLE:
        message = f"{missing} is more than 100%"
        yield Problem(f"{path}.rollingUpdate.maxUnavailable", message, rule="workload")


def _count(value: int | str) -> int:
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else int(value)
