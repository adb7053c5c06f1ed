# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that containers ask for, against what their engines are told and can work with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..accelerators.vendors import is_device, is_mig, is_shared
from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.engine_flags import MEANINGS
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import flags, words
from ..kube.containers import containers_of
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.quantity import parse_quantity
from ..kube.text import counted
from .engine_flags import contradicts
from .engines import is_vllm

_SIZES = ("tensor", "pipeline", "data", "data_local")
#: Words of engines whose ranks run in several pods.
_SEVERAL = ("ray", "--nnodes", "--node-rank", "--master-addr", "--dist-init-addr", "lws_")
#: Flags of engines whose copies may run in several pods.
_RANKS = (
    "--data-parallel-rank",
    "--data-parallel-address",
    "--data-parallel-start-rank",
    "--data-parallel-external-lb",
    "--data-parallel-hybrid-lb",
    "--data-parallel-backend",
)
TPUS = "google.com/tpu"
#: Devices of which one may run several ranks.
_CORES = ("aws.amazon.com/neuron", TPUS)
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a path in the container
#: Bytes that /dev/shm has where nothing is mounted there.
_OF_A_CONTAINER = 64 * 2**20
_RAISE = "raise sizeLimit, for example to 16Gi"

TOO_FEW = Check(
    "engine-arguments",
    ERROR,
    finds="the engine is started with {said} and gets {count} {resource}, so it will not start",
    fix="request {wanted}, or change the sizes",
)
TOO_MANY = Check(
    "engine-arguments",
    WARNING,
    finds="the engine is started with {said} and gets {count} {resource}, of which it uses {wanted}",
    fix="request {wanted}, or change the sizes",
)
NO_DEVICE = Check(
    "devices-missing",
    WARNING,
    finds="container {container} requests no device, while {others} of the same service request {resource}: its engine will find none",
    fix="request devices here, too",
)
MIXED = Check(
    "mixed-devices",
    ERROR,
    finds="{devices} in one container: slices and whole devices cannot be used together",
    fix="request one of them",
)
CLAIMED = Check(
    "mixed-devices",
    WARNING,
    finds="{devices} beside device claims: the container gets both",
    fix="request them in one way only",
)
SHARED = Check(
    "shared-devices",
    ERROR,
    finds="{count} of {resource} may be slices of one and the same device",
    fix="request 1, or whole devices",
)
MIG = Check(
    "mig-parallel",
    WARNING,
    finds="{count} of {resource} cannot reach each other's memory, so tensor parallel engines use one of them",
    fix="request one larger slice, or whole devices",
)
IDLE_CLAIM = Check(
    "claim-unused",
    WARNING,
    finds="the pod claims the device {claim}, but no container lists it in resources.claims: it is reserved and not used",
    fix="name it in resources.claims of the engine's container",
)
UNEVEN = Check(
    "data-parallel",
    WARNING,
    finds="{copies} of the model in pods of {local} {leave} a rest: {pods} {hold} {held}, and the engine waits for {data}",
    fix="let {field} divide the number of copies",
)
MEMORY = Check(
    "shared-memory",
    WARNING,
    finds="{tensor} processes share /dev/shm, which has {size}, and may hang or crash",
    fix="mount an emptyDir of medium Memory at /dev/shm",
)


@check(TOO_FEW)
def too_few(view: ServiceView) -> Iterator[Problem]:
    """Yield engines with fewer devices than ranks. No error where the engine seems to run over several pods."""
    for workload, container, path, found in _all_misfits(view):
        if found["count"] < found["wanted"]:
            alone = workload.pods_per_replica == 1 and not _over_several_pods(container)
            severity = ERROR if alone else WARNING
            yield TOO_FEW.at(workload.fields(f"{path}.resources"), severity=severity, **found)


@check(TOO_FEW)
def too_few_for_copies(view: ServiceView) -> Iterator[Problem]:
    """Yield single pods without a device for each copy of the model: by default vLLM starts all copies in one pod."""
    for workload in view.serving:
        container, path = workload.engine_container, workload.engine_path
        copies = said_sizes(container).get("data", 1)
        told = {"data", "data_local"} & workload.said.keys() or _misfit(container, 1)
        if copies < 2 or workload.pods_per_replica > 1 or told or not is_vllm(container):
            continue
        found = {} if _ranks_elsewhere(container) else _misfit(container, 1, data_local=copies)
        if found and found["count"] < found["wanted"]:
            yield TOO_FEW.at(workload.fields(f"{path}.resources"), severity=WARNING, **found)


@check(TOO_MANY)
def too_many(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that leave devices idle."""
    for workload, dummy, path, found in _all_misfits(view):
        if found["count"] > found["wanted"]:
            yield TOO_MANY.at(workload.fields(f"{path}.resources"), **found)


@check(NO_DEVICE)
def no_device(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that request no device, while others of the same service do."""
    asking = {
        workload.origin: sorted(devices)
        for workload in view.serving
        if (devices := devices_of(workload.engine_container.get("resources") or {}))
    }
    for workload in view.serving if asking else ():
        resources = workload.engine_container.get("resources") or {}
        if workload.origin not in asking and not resources.get("claims"):
            (others, names), *dummy = asking.items()
            yield NO_DEVICE.at(
                workload.fields(f"{workload.engine_path}.resources"),
                container=workload.engine,
                others=f"pods of {others}",
                resource=", ".join(names),
            )


@check(MIXED)
def mixed(view: ServiceView) -> Iterator[Problem]:
    """Yield slices and whole devices in one container."""
    for workload, path, names, dummy in asked_devices(view):
        if len(names) > 1 and any(map(is_mig, names)):
            yield MIXED.at(workload.fields(f"{path}.resources"), devices=", ".join(names))


@check(SHARED)
def shared(view: ServiceView) -> Iterator[Problem]:
    """Yield several shares that may belong to one device."""
    for workload, path, names, counts in asked_devices(view):
        for name in names:
            if counts[name] > 1 and is_shared(name):
                yield SHARED.at(
                    workload.fields(f"{path}.resources"), count=counts[name], resource=name
                )


@check(MIG)
def mig(view: ServiceView) -> Iterator[Problem]:
    """Yield several slices for one engine."""
    for workload, path, names, counts in asked_devices(view):
        for name in names:
            if counts[name] > 1 and is_mig(name) and not is_shared(name):
                yield MIG.at(
                    workload.fields(f"{path}.resources"), count=counts[name], resource=name
                )


@check(CLAIMED)
def claimed(view: ServiceView) -> Iterator[Problem]:
    """Yield devices that are requested by resource and by claim."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            resources = container.get("resources") or {}
            names = devices_of(resources) if resources.get("claims") else {}
            if names:
                yield CLAIMED.at(
                    workload.fields(f"{path}.resources"), devices=", ".join(sorted(names))
                )


@check(IDLE_CLAIM)
def idle_claim(view: ServiceView) -> Iterator[Problem]:
    """Yield device claims of pods that no container uses."""
    for workload in view.workloads:
        used = {
            claim
            for container, dummy in containers_of(workload.pod)
            for claim in _claims((container.get("resources") or {}).get("claims"))
        }
        for claim in _claims(workload.pod.get("resourceClaims")):
            if claim not in used:
                yield IDLE_CLAIM.at(workload.fields("resourceClaims"), claim=claim)


@check(MEMORY)
def shared_memory(view: ServiceView) -> Iterator[Problem]:
    """Yield tensor parallel engines without a large /dev/shm."""
    for workload in view.serving:
        tensor = size_of(workload, "tensor")
        if tensor < 2 or workload.pod.get("hostIPC"):
            continue
        volume = _mounted(workload, _SHARED_MEMORY)
        way = view.ways.get(MEMORY.rule, "")
        if volume is None:
            said = workload.said.get("tensor")
            place = said.field if said else workload.in_engine("args")
            yield MEMORY.at(place, tensor=tensor, size="64 MiB in a container", fix=way)
            continue
        limit = (volume.get("emptyDir") or {}).get("sizeLimit")
        if limit and parse_quantity(limit) <= _OF_A_CONTAINER:
            number = workload.pod["volumes"].index(volume)
            place = workload.fields(f"volumes[{number}].emptyDir.sizeLimit")
            yield MEMORY.at(place, tensor=tensor, size=limit, fix=way or _RAISE)


def _mounted(workload: Workload, path: str) -> Json | None:
    """Return the volume that the engine has at a path. An empty one where the pod has no volume of that name."""
    for mount in workload.engine_container.get("volumeMounts") or ():
        if str(mount.get("mountPath")).rstrip("/") == path:
            volumes = workload.pod.get("volumes") or ()
            return next((each for each in volumes if each.get("name") == mount.get("name")), {})
    return None


@check(UNEVEN)
def uneven(view: ServiceView) -> Iterator[Problem]:
    """Yield copies of a model that cannot be spread evenly over the pods of a group."""
    for workload in view.serving:
        data, local = workload.said.get("data"), workload.said.get("data_local")
        if not (data and local and data.value.isdecimal() and local.value.isdecimal()):
            continue
        copies, each = int(data.value), int(local.value)
        if each and copies % each:
            pods = max(copies // each, 1)
            yield UNEVEN.at(
                local.field,
                copies=counted(copies, "copy", "copies"),
                local=each,
                leave="leaves" if copies == 1 else "leave",
                pods=counted(pods, "pod"),
                hold="holds" if pods == 1 else "hold",
                held=counted(pods * each, "copy", "copies"),
                data=copies,
                field=local.field,
            )


def size_of(workload: Workload, what: str) -> int:
    """Return a parallel size: as the engine's command line says it, else as the resource does, else 1."""
    sizes = said_sizes(workload.engine_container)
    said = workload.said.get(what)
    return sizes.get(what) or (int(said.value) if said and said.value.isdecimal() else 1)


def said_sizes(container: Json) -> dict[str, int]:
    """Return the sizes that a container's command line names; what cannot be read is left out."""
    return {
        MEANINGS[name]: int(size)
        for name, size in flags(container)
        if MEANINGS.get(name) in _SIZES and size.isdecimal() and int(size) > 0
    }


def fitting_devices(sizes: Mapping[str, int], pods: int) -> set[int]:
    """Return the numbers of devices of a pod with which an engine of these sizes can start. pods: of a replica."""
    tensor, pipeline = sizes.get("tensor", 1), sizes.get("pipeline", 1)
    copies = {sizes.get("data_local", 0) or sizes.get("data", 1)}
    if "data_local" not in sizes:
        # Each rank may be in a pod of its own.
        copies.add(1)
    whole = {tensor * pipeline * ranks for ranks in copies}
    in_each_pod = sizes.get("data", 1) == pods * sizes.get("data_local", 0)
    if pods == 1 or in_each_pod:
        return whole
    # A pipeline stage in each pod, or one copy over all of them.
    spread = {devices // pods for devices in whole if devices % pods == 0}
    return whole | spread | {tensor * ranks for ranks in copies}


def misfits(workload: Workload) -> bool:
    """Tell whether an engine gets another number of devices than its sizes ask for, which is told by itself."""
    container = workload.engine_container
    more = _passed_on(workload, container)
    return bool(_misfit(container, workload.pods_per_replica, **more))


def _passed_on(workload: Workload, container: Json) -> dict[str, int]:
    """Return the sizes that the resource gives to an engine, in whatever words its command passes them on."""
    if not container or container is not workload.engine_container:
        return {}
    said = {name: workload.said[name].value for name in _SIZES if name in workload.said}
    return {name: int(value) for name, value in said.items() if value.isdecimal() and int(value)}


def _all_misfits(view: ServiceView) -> Iterator[tuple[Workload, Json, str, dict[str, Any]]]:
    """Yield containers whose devices are not those of their sizes, where no flag contradicts a field: what is wrong comes last."""
    for workload in view.workloads:
        for container, path in () if contradicts(workload) else containers_of(workload.pod):
            sizes = _passed_on(workload, container)
            if found := _misfit(container, workload.pods_per_replica, **sizes):
                yield workload, container, path, found


def _misfit(container: Json, pods: int, **more: int) -> dict[str, Any]:
    """Return how the devices of a container differ from its engine's sizes, empty where they fit. pods: of a replica. more: sizes by default."""
    devices = devices_of(container.get("resources") or {})
    if len(devices) != 1:
        return {}
    ((resource, count),) = devices.items()
    sizes = {**more, **said_sizes(container)}
    fitting = fitting_devices(sizes, pods)
    if not sizes or not count or resource.startswith(_CORES) or count in fitting:
        return {}
    wanted = max((each for each in fitting if each < count), default=min(fitting))
    said = " and ".join(f"{name.replace('_', ' ')} {size}" for name, size in sizes.items())
    return {"said": said, "count": count, "resource": resource, "wanted": wanted}


def asked_devices(
    view: ServiceView,
) -> Iterator[tuple[Workload, str, list[str], Mapping[str, int]]]:
    """Yield the containers that ask for devices: the workload, the place, the names of the devices, and how many of each."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            devices = devices_of(container.get("resources") or {})
            if devices:
                yield workload, path, sorted(devices), devices


def devices_of(resources: Json) -> dict[str, int]:
    """Return the devices that a container asks for; 0 for what is no whole number, which is another mistake."""
    asked = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    return {
        name: int(amount) if str(amount).isdecimal() else 0
        for name, amount in asked.items()
        if "/" in name and is_device(name)
    }


def _claims(claims: Sequence[Json] | None) -> list[str]:
    return [str(claim.get("name")) for claim in claims or ()]


def _ranks_elsewhere(container: Json) -> bool:
    """Tell whether a copy of the model may run in another pod: the command line says where, or who spreads requests over them."""
    return _over_several_pods(container) or any(
        name.startswith(_RANKS) for name, dummy in flags(container)
    )


def _over_several_pods(container: Json) -> bool:
    line = " ".join(words(container)).lower()
    return any(sign in line for sign in _SEVERAL)
