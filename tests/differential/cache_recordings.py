# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes recordings of caches: what KServe's controller and its agent on one node do with the inputs below tests/parity.

`python -m tests.differential.cache_recordings --release 0.20`. Caches with the same configuration are given to one cluster.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.lab.client import ApiError, Client
from tests.parity import recorded_local_models as recorded

from .batch import IN_PATH
from .cache_plane import container_of, listed, plane_of, prepare, settle, start_agent
from .modules import MODULES, release_of
from .plane import Plane
from .record import bare, refused_write, write

Json = dict[str, Any]
#: Where a Job writes.
_MODELS = "/mnt/models"
_VOLUMES = ("PersistentVolume", "PersistentVolumeClaim")


def record(release: KServe) -> int:
    """Record every case of a release, and return how many there are."""
    groups: dict[str, list[Path]] = {}
    folders = recorded.folders_for(release)
    for folder in folders:
        groups.setdefault(json.dumps(recorded.shared_context(folder)), []).append(folder)
    for shared, cases in groups.items():
        with plane_of(release) as plane:
            prepare(plane.client, json.loads(shared))
            plane.start_controller()
            _record(plane, release, cases)
    return len(folders)


def _record(plane: Plane, release: KServe, folders: Iterable[Path]) -> None:
    client = plane.client
    for folder in folders:
        for each in recorded.given(folder)[1]:
            client.apply(each)
    settle(plane)
    given = {folder: recorded.given(folder)[0] for folder in folders}
    refusals = {folder: _refusal(client, document) for folder, document in given.items()}
    settle(plane)
    start_agent(plane, release)
    settle(plane)
    initial = {folder: _status(client, document) for folder, document in given.items()}
    done = [_succeeded(plane, job) for job in listed(client, "batch/v1", "Job")]
    settle(plane)
    entries = [json.loads(line) for line in plane.recording.read_text().splitlines()]
    names = [document["metadata"]["name"] for document in given.values()]
    for folder, document in given.items():
        name = document["metadata"]["name"]
        own = [each for each in entries if _owner(each.get("body") or {}, names) == name]
        files = {
            "intent.yaml": [bare(_sent(each)) for each in own if _is_made(each)],
            "rejected.yaml": [refused_write(each) for each in own if each["code"] >= 400],
            "ready.yaml": [bare(job) for job in done if job["metadata"]["labels"]["model"] == name],
            "status.yaml": [
                {"refusal": refusals[folder]}
                if refusals[folder]
                else {"initial": bare(initial[folder]), "ready": bare(_status(client, document))}
            ],
        }
        write(folder, files)


def _refusal(client: Client, document: Json) -> str:
    try:
        client.create(document)
    except ApiError as error:
        return error.message or str(error.code)
    return ""


def _status(client: Client, document: Json) -> Json:
    metadata = document["metadata"]
    name, place = metadata["name"], metadata.get("namespace", "")
    live = client.get(document["apiVersion"], document["kind"], name, place)
    return dict((live or {}).get("status") or {})


def _succeeded(plane: Plane, job: Json) -> Json:
    """Make the folder of a model as its Job would, report that the Job has ended, and return what was reported."""
    (mount,) = (each for each in container_of(job)["volumeMounts"] if each["mountPath"] == _MODELS)
    (plane.temporary / mount["subPath"]).mkdir(parents=True)
    status = {"succeeded": 1}
    plane.client.patch_status({**job, "apiVersion": "batch/v1", "kind": "Job"}, status)
    kept = {key: job["metadata"].get(key) for key in ("generateName", "namespace", "labels")}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": kept, "status": status}


def _owner(body: Json, names: Iterable[str]) -> str:
    """Return the name of the cache whose child something is, empty for other things. Volumes and claims begin with that name."""
    metadata = body.get("metadata") or {}
    if body.get("kind") == "Job":
        return str((metadata.get("labels") or {}).get("model"))
    own = str(metadata.get("name")) if body.get("kind") in _VOLUMES else ""
    return max((name for name in names if own.startswith(f"{name}-")), key=len, default="")


def _sent(entry: Json) -> Json:
    """Return what was sent; the namespace may be in the address alone."""
    body, named = entry["body"], IN_PATH.search(entry["path"])
    place = {"namespace": named[1]} if named else {}
    return {**body, "metadata": {**body["metadata"], **place}}


def _is_made(entry: Json) -> bool:
    dry = "dryRun" in entry.get("query", "")
    return bool(entry["method"] == "POST" and entry["code"] < 300 and not dry)


def main() -> None:
    """Record a release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="0.20", choices=[str(each) for each in MODULES])
    print(f"{record(release_of(parser.parse_args().release))} passed, 0 failed")


if __name__ == "__main__":
    main()
