# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the templates of a given config can be filled in: KServe's webhook tries it with a service that sets most fields.

Source: KServe pkg/controller/v1alpha2/llmisvc/sample.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.manifest import Json
from ...kserve.storage_config import Credentials, Storage
from ..errors import Unbuildable
from ..settings import Settings
from ..spec import API_VERSION, CONFIG_KIND, KIND, LlmInferenceService
from ..system_config import Certificates, Ingress, SystemConfig
from .context import template_data
from .merge import written
from .templating import filled_in

_NAME, _NAMESPACE = "test-llm-preset", "test-llm-preset-test"
_POD: Json = {"containers": []}
_SPEC: Json = {
    "model": {"uri": "llama", "name": "llama"},
    "replicas": 2,
    "parallelism": {"data": 4, "dataLocal": 2, "tensor": 1, "expert": True},
    "template": _POD,
    "worker": _POD,
    "prefill": {
        "replicas": 1,
        "parallelism": {"tensor": 1, "pipeline": 1},
        "template": _POD,
    },
    "router": {
        "route": {"http": {"refs": [{"name": "custom-http-route"}]}},
        "gateway": {"refs": [{"name": "kserve-ingress-gateway", "namespace": "kserve"}]},
        "scheduler": {"pool": {"ref": {"name": "custom-inference-pool"}}, "template": _POD},
    },
}
#: A template sees no more of the installation than its gateway, and only whether the fields are there matters.
_SYSTEM = SystemConfig(
    Ingress("gateway", "kserve"), Storage("1", "1", "1Gi", "1Gi"), Credentials(), Certificates()
)


def template_refusal(name: str, spec: Json, settings: Settings) -> Unbuildable | None:
    """Return why the webhook refuses the templates of a config, None where it takes them.

    spec: in the stored version. A template may still fail for a real service, which need not set what this one sets.
    """
    sample = LlmInferenceService(
        document={"apiVersion": API_VERSION, "kind": KIND},
        name=_NAME,
        namespace=_NAMESPACE,
        labels={},
        annotations={},
        version="v1alpha2",
        spec=_SPEC,
    )
    data = template_data(sample, {}, _SYSTEM, settings, {})
    metadata = {"name": _NAME, "namespace": _NAMESPACE, "labels": {}, "annotations": {}}
    try:
        filled_in(
            written(spec),
            metadata,
            data,
            [(f"{CONFIG_KIND} {name}", written(spec))],
            settings.release,
        )
    except Unbuildable as error:
        return error
    return None
