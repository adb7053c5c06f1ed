# SPDX-License-Identifier: GPL-3.0-or-later
"""From a custom resource to a typed service: checked, with the defaults of its schema.

What depends on a cluster's configuration follows in resolve.py. Source: KServe
pkg/apis/serving/v1beta1/{inference_service_defaults,inference_service_validation}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kube.envelope import as_applied, read_envelope
from ...kube.manifest import Json
from ...kube.schema_check import check
from ..kind import Loaded
from ..kserve.framework import FRAMEWORKS
from ..kserve.load import loaded, outside
from .admission.naming import name_problems
from .admission.service import own_problems
from .implementations import KSERVE_CONTAINER
from .pod_fields import WRITTEN_WHOLE
from .schema import spec_schema
from .settings import Settings
from .spec import API_VERSION, KIND, ROLES, InferenceService

#: Fields beside which containers are helpers.
_SERVERS = (*FRAMEWORKS, "model", "art")


def load(document: Json, settings: Settings) -> Loaded[InferenceService]:
    """Return the service that a custom resource describes, and every problem of it. No service where there is an error."""
    envelope = read_envelope(document, API_VERSION, KIND)
    written = _with_names(document.get("spec") or {})
    spec = check(spec_schema(settings.release), written, "spec")
    found = [*envelope.problems, *spec.problems]
    judged = [
        *name_problems(envelope.name),
        *own_problems(spec.value, envelope.annotations, settings.release),
    ]

    def make() -> InferenceService:
        whole = _with_whole_lists(written, spec.value)
        applied = as_applied({"apiVersion": API_VERSION, "kind": KIND, "spec": whole}, envelope)
        return InferenceService(**outside(applied, envelope), spec=spec.value)

    return loaded(found, judged, make)


def _with_names(spec: Any) -> Any:
    """Return a spec in which the first container of each component has a name, where it does the component's work.

    KServe's webhook gives it one; without the webhook the API refuses a container that has none.
    """
    if not isinstance(spec, Mapping):
        return spec
    named: dict[str, Any] = {
        role: _named(spec[role]) for role in ROLES if isinstance(spec.get(role), Mapping)
    }
    canaries = spec.get("canary")
    if isinstance(canaries, list):
        named["canary"] = [_canary_named(each) for each in canaries]
    return {**spec, **named}


def _canary_named(canary: Any) -> Any:
    predictor = canary.get("predictor") if isinstance(canary, Mapping) else None
    return {**canary, "predictor": _named(predictor)} if isinstance(predictor, Mapping) else canary


def _with_whole_lists(written: Json, stored: Json) -> Json:
    """Return a spec as it is applied: lists that are owned as a whole have the defaults that the API server writes into them.

    Else what is read back of them would differ from what was sent.
    """
    return {
        **written,
        **{role: _whole(written[role], stored[role]) for role in ROLES if written.get(role)},
        **({"canary": stored["canary"]} if written.get("canary") else {}),
    }


def _whole(written: Json, stored: Json) -> Json:
    lists = (*WRITTEN_WHOLE, "storageUris")
    filled = {name: stored[name] for name in lists if written.get(name) and name in stored}
    if written.get("workerSpec"):
        filled["workerSpec"] = _whole(written["workerSpec"], stored["workerSpec"])
    return {**written, **filled}


def _named(component: Mapping[str, Any]) -> Mapping[str, Any]:
    containers = component.get("containers")
    if any(component.get(field) is not None for field in _SERVERS):
        return component
    if not isinstance(containers, list) or not containers:
        return component
    first = containers[0]
    if not isinstance(first, Mapping) or first.get("name") not in (None, ""):
        return component
    return {**component, "containers": [{**first, "name": KSERVE_CONTAINER}, *containers[1:]]}
