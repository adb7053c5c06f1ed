# SPDX-License-Identifier: GPL-3.0-or-later
"""What looks odd and is taken by the API server is taken here: each line was tried on Kubernetes 1.36.3."""

from __future__ import annotations

from typing import Any

import pytest

from .build import document, errors


def _env(**source: Any) -> dict[str, Any]:
    return document(engine={"env": [{"name": "A", "valueFrom": source}]})


def _limits(**limits: Any) -> dict[str, Any]:
    return document(accelerator={"type": "cpu"}, decode={"resources": {"limits": limits}})


def _toleration(**toleration: Any) -> dict[str, Any]:
    return document(decode={"tolerations": [toleration]})


ODD = {
    "variable with a space": document(engine={"env": [{"name": "a b", "value": "x"}]}),
    "variable with a dash first": document(engine={"env": [{"name": "-", "value": "x"}]}),
    "old name of a field": _env(fieldRef={"fieldPath": "spec.host"}),
    "annotation in capitals": _env(fieldRef={"fieldPath": "metadata.annotations['A/b']"}),
    "label": _env(fieldRef={"fieldPath": "metadata.labels['a']", "apiVersion": "v1"}),
    "any container": _env(
        resourceFieldRef={"resource": "limits.cpu", "containerName": "None such"}
    ),
    "huge pages of a variable": _env(
        resourceFieldRef={"resource": "limits.hugepages-2Mi", "divisor": "1Mi"}
    ),
    "unit as a number": _env(resourceFieldRef={"resource": "limits.memory", "divisor": 1}),
    "optional key": _env(configMapKeyRef={"name": "a.b", "key": ".env", "optional": True}),
    "file in a volume": _env(fileKeyRef={"volumeName": "model", "path": "a/b", "key": "C"}),
    "all taints": _toleration(operator="Exists"),
    "all taints of an effect": _toleration(operator="Exists", effect="NoSchedule"),
    "empty value": _toleration(key="a"),
    "negative seconds": _toleration(key="a", effect="NoExecute", tolerationSeconds=-5),
    "same toleration twice": document(decode={"tolerations": [{"key": "a"}, {"key": "a"}]}),
    "empty node label": document(decode={"nodeSelector": {"a": ""}}),
    "no CPU": _limits(cpu="0"),
    "part of a byte": _limits(memory="100m"),
    "part of a native resource": _limits(**{"foo.kubernetes.io/x": "500m"}),
    "devices in thousands": _limits(**{"a.b/c": "1k"}),
    "devices with a fraction of zero": _limits(**{"a.b/c": "1.0"}),
    "huge pages": _limits(**{"hugepages-2Mi": "4Mi", "cpu": "1"}),
    "claims that the picker never gets": document(
        inferencePool={"endpointPicker": {"resources": {"claims": [{"name": "a"}]}}}
    ),
    "sixteen hosts": document(
        httpRoute={"gatewayRef": {"name": "e"}, "hostnames": [f"a{n}" for n in range(16)]}
    ),
    "gateway in capitals": document(httpRoute={"gatewayRef": {"name": "E_f/g"}}),
    "long interval": document(
        monitoring={"podMonitor": {"enabled": True, "interval": "1y2w3d4h5m6s7ms"}}
    ),
    "no interval": document(monitoring={"podMonitor": {"enabled": True, "interval": "0"}}),
    "empty argument": document(engine={"args": ["", "a\nb"]}),
    "strange image": document(engine={"image": "A/B:c::"}),
    "longest name": document("a" * 59),
    "longest digit-first name": document("9" * 57),
    "annotation key in capitals": {
        **document(),
        "metadata": {"name": "a", "namespace": "b", "annotations": {"A.b/C": "d"}},
    },
}


@pytest.mark.parametrize("name", ODD)
def test_odd_input_is_taken(name: str) -> None:
    assert not errors(ODD[name])
