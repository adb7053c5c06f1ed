# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaders and workers of a group, which run one engine together: whether they load the same model, in the same form, on as many devices.

Source: the pages Data Parallel Deployment and Parallelism and Scaling of vLLM.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube import gvk
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.schema_check import child_path
from .devices import devices_of, misfits
from .engine_flags import contradicts
from .engines import is_vllm, model_of, told_to

#: What every process of an engine has to be told alike.
_ALIKE = (
    *("--block-size", "--dtype", "--kv-cache-dtype", "--max-model-len", "--max-num-batched-tokens"),
    *("--max-num-seqs", "--quantization", "--revision", "--tokenizer"),
)
_SWITCHES = ("--enable-lora", "--enable-expert-parallel", "--enforce-eager", "--trust-remote-code")
_VARIABLES = ("VLLM_ALL2ALL_BACKEND", "VLLM_ATTENTION_BACKEND", "VLLM_KV_CACHE_LAYOUT")
_MODEL, _FILE = "the model", "--config"

DIFFERS = Check(
    "group-differs",
    WARNING,
    finds="{what} is {mine} in the workers of the group, and {theirs} in their leader ({field}), though they run one engine together",
    fix="write the same for both",
)
DEVICES = Check(
    "group-devices",
    WARNING,
    finds="each worker of the group gets {mine}, and its leader {theirs} ({field}), though the engine spreads its ranks evenly over the pods",
    fix="request the same for both",
)


DOMAIN = Check(
    "group-topology",
    WARNING,
    finds="{annotation} keeps each group of pods in a domain of its own by the label {label}, which no node has: the pods stay Pending",
    fix="name a label of the nodes{near}",
)
#: By what groups are kept apart.
_DOMAINS = tuple(
    f"leaderworkerset.sigs.k8s.io/{name}"
    for name in ("exclusive-topology", "subgroup-exclusive-topology")
)


@check(DIFFERS, costly=True)
def differs(view: ServiceView) -> Iterator[Problem]:
    """Yield workers whose engine is told something else than that of their leader."""
    for leader, worker in _groups(view):
        if not (_runs_vllm(leader) and _runs_vllm(worker)):
            continue
        ours, theirs = _said(worker), _said(leader)
        for what in (_MODEL, *_ALIKE, *_SWITCHES, *_VARIABLES):
            mine, other = ours.get(what, ""), theirs.get(what, "")
            if mine == other or "$" in mine + other or (what == _MODEL and not (mine and other)):
                continue
            yield DIFFERS.at(
                worker.in_engine("args"),
                what=what,
                mine=mine or "not given",
                theirs=other or "not given",
                field=leader.in_engine("args").field,
            )


@check(DEVICES, costly=True)
def unequal_devices(view: ServiceView) -> Iterator[Problem]:
    """Yield workers with other devices than their leader. Where their number does not fit the sizes of the engine, that is told instead."""
    for leader, worker in _groups(view):
        mine, theirs = (
            devices_of(each.engine_container.get("resources") or {}) for each in (worker, leader)
        )
        told = any(contradicts(each) or misfits(each) for each in (worker, leader))
        if mine and theirs and mine != theirs and not told:
            yield DEVICES.at(
                worker.in_engine("resources"),
                mine=_shown(mine),
                theirs=_shown(theirs),
                field=leader.in_engine("resources").field,
            )


def _groups(view: ServiceView) -> Iterator[tuple[Workload, Workload]]:
    """Yield each leader with its workers."""
    for worker in view.serving:
        for leader in view.of(worker.role) if worker.worker else ():
            if leader.engine_container and not leader.worker:
                yield leader, worker


def _runs_vllm(workload: Workload) -> bool:
    """Tell whether the pods' own command line starts vLLM, and is all that it is told: workers of Ray are told by their leader."""
    container = workload.engine_container
    started = {name: container.get(name) for name in ("command", "args")}
    return is_vllm(started) and _FILE not in workload.flag_names


def _said(workload: Workload) -> dict[str, str]:
    switches = {flag.name: "given" for flag in workload.flags if flag.name in _SWITCHES}
    said = told_to(workload, _ALIKE, _VARIABLES)
    return {**said, **switches, _MODEL: model_of(workload.engine_container)}


def _shown(devices: dict[str, int]) -> str:
    return " and ".join(f"{count} {name}" for name, count in sorted(devices.items()))


@check(DOMAIN, reads=("Nodes",))
def domain(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield groups that are kept apart by a label that no node has."""
    for manifest in view.made_of(gvk.LEADER_WORKER_SET, "LeaderWorkerSet"):
        annotations = manifest["metadata"].get("annotations") or {}
        for name in _DOMAINS:
            label = str(annotations.get(name) or "")
            nodes = reader.list("v1", "Node", "", {}) if label else ()
            labels = {each for node in nodes for each in node["metadata"].get("labels") or {}}
            if label and nodes and label not in labels:
                field = child_path("metadata.annotations", name)
                own = (view.document.get("metadata") or {}).get("annotations") or {}
                place = view.field_map.at(Reference.of(manifest), field)
                near = nearest(label, labels)
                hint = f", for example {near}" if near else ""
                yield DOMAIN.at(
                    field if name in own else place, annotation=name, label=label, near=hint
                )
