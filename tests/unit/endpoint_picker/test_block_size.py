# SPDX-License-Identifier: GPL-3.0-or-later
"""Block sizes of the picker against those of the engines."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.block_size import block_size_findings
from module_utils.endpoint_picker.check import check_text
from module_utils.endpoint_picker.releases import release_of

CONFIG = """
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: single-profile-handler
- type: max-score-picker
- type: precise-prefix-cache-scorer
  parameters:
    indexerConfig:
      tokenProcessorConfig:
        blockSize: 64
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: precise-prefix-cache-scorer
  - pluginRef: max-score-picker
"""
REPORT = check_text(CONFIG, release_of("llmd:0.4"))


def deployment(*args: str, **variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    pod = {"containers": [{"name": "main", "args": list(args), "env": env}]}
    return {"kind": "Deployment", "spec": {"template": {"spec": pod}}}


@pytest.mark.parametrize(
    ("workload", "differs"),
    [
        (deployment("--block-size=16"), True),
        (deployment("--block-size", "16"), True),
        (deployment("vllm serve /model --block_size=16"), True),
        (deployment("--block-size=$(BLOCK)", BLOCK="16"), True),
        (deployment("--block-size=64"), False),
        (deployment("--max-model-len=16"), False),
        (deployment("--block-size=$(BLOCK)"), False),
        (deployment(), False),
    ],
)
def test_sizes_that_differ_are_named(workload: dict[str, Any], differs: bool) -> None:
    found = list(block_size_findings([workload], REPORT))
    assert [each.rule for each in found] == ["block-size-differs"] * differs
    for each in found:
        assert each.path == "plugins[2].parameters.indexerConfig.tokenProcessorConfig.blockSize"
        assert "64" in each.message
        assert "--block-size 16" in each.message


def test_without_workloads_nothing_is_compared() -> None:
    assert list(block_size_findings([], REPORT)) == []
