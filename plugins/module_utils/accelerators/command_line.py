# SPDX-License-Identifier: GPL-3.0-or-later
"""What an engine's command line says about parallelism, against the devices that its container gets.

Flags are those of vLLM and SGLang.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kube.command_line import flags, words
from ..kube.manifest import Json
from ..kube.problem import Problem
from .requests import amounts
from .vendors import is_device

#: By flag: what it says. SGLang's data parallelism may run on the tensor ranks, so it is no factor.
_FLAGS: Mapping[str, str] = {
    "--tensor-parallel-size": "tensor",
    "-tp": "tensor",
    "--tp": "tensor",
    "--tp-size": "tensor",
    "--pipeline-parallel-size": "pipeline",
    "-pp": "pipeline",
    "--pp-size": "pipeline",
    "--data-parallel-size": "data",
    "-dp": "data",
    "--data-parallel-size-local": "data_local",
    "-dpl": "data_local",
}
#: Words of engines whose ranks run in several pods.
_SEVERAL = ("ray", "--nnodes", "--node-rank", "--master-addr", "--dist-init-addr", "lws_")
#: Devices of which one may run several ranks.
_CORES = ("aws.amazon.com/neuron", "google.com/tpu")


def said_sizes(container: Json) -> dict[str, int]:
    """Return the sizes that a container's command line names; what cannot be read is left out."""
    return {
        _FLAGS[flag]: int(size)
        for flag, size in flags(container)
        if flag in _FLAGS and size.isdecimal() and int(size) > 0
    }


def fitting_devices(sizes: Mapping[str, int], pods: int) -> set[int]:
    """Return the numbers of devices of a pod with which an engine of these sizes can start. pods: of a replica."""
    tensor, pipeline = sizes.get("tensor", 1), sizes.get("pipeline", 1)
    copies = {sizes.get("data_local", 0) or sizes.get("data", 1)}
    if "data_local" not in sizes:
        # Each rank may stand in a pod of its own.
        copies.add(1)
    whole = {tensor * pipeline * ranks for ranks in copies}
    if pods == 1:
        return whole
    # A pipeline stage in each pod, or one copy over all of them.
    spread = {devices // pods for devices in whole if devices % pods == 0}
    return whole | spread | {tensor * ranks for ranks in copies}


def command_line_problems(container: Json, pods: int, path: str) -> Iterator[Problem]:
    """Yield what is wrong between a container's command line and its devices. pods: of a replica.

    Fewer devices than ranks are an error, since no engine starts so, unless it seems to run over several pods.
    """
    sizes = said_sizes(container)
    limits = (container.get("resources") or {}).get("limits") or {}
    devices = {name: count for name, count in amounts(limits).items() if count and is_device(name)}
    if not sizes or len(devices) != 1:
        return
    ((resource, count),) = devices.items()
    fitting = fitting_devices(sizes, pods)
    if resource.startswith(_CORES) or count in fitting:
        return
    said = " × ".join(f"{name} {size}" for name, size in sizes.items())
    text = f"its command line says {said}, and it asks for {count} {resource}"
    if count > min(fitting):
        text += f", of which the engine uses {max(each for each in fitting if each < count)}"
    else:
        text += f" instead of {min(fitting)}; the engine does not start so"
    alone = count < min(fitting) and pods == 1 and not _over_several_pods(container)
    yield Problem(path, text, "error" if alone else "warning", rule="engine-arguments")


def _over_several_pods(container: Json) -> bool:
    line = " ".join(words(container)).lower()
    return any(sign in line for sign in _SEVERAL)
