# SPDX-License-Identifier: GPL-3.0-or-later
"""What devices are called."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.accelerators.vendors import device_label, is_device, resource_name


@pytest.mark.parametrize(
    ("accelerator", "options", "wanted"),
    [
        ("nvidia", {}, "nvidia.com/gpu"),
        ("nvidia", {"profile": "1g.10gb"}, "nvidia.com/mig-1g.10gb"),
        ("nvidia", {"profile": "1g.5gb+me"}, "nvidia.com/mig-1g.5gb.me"),
        ("nvidia", {"profile": "7g.141gb"}, "nvidia.com/mig-7g.141gb"),
        ("nvidia", {"shared": True}, "nvidia.com/gpu.shared"),
        ("amd", {}, "amd.com/gpu"),
        ("amd", {"profile": "cpx_nps4"}, "amd.com/cpx_nps4"),
        ("intel-gaudi", {}, "habana.ai/gaudi"),
        ("intel-i915", {}, "gpu.intel.com/i915"),
        ("intel-xe", {}, "gpu.intel.com/xe"),
        ("google", {}, "google.com/tpu"),
        ("aws-neuron", {}, "aws.amazon.com/neuron"),
        ("rebellions-atom", {}, "rebellions.ai/ATOM"),
        ("huawei.com/Ascend910", {}, "huawei.com/Ascend910"),
        ("cpu", {}, ""),
    ],
)
def test_resource_of_an_accelerator(accelerator: str, options: Any, wanted: str) -> None:
    assert resource_name(accelerator, **options) == wanted


@pytest.mark.parametrize(
    ("accelerator", "options", "said"),
    [
        ("nvida", {}, '"nvida" is not one of nvidia, amd'),
        ("nvidia", {"profile": "10gb"}, "is not a MIG profile"),
        ("nvidia", {"profile": "0g.5gb"}, "is not a MIG profile"),
        ("nvidia", {"profile": "1g.5gb", "shared": True}, "do not go together"),
        ("amd", {"profile": "1g.5gb"}, "is not a partition"),
        ("amd", {"shared": True}, "for nvidia"),
        ("google", {"profile": "1g.5gb"}, "of nvidia and amd"),
        ("cpu", {"shared": True}, "cpu has neither"),
        ("kubernetes.io/gpu", {}, "is not the name of a device"),
        ("requests.nvidia.com/gpu", {}, "is not the name of a device"),
        ("nvidia.com/a b", {}, "a b"),
    ],
)
def test_accelerator_that_does_not_exist_is_refused(
    accelerator: str, options: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        resource_name(accelerator, **options)


def test_devices_are_told_from_other_resources() -> None:
    assert is_device("nvidia.com/mig-1g.10gb")
    assert is_device("amd.com/cpx_nps4")
    assert not is_device("cpu")
    assert not is_device("example.com/licence")


def test_label_of_a_node_with_devices() -> None:
    labels = {"nvidia.com/gpu.product": "Tesla-T4", "a": "b"}
    assert device_label("nvidia.com/gpu", labels) == "nvidia.com/gpu.product=Tesla-T4"
    assert device_label("nvidia.com/gpu", {"nvidia.com/gpu.present": "false"}) == ""
    assert device_label("aws.amazon.com/neuron", labels) == ""
