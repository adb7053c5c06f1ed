# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the operator's flags under our option names, with the release's defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...kube.manifest import Json
from ...kube.names import check_dns_subdomain, check_label_value, check_namespace
from ...kube.problem import Complaint, InputError, Problem
from ...kube.quantity import canonical_quantity, parse_quantity
from ...kube.release import Since
from ...kube.schema import Object
from ...kube.schema_check import check
from ...kube.schema_faults import show
from ..options import BOOLEANS, as_ansible_means, meant_for, wanted_release
from .releases import BACKING, DEFAULT, ModelOperator
from .settings_schema import SETTINGS

#: The gateway of default routes where the settings name none.
_DEFAULT_GATEWAY: Since[str] = Since(
    {
        ModelOperator.V0_9_0_ALPHA_2: "llm-d-infra-inference-gateway",
        ModelOperator.V1_0_1: "otterscale-llm-d-infra-inference-gateway",
    }
)


@dataclass(frozen=True, slots=True)
class Tracing:
    """OpenTelemetry of picker and proxy. Empty sampler texts are left out of the environment."""

    enabled: bool = False
    otel_endpoint: str = ""
    sampler: str = "parentbased_traceidratio"
    sampler_arg: str = "0.01"


@dataclass(frozen=True, slots=True)
class Settings:
    """One release with its flags.

    model_kit_image: empty drops the init container that unpacks the model.
    gateway_name: empty switches the default route off. gateway_namespace: where the default route's gateway lives.
    operator_version: value of the version label, empty for none.
    plain_http: whether the model registry is called without TLS, as the operator does.
    shared_memory: size limit of a memory-backed /dev/shm for tensor parallel roles; empty text for no limit, None for no volume.
    drain_seconds: how long a serving pod keeps answering after it was told to end.
    """

    release: ModelOperator
    engine_image: str
    endpoint_picker_image: str
    routing_proxy_image: str
    model_kit_image: str
    gateway_name: str
    operator_version: str
    gateway_namespace: str = "llm-d"
    cluster_domain: str = "cluster.local"
    provider: str = "istio"
    metrics_endpoint_auth: bool = True
    tracing: Tracing = Tracing()
    plain_http: bool = True
    shared_memory: str | None = None
    drain_seconds: int = 0


def make_settings(options: Mapping[str, Any], releases: Mapping[str, str]) -> Settings:
    """Return the settings of the wanted release of model-operator.

    options: the task's `settings`; what other kinds read is passed over. releases: the task's `releases`.
    Raises InputError that holds everything wrong with both.
    """
    release, release_problems = wanted_release(releases.get("model_operator"), BACKING, DEFAULT)
    shared_memory, memory_problems = _shared_memory(options.get("shared_memory"))
    groups: Json = {
        name: {} for name, field in SETTINGS.fields.items() if isinstance(field, Object)
    }
    given = meant_for(SETTINGS, options)
    given.pop("shared_memory", None)
    checked = check(SETTINGS, as_ansible_means(SETTINGS, {**groups, **given}), "settings")
    value: Json = checked.value
    value.setdefault("gateway_name", _DEFAULT_GATEWAY.at(release))
    value.setdefault("operator_version", f"v{release}")
    named = {path: value.get(path.removeprefix("settings."), "") for path in _TEXT_CHECKS}
    problems = [
        *release_problems,
        *memory_problems,
        *checked.problems,
        *(problem for path, text in named.items() for problem in _text_problems(path, text)),
    ]
    if problems:
        raise InputError([Complaint("settings", tuple(problems))])
    return _settings(value, release, shared_memory)


def _settings(value: Json, release: ModelOperator, shared_memory: str | None) -> Settings:
    images = value["images"]
    return Settings(
        release=release,
        engine_image=images["engine"],
        endpoint_picker_image=images["endpoint_picker"],
        routing_proxy_image=images["routing_proxy"],
        model_kit_image=images["model_kit"],
        gateway_name=value["gateway_name"],
        operator_version=value["operator_version"],
        gateway_namespace=value["gateway_namespace"],
        cluster_domain=value["cluster_domain"],
        provider=value["provider"],
        metrics_endpoint_auth=value["metrics_endpoint_auth"],
        tracing=Tracing(**value["tracing"]),
        plain_http=value["model_registry"]["plain_http"],
        shared_memory=shared_memory,
        drain_seconds=value["drain_seconds"],
    )


def _shared_memory(value: Any) -> tuple[str | None, list[Problem]]:
    """Return the size limit: an empty text for none, None for no volume."""
    if isinstance(value, str):
        value = BOOLEANS.get(value.lower(), value)
    if value is None or value is False:
        return None, []
    if value is True:
        return "", []
    try:
        if parse_quantity(value) > 0:
            return canonical_quantity(value), []
    except (ValueError, TypeError):
        pass
    message = f"{show(value)} is neither true, false nor an amount of memory such as 16Gi"
    return None, [Problem("settings.shared_memory", message, rule="shared-memory")]


_TEXT_CHECKS: dict[str, Callable[[str], str | None]] = {
    "settings.gateway_name": check_dns_subdomain,
    "settings.gateway_namespace": check_namespace,
    "settings.cluster_domain": check_dns_subdomain,
    "settings.operator_version": check_label_value,
}


def _text_problems(path: str, text: str) -> Iterator[Problem]:
    fault = _TEXT_CHECKS[path](text) if text else None
    if fault:
        yield Problem(path, fault, rule="name")
