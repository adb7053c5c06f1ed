# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which CRDs (and kwok stages) come from which Go module, and their copies in the cache.

They are read from the module's folder, as `go mod download` unpacks it, and are never in this repository. Needs only
the standard library: the YAML is parsed later, by `crds`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from . import paths, toolchain
from .errors import LabError
from .files import locked
from .programs import KWOK_VERSION, LWS_KINDS, LWS_VERSION

Say = Callable[[str], None]


@dataclass(frozen=True)
class Bundle:
    """Files of one Go module; `only` keeps the named documents of a file that holds many."""

    module: str
    version: str
    files: tuple[str, ...]
    only: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return paths.cache() / "modules" / f"{self.module.replace('/', '_')}@{self.version}"


def _in(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.yaml" for name in names)


_GATEWAY = "gateway.networking.k8s.io"

#: A new bundle is one more entry here.
BUNDLES: dict[str, Bundle] = {
    "gateway-api": Bundle(
        "sigs.k8s.io/gateway-api",
        "v1.6.3",
        _in(
            "config/crd/standard",
            f"{_GATEWAY}_gatewayclasses",
            f"{_GATEWAY}_gateways",
            f"{_GATEWAY}_httproutes",
        ),
    ),
    "inference-extension": Bundle(
        "sigs.k8s.io/gateway-api-inference-extension",
        "v1.6.0",
        _in("config/crd/bases", "inference.networking.k8s.io_inferencepools"),
    ),
    "inference-extension-old": Bundle(
        "sigs.k8s.io/gateway-api-inference-extension",
        "v1.3.1",
        _in("config/crd/bases", "inference.networking.x-k8s.io_inferencepools"),
    ),
    "istio": Bundle(
        "istio.io/api",
        "v1.29.1",
        ("kubernetes/customresourcedefinitions.gen.yaml",),
        only=("destinationrules.networking.istio.io",),
    ),
    "lws": Bundle(
        "sigs.k8s.io/lws",
        f"v{LWS_VERSION}",
        _in("config/crd/bases", *LWS_KINDS),
    ),
    "prometheus": Bundle(
        "github.com/prometheus-operator/prometheus-operator",
        "v0.89.0",
        _in(
            "example/prometheus-operator-crd",
            "monitoring.coreos.com_podmonitors",
            "monitoring.coreos.com_servicemonitors",
        ),
    ),
}

#: What the manager of LeaderWorkerSets needs beside its CRD: its rights, its webhooks, and its own patches of these.
LWS_RIGHTS = Bundle("sigs.k8s.io/lws", f"v{LWS_VERSION}", _in("config/rbac", "role"))
LWS_WEBHOOKS = Bundle("sigs.k8s.io/lws", f"v{LWS_VERSION}", _in("config/webhook", "manifests"))
LWS_WEBHOOK_PATCHES = Bundle(
    "sigs.k8s.io/lws",
    f"v{LWS_VERSION}",
    _in("config/webhook", "mutating-patch", "validating-patch"),
)

#: What ModelService's children need.
MODEL_SERVICE = ("gateway-api", "inference-extension", "istio", "prometheus")

#: What LLMInferenceService's children need beside that.
LLM_INFERENCE_SERVICE = ("inference-extension-old", "lws")

#: KServe's own definitions of the kinds that the collection defines itself, to compare with.
KSERVE_LLM = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    _in(
        "config/crd/full/llmisvc",
        "serving.kserve.io_llminferenceservices",
        "serving.kserve.io_llminferenceserviceconfigs",
    ),
)
#: The kinds that an InferenceService reads and that are others' to define.
KSERVE_RUNTIMES = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    (
        *_in(
            "config/crd/full",
            "serving.kserve.io_clusterservingruntimes",
            "serving.kserve.io_servingruntimes",
        ),
        *_in(
            "config/crd/full/clusterstoragecontainer",
            "serving.kserve.io_clusterstoragecontainers",
        ),
    ),
)
#: Caches of models, and the groups of nodes that they name.
KSERVE_CACHES = Bundle(
    "github.com/kserve/kserve",
    "v0.20.0",
    _in(
        "config/crd/full/localmodel",
        "serving.kserve.io_localmodelcaches",
        "serving.kserve.io_localmodelnamespacecaches",
        "serving.kserve.io_localmodelnodegroups",
    ),
)
#: Kinds of others that children of an InferenceService have, as KServe's own tests take them.
KSERVE_NEIGHBOURS = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    _in("test/crds", "istio_virtualservice", "keda", "knative_service", "opentelemetry-operator"),
    only=(
        "virtualservices.networking.istio.io",
        "scaledobjects.keda.sh",
        "services.serving.knative.dev",
        "opentelemetrycollectors.opentelemetry.io",
    ),
)
KSERVE_ISVC = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    _in("config/crd/full", "serving.kserve.io_inferenceservices"),
)

#: Models that an author adds to a service for several models.
KSERVE_TRAINED_MODELS = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    _in("config/crd/full", "serving.kserve.io_trainedmodels"),
)
KSERVE_GRAPHS = Bundle(
    "github.com/kserve/kserve",
    "v0.17.0",
    _in("config/crd/full", "serving.kserve.io_inferencegraphs"),
)

#: The definition of kwok's own kind Stage, and the stages that make fake nodes and pods live.
KWOK_CRD = Bundle(
    "sigs.k8s.io/kwok", f"v{KWOK_VERSION}", _in("kustomize/crd/bases", "kwok.x-k8s.io_stages")
)
KWOK_STAGES = Bundle(
    "sigs.k8s.io/kwok",
    f"v{KWOK_VERSION}",
    (
        *_in("kustomize/stage/node/fast", "node-initialize"),
        *_in("kustomize/stage/node/heartbeat-with-lease", "node-heartbeat-with-lease"),
        *_in("kustomize/stage/pod/fast", "pod-ready", "pod-complete", "pod-delete"),
    ),
)
#: Stages for failure tests: applied by a test, not by the lab.
KWOK_CHAOS = Bundle(
    "sigs.k8s.io/kwok",
    f"v{KWOK_VERSION}",
    (
        *_in(
            "kustomize/stage/pod/chaos",
            "pod-container-running-failed",
            "pod-init-container-running-failed",
        ),
        *_in("kustomize/stage/node/chaos", "node-not-ready"),
    ),
)

_ALL = (
    *BUNDLES.values(),
    KWOK_CRD,
    KWOK_STAGES,
    KWOK_CHAOS,
    LWS_RIGHTS,
    LWS_WEBHOOKS,
    LWS_WEBHOOK_PATCHES,
)


def all_fetched() -> bool:
    """Whether every bundle's files are in the cache."""
    return not any(missing(bundle) for bundle in _ALL)


def missing(bundle: Bundle) -> list[str]:
    """The files of a bundle that are not in the cache yet."""
    return [file for file in bundle.files if not (bundle.folder / file).is_file()]


def fetch_all(go: str, say: Say) -> None:
    """Bring every bundle that is missing."""
    fetch(_ALL, go)
    say(f"CRDs: done ({', '.join(BUNDLES)})")


def fetch(bundles: Iterable[Bundle], go: str) -> None:
    """Download the bundles' modules and copy the files that they name into the cache."""
    with locked(paths.cache() / "locks" / "modules"):
        for bundle in bundles:
            files = missing(bundle)
            if files:
                _copy(bundle, files, download(go, bundle))


def download(go: str, bundle: Bundle) -> Path:
    """Download a bundle's module and return its folder, which is read-only."""
    name = f"{bundle.module}@{bundle.version}"
    with tempfile.TemporaryDirectory() as empty:
        answer = subprocess.run(
            [go, "mod", "download", "-json", name],
            cwd=empty,
            env=toolchain.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        facts = json.loads(answer.stdout or "{}")
    except ValueError:
        facts = {}
    if answer.returncode or "Dir" not in facts:
        raise LabError(
            f"module {name} could not be downloaded: {facts.get('Error') or answer.stderr.strip()}"
        )
    return Path(facts["Dir"])


def _copy(bundle: Bundle, files: list[str], source: Path) -> None:
    for file in files:
        if not (source / file).is_file():
            raise LabError(f"module {bundle.module}@{bundle.version} has no file {file}")
        target = bundle.folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.part")
        shutil.copyfile(source / file, temporary)
        temporary.replace(target)
