# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations of pods by which an author tells a mesh, a collector of metrics or an autoscaler of nodes something that it cannot read.

Source: Istio docs/reference/config/annotations and labels; the scrape annotations of Prometheus' chart; Kubernetes Cluster Autoscaler FAQ;
Karpenter, Disruption.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_network
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, templates_of
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from ..kube.quantity import is_quantity
from ..kube.reference import Reference
from ..kube.schema_check import child_path
from ..kube.schema_faults import show
from ..kube.validation.forms import LAST_PORT

_ALL = "*"
_PATH = re.compile(r"/\S*")
#: One letter or mark may differ.
_LIKENESS = 0.9

WRONG = Check(
    "pod-annotation",
    WARNING,
    finds="{who} takes {form} here, and this is {value}",
    fix="write {example}",
)
UNKNOWN = Check(
    "pod-annotation",
    WARNING,
    finds="{who} knows no {name}, and passes it over",
    fix='did you mean "{near}"?',
)


class _Form(NamedTuple):
    """What a value looks like. says: in words."""

    fits: Callable[[str], bool]
    says: str
    example: str


def _is_port(text: str) -> bool:
    return text.isdecimal() and text.isascii() and int(text) <= LAST_PORT


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text


def _all_are(fits: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: all(fits(each.strip()) for each in text.split(",") if each.strip())


def _or_all(fits: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: text.strip() == _ALL or fits(text)


def _is_map(text: str) -> bool:
    import yaml

    try:
        return isinstance(yaml.safe_load(text), Mapping)
    except yaml.YAMLError:
        return False


def _words(*words: str) -> _Form:
    return _Form(lambda text: text in words, " or ".join(words), " or ".join(words))


_PORT = _Form(_is_port, "the number of a port", '"8080"')
_PORTS = _Form(_all_are(_is_port), "numbers of ports with commas between them", '"8080,9090"')
_PORTS_OR_ALL = _Form(_or_all(_PORTS.fits), f"* for all, or {_PORTS.says}", _PORTS.example)
_NETWORKS = _Form(
    _all_are(_is_network), "networks with commas between them", '"10.0.0.0/8,192.168.0.0/16"'
)
_NETWORKS_OR_ALL = _Form(_or_all(_NETWORKS.fits), f"* for all, or {_NETWORKS.says}", "10.0.0.0/8")
_AMOUNT = _Form(is_quantity, "an amount", "500m or 256Mi")
_SWITCH = _words("true", "false")
_MAP = _Form(_is_map, "a map in YAML", '"holdApplicationUntilProxyStarts: true"')
_ADDRESS_PATH = _Form(lambda text: bool(_PATH.fullmatch(text)), "a path", "/metrics")

#: Reader and form by name. Without a form the value is not judged: the name alone is known.
_NAMES: Mapping[str, Mapping[str, _Form | None]] = {
    "Istio": {
        "proxy.istio.io/config": _MAP,
        "sidecar.istio.io/agentLogLevel": None,
        "sidecar.istio.io/bootstrapOverride": None,
        "sidecar.istio.io/componentLogLevel": None,
        "sidecar.istio.io/controlPlaneAuthPolicy": None,
        "sidecar.istio.io/discoveryAddress": None,
        "sidecar.istio.io/enableCoreDump": _SWITCH,
        "sidecar.istio.io/extraStatTags": None,
        "sidecar.istio.io/inject": _SWITCH,
        "sidecar.istio.io/interceptionMode": _words("REDIRECT", "TPROXY", "NONE"),
        "sidecar.istio.io/logLevel": _words(
            *("info", "trace", "debug", "warning", "warn", "error", "critical", "off")
        ),
        "sidecar.istio.io/nativeSidecar": _SWITCH,
        "sidecar.istio.io/proxyCPU": _AMOUNT,
        "sidecar.istio.io/proxyCPULimit": _AMOUNT,
        "sidecar.istio.io/proxyImage": None,
        "sidecar.istio.io/proxyImageType": None,
        "sidecar.istio.io/proxyMemory": _AMOUNT,
        "sidecar.istio.io/proxyMemoryLimit": _AMOUNT,
        "sidecar.istio.io/rewriteAppHTTPProbers": _SWITCH,
        "sidecar.istio.io/statsCompression": _SWITCH,
        "sidecar.istio.io/statsHistogramBuckets": None,
        "sidecar.istio.io/statsInclusionPrefixes": None,
        "sidecar.istio.io/statsInclusionRegexps": None,
        "sidecar.istio.io/statsInclusionSuffixes": None,
        "sidecar.istio.io/status": None,
        "sidecar.istio.io/userVolume": None,
        "sidecar.istio.io/userVolumeMount": None,
        "traffic.sidecar.istio.io/excludeInboundPorts": _PORTS,
        "traffic.sidecar.istio.io/excludeInterfaces": None,
        "traffic.sidecar.istio.io/excludeOutboundIPRanges": _NETWORKS,
        "traffic.sidecar.istio.io/excludeOutboundPorts": _PORTS,
        "traffic.sidecar.istio.io/includeInboundPorts": _PORTS_OR_ALL,
        "traffic.sidecar.istio.io/includeOutboundIPRanges": _NETWORKS_OR_ALL,
        "traffic.sidecar.istio.io/includeOutboundPorts": _PORTS_OR_ALL,
        "traffic.sidecar.istio.io/kubevirtInterfaces": None,
    },
    "Prometheus": {
        "prometheus.io/path": _ADDRESS_PATH,
        "prometheus.io/port": _PORT,
        "prometheus.io/scheme": _words("http", "https"),
        "prometheus.io/scrape": _SWITCH,
    },
    "the cluster autoscaler": {
        "cluster-autoscaler.kubernetes.io/enable-ds-eviction": _SWITCH,
        "cluster-autoscaler.kubernetes.io/safe-to-evict": _SWITCH,
        "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": None,
    },
    "Karpenter": {"karpenter.sh/do-not-disrupt": _SWITCH},
}
_BY_NAME = {name: (who, form) for who, names in _NAMES.items() for name, form in names.items()}
_BY_PREFIX = {name.rpartition("/")[0]: who for who, names in _NAMES.items() for name in names}


@check(WRONG, costly=True)
def pod_annotation(view: ServiceView) -> Iterator[Problem]:
    """Yield labels and annotations of pods whose values their readers cannot read."""
    for name, value, place in _given(view):
        who, form = _BY_NAME.get(name, ("", None))
        if form is not None and "{{" not in value and not form.fits(value):
            shown = show(value)
            yield WRONG.at(place, who=who, form=form.says, value=shown, example=form.example)


@check(UNKNOWN, costly=True)
def unknown_annotation(view: ServiceView) -> Iterator[Problem]:
    """Yield names of labels and annotations of pods that are nearly those that a mesh or a collector of metrics reads."""
    for name, dummy, place in _given(view):
        who = _BY_PREFIX.get(name.rpartition("/")[0])
        near = nearest(name, _NAMES[who], _LIKENESS) if who and name not in _BY_NAME else None
        if near:
            yield UNKNOWN.at(place, who=who, name=name, near=near)


def _given(view: ServiceView) -> Iterator[tuple[str, str, Place]]:
    """Yield the author's labels and annotations of pods: name, value, and where that is, each place once."""
    seen: set[str] = set()
    for manifest in view.made:
        for path, template in templates_of(manifest):
            metadata = template.get("metadata") or {}
            for part in ("labels", "annotations"):
                for name, value in (metadata.get(part) or {}).items():
                    if name.rpartition("/")[0] not in _BY_PREFIX:
                        continue
                    inner = child_path(f"{path}.metadata.{part}".lstrip("."), name)
                    place = view.field_map.at(Reference.of(manifest), inner)
                    if place.exact and place.is_authors and place.field not in seen:
                        seen.add(place.field)
                        yield name, str(value), place
