# SPDX-License-Identifier: GPL-3.0-or-later
"""What a container and its pod need to get devices: resources, node selector, tolerations, environment, device claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..kube.manifest import Json
from ..kube.names import check_dns_subdomain, check_label_value
from ..kube.problem import Problem
from ..kube.schema_faults import show
from ..kube.text import counted
from .devices import Parallelism, Shape, check_shape, shape
from .mig_profiles import profile_fault
from .vendors import VENDORS, maker_of, resource_name

#: The name of the device claim in the pod, and of the request in it.
CLAIM = "accelerators"
_GOOGLE = "google"
#: Vendors whose devices have no cores that are ranks of their own.
_ONE_RANK = ("nvidia", "amd", "intel-gaudi", "intel-i915", "intel-xe")
_TOPOLOGY = re.compile(r"[1-9][0-9]*(x[1-9][0-9]*){1,2}", re.ASCII)
_TOPOLOGY_LABEL = "cloud.google.com/gke-tpu-topology"


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The device that is wanted.

    device_class: ask by a device claim (DRA) instead of by resource. product: value of the vendor's product label on nodes.
    topology: of a slice of TPUs. devices_per_node: 0 where it is not known. ranks_per_device: tensor ranks of one device.
    """

    resource: str
    vendor: str
    device_class: str = ""
    product: str = ""
    topology: str = ""
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


def _product_doubts(product: str, profile: str, vendor: str, path: str) -> Iterator[Problem]:
    """Yield that no node has a product's devices, or not in the way in which they are asked for."""
    other = maker_of(product)
    if other and vendor in VENDORS and other != vendor.partition("-")[0]:
        text = f"{product} is a device of {other}, and the type is {vendor}: no node has both, so the pods stay Pending"
        yield Problem(f"{path}.product", text, "warning", rule="accelerator")
    uncut = profile_fault(profile, product) if vendor == "nvidia" and product else ""
    if uncut:
        text = f"{uncut}: no node has such slices, so the pods stay Pending"
        yield Problem(f"{path}.profile", text, "warning", rule="accelerator")


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
        field = "profile" if given.get("profile") and vendor in VENDORS else "type"
        problems.append(Problem(f"{path}.{field}", str(error), rule="accelerator"))
    product = given.get("product") or ""
    if product and not (vendor in VENDORS and VENDORS[vendor].product_label):
        text = f"nodes with {vendor} have no product label that is known here; use a node selector of your own"
        problems.append(Problem(f"{path}.product", text, rule="accelerator"))
    problems += _product_doubts(product, str(given.get("profile") or ""), vendor, path)
    fault = check_label_value(product) if product else None
    if fault:
        near = "; nodes have blanks as hyphens in the label" if " " in product else ""
        problems.append(Problem(f"{path}.product", f"{fault}{near}", rule="accelerator"))
    topology = given.get("topology") or ""
    if topology and (vendor != _GOOGLE or not _TOPOLOGY.fullmatch(topology)):
        text = f"{show(topology)} is not a slice of TPUs such as 2x4 (type google)"
        problems.append(Problem(f"{path}.topology", text, rule="accelerator"))
    device_class = given.get("device_class") or ""
    if device_class and (given.get("profile") or given.get("shared")):
        text = "profile and shared are for resources; with a device class the class decides"
        problems.append(Problem(f"{path}.device_class", text, rule="accelerator"))
    fault = check_dns_subdomain(device_class) if device_class else None
    if fault:
        problems.append(Problem(f"{path}.device_class", fault, rule="accelerator"))
    sizes = {}
    for name, least in (("devices_per_node", 1), ("ranks_per_device", 1)):
        value = given.get(name)
        if value is not None and value < least:
            problems.append(
                Problem(f"{path}.{name}", f"{value} is less than {least}", rule="accelerator")
            )
        elif value is not None:
            sizes[name] = value
    if sizes.get("ranks_per_device", 1) > 1 and vendor in _ONE_RANK:
        text = f"engines run one rank on a device of {vendor}, so the pods get too few devices; leave it out"
        problems.append(Problem(f"{path}.ranks_per_device", text, "warning", rule="accelerator"))
    return Accelerator(resource, vendor, device_class, product, topology, **sizes), problems


def place(
    accelerator: Accelerator, parallelism: Parallelism, devices: int | None = None
) -> tuple[Placement, Shape, list[Problem]]:
    """Return what goes into the manifest, the shape of a replica, and problems.

    devices: of each pod as the user says; takes precedence over what follows from the parallelism.
    """
    problems = []
    try:
        found = shape(parallelism, accelerator.devices_per_node, accelerator.ranks_per_device)
    except ValueError as error:
        return Placement(), Shape(0, 0, ""), [Problem("parallelism", str(error), rule="shape")]
    if devices is not None and devices < 1:
        problems.append(Problem("devices", f"{devices} is not a number of devices", rule="devices"))
    elif devices is not None and devices != found.devices_per_pod:
        text = f"{counted(devices, 'device')} {'is' if devices == 1 else 'are'} requested, but {found.how} is {found.devices_per_pod}; the engine may not start"
        problems.append(Problem("devices", text, "warning", rule="devices"))
        found = Shape(devices, found.pods_per_replica, "given")
    problems += check_shape(
        parallelism, found, accelerator.resource, accelerator.devices_per_node, "parallelism"
    )
    problems += _slice_problems(accelerator, found)
    env = _environment(parallelism)
    if not accelerator.resource:
        return Placement(env=env), Shape(0, found.pods_per_replica, "cpu"), problems
    if accelerator.device_class:
        return _by_claim(accelerator, found, env), found, problems
    asked = {accelerator.resource: str(found.devices_per_pod)}
    placement = Placement(
        resources={"limits": asked, "requests": dict(asked)},
        node_selector=node_selector(accelerator),
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
        node_selector=node_selector(accelerator),
        tolerations=[_toleration(accelerator)],
        env=env,
        claim_templates=[template],
        resource_claims=[{"name": CLAIM, "resourceClaimTemplateName": CLAIM}],
    )


def _slice_problems(accelerator: Accelerator, found: Shape) -> Iterator[Problem]:
    """Warn of pods with TPUs that Google's clusters do not take, or that leave a part of their slice idle."""
    if accelerator.vendor != _GOOGLE:
        return
    if not (accelerator.product and accelerator.topology):
        text = "pods with TPUs need both node selectors; give product (tpu-v6e-slice) and topology (2x4)"
        yield Problem("accelerator", text, "warning", rule="tpu-slice")
    chips = prod(int(side) for side in accelerator.topology.split("x") if side)
    asked = found.devices_per_pod * found.pods_per_replica
    if accelerator.topology and chips != asked:
        text = f"a slice of {accelerator.topology} has {chips} chips, and a replica asks for {asked}; a slice is taken as a whole"
        yield Problem("accelerator.topology", text, "warning", rule="tpu-slice")


def node_selector(accelerator: Accelerator) -> dict[str, str]:
    """Return the labels of nodes with the wanted product."""
    selector = {}
    if accelerator.product:
        selector[VENDORS[accelerator.vendor].product_label] = accelerator.product
    if accelerator.topology:
        selector[_TOPOLOGY_LABEL] = accelerator.topology
    return selector


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
