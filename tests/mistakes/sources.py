# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that are right: the examples, and recordings that the real controllers took, each with what was in its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from module_utils.kinds.kserve.releases import KServe
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
    """A service with what is in its cluster. settings, releases: the options of these names."""

    name: str
    document: Json
    objects: Sequence[Json]
    settings: Mapping[str, Any]
    releases: Mapping[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> Object:
        """The schema of its `spec`."""
        kind = WRITTEN[self.document["apiVersion"], self.document["kind"]]
        return kind.schema(self.document, kind.settings(dict(self.settings), self.releases))

    def result_of(self, document: Any) -> Json:
        """Return what a task makes of a document in the place of the service."""
        return run(
            state="rendered",
            services=[document],
            cluster_objects=list(self.objects),
            settings=dict(self.settings),
            releases=dict(self.releases),
        )

    def told(self, document: Any) -> list[Json]:
        """Return what a task says of a document in the place of the service: severity, rule, path, message."""
        result = self.result_of(document)
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
    yield from filter(_is_right, all_sources())


def all_sources() -> Iterator[Source]:
    """Yield the examples, and the recordings of the first release, those that a task refuses among them."""
    yield from example_sources()
    yield from _llm(llm.cases())
    yield from _isvc(isvc.cases())
    yield from _model_services()


def later_sources() -> Iterator[Source]:
    """Yield recordings of KServe's later releases, those that a task takes."""
    for release in llm.LATER:
        for source in _llm(llm.later_cases(release)):
            yield from filter(_is_right, (replace(source, releases=of_release(release)),))
    for release in isvc.LATER:
        for source in _isvc(isvc.later_cases(release)):
            yield from filter(_is_right, (replace(source, releases=of_release(release)),))


def of_release(release: KServe) -> Mapping[str, str]:
    """Return the option `releases` that writes down a release of KServe."""
    return {"kserve": release.text}


def _is_right(source: Source) -> bool:
    stopped = "serving.kserve.io/stop" in str(source.document["metadata"])
    return not stopped and all(each["severity"] != "error" for each in source.told(source.document))


def _documents(path: Path) -> list[Json]:
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def example_sources() -> Iterator[Source]:
    """Yield the examples."""
    for path in sorted(EXAMPLES.glob("*services/*.yaml")):
        for document in _documents(path):
            yield Source(f"examples/{path.stem}", document, (), {})


def _llm(folders: Iterable[Path]) -> Iterator[Source]:
    for folder in folders:
        settings = llm.recorded_settings(folder)
        options = {
            name: getattr(settings, name)
            for name in ("config_prefix", "versioned_config", "cluster_domain")
        }
        documents = llm.given(folder, "input.yaml")
        yield from _recorded(folder, documents, llm.recorded_cluster, options)


def _isvc(folders: Iterable[Path]) -> Iterator[Source]:
    for folder in folders:
        document = isvc.read_given(folder, "input.yaml")
        options = {"pod_mutation": "webhook"}
        yield from _recorded(folder, (document,), isvc.recorded_cluster, options)


def _model_services() -> Iterator[Source]:
    for path in sorted(MODEL_SERVICES.glob("*/input.yaml")):
        yield from _recorded(path.parent, _documents(path), lambda dummy: llm.Recorded(()), {})


def _recorded(
    folder: Path,
    documents: Sequence[Json],
    cluster: Callable[[Path], llm.Recorded],
    settings: Mapping[str, Any],
) -> Iterator[Source]:
    if len(documents) == 1 and (documents[0]["apiVersion"], documents[0]["kind"]) in WRITTEN:
        yield Source(folder.name, documents[0], cluster(folder).objects(), settings)
