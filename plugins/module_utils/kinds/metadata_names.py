# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations by which an author tells somebody something: who reads them, and on which objects.

Source: KServe pkg/constants/constants.go@v0.20.0; Knative docs/serving/autoscaling; Kueue docs/tasks/run; Istio
docs/reference/config/annotations; KEDA docs/concepts/scaling-deployments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from .kserve.releases import KServe

_SWITCH = ("true", "false")
#: Knative, KEDA and LeaderWorkerSet read their own objects alone.
_KNATIVE, _KEDA, _GROUPS = "serving.knative.dev/", "keda.sh/", "leaderworkerset.x-k8s.io/"


@dataclass(frozen=True, slots=True)
class Name:
    """One name. values: words that it may have. since: first release of KServe that reads it. on_pods: it is read from pods, too.

    label: it is read as a label alone.
    """

    values: tuple[str, ...] = ()
    since: KServe = KServe.V0_17
    on_pods: bool = False
    label: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """Names with one prefix. who: reads them. objects: beginning of the apiVersion of the objects on which they are read; empty for all.

    copies: whether a copy on an object that is made is read there.
    instead: the name that does the same for services which have no such objects.
    names: those that are known; others are no fault where there are none.
    """

    who: str
    objects: str = ""
    copies: bool = True
    instead: str = ""
    names: Mapping[str, Name] = field(default_factory=dict)


_KSERVE = Family(
    who="KServe",
    copies=False,
    names={
        "autoscalerClass": Name(("hpa", "keda", "external", "none")),
        "deploymentMode": Name(("Standard", "Knative", "ModelMesh", "RawDeployment", "Serverless")),
        "disable-auto-update": Name(_SWITCH),
        "disable-localmodel": Name(),
        "enable-metric-aggregation": Name(_SWITCH, on_pods=True),
        "enable-prometheus-scraping": Name(_SWITCH, on_pods=True),
        "enable-tag-routing": Name(_SWITCH),
        "exp-dra-cel-selector": Name(since=KServe.V0_20),
        "exp-dra-container-name": Name(since=KServe.V0_20),
        "exp-dra-device-class": Name(since=KServe.V0_20),
        "exp-dra-device-count": Name(since=KServe.V0_20),
        "gke-accelerator": Name(on_pods=True),
        "gpu-resource-types": Name(),
        "logger-secret-file": Name(on_pods=True),
        "logger-secret-name": Name(on_pods=True),
        "logger-secret-path": Name(on_pods=True),
        "metrics": Name(("cpu", "memory")),
        "nodegroup": Name(),
        "stop": Name(_SWITCH),
        "storage-initializer-uid": Name(on_pods=True),
        "storageSecretName": Name(on_pods=True),
        "targetUtilizationPercentage": Name(),
    },
)
_KNATIVE_NAMES = Family(who="Knative", objects=_KNATIVE)

#: By prefix. `internal.serving.kserve.io/` is missing: controllers write these for each other.
FAMILIES: Mapping[str, Family] = {
    "serving.kserve.io/": _KSERVE,
    "storage.kserve.io/": Family(
        who="KServe", copies=False, names={"readonly": Name(_SWITCH, on_pods=True)}
    ),
    "networking.kserve.io/": Family(
        who="KServe",
        copies=False,
        names={"visibility": Name(("cluster-local", "exposed"), label=True)},
    ),
    "model.otterscale.io/": Family(who="model-operator", copies=False),
    "autoscaling.knative.dev/": _KNATIVE_NAMES,
    "serving.knative.dev/": _KNATIVE_NAMES,
    "networking.knative.dev/": Family(
        who="Knative",
        objects=_KNATIVE,
        instead="networking.kserve.io/visibility",
        names={"visibility": Name(("cluster-local",), label=True)},
    ),
    "queue.sidecar.serving.knative.dev/": _KNATIVE_NAMES,
    "kueue.x-k8s.io/": Family(who="Kueue", names={"queue-name": Name(label=True)}),
    "sidecar.istio.io/": Family(who="Istio"),
    "proxy.istio.io/": Family(who="Istio"),
    "traffic.sidecar.istio.io/": Family(who="Istio"),
    "traffic.istio.io/": Family(who="Istio"),
    "networking.istio.io/": Family(who="Istio"),
    "istio.io/": Family(who="Istio"),
    "autoscaling.keda.sh/": Family(who="KEDA", objects=_KEDA),
    "scaledobject.keda.sh/": Family(who="KEDA", objects=_KEDA),
    "prometheus.io/": Family(who="Prometheus"),
    "prometheus.kserve.io/": Family(who="KServe"),
    "k8s.v1.cni.cncf.io/": Family(who="Multus"),
    "leaderworkerset.sigs.k8s.io/": Family(who="LeaderWorkerSet", objects=_GROUPS),
    "cluster-autoscaler.kubernetes.io/": Family(who="the cluster autoscaler"),
    "karpenter.sh/": Family(who="Karpenter"),
}
#: Written by controllers on what authors made, so that exported services have them.
_OF_CONTROLLERS = frozenset(
    {
        "serving.knative.dev/creator",
        "serving.knative.dev/lastModifier",
        "serving.kserve.io/inferencepool-migrated",
        "serving.kserve.io/inference-pool-migrated",
    }
)


def family_of(name: str) -> Family | None:
    """Return who reads a label or annotation, None where nobody is known."""
    prefix, slash, dummy = name.rpartition("/")
    return None if name in _OF_CONTROLLERS else FAMILIES.get(f"{prefix}{slash}")


def known(name: str) -> Name | None:
    """Return what is known of a name, None for nothing."""
    family = family_of(name)
    return family.names.get(name.rpartition("/")[2]) if family else None


def meant(name: str) -> str:
    """Return the name that somebody most likely meant who wrote one that nobody reads; empty where none is near."""
    prefix, slash, last = name.rpartition("/")
    family = family_of(name)
    near = nearest(last, family.names) if family else None
    return f"{prefix}{slash}{near}" if near and near != last else ""


def is_read_on(name: str, manifest: Json, *, label: bool) -> bool:
    """Tell whether a label or annotation that is on an object, or on its pods, is read there."""
    family, own = family_of(name), known(name)
    if family is None:
        return True
    if own is not None and own.label != label:
        return False
    if not family.copies:
        return own is not None and own.on_pods
    return not family.objects or str(manifest.get("apiVersion")).startswith(family.objects)
