# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases of KServe where LLMInferenceService is concerned: data, read by the builders.

Source: KServe pkg/controller/v1alpha2/llmisvc/@v0.17.0; KServe v0.17.0, v0.18.0 and v0.19.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...kube import gvk
from ...kube.manifest import Json
from ..certificates import AUTHORITY, CERTIFICATE, KEY

#: What is told of fields that came after the API of 0.17, by release.
LATER_FIELD = "KServe {} knows it, and this collection does not yet (docs/kserve_releases.md)"

_ALWAYS = "always-disagg-pd-decider"


@dataclass(frozen=True, slots=True)
class Disaggregation:
    """The plugins by which an endpoint picker sends prompts to pods of their own.

    headers: the plugin that passes the choice on. decider: the plugin that says which prompts, empty where the handler says it.
    handler, parameters: the plugin that runs both profiles.
    """

    headers: str
    decider: str
    handler: str
    parameters: Json = field(hash=False)


@dataclass(frozen=True, slots=True)
class OwnPresets:
    """What the collection's own presets take of a release.

    server, sidecar, picker: images. sidecar_arguments, picker_arguments: beside those that all releases have.
    picker_version: annotation of the picker's pods by which KServe knows what they read; empty for none.
    paths: of the API, each with a rule of its own. tls: whether the configuration is asked for TLS.
    by_model: whether there are rules for requests that name a model in a header.
    """

    server: str
    sidecar: str
    picker: str
    sidecar_arguments: tuple[str, ...]
    picker_arguments: tuple[str, ...] = ()
    picker_version: str = ""
    paths: tuple[str, ...] = ("/v1/completions", "/v1/chat/completions")
    tls: bool = False
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """The behaviour of one release.

    sidecar_pool_groups: API groups of the pools that the routing sidecar of a decode pod may read.
    bare_scheduler_template_wipes_containers: a scheduler's template without `containers` takes the preset's away.
    picker: the endpoint picker of the release's own presets, as a target of `endpoint_picker`.
    template_facts: what templates see of the configuration beside gateway and namespace. template_functions: theirs to call.
    tls_by_configuration: `enableLLMInferenceServiceTLS` of inferenceservice-config is read.
    service_port_follows_tls: the port of the workload Service is called by what is spoken there; else `https` always.
    service_has_labels: the workload Service gets the labels and annotations of the spec.
    certificate_keys: what the certificate's Secret holds.
    restarts_picker_for_certificate: a renewed certificate starts the endpoint picker anew.
    accounts_have_credentials: managed accounts get the Secrets of the namespace's default account, the picker's those of the server's.
    fetch_variables: what the init container that fetches from Hugging Face gets, name → value.
    replaces_given_initializer: an init container of that name in a template goes before the controller's comes.
    modelcar_keeps_security_context: of the server beside a model in an image only the user changes.
    tokenizer: the container of the picker's pod that gets the model, too; empty for none.
    picker_service_by_pool: the picker's Service is called as the pool's spec says.
    picker_resources: what else the picker may read in the old group of its API.
    disaggregation: the release's own configuration of the picker for services with prefill pods.
    text_flags: arguments before a configuration that is rewritten. migrates_picker_configuration: whether one for an older picker is.
    wants_one_actuator: decode and prefill must scale by the same means.
    makes_autoscalers: `scaling` has an effect. tells_of_scaling: and the status says whether it works.
    serves_adapters: `model.lora` has an effect. reads_local_models: models that stand on the nodes already are read there.
    url_without_external: an address from inside becomes `status.url` where there is none from outside.
    empty_gateway_namespace: a gateway ref without namespace gives a parentRef with an empty one.
    gateways_by_routes: whether Gateways are ready is asked of those that routes lead through, not of those that the author names.
    routes_by_model: requests may name the model in a header; keys of inferenceservice-config say how.
    missing_preset: reason under which a preset that is not there is reported; empty: like everything else.
    stop_needs_presets: a service that is stopped is refused for what is wrong with its presets.
    stop_keeps_group_accounts: accounts of groups of pods outlive a stop.
    own: the collection's own presets.
    """

    name: str
    own: OwnPresets
    sidecar_pool_groups: tuple[str, ...] = (gvk.OLD_POOL_GROUP,)
    bare_scheduler_template_wipes_containers: bool = True
    picker: str = "llmd:0.4"
    template_facts: tuple[str, ...] = ()
    template_functions: tuple[str, ...] = ("ChildName",)
    tls_by_configuration: bool = False
    service_port_follows_tls: bool = False
    service_has_labels: bool = False
    certificate_keys: tuple[str, ...] = (CERTIFICATE, KEY)
    restarts_picker_for_certificate: bool = True
    accounts_have_credentials: bool = False
    fetch_variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    replaces_given_initializer: bool = False
    modelcar_keeps_security_context: bool = False
    tokenizer: str = ""
    picker_service_by_pool: bool = False
    picker_resources: tuple[str, ...] = ()
    disaggregation: Disaggregation = Disaggregation(
        "prefill-header-handler", "", "pd-profile-handler", {"threshold": 0}
    )
    text_flags: tuple[str, ...] = ("--config-text", "-config-text")
    migrates_picker_configuration: bool = False
    wants_one_actuator: bool = False
    makes_autoscalers: bool = False
    tells_of_scaling: bool = False
    serves_adapters: bool = False
    reads_local_models: bool = False
    url_without_external: bool = False
    empty_gateway_namespace: bool = True
    gateways_by_routes: bool = False
    routes_by_model: bool = False
    missing_preset: str = ""
    stop_needs_presets: bool = True
    stop_keeps_group_accounts: bool = True


V0_17 = Release(
    "0.17",
    OwnPresets(
        server="ghcr.io/llm-d/llm-d-cuda:v0.6.0",
        sidecar="ghcr.io/llm-d/llm-d-routing-sidecar:v0.4.0",
        picker="ghcr.io/llm-d/llm-d-inference-scheduler:v0.4.0",
        sidecar_arguments=("--connector=nixlv2",),
        picker_arguments=("--kv-cache-usage-percentage-metric", "vllm:kv_cache_usage_perc"),
    ),
)

_PROTECTED = ("--enable-ssrf-protection=true", "--pool-group=inference.networking.x-k8s.io")

V0_18 = replace(
    V0_17,
    name="0.18",
    own=replace(
        V0_17.own,
        sidecar="ghcr.io/llm-d/llm-d-routing-sidecar:v0.7.1",
        picker="ghcr.io/llm-d/llm-d-inference-scheduler:v0.7.1",
        sidecar_arguments=("--connector=nixlv2", *_PROTECTED),
        picker_arguments=(),
        paths=(*V0_17.own.paths, "/v1/responses"),
        tls=True,
    ),
    picker="llmd:0.7",
    template_facts=("EnableTLS",),
    tls_by_configuration=True,
    certificate_keys=(CERTIFICATE, KEY, AUTHORITY),
    restarts_picker_for_certificate=False,
    accounts_have_credentials=True,
    fetch_variables={
        "HF_HUB_ENABLE_HF_TRANSFER": "1",
        "HF_XET_HIGH_PERFORMANCE": "1",
        "HF_XET_NUM_CONCURRENT_RANGE_GETS": "8",
    },
    modelcar_keeps_security_context=True,
    tokenizer="tokenizer",
    picker_service_by_pool=True,
    picker_resources=("inferencemodelrewrites", "inferencepoolimports"),
    disaggregation=Disaggregation(
        "prefill-header-handler", _ALWAYS, "pd-profile-handler", {"deciderPluginName": _ALWAYS}
    ),
    wants_one_actuator=True,
    makes_autoscalers=True,
    url_without_external=True,
)

V0_19 = replace(
    V0_18,
    name="0.19",
    own=replace(
        V0_18.own,
        sidecar_arguments=("--kv-connector=nixlv2", *_PROTECTED),
        picker_version="0.7.0",
        by_model=True,
    ),
    bare_scheduler_template_wipes_containers=False,
    template_facts=("EnableTLS", "ModelBasedRoutingHeaderName"),
    template_functions=("ChildName", "shutdownTimeout"),
    service_port_follows_tls=True,
    service_has_labels=True,
    replaces_given_initializer=True,
    disaggregation=Disaggregation(
        "disagg-headers-handler",
        _ALWAYS,
        "disagg-profile-handler",
        {"deciders": {"prefill": _ALWAYS}},
    ),
    text_flags=("--config-text", "-config-text", "--configText", "-configText"),
    migrates_picker_configuration=True,
    tells_of_scaling=True,
    serves_adapters=True,
    reads_local_models=True,
    empty_gateway_namespace=False,
    gateways_by_routes=True,
    routes_by_model=True,
    missing_preset="ConfigNotFound",
    stop_needs_presets=False,
    stop_keeps_group_accounts=False,
)

RELEASES = {release.name: release for release in (V0_17, V0_18, V0_19)}
