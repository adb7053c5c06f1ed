# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller was given and answered: the folders below recordings/llm_inference_service.

`context/` is there before each case; a case's `context.yaml` adds to it or takes its place. A sequence holds `step-N` folders.
Releases after the first have a folder each (`v0.19.0`), whose cases have inputs of their own or those of the first release.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference

RECORDINGS = Path(__file__).parent / "recordings" / "llm_inference_service"
#: The releases that were recorded after the first one, which stands in RECORDINGS itself.
LATER = {KServe.V0_19: RECORDINGS / "v0.19.0", KServe.V0_20: RECORDINGS / "v0.20.0"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Recorded:
    """A reader over a recorded cluster: what it does not hold is not there."""

    complete = True

    def __init__(self, manifests: Iterable[Json]) -> None:
        self._objects = tuple(manifests)
        self._given = GivenObjects(self._objects)

    def objects(self) -> tuple[Json, ...]:
        """Return all that it holds."""
        return self._objects

    def get(self, reference: Reference) -> Json | None:
        """Return the object of that name."""
        return self._given.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of that kind that carry all labels."""
        return self._given.list(api_version, kind, namespace, labels)


def cases() -> list[Path]:
    """Return the folders of single cases of the first release."""
    return [path.parent for path in sorted(RECORDINGS.glob("*/input.yaml"))]


def later_cases(release: KServe) -> list[Path]:
    """Return the folders of single cases of a later release."""
    return [path.parent for path in sorted(LATER[release].glob("*/status.yaml"))]


def given(folder: Path, file: str) -> tuple[Json, ...]:
    """Return what a case was given; a later release was given what the first one was, where it has nothing of its own."""
    own = (folder / "input.yaml").exists()
    return read_all(folder / file if own else RECORDINGS / folder.name / file)


@cache
def read_all(path: Path) -> tuple[Json, ...]:
    """Return the documents of a recorded file, none where there is no such file. Not to be changed."""
    if not path.exists():
        return ()
    text = path.read_text(encoding="utf-8")
    return tuple(document for document in yaml.load_all(text, _LOADER) if document)


def recorded_settings(folder: Path) -> Settings:
    """Return how the controller was run, as settings."""
    (document,) = given(folder, "controller.yaml") or ({},)
    env = document.get("env") or {}
    releases = {root: release for release, root in LATER.items()}
    defaults = Settings()
    return Settings(
        release=releases.get(folder.parent, KServe.V0_17),
        config_prefix=env.get("LLM_INFERENCE_SERVICE_CONFIG_PREFIX", defaults.config_prefix),
        versioned_config=env.get("LLM_INFERENCE_SERVICE_VERSIONED_CONFIG", "true") == "true",
        cluster_domain=env.get("CLUSTER_DOMAIN", defaults.cluster_domain),
        wildcard_hostname=env.get("GATEWAY_API_WILDCARD_HOSTNAME", defaults.wildcard_hostname),
    )


def recorded_cluster(folder: Path) -> Recorded:
    """Return the objects that were there before a case, with keys for its certificate."""
    own = given(folder, "context.yaml")
    shared = shared_context(folder.parent)
    found = {Reference.of(manifest): manifest for manifest in (*shared, *own, *_keys(folder))}
    return Recorded(found.values())


def shared_context(root: Path) -> list[Json]:
    """Return what was there before all cases. root: of a release, whose objects take the place of those of the first."""
    folders = (RECORDINGS,) if root == RECORDINGS else (RECORDINGS, root)
    paths = [path for one in folders for path in sorted((one / "context").glob("*.yaml"))]
    found = {Reference.of(one): one for path in paths for one in read_all(path)}
    return list(found.values())


def _keys(folder: Path) -> list[Json]:
    """Return the Secret that the controller made, with keys of ours."""
    made = [
        each for each in read_all(folder / "intent.yaml") if each.get("type") == "kubernetes.io/tls"
    ]
    return [{**secret, "data": _data(secret["data"])} for secret in made]


def _data(keys: Iterable[str]) -> Json:
    return {key: b64encode(f"{key} of a test".encode()).decode() for key in keys}
