# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pods of a pool have the roles that a configuration's filters look for.

The filters of disaggregated serving read one label of a pod; which of its values they take changed with llm-d 0.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..kube.manifest import Json
from .check import Report
from .findings import Finding, warning
from .releases import Generation, PickerRelease
from .workloads import as_map, pod_labels

LABEL = "llm-d.ai/role"
_BOTH = "both"
#: Roles of pods that do one stage alone and answer no request by themselves.
_STAGES = ("encode", "prefill")

#: Filter → values that it takes until 0.6, and from 0.7 on; None stands for a pod without the label.
_TAKEN: Mapping[str, tuple[frozenset[str | None], frozenset[str | None]]] = {
    "decode-filter": (
        frozenset({"decode", "both", None}),
        frozenset({"decode", "prefill-decode", "both", "encode-prefill-decode", None}),
    ),
    "prefill-filter": (
        frozenset({"prefill"}),
        frozenset({"prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"}),
    ),
    "encode-filter": (
        frozenset(),
        frozenset({"encode", "encode-prefill", "encode-prefill-decode"}),
    ),
}


def role_findings(
    workloads: Iterable[Json], pool: Json | None, report: Report, release: PickerRelease
) -> Iterator[Finding]:
    """Yield filters that no pod passes, and pods that pass no filter.

    workloads: pods, or what has a pod template. pool: its selector says which of them count; all do without one.
    """
    labels = [pod_labels(workload) for workload in workloads]
    selector = _selector(pool)
    members = [each for each in labels if selector.items() <= each.items()]
    if labels and not members:
        yield Finding(
            "pool-without-pods",
            "error",
            "pool.spec.selector",
            selector,
            f"the pool selects none of the given workloads: it wants {_told(selector)}, and they have {_told(labels[0])}",
            "correct the selector, or the labels of the pods",
        )
        return
    roles = [each.get(LABEL) for each in members]
    filters = _filters_in_use(report)
    taken = {kind: _taken(kind, release) for kind in filters.values()}
    for name, kind in filters.items():
        if members and taken[kind].isdisjoint(roles):
            yield _nobody(name, roles, taken[kind], release)
    if not filters and not _looks_at_roles(report):
        yield from _mixed(roles)
    for role in sorted({role for role in roles if role is not None}):
        if filters and not any(role in values for values in taken.values()):
            yield warning(
                "role-without-filter",
                f"workloads.metadata.labels[{LABEL}]",
                role,
                f"no filter of the configuration lets pods with the role {role} through in {release.target}: they idle",
                "give them another role, or add a profile for it",
            )


def _mixed(roles: list[str | None]) -> Iterator[Finding]:
    """Yield pods for one stage alone that get whole requests, since nothing keeps the stages apart."""
    alone = sorted({role for role in roles if role in _STAGES})
    if alone and set(roles) - set(alone):
        named = " and ".join(alone)
        yield warning(
            "role-unused",
            f"workloads.metadata.labels[{LABEL}]",
            named,
            f"no filter of the configuration looks at roles, so pods with the role {named} get whole requests like all others",
            "declare a profile with a filter for each role, and disagg-profile-handler (pd-profile-handler until llm-d 0.6)",
        )


def _looks_at_roles(report: Report) -> bool:
    """Tell whether a plugin names the label of roles."""
    return any(LABEL in str(each.get("parameters")) for each in report.config.get("plugins", ()))


def _told(labels: Json) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items())) or "no labels"


def _taken(kind: str, release: PickerRelease) -> frozenset[str | None]:
    """Return the roles that a filter takes. 0.11 no longer knows `both`."""
    taken = _TAKEN[kind][release.generation >= Generation.V1_4]
    return taken - {_BOTH} if release.generation >= Generation.V0_11 else taken


def _nobody(
    name: str, roles: list[str | None], taken: frozenset[str | None], release: PickerRelease
) -> Finding:
    wanted = ", ".join(sorted(value for value in taken if value))
    found = ", ".join(sorted({role or "no role" for role in roles}))
    return Finding(
        "role-without-pods",
        "error",
        f"workloads.metadata.labels[{LABEL}]",
        found,
        f"{name} lets only pods with {LABEL} {wanted} through in {release.target}, and the pods have {found}",
        "label the pods for the role",
    )


def _filters_in_use(report: Report) -> dict[str, str]:
    """Return name → type of the role filters that profiles refer to."""
    names = {
        reference.get("pluginRef", "")
        for profile in report.config.get("schedulingProfiles", [])
        for reference in profile.get("plugins", [])
    }
    return {
        name: kind for name, kind in report.instances.items() if kind in _TAKEN and name in names
    }


def _selector(pool: Json | None) -> dict[str, str]:
    """Return the labels that a pool selects by; v1alpha2 has them without `matchLabels`."""
    selector = as_map(as_map((pool or {}).get("spec")).get("selector"))
    labels = as_map(selector.get("matchLabels", selector))
    return {str(key): str(value) for key, value in labels.items()}
