# SPDX-License-Identifier: GPL-3.0-or-later
"""What a container and its pod need to get devices: resources, node selector, tolerations, environment, device claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kube.manifest import Json
from ..kube.problem import Problem
from .devices import Parallelism, Shape, check_shape, shape
from .vendors import VENDORS, resource_name

#: The name of the device claim in the pod, and of the request in it.
CLAIM = "accelerators"


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The device that is wanted.

    device_class: ask by a device claim (DRA) instead of by resource. product: value of the vendor's product label on nodes.
    devices_per_node: 0 where it is not known. ranks_per_device: tensor ranks of one device.
    """

    resource: str
    vendor: str
    device_class: str = ""
    product: str = ""
    devices_per_node: int = 0
    ranks_per_device: int = 1


@dataclass(frozen=True, slots=True)
class Placement:
    """What goes into the manifest. claims: ResourceClaimTemplates, and the pod's `resourceClaims` that name them."""

    resources: Json = field(default_factory=dict)
    node_selector: dict[str, str] = field(default_factory=dict)
    tolerations: list[Json] = field(default_factory=list)
    env: list[Json] = field(default_factory=list)
    claim_templates: list[Json] = field(default_factory=list)
    resource_claims: list[Json] = field(default_factory=list)


def read_accelerator(given: Mapping[str, Any], path: str) -> tuple[Accelerator, list[Problem]]:
    """Return the accelerator that a user names, and every problem in it."""
    problems = []
    vendor = given["type"]
    resource = ""
    try:
        resource = resource_name(
            vendor, profile=given.get("profile") or "", shared=bool(given.get("shared"))
        )
    except ValueError as error:
        problems.append(Problem(f"{path}.type", str(error), rule="accelerator"))
    product = given.get("product") or ""
    if product and not (vendor in VENDORS and VENDORS[vendor].product_label):
        text = f"nodes with {vendor} have no product label that is known here; use a node selector of your own"
        problems.append(Problem(f"{path}.product", text, rule="accelerator"))
    device_class = given.get("device_class") or ""
    if device_class and (given.get("profile") or given.get("shared")):
        text = "profile and shared are for resources; with a device class the class decides"
        problems.append(Problem(f"{path}.device_class", text, rule="accelerator"))
    sizes = {}
    for name, least in (("devices_per_node", 1), ("ranks_per_device", 1)):
        value = given.get(name)
        if value is not None and value < least:
            problems.append(
                Problem(f"{path}.{name}", f"{value} is less than {least}", rule="accelerator")
            )
        elif value is not None:
            sizes[name] = value
    return Accelerator(resource, vendor, device_class, product, **sizes), problems


def place(
    accelerator: Accelerator, parallelism: Parallelism, devices: int | None = None
) -> tuple[Placement, Shape, list[Problem]]:
    """Return what goes into the manifest, the shape of a replica, and problems.

    devices: of each pod as the user says; goes before what follows from the parallelism.
    """
    problems = []
    try:
        found = shape(parallelism, accelerator.devices_per_node, accelerator.ranks_per_device)
    except ValueError as error:
        return Placement(), Shape(0, 0, ""), [Problem("parallelism", str(error), rule="shape")]
    if devices is not None and devices < 1:
        problems.append(Problem("devices", f"{devices} is not a number of devices", rule="devices"))
    elif devices is not None and devices != found.devices_per_pod:
        text = f"{devices} devices are asked for, and {found.how} is {found.devices_per_pod}; the engine may not start"
        problems.append(Problem("devices", text, "warning", rule="devices"))
        found = Shape(devices, found.pods_per_replica, "given")
    problems += check_shape(
        parallelism, found, accelerator.resource, accelerator.devices_per_node, "parallelism"
    )
    env = _environment(parallelism)
    if not accelerator.resource:
        return Placement(env=env), Shape(0, found.pods_per_replica, "cpu"), problems
    if accelerator.device_class:
        return _by_claim(accelerator, found, env), found, problems
    asked = {accelerator.resource: str(found.devices_per_pod)}
    placement = Placement(
        resources={"limits": asked, "requests": dict(asked)},
        node_selector=_node_selector(accelerator),
        tolerations=[_toleration(accelerator)],
        env=env,
    )
    return placement, found, problems


def _by_claim(accelerator: Accelerator, found: Shape, env: list[Json]) -> Placement:
    exactly = {
        "deviceClassName": accelerator.device_class,
        "allocationMode": "ExactCount",
        "count": found.devices_per_pod,
    }
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": CLAIM},
        "spec": {"spec": {"devices": {"requests": [{"name": CLAIM, "exactly": exactly}]}}},
    }
    return Placement(
        resources={"claims": [{"name": CLAIM}]},
        node_selector=_node_selector(accelerator),
        tolerations=[_toleration(accelerator)],
        env=env,
        claim_templates=[template],
        resource_claims=[{"name": CLAIM, "resourceClaimTemplateName": CLAIM}],
    )


def _node_selector(accelerator: Accelerator) -> dict[str, str]:
    if not accelerator.product:
        return {}
    return {VENDORS[accelerator.vendor].product_label: accelerator.product}


def _toleration(accelerator: Accelerator) -> Json:
    """Return the toleration of the taint that keeps other pods away: its key is the vendor's whole device."""
    vendor = VENDORS.get(accelerator.vendor)
    key = vendor.resource if vendor else accelerator.resource
    return {"key": key, "operator": "Exists", "effect": "NoSchedule"}


def _environment(parallelism: Parallelism) -> list[Json]:
    """Return the variables that llm-d's charts give to the engine's command line."""
    sizes = {
        "TP_SIZE": parallelism.tensor,
        "DP_SIZE": parallelism.data,
        "DP_SIZE_LOCAL": parallelism.ranks_in_pod,
    }
    return [{"name": name, "value": str(value)} for name, value in sizes.items()]
