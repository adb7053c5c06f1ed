# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading `inferenceservice-config`, with the checks and defaults of KServe's controller.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_loader.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve import read_system_config as shared
from ..kserve.config_block import Block, read_block
from ..kserve.defaults import DEFAULTS
from ..kserve.releases import KServe
from ..kserve.system_config import CONFIG_MAP
from .errors import Unbuildable
from .settings import Settings
from .system_config import Certificates, Ingress, Prometheus, SystemConfig

_SCALING, _LOCAL = "autoscaling-wva-controller-config", "localModel"
_ALWAYS_READ = ("ingress", "storageInitializer", "credentials", "scheduler")
#: The keys that are read.
_BLOCKS: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: _ALWAYS_READ, KServe.V0_18: (*_ALWAYS_READ, _SCALING, _LOCAL)}
)


def read_system_config(settings: Settings, reader: Reader) -> SystemConfig:
    """Return what the ConfigMap says. Raises Unbuildable, which holds all that is wrong.

    Where there is none, there is no KServe, and its defaults are taken. The same goes for a block that is not there, unless the
    reader proves that it is missing: then the controller could not work either.
    """
    namespace = settings.kserve_namespace
    found = reader.get(Reference("v1", "ConfigMap", namespace, CONFIG_MAP))
    by_default = found is None or not reader.complete
    data: Json = (found or {}).get("data") or {}
    blocks = {
        name: read_block(name, data, DEFAULTS.get(name, {}) if by_default else {}, namespace)
        for name in _BLOCKS.at(settings.release)
    }
    config = SystemConfig(
        ingress=_ingress(blocks["ingress"], namespace),
        storage=shared.storage(blocks["storageInitializer"]),
        credentials=shared.credentials(blocks["credentials"]),
        certificates=_certificates(blocks["scheduler"]),
        prometheus=_prometheus(blocks[_SCALING]) if _SCALING in blocks else Prometheus(),
        local_models=_LOCAL in blocks and blocks[_LOCAL].flag("enabled"),
    )
    faults = [problem.message for block in blocks.values() for problem in block.problems]
    if faults:
        raise Unbuildable(
            f"failed to load ingress config: {'; '.join(faults)}",
            condition="",
            reason="",
            advice=f"correct ConfigMap {namespace}/{CONFIG_MAP}",
            rule="system-config",
        )
    return config


def _ingress(block: Block, namespace: str) -> Ingress:
    """Return the default gateway; one that is no namespace and name is looked for where KServe is."""
    said = shared.ingress(block)
    parts = said.kserve_gateway.split("/")
    place, name = parts if len(parts) == 2 else (namespace, said.kserve_gateway)
    defaults = Ingress()
    return Ingress(
        gateway_name=name,
        gateway_namespace=place,
        url_scheme=said.url_scheme,
        tls=block.flag("enableLLMInferenceServiceTLS"),
        model_header=block.text("modelBasedRoutingHeaderName") or defaults.model_header,
        model_mode=_mode(block.text("modelBasedRoutingMode")) or defaults.model_mode,
    )


def _mode(text: str) -> str:
    """Return how requests may name their model, empty for what KServe does not know and takes for the default."""
    return text.lower() if text.lower() in ("forced", "disabled") else ""


def _prometheus(block: Block) -> Prometheus:
    said = block.value.get("prometheus") or {}
    return Prometheus(
        url=said.get("url") or "",
        insecure=bool(said.get("tlsInsecureSkipVerify")),
        auth_modes=said.get("authModes") or "",
        login_name=said.get("triggerAuthName") or "",
        login_kind=said.get("triggerAuthKind") or "",
    )


def _certificates(block: Block) -> Certificates:
    defaults = Certificates()
    return Certificates(
        block.texts("expirationAnnotations") or defaults.expiration_annotations,
        block.text("restartAnnotation") or defaults.restart_annotation,
    )
