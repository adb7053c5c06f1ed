# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the environment of KServe's controller under our option names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...kube.names import check_dns_subdomain, check_namespace
from ...kube.problem import Complaint, InputError, Problem
from ...kube.schema import Object, Text
from ...kube.schema_check import check
from ..kserve.settings_schema import CLUSTER_DOMAIN, KSERVE_NAMESPACE
from ..options import as_ansible_means, wanted_release
from .releases import RELEASES, V0_17, Release

DEFAULT_RELEASE = "0.17"

PodMutation = Literal["auto", "webhook", "rendered"]
POD_MUTATIONS: tuple[PodMutation, ...] = ("auto", "webhook", "rendered")

#: The option `settings` of a task as far as this kind reads it.
SETTINGS = Object(
    description="How KServe's controller would be run.",
    fields={
        "kserve_namespace": KSERVE_NAMESPACE,
        "cluster_domain": CLUSTER_DOMAIN,
        "pod_mutation": Text(
            description="Who brings models, agents and metrics into pods: KServe's webhook, the rendered pods themselves, "
            "or whichever fits the cluster.",
            enum=POD_MUTATIONS,
            default="auto",
        ),
    },
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One release and how its controller is run. Defaults are the controller's.

    kserve_namespace: where `inferenceservice-config` is (POD_NAMESPACE). cluster_domain: DNS domain of the cluster (CLUSTER_DOMAIN).
    pod_mutation: `webhook` leaves the pods to KServe's webhook, `rendered` does its work here, `auto` looks whether the webhook is there.
    """

    release: Release = V0_17
    kserve_namespace: str = "kserve"
    cluster_domain: str = "cluster.local"
    pod_mutation: PodMutation = "auto"


def make_settings(options: Mapping[str, Any], releases: Mapping[str, str]) -> Settings:
    """Return the settings of the wanted release of KServe.

    options: the task's `settings`; what other kinds read is passed over. releases: the task's `releases`.
    Raises InputError that holds everything wrong with both.
    """
    release, problems = wanted_release(releases, "kserve", RELEASES, DEFAULT_RELEASE)
    given = {
        key: value for key, value in options.items() if value is not None and key in SETTINGS.fields
    }
    checked = check(SETTINGS, as_ansible_means(SETTINGS, given), "settings")
    value = checked.value
    faults = {
        "kserve_namespace": check_namespace(value["kserve_namespace"]),
        "cluster_domain": check_dns_subdomain(value["cluster_domain"]),
    }
    found = [
        *problems,
        *checked.problems,
        *(
            Problem(f"settings.{key}", fault, rule="name")
            for key, fault in faults.items()
            if fault and f"settings.{key}" not in checked.broken
        ),
    ]
    if found:
        raise InputError([Complaint("settings", tuple(found))])
    return Settings(release=release, **value)
