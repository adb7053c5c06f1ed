# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading `inferenceservice-config`, with the checks and defaults of KServe's controller and of its webhooks.

Source: KServe pkg/apis/serving/v1beta1/configmap.go@v0.17.0.
"""

from __future__ import annotations

from functools import lru_cache

from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_faults import show
from . import system_config as parts
from .config_block import Block, gateway_fault, read_block
from .config_schema import BLOCKS
from .defaults import DEFAULTS
from .knative.names import VISIBILITY
from .modes import MODES, canonical_mode
from .storage_config import Credentials, Storage
from .system_config import CONFIG_MAP, Misconfigured, SystemConfig

#: The blocks that are there, by name.
Texts = tuple[tuple[str, str], ...]

#: What children never get, whatever the lists say, once the block `inferenceService` is there.
WITHHELD_ANNOTATIONS = frozenset(
    {
        "autoscaling.knative.dev/min-scale",
        "autoscaling.knative.dev/max-scale",
        "internal.serving.kserve.io/storage-initializer-sourceuri",
        "kubectl.kubernetes.io/last-applied-configuration",
        "modelFormat",
    }
)
WITHHELD_LABELS = frozenset({VISIBILITY})

#: What other kinds read.
NOT_READ = ("scheduler", "autoscaling-wva-controller-config")
#: Blocks that few services need: those with a certain autoscaler, and graphs.
LATER = ("autoscaler", "opentelemetryCollector", "router")
#: Blocks of sidecars. Where one is not there, KServe's webhook refuses pods; where no webhook runs, few services need it.
SIDECARS = ("logger", "batcher", "agent")


def read_system_config(namespace: str, reader: Reader) -> SystemConfig:
    """Return what the ConfigMap in KServe's namespace says. Raises Misconfigured, which holds all that is wrong.

    Where there is no ConfigMap, there is no KServe, and `defaults.DEFAULTS` are taken.
    """
    found = reader.get(Reference("v1", "ConfigMap", namespace, CONFIG_MAP))
    if found is None:
        return _read(namespace, None)
    data = found.get("data") or {}
    return _read(namespace, tuple((name, data[name]) for name in BLOCKS if name in data))


def _read(namespace: str, texts: Texts | None) -> SystemConfig:
    # What is no text is refused, and may be nothing that can be remembered.
    remembered = all(isinstance(text, str) for dummy, text in texts or ())
    return (_read_once if remembered else _read_once.__wrapped__)(namespace, texts)


@lru_cache(maxsize=8)
def _read_once(namespace: str, texts: Texts | None) -> SystemConfig:
    """Return a configuration. All services of a run share one, and reading it takes longer than all the rest of a service."""
    data = dict(texts or ())
    defaults = DEFAULTS if texts is None else {}
    blocks = {
        name: read_block(name, data, defaults.get(name, {}), namespace)
        for name in BLOCKS
        if name not in NOT_READ
    }
    config = _config(blocks, isvc=texts is None or "inferenceService" in data)
    problems = [
        problem
        for name, block in blocks.items()
        if not _matters_later(block)
        for problem in block.problems
    ]
    if problems:
        raise Misconfigured(tuple(problems))
    return config


def _matters_later(block: Block) -> bool:
    return block.name in LATER or (block.name in SIDECARS and not block.present)


def _config(blocks: dict[str, Block], *, isvc: bool) -> SystemConfig:
    own = blocks["inferenceService"]
    annotations = WITHHELD_ANNOTATIONS | {*own.texts("serviceAnnotationDisallowedList")}
    labels = WITHHELD_LABELS | {*own.texts("serviceLabelDisallowedList")}
    autoscaler, opentelemetry = _autoscaler(blocks["autoscaler"]), _opentelemetry(blocks[LATER[1]])
    return SystemConfig(
        ingress=ingress(blocks["ingress"]),
        deploy=_deploy(blocks["deploy"]),
        storage=storage(blocks["storageInitializer"]),
        credentials=credentials(blocks["credentials"]),
        logger=_logger(blocks["logger"]),
        batcher=parts.Batcher(
            image=blocks["batcher"].text("image"),
            resources=blocks["batcher"].resources(required=True),
            max_batch_size=blocks["batcher"].text("maxBatchSize"),
            max_latency=blocks["batcher"].text("maxLatency"),
        ),
        agent=parts.Agent(blocks["agent"].text("image"), blocks["agent"].resources(required=True)),
        router=_router(blocks["router"]),
        metrics=parts.Metrics(
            blocks["metricsAggregator"].text("enableMetricAggregation"),
            blocks["metricsAggregator"].text("enablePrometheusScraping"),
        ),
        art=parts.ArtExplainer(
            blocks["explainers"].text("art", "image"),
            blocks["explainers"].text("art", "defaultImageVersion"),
        ),
        default_resources=own.resources("resource"),
        disallowed_annotations=annotations if isvc else frozenset(),
        disallowed_labels=labels if isvc else frozenset(),
        local_model=_local_model(blocks["localModel"]),
        automount_token=blocks["security"].flag("autoMountServiceAccountToken"),
        service_cluster_ip_none=blocks["service"].flag("serviceClusterIPNone"),
        gpu_types=blocks["multiNode"].texts("customGPUResourceTypeList"),
        autoscaler=autoscaler,
        opentelemetry=opentelemetry,
        later={
            name: tuple(block.problems) for name, block in blocks.items() if _matters_later(block)
        },
    )


def ingress(block: Block) -> parts.Ingress:
    """Return the block `ingress`, with what the controller refuses of it."""
    if block.present:
        _check_ingress(block)
    domains = block.value.get("additionalIngressDomains")
    defaults = parts.Ingress()
    return parts.Ingress(
        enable_gateway_api=block.flag("enableGatewayApi"),
        kserve_gateway=block.text("kserveIngressGateway"),
        ingress_gateway=block.text("ingressGateway"),
        local_gateway=block.text("localGateway"),
        local_gateway_service=block.text("localGatewayService"),
        knative_local_gateway_service=block.text("knativeLocalGatewayService")
        or block.text("localGatewayService"),
        domain=block.text("ingressDomain") or defaults.domain,
        class_name=block.value.get("ingressClassName"),
        additional_domains=None if domains is None else tuple(domains),
        domain_template=block.text("domainTemplate") or defaults.domain_template,
        url_scheme=block.text("urlScheme") or defaults.url_scheme,
        path_template=block.text("pathTemplate"),
        disable_virtual_host=block.flag("disableIstioVirtualHost"),
        disable_creation=block.flag("disableIngressCreation"),
        disable_timeout=block.flag("disableHTTPRouteTimeout"),
    )


def _check_ingress(block: Block) -> None:
    if not block.text("ingressGateway"):
        advice = "the block is one text, so a patch of part of it takes the other fields away"
        block.fault("ingressGateway", f"missing; {advice}")
    if block.flag("enableGatewayApi"):
        fault = gateway_fault(block.text("kserveIngressGateway"))
        if fault:
            block.fault("kserveIngressGateway", fault)
    if block.text("pathTemplate") and not block.text("ingressDomain"):
        block.fault("ingressDomain", "missing: it is required where pathTemplate is given")


def _deploy(block: Block) -> parts.Deploy:
    written = block.text("defaultDeploymentMode")
    mode = canonical_mode(written)
    if block.present and mode not in MODES:
        known = ", ".join(MODES)
        fault = f'"{written}" is not one of {known}' if written else f"missing: one of {known}"
        block.fault("defaultDeploymentMode", fault)
    rollout = (block.value.get("deploymentRolloutStrategy") or {}).get("defaultRollout")
    return parts.Deploy(
        default_mode=mode,
        rollout=rollout is not None,
        max_surge=(rollout or {}).get("maxSurge", ""),
        max_unavailable=(rollout or {}).get("maxUnavailable", ""),
    )


def storage(block: Block) -> Storage:
    """Return the block `storageInitializer`, with what the controller refuses of it."""
    return Storage(
        cpu_request=block.amount(("cpuRequest",), required=True),
        cpu_limit=block.amount(("cpuLimit",), required=True),
        memory_request=block.amount(("memoryRequest",), required=True),
        memory_limit=block.amount(("memoryLimit",), required=True),
        image=block.text("image"),
        enable_modelcar=block.flag("enableModelcar"),
        cpu_modelcar=block.amount(("cpuModelcar",)),
        memory_modelcar=block.amount(("memoryModelcar",)),
        uid_modelcar=block.value.get("uidModelcar"),
        ca_bundle_config_map=block.text("caBundleConfigMapName"),
        ca_bundle_mount_path=block.text("caBundleVolumeMountPath"),
        enable_images=block.flag("enableOciModelSupport"),
        image_mode=block.text("ociModelMode"),
        insecure_registry=block.flag("ociInsecureRegistry"),
    )


def credentials(block: Block) -> Credentials:
    """Return the block `credentials`."""
    return Credentials(
        spec_secret=block.text("storageSpecSecretName"),
        secret_annotation=block.text("storageSecretNameAnnotation"),
        gcs_file=block.text("gcs", "gcsCredentialFileName"),
        s3=block.value.get("s3") or {},
    )


def _logger(block: Block) -> parts.Logger:
    return parts.Logger(
        image=block.text("image"),
        resources=block.resources(required=True),
        default_url=block.text("defaultUrl"),
        ca_bundle=block.text("caBundle"),
        ca_cert_file=block.text("caCertFile"),
        tls_skip_verify=block.flag("tlsSkipVerify"),
        storage=block.value.get("storage"),
        marshaller_url=block.text("marshallerUrl"),
        batch_size=block.value.get("batchSize") or 0,
        batch_interval=block.text("batchInterval"),
    )


def _local_model(block: Block) -> parts.LocalModel:
    return parts.LocalModel(
        enabled=block.flag("enabled"),
        job_namespace=block.text("jobNamespace"),
        fs_group=block.value.get("fsGroup"),
        job_ttl=block.value.get("jobTTLSecondsAfterFinished", parts.LocalModel().job_ttl),
        volumes=not block.flag("disableVolumeManagement"),
    )


def _router(block: Block) -> parts.Router:
    headers = block.value.get("headers") or {}
    for name, value in headers.items():
        if not isinstance(value, list | None) or not all(
            isinstance(each, str) for each in value or ()
        ):
            block.fault(f"headers.{name}", f"{show(value)} is not a list of texts")
    propagated = (headers.get("propagate") or ()) if "propagate" in headers else None
    return parts.Router(
        image=block.text("image"),
        resources=block.resources(required=True),
        propagated=None if propagated is None else tuple(propagated),
        pull_policy=block.text("imagePullPolicy"),
        pull_secrets=block.texts("imagePullSecrets"),
    )


def _autoscaler(block: Block) -> parts.Autoscaler:
    seconds = (
        _seconds(block, "scaleUpStabilizationWindowSeconds"),
        _seconds(block, "scaleDownStabilizationWindowSeconds"),
    )
    return parts.Autoscaler(*seconds)


def _seconds(block: Block, name: str) -> int | None:
    text = block.text(name)
    if not text:
        return None
    if not text.lstrip("+-").isdecimal():
        block.fault(name, f'"{text}" is not a number of seconds as text')
        return None
    return int(text)


def _opentelemetry(block: Block) -> parts.OpenTelemetry:
    return parts.OpenTelemetry(
        scrape_interval=block.text("scrapeInterval"),
        receiver_endpoint=block.text("metricReceiverEndpoint"),
        scaler_endpoint=block.text("metricScalerEndpoint"),
        resources=block.resources("resource"),
    )
