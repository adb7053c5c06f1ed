# SPDX-License-Identifier: GPL-3.0-or-later
"""Why fields of an LLMInferenceService come to nothing. Source: KServe config/llmisvcconfig, pkg/controller/v1alpha2/llmisvc@v0.17.0."""

from __future__ import annotations

from ...kube.manifest import value_at
from ...kube.release import Since
from ..entrance import served_name
from ..idle import Idle
from ..kserve.releases import KServe
from .resolved import Resolved

#: Whether pods that are to be scaled get an autoscaler.
_MAKES_SCALERS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})


def _single(resolved: Resolved) -> bool:
    return resolved.at("worker") is None


def _single_prefill(resolved: Resolved) -> bool:
    return resolved.at("prefill", "worker") is None


def _picker_of_others(resolved: Resolved) -> bool:
    return bool(resolved.pool_ref)


def _named_by_base(resolved: Resolved) -> bool:
    written = value_at(resolved.service.spec, ("model", "name"))
    return bool(resolved.at("model", "name") != written)


def _named_by_engine(resolved: Resolved) -> bool:
    containers = resolved.at("template", "containers") or ()
    return bool(resolved.at("model", "name") == served_name(containers))


def _makes_no_scalers(resolved: Resolved) -> bool:
    return not _MAKES_SCALERS.at(resolved.settings.release)


_NOT_READ = "no template of its presets and baseRefs reads it for single pods; those of KServe do from 0.20 on"
_FLAG = "pass the flag to the engine in args of the container main, for example --tensor-parallel-size; or give {place}"
_ADAPTERS = "with {release} the field is kept, and no adapter is served"

IDLE: tuple[Idle, ...] = (
    Idle(
        r"spec\.parallelism(\..+)?",
        _NOT_READ,
        _FLAG.replace("{place}", "spec.worker for a group of pods"),
        _single,
    ),
    Idle(
        r"spec\.prefill\.parallelism(\..+)?",
        _NOT_READ,
        _FLAG.replace("{place}", "spec.prefill.worker for a group of pods"),
        _single_prefill,
    ),
    Idle(
        r"spec\.(prefill\.)?parallelism(\..+)?",
        "no template of its presets and baseRefs reads it",
        "pass the flag to the engine in args of the container main",
    ),
    Idle(
        r"spec\.model\.lora(\..+)?",
        _ADAPTERS,
        "load adapters with flags of the engine: --enable-lora and --lora-modules in args of the container main",
    ),
    Idle(
        r"spec\.(prefill\.)?scaling(\..+)?",
        "{release} creates no autoscaler, KServe does from 0.18 on",
        "set replicas, or make an autoscaler of your own",
        _makes_no_scalers,
    ),
    Idle(
        r"spec\.router\.scheduler\..+",
        "spec.router.scheduler.pool.ref names a pool of somebody else, which has a picker of its own",
        "leave it out, or leave out pool.ref",
        _picker_of_others,
    ),
    Idle(
        r"spec\.router\.ingress(\..+)?",
        "KServe stores it, but only creates routes of the Gateway API",
        "use spec.router.gateway and spec.router.route",
    ),
    Idle(
        r"spec\.router\.route\.http\.spec\.rules\[\d+\]\.backendRefs\[\d+\]\.group",
        "KServe writes the group of its pools itself",
        "keep it, as an HTTPRoute needs it",
        fault=False,
    ),
    Idle(
        r"spec\.model\.criticality",
        "KServe keeps it, and nothing reads it",
        "leave it out; an InferenceObjective says which requests matter more",
    ),
    Idle(
        r"spec\.model\.name",
        "a config in baseRefs names the model, and its name is taken",
        "leave it out here, or take it out there",
        _named_by_base,
    ),
    Idle(
        r"spec\.model\.name",
        "the engine's own command line gives the same name",
        "keep one of them",
        _named_by_engine,
        fault=False,
    ),
    Idle(
        r"spec\.model\.name",
        "the engine's command is not that of a preset, and does not pass the name on",
        "pass --served-model-name to the engine in args of the container main",
    ),
)
