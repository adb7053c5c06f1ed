# SPDX-License-Identifier: GPL-3.0-or-later
"""What devices are called in Kubernetes, by vendor, and how one recognises the nodes that have them.

Names are those of the vendors' device plugins and, where it says so, of their drivers for Dynamic Resource Allocation (DRA).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..kube.did_you_mean import nearest
from ..kube.names import check_label_key, quoted
from ..kube.validation.resources import is_extended

#: Devices are left to a cpu: no resource is asked for.
CPU = "cpu"
_SHARED = ".shared"
_MIG = "nvidia.com/mig-"
#: The label that says how a node calls the parts of its devices.
MIG_STRATEGY = "nvidia.com/mig.strategy"
_REPLICAS = "nvidia.com/gpu.replicas"
_SHARING_LABELS = ("nvidia.com/gpu.sharing-strategy", "cloud.google.com/gke-gpu-sharing-strategy")
#: Devices are cut into slices of so many sevenths, or fourths.
_MIG_PROFILE = re.compile(r"[12347]g\.(?P<memory>[1-9][0-9]*)gb(\+[a-z]+(\.[a-z]+)*)?")
_FIRST_WORD = re.compile(r"[-_ ]")
_PRODUCT_MEMORY = re.compile(r"(?<![0-9.])([1-9][0-9]*)GB", re.IGNORECASE)
#: What people call a model of a device: H100, A100-80GB, L40S, MI300X.
_MODEL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,4}[A-Za-z]{0,2}([-_ ].*)?", re.ASCII)
_AMD_PARTITION = re.compile(r"[a-z]+_nps[1-9]")


@dataclass(frozen=True, slots=True)
class Vendor:
    """One maker's devices.

    resource: the extended resource of whole devices. device_class: of its DRA driver, empty where there is none.
    product_label: the node label that holds the product. node_labels: labels, or beginnings of labels, of nodes with such devices.
    pci: the vendor's number in labels of Node Feature Discovery, `feature.node.kubernetes.io/pci-0302_10de.present`.
    """

    resource: str
    device_class: str = ""
    product_label: str = ""
    node_labels: tuple[str, ...] = ()
    pci: str = ""


#: By the short name that users write as accelerator type.
VENDORS: Mapping[str, Vendor] = {
    "nvidia": Vendor(
        "nvidia.com/gpu",
        "gpu.nvidia.com",
        "nvidia.com/gpu.product",
        (
            "nvidia.com/gpu.",
            "nvidia.com/mig.",
            "cloud.google.com/gke-accelerator",
            "gpu.nvidia.com/",
            "karpenter.k8s.aws/instance-gpu-name",
        ),
        pci="10de",
    ),
    "amd": Vendor(
        "amd.com/gpu",
        "gpu.amd.com",
        "amd.com/gpu.product-name",
        ("amd.com/gpu.", "beta.amd.com/gpu.", "feature.node.kubernetes.io/amd-gpu"),
        pci="1002",
    ),
    "intel-gaudi": Vendor(
        "habana.ai/gaudi",
        "gaudi.intel.com",
        "",
        ("habana.ai/gaudi.", "intel.feature.node.kubernetes.io/gaudi"),
        pci="1da3",
    ),
    "intel-i915": Vendor(
        "gpu.intel.com/i915",
        "gpu.intel.com",
        "gpu.intel.com/product",
        ("gpu.intel.com/", "intel.feature.node.kubernetes.io/gpu"),
    ),
    "intel-xe": Vendor(
        "gpu.intel.com/xe",
        "gpu.intel.com",
        "gpu.intel.com/product",
        ("gpu.intel.com/", "intel.feature.node.kubernetes.io/gpu"),
    ),
    "google": Vendor(
        "google.com/tpu",
        "tpu.google.com",
        "cloud.google.com/gke-tpu-accelerator",
        ("cloud.google.com/gke-tpu-",),
    ),
    "aws-neuron": Vendor(
        "aws.amazon.com/neuron",
        node_labels=("aws.amazon.com/neuron", "karpenter.k8s.aws/instance-accelerator-name"),
    ),
    "rebellions-atom": Vendor("rebellions.ai/ATOM"),
}

#: Labels of clouds whose value begins with the vendor's short name: EKS `nvidia-tesla-a100`, Azure `nvidia`.
_BY_VALUE = ("k8s.amazonaws.com/accelerator", "kubernetes.azure.com/accelerator", "accelerator")
#: Node Feature Discovery names the classes of devices that it looks for, `0302` for 3D controllers, and the vendor.
_PCI = re.compile(
    r"feature\.node\.kubernetes\.io/pci-(?:[0-9a-f]{4}_)?(?P<vendor>[0-9a-f]{4})(?:_[0-9a-f_]+)?\.present"
)

#: Other words for a vendor's devices, with the short name.
_ALSO = {
    "cuda": "nvidia",
    "gaudi": "intel-gaudi",
    "habana": "intel-gaudi",
    "inferentia": "aws-neuron",
    "neuron": "aws-neuron",
    "rocm": "amd",
    "tpu": "google",
    "trainium": "aws-neuron",
}


def resource_name(accelerator: str, *, profile: str = "", shared: bool = False) -> str:
    """Return the extended resource of an accelerator, empty for `cpu`.

    accelerator: a short name of VENDORS, or any resource as `vendor.example/device`.
    profile: an NVIDIA MIG profile such as `1g.10gb`, or an AMD partition such as `cpx_nps4`. shared: time slices of NVIDIA devices.
    Raises ValueError for what does not exist or does not go together.
    """
    if profile and shared:
        raise ValueError(f"profile {quoted(profile)} and shared do not go together; give one")
    if accelerator == CPU:
        if profile or shared:
            raise ValueError("cpu has neither profiles nor shared devices")
        return ""
    if profile:
        return _partition(accelerator, profile)
    if shared and accelerator != "nvidia":
        raise ValueError(f"shared devices are only known for nvidia, not for {quoted(accelerator)}")
    if accelerator in VENDORS:
        return VENDORS[accelerator].resource + (_SHARED if shared else "")
    return _any_name(accelerator)


def _partition(accelerator: str, profile: str) -> str:
    if accelerator == "nvidia":
        if not _MIG_PROFILE.fullmatch(profile):
            raise ValueError(f"profile {quoted(profile)} is not a MIG profile such as 1g.10gb")
        # A resource name takes no plus sign; the device plugin writes a dot.
        return f"{_MIG}{profile.replace('+', '.')}"
    if accelerator == "amd":
        if not _AMD_PARTITION.fullmatch(profile):
            raise ValueError(f"profile {quoted(profile)} is not a partition such as cpx_nps4")
        return f"amd.com/{profile}"
    raise ValueError(f"profiles are known of nvidia and amd, not of {quoted(accelerator)}")


def _any_name(name: str) -> str:
    if "/" not in name:
        known = (*VENDORS, CPU)
        text = f"{quoted(name)} is not one of {', '.join(known)}, nor a resource as vendor.example/device"
        near = _ALSO.get(name.lower()) or nearest(name, known)
        if _MODEL.fullmatch(name):
            raise ValueError(
                f"{text}; write the vendor here, and the model of the device in product"
            )
        raise ValueError(f"{text}; did you mean {quoted(near)}?" if near else text)
    fault = check_label_key(name)
    if fault:
        raise ValueError(fault)
    if not is_extended(name):
        raise ValueError(
            f"{quoted(name)} is not the name of a device: the prefix must not contain kubernetes.io/ nor begin with requests."
        )
    return name


def known_memory(profile: str, product: str) -> int:
    """Return the GB of memory that a MIG profile or a product's name says, 0 where neither does."""
    found = _MIG_PROFILE.fullmatch(profile)
    named = _PRODUCT_MEMORY.findall(product)
    return int(found["memory"] if found else named[-1] if named else 0)


def maker_of(product: str) -> str:
    """Return the vendor that a product's name begins with, as `nvidia`, empty where it begins with none."""
    first = _FIRST_WORD.split(product.lower(), maxsplit=1)[0]
    return first if first in {each.partition("-")[0] for each in VENDORS} else ""


def vendor_of(resource: str) -> Vendor | None:
    """Return whose devices a resource counts, None where nothing is known."""
    domain = resource.partition("/")[0]
    exact = [vendor for vendor in VENDORS.values() if vendor.resource == resource]
    same = [vendor for vendor in VENDORS.values() if vendor.resource.partition("/")[0] == domain]
    return next(iter([*exact, *same]), None)


def is_device(resource: str) -> bool:
    """Return whether a resource counts accelerators, as far as its domain tells."""
    return vendor_of(resource) is not None and is_extended(resource)


def is_mig(resource: str) -> bool:
    """Return whether a resource counts MIG slices, which cannot be joined to work on one model."""
    return resource.startswith(_MIG)


def profile_of(resource: str) -> str:
    """Return the profile of MIG slices, as a resource's name writes it."""
    return resource.removeprefix(_MIG)


def is_shared(resource: str) -> bool:
    """Return whether a resource counts shares of devices: two of them may be the same device."""
    return resource.endswith(_SHARED)


def device_label(resource: str, labels: Mapping[str, str]) -> str:
    """Return a node's label that says that it has such devices, as `key=value`, empty where none does."""
    vendor = vendor_of(resource)
    if vendor is None:
        return ""
    found = sorted(key for key in labels if _says(vendor, key, labels[key]))
    return f"{found[0]}={labels[found[0]]}" if found else ""


def _says(vendor: Vendor, key: str, value: str) -> bool:
    """Tell whether a node's label says that it has a vendor's devices."""
    if value == "false":
        return False
    if key in _BY_VALUE:
        return VENDORS.get(value.partition("-")[0]) is vendor
    seen = _PCI.fullmatch(key)
    return seen["vendor"] == vendor.pci if seen else key.startswith(vendor.node_labels)


def part_label(resource: str, labels: Mapping[str, str]) -> str:
    """Return a node's label that says that what counts as a whole device there is a share or a slice of one, empty where none does."""
    if resource != VENDORS["nvidia"].resource:
        return ""
    for key in _SHARING_LABELS:
        if labels.get(key, "none") != "none":
            return f"{key}={labels[key]}"
    replicas, product = labels.get(_REPLICAS, ""), labels.get(VENDORS["nvidia"].product_label, "")
    if replicas.isdecimal() and int(replicas) > 1:
        return f"{_REPLICAS}={replicas}"
    if product.endswith("-SHARED") or "-MIG-" in product:
        return f"{VENDORS['nvidia'].product_label}={product}"
    return ""
