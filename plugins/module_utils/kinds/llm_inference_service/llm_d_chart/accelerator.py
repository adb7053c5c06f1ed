# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of the chart's pods: how many, of which resource, and the variables that come with them.

Source: llm-d-modelservice charts/llm-d-modelservice/templates/_helpers.tpl@v0.4.12.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.manifest import Json
from .values import Values

#: Device resources by the chart's accelerator types; `cpu` has none.
RESOURCES = {
    "nvidia": "nvidia.com/gpu",
    "intel-i915": "gpu.intel.com/i915",
    "intel-xe": "gpu.intel.com/xe",
    "intel-gaudi": "habana.ai/gaudi",
    "amd": "amd.com/gpu",
    "google": "google.com/tpu",
    "rebellions-atom": "rebellions.ai/ATOM",
}
#: Variables that the chart gives the engine, by type.
VARIABLES: dict[str, dict[str, str]] = {
    "intel-i915": {
        "VLLM_USE_V1": "1",
        "TORCH_LLM_ALLREDUCE": "1",
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
    },
    "intel-xe": {"VLLM_WORKER_MULTIPROC_METHOD": "spawn"},
}
#: Its image asks for no device.
SIMULATOR = "llm-d-inference-sim"


@dataclass(frozen=True)
class Parallelism:
    """How the chart spreads a model; each size follows from the others where it is not given."""

    tensor: int
    data: int
    data_local: int

    @classmethod
    def of(cls, values: Values) -> Parallelism:
        """Read `parallelism` of a role. The chart's own default for each size is 1."""
        sizes = {
            name: values.number(name, 1) for name in ("tensor", "data", "dataLocal", "workers")
        }
        for name, size in sizes.items():
            if size < 1:
                values.refuse(name, f"{size} is below 1")
                return cls(1, 1, 1)
        given = values.given
        data, local, workers = sizes["data"], sizes["dataLocal"], sizes["workers"]
        if given.get("data") is None:
            data = local * workers
        elif given.get("dataLocal") is None and data % workers == 0:
            local = data // workers
        if data % local:
            values.refuse("data", f"{data} is not a multiple of dataLocal, which is {local}")
        elif given.get("workers") is not None and workers != data // local:
            values.report.left[values.at("workers")] = (
                f"a group has data / dataLocal = {data // local} pods, not {workers}"
            )
        return cls(sizes["tensor"], data, local)

    @property
    def devices(self) -> int:
        """How many devices one pod uses."""
        return self.tensor * self.data_local

    def to_json(self) -> Json:
        """Return `parallelism` of a service; sizes of 1 are left out, but that groups need both sizes of data."""
        sizes = {"tensor": self.tensor, "data": self.data, "dataLocal": self.data_local}
        grouped = self.data > 1
        return {
            name: size
            for name, size in sizes.items()
            if size > 1 or (grouped and name == "dataLocal")
        }


@dataclass(frozen=True)
class Accelerator:
    """What a role's pods ask for."""

    type: str
    resource: str
    claimed: bool

    @classmethod
    def of(cls, shared: Values, role: Values) -> Accelerator:
        """Read the accelerator of a role, which takes precedence over the one that both roles share."""
        own = role.part("accelerator")
        kind = own.text("type") or shared.text("type", "nvidia")
        resources = {**RESOURCES, **shared.mapping("resources")}
        claimed = own.flag("dra", default=shared.flag("dra", default=False))
        # As the chart: a type that it does not know asks for NVIDIA's resource.
        resource = "" if kind == "cpu" else str(resources.get(kind, RESOURCES["nvidia"]))
        return cls(kind, resource, claimed)

    def limits(self, image: str, devices: int) -> Json:
        """Return the limit that the chart adds to a container."""
        if not self.resource or self.claimed or SIMULATOR in image:
            return {}
        return {self.resource: str(devices)}

    def variables(self) -> list[Json]:
        """Return the variables that the chart adds to a container."""
        found = VARIABLES.get(self.type, {})
        return [{"name": name, "value": value} for name, value in found.items()]
