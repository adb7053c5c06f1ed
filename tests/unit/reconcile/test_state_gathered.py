# SPDX-License-Identifier: GPL-3.0-or-later
"""`gathered` gives back what an author would write, which can be applied again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.manifest import Json
from module_utils.reconcile.state_gathered import SERVER_OWNED, as_written
from tests.unit.engine.recorded import cases
from tests.unit.engine.wanted import as_wanted
from tests.unit.kinds.model_service.build import document

from ..modules.task import full, loaded


def _live(**metadata: Any) -> Json:
    live = full("chat")
    live["metadata"] |= metadata
    return {**live, "status": {"phase": "Running"}}


def test_recorded_custom_resources_can_be_given_again() -> None:
    known = [each for each in cases("service") if each.desired.reference.kind == "ModelService"]
    assert len(known) == 2
    services, complaints = loaded(*(as_written(each.live, MODEL_SERVICE) for each in known))
    assert (len(services), complaints) == (2, [])


def test_recorded_custom_resources_are_what_was_applied() -> None:
    for each in cases("service"):
        if each.desired.reference.kind == "ModelService":
            written = as_written(each.live, MODEL_SERVICE)
            assert written["spec"] == as_wanted(each.desired)["spec"]
            assert written["metadata"].keys() == {"name", "namespace"}
            assert each.live["spec"] != written["spec"], "the server added defaults"


@pytest.mark.parametrize("field", sorted(SERVER_OWNED))
def test_what_the_server_writes_is_left_out(field: str) -> None:
    value: Any = [{"manager": "kubectl"}] if field == "managedFields" else "x"
    assert as_written(_live(**{field: value}), MODEL_SERVICE) == full("chat")


def test_defaults_of_the_api_server_are_left_out_where_we_applied() -> None:
    fields: Json = {"f:spec": {"f:decode": {}, "f:model": {"f:name": {}}}}
    entry = {"manager": "modelops.inference", "operation": "Apply", "fieldsV1": fields}
    live = _live(managedFields=[entry])
    live["spec"] = {
        "decode": {"replicas": 1},
        "model": {"name": "acme/chat", "mountPath": "/models"},
    }
    assert as_written(live, MODEL_SERVICE)["spec"] == {"decode": {}, "model": {"name": "acme/chat"}}


def test_our_marks_and_the_copy_of_kubectl_are_left_out() -> None:
    live = _live(
        labels={"inference.modelops.io/fleet": "default"},
        annotations={
            "inference.modelops.io/owner": "ModelService/team-a/chat",
            "inference.modelops.io/intent": "0",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
    )
    assert as_written(live, MODEL_SERVICE) == full("chat")


def test_labels_and_annotations_of_the_author_stay() -> None:
    own: Json = {
        "labels": {"team": "a", "inference.modelops.io/fleet": "default"},
        "annotations": {"note": "x"},
    }
    written = as_written(_live(**own), MODEL_SERVICE)
    assert written["metadata"]["labels"] == {"team": "a"}
    assert written["metadata"]["annotations"] == {"note": "x"}


def test_fields_stand_in_the_order_in_which_people_write_them() -> None:
    live = dict(reversed(_live(labels={"team": "a"}).items()))
    assert list(as_written(live, MODEL_SERVICE)) == ["apiVersion", "kind", "metadata", "spec"]


@pytest.mark.parametrize("empty", [None, {}])
def test_empty_labels_are_left_out(empty: Json | None) -> None:
    assert as_written(_live(labels=empty, annotations=empty), MODEL_SERVICE) == full("chat")


def test_live_object_stays_as_it_is_and_shares_nothing() -> None:
    live = _live(labels={"inference.modelops.io/fleet": "x"}, annotations={"a": "b"})
    before = deepcopy(live)
    written = as_written(live, MODEL_SERVICE)
    written["spec"]["decode"]["replicas"] = 99
    written["metadata"]["annotations"]["a"] = "c"
    assert live == before


def test_resource_without_a_spec_is_given_as_it_is() -> None:
    bare = {key: value for key, value in document().items() if key != "spec"}
    assert as_written(bare, MODEL_SERVICE) == bare
