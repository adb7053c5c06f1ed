# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of InferenceServices come out as KServe's webhook leaves them, and are refused where it refuses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_service.pods.mutation.mutate import mutated
from module_utils.kinds.inference_service.pods.mutation.subject import Subject
from module_utils.kinds.kserve.read_system_config import read_system_config
from module_utils.kinds.kserve.storage.refused import StorageRefused

from .compare import Key, differences, reduced
from .recorded_inference_services import (
    LATER,
    RECORDINGS,
    read_all,
    read_given,
    read_one,
    recorded_cluster,
    recorded_settings,
)

Json = dict[str, Any]
#: Pods of controllers have no name yet.
POD: Key = ("v1", "Pod", "", "")
PODS = [
    (folder.parent, number)
    for root in (RECORDINGS, *LATER.values())
    for folder in sorted(root.glob("*/pod-in.yaml"))
    for number in range(len(read_all(folder)))
]


def subject_of(folder: Path, pod: Json) -> Subject:
    """Return a recorded pod with what stood around it."""
    reader, settings, metadata = (
        recorded_cluster(folder),
        recorded_settings(folder),
        pod["metadata"],
    )
    service = read_one(folder / "stored.yaml") or read_given(folder, "input.yaml")
    return Subject(
        name=metadata.get("name", ""),
        namespace=metadata["namespace"],
        labels=metadata.get("labels") or {},
        annotations=metadata.get("annotations") or {},
        spec=pod["spec"],
        config=read_system_config(settings.kserve_namespace, reader),
        kserve_namespace=settings.kserve_namespace,
        reader=reader,
        release=settings.release,
        logger=service["spec"]["predictor"].get("logger"),
    )


@pytest.mark.parametrize(
    ("folder", "number"),
    PODS,
    ids=[f"{folder.relative_to(RECORDINGS)}-{number}" for folder, number in PODS],
)
def test_pods_come_out_as_recorded(folder: Path, number: int) -> None:
    before, after = (read_all(folder / f"pod-{when}.yaml")[number] for when in ("in", "out"))
    subject = subject_of(folder, before)
    if "error" in after:
        with pytest.raises(StorageRefused) as caught:
            mutated(subject)
        assert caught.value.message == after["error"]["message"]
        return
    made = mutated(subject)
    metadata = {**before["metadata"], "annotations": dict(made.annotations)}
    ours = {**before, "metadata": metadata, "spec": made.spec}
    assert differences({POD: reduced(ours)}, {POD: reduced(after)}) == []
