# SPDX-License-Identifier: GPL-3.0-or-later
"""How a service is run: by Deployments (`Standard`) or by Knative. Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0.

ModelMesh is known and refused: its pods are made by a controller of its own, which this collection does not take the place of.
"""

from __future__ import annotations

from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.schema_faults import show
from ..kserve.modes import MODE_ANNOTATION, MODEL_MESH, MODES, canonical_mode
from ..kserve.system_config import CONFIG_MAP, SystemConfig
from .spec import InferenceService

_ANNOTATION = f'metadata.annotations["{MODE_ANNOTATION}"]'


def deployment_mode(service: InferenceService, config: SystemConfig, live: Json | None) -> str:
    """Return the mode of a service, empty where nothing says it.

    live: the custom resource as the cluster has it. The mode of a service that runs stays; a word from before 0.16 that its
    status holds is read as today's.
    """
    running = value_at(live or {}, ("status", "deploymentMode"))
    if running:
        return canonical_mode(running)
    if MODE_ANNOTATION not in config.disallowed_annotations:
        wanted = canonical_mode(service.annotations.get(MODE_ANNOTATION, ""))
        if wanted in MODES:
            return wanted
    return config.deploy.default_mode


def mode_change(service: InferenceService, live: Json | None) -> Problem | None:
    """Return why a service that runs may not get the mode that it asks for, None where it may."""
    running = value_at(live or {}, ("status", "deploymentMode"))
    wanted = service.annotations.get(MODE_ANNOTATION, "")
    # A word that is no mode was without effect when it was first written; nobody changes anything by keeping it.
    kept = value_at(live or {}, ("metadata", "annotations", MODE_ANNOTATION)) == wanted
    changes = canonical_mode(wanted) != canonical_mode(running or "")
    if running and wanted and changes and not (kept and canonical_mode(wanted) not in MODES):
        return Problem(
            _ANNOTATION,
            f"{show(wanted)}: the service runs as {canonical_mode(running)}, and KServe refuses a change (update rejected: "
            f"deploymentMode cannot be changed from '{running}' to '{wanted}'); delete the service and create it again, "
            "or give the new one another name",
            rule="mode-change",
        )
    return None


def mode_problem(
    service: InferenceService, config: SystemConfig, live: Json | None
) -> Problem | None:
    """Return why a service cannot be run in its mode, None where it can."""
    mode = deployment_mode(service, config, live)
    if mode == MODEL_MESH:
        return Problem(
            _ANNOTATION,
            "ModelMesh is not supported: pods of that mode are made by the ModelMesh controller, not from this resource alone; "
            "write Standard, or leave the service to KServe with `reconciler: controller`",
            rule="mode",
        )
    if not mode:
        return Problem(
            _ANNOTATION,
            f"missing, and {CONFIG_MAP} has no block `deploy` that says a default, so that KServe could only fail again and again; "
            "write Standard or Knative",
            rule="mode",
        )
    return None
