# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that are right: the examples, and recordings that the real controllers took, each with what was in its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from module_utils.kinds.registry import WRITTEN
from module_utils.kube.schema import Object
from tests.parity import recorded_inference_services as isvc
from tests.parity import recorded_llm_services as llm
from tests.tools.tree import CHECKOUT
from tests.unit.modules.task import run

Json = dict[str, Any]
EXAMPLES = CHECKOUT / "examples"
MODEL_SERVICES = CHECKOUT / "tests" / "parity" / "recordings" / "model_service"


@dataclass(frozen=True)
class Source:
    """A service with what is in its cluster. settings: how its controller is run."""

    name: str
    document: Json
    objects: Sequence[Json]
    settings: Mapping[str, Any]

    @property
    def schema(self) -> Object:
        """The schema of its `spec`."""
        kind = WRITTEN[self.document["apiVersion"], self.document["kind"]]
        return kind.schema(self.document, kind.settings(dict(self.settings), {}))

    def told(self, document: Any) -> list[Json]:
        """Return what a task says of a document in the place of the service: severity, rule, path, message."""
        result = run(
            state="rendered",
            services=[document],
            cluster_objects=list(self.objects),
            settings=dict(self.settings),
        )
        if result.get("failed"):
            return [_error(line) for line in str(result["msg"]).splitlines()[1:]]
        problems: list[Json] = result["services"][0]["problems"]
        return problems


def _error(line: str) -> Json:
    path, colon, message = line.strip().partition(": ")
    return {
        "severity": "error",
        "rule": "",
        "path": path if colon else "",
        "message": message if colon else path,
    }


def sources() -> Iterator[Source]:
    """Yield them, those that a task takes."""
    for source in (*example_sources(), *_llm(), *_isvc(), *_model_services()):
        stopped = "serving.kserve.io/stop" in str(source.document["metadata"])
        if not stopped and not any(
            each["severity"] == "error" for each in source.told(source.document)
        ):
            yield source


def _documents(path: Path) -> list[Json]:
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def example_sources() -> Iterator[Source]:
    """Yield the examples."""
    for path in sorted(EXAMPLES.glob("*services/*.yaml")):
        for document in _documents(path):
            yield Source(f"examples/{path.stem}", document, (), {})


def _llm() -> Iterator[Source]:
    for folder in llm.cases():
        settings = llm.recorded_settings(folder)
        options = {
            name: getattr(settings, name)
            for name in ("config_prefix", "versioned_config", "cluster_domain")
        }
        yield from _recorded(folder, llm.recorded_cluster, options)


def _isvc() -> Iterator[Source]:
    for folder in isvc.cases():
        yield from _recorded(folder, isvc.recorded_cluster, {"pod_mutation": "webhook"})


def _model_services() -> Iterator[Source]:
    for path in sorted(MODEL_SERVICES.glob("*/input.yaml")):
        yield from _recorded(path.parent, lambda dummy: llm.Recorded(()), {})


def _recorded(
    folder: Path, cluster: Callable[[Path], llm.Recorded], settings: Mapping[str, Any]
) -> Iterator[Source]:
    documents = _documents(folder / "input.yaml")
    if len(documents) == 1 and (documents[0]["apiVersion"], documents[0]["kind"]) in WRITTEN:
        yield Source(folder.name, documents[0], cluster(folder).objects(), settings)
