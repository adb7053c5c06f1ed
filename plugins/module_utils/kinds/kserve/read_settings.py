# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of KServe reads of the options `settings` and `releases` of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...kube.manifest import Json
from ...kube.names import check_dns_subdomain, check_namespace
from ...kube.problem import Complaint, InputError, Problem
from ...kube.release import Backing, newest_proved
from ...kube.schema import Object, Schema, Text
from ...kube.schema_check import check
from ..options import as_ansible_means, meant_for, wanted_release
from .releases import KServe

#: The fields that all kinds read.
COMMON: Mapping[str, Schema] = {
    "kserve_namespace": Text(
        description="Where `inferenceservice-config` and what services share is.", default="kserve"
    ),
    "cluster_domain": Text(description="DNS domain of the cluster.", default="cluster.local"),
}
_COMMON_CHECKS: Mapping[str, Callable[[str], str | None]] = {
    "kserve_namespace": check_namespace,
    "cluster_domain": check_dns_subdomain,
}


def read_settings(
    schema: Object,
    options: Mapping[str, Any],
    releases: Mapping[str, str],
    backing: Mapping[KServe, Backing],
    checks: Mapping[str, Callable[[str], str | None]],
) -> tuple[KServe, Json]:
    """Return the wanted release of KServe and the settings, by their names; what other kinds read is passed over.

    backing: how far the kind reproduces each release.
    checks: what keeps the texts of a kind's own settings from being right.
    Raises InputError that holds everything wrong with both options.
    """
    proved = newest_proved(backing)
    release, problems = wanted_release(releases.get("kserve"), backing, proved, found=True)
    given = as_ansible_means(schema, meant_for(schema, options))
    checked = check(schema, given, "settings")
    value: Json = checked.value
    faults = {key: look(value[key]) for key, look in {**_COMMON_CHECKS, **checks}.items()}
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
    return release, value
