# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases in the collection's own presets: images, flags, and what they ask the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.release import Since, change
from ...kserve.releases import KServe


@dataclass(frozen=True, slots=True)
class OwnPresets:
    """What the presets take of a release.

    server, sidecar, picker: images. sidecar_arguments, picker_arguments: beside those that all releases have.
    picker_version: annotation of the picker's pods by which KServe knows what they read; empty for none.
    paths: of the API, each with a rule of its own. tls: whether the configuration is asked for TLS.
    by_model: whether there are rules for requests that name a model in a header. marked: whether services have to say that their
    engine knows that name. sidecar_tls: by which the sidecar calls engines with TLS. tokenizer: image of the server that counts tokens
    for the picker, empty for none.
    """

    server: str
    sidecar: str
    picker: str
    sidecar_arguments: tuple[str, ...]
    picker_arguments: tuple[str, ...]
    paths: tuple[str, ...]
    picker_version: str = ""
    tls: bool = False
    by_model: bool = False
    marked: bool = False
    sidecar_tls: tuple[str, ...] = ("--decoder-use-tls=true", "--prefiller-use-tls=true")
    tokenizer: str = ""


_PROTECTED = ("--enable-ssrf-protection=true", "--pool-group=inference.networking.x-k8s.io")
_POOL = "--inference-pool={{ .GlobalConfig.InferencePoolNamespacedName }}"
_PATHS = ("/v1/completions", "/v1/chat/completions")

OWN_PRESETS: Since[OwnPresets] = Since(
    {
        KServe.V0_17: OwnPresets(
            server="ghcr.io/llm-d/llm-d-cuda:v0.6.0",
            sidecar="ghcr.io/llm-d/llm-d-routing-sidecar:v0.4.0",
            picker="ghcr.io/llm-d/llm-d-inference-scheduler:v0.4.0",
            sidecar_arguments=("--connector=nixlv2",),
            picker_arguments=("--kv-cache-usage-percentage-metric", "vllm:kv_cache_usage_perc"),
            paths=_PATHS,
        ),
        KServe.V0_18: change(
            sidecar="ghcr.io/llm-d/llm-d-routing-sidecar:v0.7.1",
            picker="ghcr.io/llm-d/llm-d-inference-scheduler:v0.7.1",
            sidecar_arguments=("--connector=nixlv2", *_PROTECTED),
            picker_arguments=(),
            paths=(*_PATHS, "/v1/responses"),
            tls=True,
        ),
        KServe.V0_19: change(
            sidecar_arguments=("--kv-connector=nixlv2", *_PROTECTED),
            picker_version="0.7.0",
            by_model=True,
        ),
        KServe.V0_20: change(
            server="ghcr.io/llm-d/llm-d-cuda:v0.8.0",
            sidecar="ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.9.0",
            picker="ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0",
            sidecar_arguments=("--kv-connector=nixlv2", *_PROTECTED, _POOL),
            picker_version="0.9.0",
            marked=True,
            sidecar_tls=("--enable-tls=decoder", "--enable-tls=prefiller"),
        ),
        KServe.V0_21: change(
            server="ghcr.io/llm-d/llm-d-cuda:v0.9.0",
            sidecar="ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.10.0",
            picker="ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0",
            picker_version="0.10.0",
            tokenizer="docker.io/vllm/vllm-openai-cpu:v0.23.0",
        ),
    }
)
