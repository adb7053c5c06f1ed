# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of engines that say what a custom resource may say, too: vLLM, SGLang, and those that read theirs alike."""

from __future__ import annotations

from collections.abc import Mapping

#: By flag: what it says, in the words of `Workload.said`.
MEANINGS: Mapping[str, str] = {
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
    "--port": "port",
    "--http-port": "port",
    "--served-model-name": "model_name",
    "--model": "model",
}
