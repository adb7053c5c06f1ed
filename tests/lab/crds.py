# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs as data, read from Go module folders, and put into a cluster.

`load("gateway-api")` gives a named bundle, `crds(module, version, path, ...)` any other. Parsed once: the cache
keeps them as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import yaml

from . import crd_sources, paths, toolchain
from .client import ApiError, Client, Manifest, wait_until
from .crd_sources import BUNDLES, Bundle
from .errors import LabError
from .files import write_atomically

#: How a server says that a request took too long, and for how many seconds requests are repeated.
_TIMED_OUT, _TAKEN_WITHIN = 504, 180.0


def load(*names: str) -> list[Manifest]:
    """The CRDs of named bundles."""
    unknown = [name for name in names if name not in BUNDLES]
    if unknown:
        raise LabError(f"no CRD bundle named {', '.join(unknown)}; there are: {', '.join(BUNDLES)}")
    return [manifest for name in names for manifest in documents(BUNDLES[name])]


def crds(module: str, version: str, *files: str, only: tuple[str, ...] = ()) -> list[Manifest]:
    """The CRDs in these files of a Go module; `only` keeps the documents with these names."""
    return documents(Bundle(module, version, files, only))


def documents(bundle: Bundle) -> list[Manifest]:
    """A bundle's documents, downloaded and parsed if need be."""
    digest = hashlib.sha256(f"{bundle} without descriptions".encode()).hexdigest()[:16]
    cached = paths.cache() / "crds" / f"{digest}.json"
    if cached.is_file():
        found: list[Manifest] = json.loads(cached.read_text(encoding="utf-8"))
        return found
    if crd_sources.missing(bundle):
        crd_sources.fetch([bundle], toolchain.find_go(lambda _text: None))
    parsed = [
        document
        for file in bundle.files
        for document in _parse((bundle.folder / file).read_text(encoding="utf-8"))
    ]
    chosen = [each for each in parsed if not bundle.only or each["metadata"]["name"] in bundle.only]
    # Without `only` a document may also be a patch, which has no name.
    absent = set(bundle.only) - {each["metadata"]["name"] for each in chosen if bundle.only}
    if absent:
        raise LabError(
            f"{bundle.module}@{bundle.version} has no document named {', '.join(sorted(absent))}"
        )
    short: list[Manifest] = [without_descriptions(each) for each in chosen]
    write_atomically(cached, json.dumps(short))
    return short


def without_descriptions(value: Any) -> Any:
    """Drop the prose of a schema: it is most of a CRD's size and half of the time that installing it takes.

    A property that is itself called `description` holds a schema, not a text, and stays.
    """
    if isinstance(value, dict):
        return {
            name: without_descriptions(each)
            for name, each in value.items()
            if not (name == "description" and isinstance(each, str))
        }
    if isinstance(value, list):
        return [without_descriptions(each) for each in value]
    return value


def _parse(text: str) -> list[Manifest]:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [document for document in yaml.load_all(text, Loader=loader) if document]


def install(client: Client, manifests: Iterable[Manifest]) -> None:
    """Apply CRDs side by side and wait until each version of each kind is served."""
    wanted = list(manifests)
    wait_until(lambda: _applied(client, wanted), "CRDs to be taken", _TAKEN_WITHIN)
    missing = [path for manifest in wanted for path in _paths(manifest)]

    def look() -> tuple[bool, list[tuple[str, str]]]:
        while missing and _is_served(client, *missing[0]):
            missing.pop(0)
        return not missing, missing

    wait_until(look, "custom kinds to be served")


def _applied(client: Client, wanted: list[Manifest]) -> tuple[bool, str]:
    """Apply all. On a busy machine a server that has just started takes longer for many than it gives one request."""
    try:
        client.apply_all(wanted)
    except ApiError as error:
        if error.code != _TIMED_OUT:
            raise
        return False, str(error)
    return True, ""


def _is_served(client: Client, path: str, plural: str) -> bool:
    # One item of a collection is a smaller answer than the definition itself. Unknown paths are answered with plain text.
    answer = client.request("GET", path, query={"limit": "1"}, accept=(404,))
    if not isinstance(answer, dict):
        return False
    return "items" in answer or any(each["name"] == plural for each in answer.get("resources", ()))


def _paths(manifest: Manifest) -> list[tuple[str, str]]:
    """The collection of each version, and its group's list of kinds, where this one may come later; each with its plural."""
    spec = manifest["spec"]
    plural = spec["names"]["plural"]
    versions = [
        f"/apis/{spec['group']}/{each['name']}" for each in spec["versions"] if each["served"]
    ]
    return [(path, plural) for version in versions for path in (f"{version}/{plural}", version)]
