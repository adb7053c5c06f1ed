# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ConfigMap `inferenceservice-config` says, block by block.

Amounts are quantities as text in canonical form; `resources` holds `limits` and `requests` of a container. An empty text, None
or an empty tuple stands for a field that is not there.
Source: KServe pkg/apis/serving/v1beta1/configmap.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ...kube.problem import Problem
from .storage_config import Credentials, Storage

CONFIG_MAP = "inferenceservice-config"


@dataclass(frozen=True, slots=True)
class Ingress:
    """How services are reached.

    kserve_gateway: `namespace/name` of the Gateway to which HTTPRoutes belong. ingress_gateway, local_gateway: those of Istio, for Knative mode.
    local_gateway_service, knative_local_gateway_service: host names behind which cluster-local traffic goes.
    domain_template, path_template: Go templates of host and path. additional_domains: None where the field is not there.
    disable_timeout: whether HTTPRoutes have no time limit, which only some releases ask for.
    """

    enable_gateway_api: bool = False
    kserve_gateway: str = ""
    ingress_gateway: str = ""
    local_gateway: str = ""
    local_gateway_service: str = ""
    knative_local_gateway_service: str = ""
    domain: str = "example.com"
    class_name: str | None = None
    additional_domains: tuple[str, ...] | None = None
    domain_template: str = "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}"
    url_scheme: str = "http"
    path_template: str = ""
    disable_virtual_host: bool = False
    disable_creation: bool = False
    disable_timeout: bool = False

    @property
    def kserve_gateway_namespace(self) -> str:
        """Namespace of the Gateway to which HTTPRoutes belong."""
        return self.kserve_gateway.partition("/")[0]

    @property
    def kserve_gateway_name(self) -> str:
        """Name of the Gateway to which HTTPRoutes belong."""
        return self.kserve_gateway.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Deploy:
    """How services are run.

    default_mode: `Standard`, `Knative` or `ModelMesh`; empty where the block is not there.
    max_surge, max_unavailable: of rollouts in Standard mode, as written; rollout: whether the block has them at all.
    """

    default_mode: str = ""
    rollout: bool = False
    max_surge: str = ""
    max_unavailable: str = ""


@dataclass(frozen=True, slots=True)
class Logger:
    """The logger in the agent. ca_bundle: ConfigMap with certificates, ca_cert_file: the file in it. batch_size 0: not given."""

    image: str = ""
    resources: Json = field(default_factory=dict)
    default_url: str = ""
    ca_bundle: str = ""
    ca_cert_file: str = ""
    tls_skip_verify: bool = False
    storage: Json | None = None
    marshaller_url: str = ""
    batch_size: int = 0
    batch_interval: str = ""


@dataclass(frozen=True, slots=True)
class Batcher:
    """The batcher in the agent. max_latency: milliseconds, as text like max_batch_size."""

    image: str = ""
    resources: Json = field(default_factory=dict)
    max_batch_size: str = ""
    max_latency: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """The sidecar that logs, batches and pulls models."""

    image: str = ""
    resources: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Router:
    """The pods that pass requests along a graph. propagated: patterns of the headers that steps get; None: no step gets any."""

    image: str = ""
    resources: Json = field(default_factory=dict)
    propagated: tuple[str, ...] | None = None
    pull_policy: str = ""
    pull_secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """Defaults of two annotations, `true`, `false` or empty."""

    aggregation: str = ""
    scraping: str = ""


@dataclass(frozen=True, slots=True)
class ArtExplainer:
    """The image of the ART explainer, and its tag where a service names none."""

    image: str = ""
    default_version: str = ""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """Caches of models on the nodes.

    enabled: whether services look for their models there. job_namespace: of the Jobs that fill caches. fs_group: of their pods, None for
    none. job_ttl: seconds that a Job stays when it has ended. volumes: whether namespaces of services get volumes of their caches.
    """

    enabled: bool = False
    job_namespace: str = ""
    fs_group: int | None = None
    job_ttl: int = 3600
    volumes: bool = True


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """Stabilisation windows of KEDA in seconds; None where there is none."""

    scale_up: int | None = None
    scale_down: int | None = None


@dataclass(frozen=True, slots=True)
class OpenTelemetry:
    """The collector beside the pods that KEDA scales by their own metrics."""

    scrape_interval: str = ""
    receiver_endpoint: str = ""
    scaler_endpoint: str = ""
    resources: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemConfig:
    """The whole ConfigMap.

    default_resources: of containers that a service brings itself.
    disallowed_annotations, disallowed_labels: what children never get, those that KServe itself withholds included;
    both are empty where the block `inferenceService` is not there, as with the controller.
    gpu_types: names that count as GPUs beside the known ones. automount_token: whether pods get a token where a service does not say.
    service_cluster_ip_none: whether Services in Standard mode are headless.
    later: what is wrong with blocks that few services need (two autoscalers', the router of graphs, and those of sidecars that are not there);
    ask `need` before reading one of them.
    """

    storage: Storage
    ingress: Ingress = Ingress()
    deploy: Deploy = Deploy()
    credentials: Credentials = field(default_factory=Credentials)
    logger: Logger = Logger()
    batcher: Batcher = Batcher()
    agent: Agent = Agent()
    router: Router = Router()
    metrics: Metrics = Metrics()
    art: ArtExplainer = ArtExplainer()
    default_resources: Json = field(default_factory=dict)
    disallowed_annotations: frozenset[str] = frozenset()
    disallowed_labels: frozenset[str] = frozenset()
    local_model: LocalModel = LocalModel()
    automount_token: bool = False
    service_cluster_ip_none: bool = False
    gpu_types: tuple[str, ...] = ()
    autoscaler: Autoscaler = Autoscaler()
    opentelemetry: OpenTelemetry = OpenTelemetry()
    later: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)

    def need(self, block: str) -> None:
        """Raise Misconfigured where a block that few services need is wrong."""
        if self.later.get(block):
            raise Misconfigured(self.later[block])


class Misconfigured(Exception):
    """The ConfigMap cannot be used. Holds everything that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(str(problem) for problem in problems))
