# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is wrong with a service: by itself, and under a cluster's configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ....kube.did_you_mean import nearest
from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.modes import KNATIVE, LEGACY, MODE_ANNOTATION, MODES, STANDARD, canonical_mode
from ...kserve.releases import KServe
from ...kserve.system_config import CONFIG_MAP, SystemConfig
from ..gpus import GPU_TYPES_ANNOTATION, annotated_gpus
from ..spec import ROLES, InferenceService
from .canary import canary_mode_problems, canary_problems
from .components import component_problems
from .confidential import confidential_problems
from .environment import environment_problems
from .extension import extension_problems
from .multi_node import device_problems, multi_node_problems
from .naming import length_problems
from .scaling import class_problems, metric_problems, scaling_problems
from .storage import storage_problems

_PERCENT = re.compile(r"[0-9]+%", re.ASCII)


def own_problems(spec: Json, annotations: Mapping[str, str], release: KServe) -> Iterator[Problem]:
    """Yield what is wrong with a service wherever it is run. spec: with the defaults of its schema."""
    mode = canonical_mode(annotations.get(MODE_ANNOTATION, ""))
    yield from class_problems(annotations)
    if annotated_gpus(annotations) is None:
        message = f"{show(annotations[GPU_TYPES_ANNOTATION])} is not a JSON list of names"
        read = spec["predictor"].get("workerSpec") is not None
        yield Problem(
            f'metadata.annotations["{GPU_TYPES_ANNOTATION}"]',
            message if read else f"{message}; nobody reads it, since the service has no workerSpec",
            "error" if read else "warning",
            rule="gpu-type",
        )
    yield from multi_node_problems(spec["predictor"], annotations)
    yield from confidential_problems(spec["predictor"])
    for role in ROLES:
        component = spec.get(role)
        if component is not None:
            yield from component_problems(component, role)
            yield from extension_problems(component, role)
            yield from metric_problems(component, f"spec.{role}")
            yield from environment_problems(component, role, release)
            yield from storage_problems(component, role, mode)
    yield from canary_problems(spec, mode, release)


def admission_problems(service: InferenceService, config: SystemConfig) -> Iterator[Problem]:
    """Yield what KServe's webhook refuses of a service under a configuration. service: with all defaults."""
    yield from device_problems(service.spec["predictor"], service.annotations, config.gpu_types)
    for role in service.roles:
        yield from scaling_problems(service.spec[role], f"spec.{role}", service.annotations)
    yield from canary_mode_problems(service)


def placed_problems(
    service: InferenceService, mode: str, config: SystemConfig
) -> Iterator[Problem]:
    """Yield why a service cannot be brought up under a configuration. service: with all defaults."""
    yield from length_problems(service, mode)
    if mode == STANDARD and MODE_ANNOTATION not in config.disallowed_annotations:
        yield from _other_modes(service)
    for role in service.roles:
        if mode == STANDARD and service.spec[role].get("deploymentStrategy") is None:
            yield from _rollout(config, f"spec.{role}")


def _other_modes(service: InferenceService) -> Iterator[Problem]:
    """Yield the words for a mode that make objects of Standard mode impossible: KServe looks at them once more for each component."""
    words = {"metadata": service.annotations.get(MODE_ANNOTATION, "")}
    for role in service.roles:
        own = service.spec[role].get("annotations") or {}
        if MODE_ANNOTATION in own:
            words[f"spec.{role}"] = own[MODE_ANNOTATION]
    if len(words) > len(service.roles):
        # Each component has a word of its own, so that nobody reads the service's.
        del words["metadata"]
    for path, word in words.items():
        if canonical_mode(word) not in ("", STANDARD):
            message = f"{show(word)}: the service is run as {STANDARD}, and its components are run alike; {_mode_meant(word)}"
            yield Problem(f'{path}.annotations["{MODE_ANNOTATION}"]', message, rule="mode")


def _mode_meant(word: str) -> str:
    """Return what to write in the place of a mode that does not fit."""
    if canonical_mode(word) in MODES:
        return f"leave it out, or write {STANDARD}"
    meant = nearest(word, (*MODES, *LEGACY))
    return f"write {canonical_mode(meant)}" if meant else f"write {STANDARD} or {KNATIVE}"


def _rollout(config: SystemConfig, path: str) -> Iterator[Problem]:
    """Yield what the API refuses of the configured rollout: KServe hands it on as text, which has to be a percentage."""
    deploy = config.deploy
    if not deploy.rollout or deploy.default_mode != STANDARD:
        return
    for field, value in (
        ("maxSurge", deploy.max_surge),
        ("maxUnavailable", deploy.max_unavailable),
    ):
        if value and not _PERCENT.fullmatch(value):
            where = f"{CONFIG_MAP}: deploy.deploymentRolloutStrategy.defaultRollout.{field}"
            message = f"{where}: {show(value)} is not a percentage; correct it, or give the component a strategy of its own"
            yield Problem(f"{path}.deploymentStrategy", message, rule="rollout")
