# SPDX-License-Identifier: GPL-3.0-or-later
"""From a custom resource of either version to a typed service: checked, converted, with the defaults of the API server.

Source: KServe pkg/apis/serving/v1alpha2/{llm_inference_service_types,llm_inference_service_validation}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...kube.envelope import Envelope, as_applied, read_envelope
from ...kube.go_url import go_url
from ...kube.manifest import Json, value_at
from ...kube.names import LABEL_LENGTH, check_dns_label, check_dns_subdomain, quoted
from ...kube.problem import Problem
from ...kube.release import Since
from ...kube.schema_check import check
from ...kube.schema_faults import show
from ..kind import Loaded
from ..kserve.load import loaded, outside
from ..kserve.releases import KServe
from ..kserve.storage.address import without_quotes
from .admission import (
    adapters,
    confidential,
    offloading,
    rollout,
    routing,
    scaling,
    scheduler,
    workloads,
)
from .conversion import OLD_API_VERSION, to_v1alpha2
from .labels import GROUP_LABEL
from .managed_devices import annotation_problems
from .schema import spec_schema
from .settings import Settings
from .spec import API_VERSION, KIND, LlmInferenceService

#: Whether services carry the label of their group.
_MARKS_GROUPS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
#: Rules about these as a whole say nothing about the fields in them.
_WHOLE = frozenset({"spec", "spec.prefill"})


def load(document: Json, settings: Settings) -> Loaded[LlmInferenceService]:
    """Return the service that a custom resource describes, and every problem of it. No service where there is an error."""
    api_version = OLD_API_VERSION if document.get("apiVersion") == OLD_API_VERSION else API_VERSION
    version = api_version.partition("/")[2]
    envelope = read_envelope(document, api_version, KIND)
    spec = check(
        spec_schema(version, settings.release), document.get("spec") or {}, "spec", keep_empty=True
    )
    found = [*envelope.problems, *spec.problems, *_name_problems(envelope)]
    found += _address_problems(spec.value.get("model"))
    found += annotation_problems(envelope.annotations, settings.release)
    found += _adapter_problems(value_at(spec.value, ("model", "lora", "adapters")))
    judged = [
        *_refused(spec.value, envelope.name, version, settings),
        *_warned(spec.value, version, settings),
    ]

    def make() -> LlmInferenceService:
        written = {"apiVersion": api_version, "kind": KIND}
        applied = to_v1alpha2(as_applied({**written, "spec": document.get("spec")}, envelope))
        stored: Json = to_v1alpha2({**written, "spec": spec.value})["spec"]
        _write_address(stored.get("model") or {})
        if _MARKS_GROUPS.at(settings.release):
            _write_group(applied["metadata"], value_at(stored, ("router", "route", "group")))
        return LlmInferenceService(**outside(applied, envelope), version=version, spec=stored)

    return loaded(found, judged, make, _WHOLE)


def _write_group(metadata: Json, group: str | None) -> None:
    """Write the label by which the members of a group find each other, as KServe's webhook does; without a group there is none."""
    others = {
        key: text
        for key, text in (metadata.pop("labels", None) or {}).items()
        if key != GROUP_LABEL
    }
    labels = {**others, **({} if group is None else {GROUP_LABEL: group})}
    if labels:
        metadata["labels"] = labels


def _write_address(model: Json) -> None:
    """Write the model's URI as the controller's own types do when they store it: scheme in lower case, the rest escaped."""
    if model.get("uri"):
        model["uri"] = go_url(model["uri"])


def _address_problems(model: Any) -> Iterator[Problem]:
    """Yield why the webhook cannot read the model's URI."""
    uri = model.get("uri") if isinstance(model, dict) else None
    if not isinstance(uri, str):
        return
    try:
        go_url(uri)
    except ValueError as error:
        bare = without_quotes(uri)
        way = f"the quotes are part of the text: write {bare}" if bare else "write it as a URL"
        yield Problem("spec.model.uri", f"{error}; {way}", rule="model")


def _adapter_problems(adapters: Any) -> Iterator[Problem]:
    """Yield what the webhook cannot read of adapters, of which the CRD says nothing."""
    path = "spec.model.lora.adapters"
    if adapters is not None and not isinstance(adapters, list):
        yield Problem(path, f"{show(adapters)} is not a list", rule="type")
        return
    for number, adapter in enumerate(adapters or ()):
        where = f"{path}[{number}]"
        if adapter is not None and not isinstance(adapter, dict):
            yield Problem(where, f"{show(adapter)} is not a map of fields", rule="type")
            continue
        for field in ("name", "uri"):
            value = (adapter or {}).get(field)
            if value is not None and not isinstance(value, str):
                yield Problem(f"{where}.{field}", f"{show(value)} is not a string", rule="type")


def _refused(spec: Json, service: str, version: str, settings: Settings) -> Iterator[Problem]:
    """Yield what the webhook refuses. What it says of one workload's scaling, the schema has said already."""
    rules = (
        routing.errors(spec, version, settings.release),
        workloads.errors(spec),
        scheduler.errors(spec),
        scaling.mixed(spec, settings.release),
        adapters.errors(spec, service, version, settings.release),
        offloading.errors(spec),
        rollout.errors(spec),
        routing.group_errors(spec),
        confidential.errors(spec),
    )
    for rule in rules:
        for error in rule:
            yield error.as_problem()


def _warned(spec: Json, version: str, settings: Settings) -> Iterator[Problem]:
    yield from confidential.warnings(spec)
    if routing.redundant_parents(spec, version, settings.release):
        path = "spec.router.route.http.spec.parentRefs"
        yield Problem(path, routing.REDUNDANT, "warning", rule="redundant-parents")


def _name_problems(envelope: Envelope) -> Iterator[Problem]:
    """Yield why the name cannot be: the API takes names that no child can have."""
    name: Any = envelope.name
    if not name:
        return
    fault = check_dns_subdomain(name)
    if fault is None and len(name) > LABEL_LENGTH:
        fault = (
            f"{quoted(name)} has {len(name)} characters, at most {LABEL_LENGTH} are allowed: "
            "it is the value of labels"
        )
    if fault is None and "." in name:
        fault = f'{quoted(name)} has a ".", which the name of its Service must not have; write "-"'
    if fault is not None:
        yield Problem("metadata.name", fault, rule="name")
    elif check_dns_label(name) is not None:
        digit = "begins with a digit, so that Kubernetes before 1.34 refuses its Service"
        yield Problem("metadata.name", f"{quoted(name)} {digit}", "warning", rule="name")
