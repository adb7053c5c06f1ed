# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller of LLMInferenceServices needs around it: its own CRDs and webhooks, and those of its children."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.lab import crds
from tests.lab.crd_sources import KSERVE_LLM, Bundle, fetch
from tests.lab.toolchain import find_go

Json = dict[str, Any]
_GATEWAY = "config/crd/standard/gateway.networking.k8s.io_"
_POOL = "config/crd/bases/inference.networking."

#: In the versions that the controller itself is built with.
_NEIGHBOURS = (
    Bundle(
        "sigs.k8s.io/gateway-api",
        "v1.4.2-0.20260116062110-0d0ca872766e",
        tuple(f"{_GATEWAY}{name}.yaml" for name in ("gatewayclasses", "gateways", "httproutes")),
    ),
    Bundle(
        "sigs.k8s.io/gateway-api-inference-extension",
        "v1.3.0",
        tuple(
            f"{_POOL}{name}.yaml"
            for name in (
                "k8s.io_inferencepools",
                "x-k8s.io_inferencemodelrewrites",
                "x-k8s.io_inferenceobjectives",
                "x-k8s.io_inferencepoolimports",
                "x-k8s.io_inferencepools",
            )
        ),
    ),
    Bundle(
        "sigs.k8s.io/lws",
        "v0.7.0",
        ("config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml",),
    ),
)
_WEBHOOKS = Bundle(
    "github.com/kserve/kserve", "v0.17.0", ("config/webhook/llmisvc/manifests.yaml",)
)


def definitions() -> list[Json]:
    """Return the CRDs."""
    return [each for bundle in (KSERVE_LLM, *_NEIGHBOURS) for each in crds.documents(bundle)]


def webhooks() -> list[Json]:
    """Return the configurations of KServe's webhooks."""
    fetch([_WEBHOOKS], find_go(lambda _text: None))
    text = Path(_WEBHOOKS.folder / _WEBHOOKS.files[0]).read_text(encoding="utf-8")
    return [document for document in yaml.safe_load_all(text) if document]
