# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is wrong with a task's services is said in one go, before anything is looked at in a cluster."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from module_utils.fleet.compile import compile_fleet, paired
from module_utils.fleet.load import named
from module_utils.fleet.service import Service
from module_utils.kinds.view import ServiceView
from module_utils.kube import gvk
from module_utils.kube.intent import Child, Intent, Stage
from module_utils.kube.manifest import Manifest
from module_utils.kube.problem import InputError
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.task.manifest_loader import given
from tests.objects import thing
from tests.unit.kinds.model_service.build import document

from ..modules.task import full, loaded


def _refused(*documents: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        loaded(*documents, **options)
    return str(error.value)


def test_services_are_loaded_in_their_order() -> None:
    services, complaints = loaded(document("b"), document("a"))
    assert [service.reference.name for service in services] == ["b", "a"]
    assert services[0].subject == "services[0] (ModelService team-a/b)"
    assert complaints == []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({**document(), "kind": "ModelServise"}, 'kind: "ModelServise" is not a service'),
        ({**document(), "kind": "ModelServise"}, "did you mean ModelService?"),
        ({**document(), "kind": "modelservice"}, "did you mean ModelService?"),
        ({**document(), "kind": "Deployment"}, 'kind: "Deployment" is not a service'),
        *(
            (
                thing(gvk.KSERVE_V1ALPHA1, kind, "a", spec={}),
                f"{kind} is not a service, services only use it",
            )
            for kind in ("TrainedModel", "ServingRuntime", "ClusterServingRuntime")
        ),
        ({**document(), "kind": None}, "kind: missing"),
        (
            {**document(), "apiVersion": "model.otterscale.io/v1"},
            'apiVersion: "model.otterscale.io/v1" has no ModelService; write model.otterscale.io/v1alpha1',
        ),
        (
            {**document(), "apiVersion": None},
            "apiVersion: missing; write model.otterscale.io/v1alpha1",
        ),
        ({}, "kind: missing; known are ModelService (model.otterscale.io/v1alpha1)"),
        ("chat", "str is not a custom resource; give a map"),
        ([document()], "list is not a custom resource"),
        (None, "NoneType is not a custom resource"),
        (5, "int is not a custom resource"),
        ({**document(), "metadata": None}, "metadata.name"),
        ({**document(), "metadata": "chat"}, '"chat" is not a map'),
        ({**document(), "metadata": {"name": date(2026, 1, 1)}}, "metadata.name"),
        ({**document(), "metadata": {"name": 5, "namespace": ["a"]}}, "metadata.namespace"),
        ({**document(), "spec": None}, "spec.model"),
        ({**document(), "spec": [1]}, "is not a map"),
        (dict([*document().items(), (5, "x")]), "unknown field"),
        (document(decode={"replicas": date(2026, 1, 1)}), "spec.decode.replicas"),
        (document(decode={"replcas": 1}), 'did you mean "replicas"?'),
    ],
)
def test_document_that_is_no_service_is_named_with_the_way_out(value: Any, said: str) -> None:
    text = _refused(document("good"), value)
    assert text.startswith("services[1]")
    assert said in text
    assert "Traceback" not in text


def test_all_problems_of_all_services_are_said_at_once() -> None:
    text = _refused(
        document("one", decode={"replicas": "four", "x": 1}),
        document("fine"),
        {**document("two"), "kind": "ModelServise"},
        document("Three", accelerator={"type": "abacus"}),
        "four",
    )
    for said in (
        "services[0] (ModelService team-a/one): 2 problems",
        'spec.decode.replicas: "four"',
        "spec.decode.x: unknown field",
        "services[2]: 1 problem",
        "services[3] (ModelService team-a/Three): 2 problems",
        "metadata.name",
        "spec.accelerator.type",
        "services[4]: 1 problem",
    ):
        assert said in text
    assert "fine" not in text


def test_warnings_forbid_nothing_and_stay_with_their_service() -> None:
    (service,), _none = loaded(document())
    assert service.problems
    assert service.errors == ()


@pytest.mark.parametrize(
    ("own", "option", "found"),
    [
        ("team-b", "team-a", "team-b"),
        ("team-b", None, "team-b"),
        ("", "team-a", "team-a"),
        (None, "team-a", "team-a"),
    ],
)
def test_option_namespace_is_for_services_that_name_none(
    own: str | None, option: str | None, found: str
) -> None:
    given_one = document()
    given_one["metadata"]["namespace"] = own
    (service,), _none = loaded(given_one, namespace=option)
    assert service.reference.namespace == found
    assert service.kind.compile(service.typed, service.settings, GivenObjects()).children[
        0
    ].manifest.namespace in (found, "")
    assert given_one["metadata"]["namespace"] == own


def test_service_without_any_namespace_is_refused() -> None:
    nameless = document()
    del nameless["metadata"]["namespace"]
    assert "metadata.namespace: missing: name a namespace here or in the option" in _refused(
        nameless
    )


def test_service_that_is_given_twice_is_refused() -> None:
    text = _refused(document("chat"), document("other"), document("chat"))
    assert "services[2] (ModelService team-a/chat)" in text
    assert "more than once" in text


def test_services_whose_children_would_collide_are_both_named() -> None:
    services, _none = loaded(document("qwen3.5"), document("qwen3-5"))
    with pytest.raises(InputError) as error:
        compile_fleet(services, GivenObjects(), paired)
    text = str(error.value)
    assert "services[0] (ModelService team-a/qwen3.5)" in text
    assert "services[1] (ModelService team-a/qwen3-5)" in text
    assert '"qwen3.5" and "qwen3-5" both become Service' in text


def test_settings_that_nobody_knows_are_refused() -> None:
    assert "gatway_name" in _refused(document(), gatway_name="x")


# With skip_invalid.


def test_valid_services_go_on_where_that_is_wanted() -> None:
    services, complaints = loaded(
        document("bad", decode={"replicas": "four"}), document("good"), "text", skip_invalid=True
    )
    assert [service.reference.name for service in services] == ["good"]
    assert [complaint.subject for complaint in complaints] == [
        "services[0] (ModelService team-a/bad)",
        "services[2]",
    ]


def test_of_two_that_collide_neither_goes_on() -> None:
    services, _none = loaded(document("qwen3.5"), document("good"), document("qwen3-5"))
    kept, complaints = compile_fleet(services, GivenObjects(), paired, skip_invalid=True)
    assert [service.reference.name for service, dummy in kept] == ["good"]
    assert len(complaints) == 2


def test_without_any_valid_service_the_task_fails_all_the_same() -> None:
    assert "1 problem" in _refused(document("bad", decode={"x": 1}), skip_invalid=True)


# Collisions between kinds.


def _of_kind(kind: str, name: str, *children: tuple[str, str]) -> Service:
    """Return a service of some kind that wants these children."""
    (service,), _none = loaded(document(name))
    made = tuple(
        Child(Stage.CONFIG, Manifest("v1", child_kind, child, "team-a"))
        for child_kind, child in children
    )
    intent = Intent({**document(name), "kind": kind}, made)
    reference = service.reference._replace(kind=kind)
    view = ServiceView(reference, {}, ())
    made_up = {"compile": lambda *_given: intent, "view": lambda *_given: view}
    of_kind = replace(service.kind, kind=kind, **made_up)
    return Service(f"services ({kind} {name})", of_kind, reference, None, None, service.release)


def test_services_of_two_kinds_that_want_one_object_are_both_named() -> None:
    one = _of_kind("ModelService", "chat", ("Service", "chat-epp"), ("ConfigMap", "a"))
    other = _of_kind("LLMInferenceService", "chat.epp", ("Service", "chat-epp"), ("Secret", "a"))
    with pytest.raises(InputError) as error:
        compile_fleet([one, other], GivenObjects(), paired)
    assert '"chat" and "chat.epp" both become Service team-a/chat-epp; rename one' in str(
        error.value
    )
    assert str(error.value).count("both become") == 2


def test_services_that_want_one_object_are_both_left_out_where_that_is_permitted() -> None:
    one = _of_kind("ModelService", "chat", ("Service", "chat-epp"))
    other = _of_kind("LLMInferenceService", "chat.epp", ("Service", "chat-epp"))
    third = _of_kind("ModelService", "third", ("Service", "third-epp"))
    kept, complaints = compile_fleet([one, other, third], GivenObjects(), paired, skip_invalid=True)
    assert [service.reference for service, _intent in kept] == [third.reference]
    assert [complaint.subject for complaint in complaints] == [one.subject, other.subject]
    with pytest.raises(InputError):
        compile_fleet([one, other], GivenObjects(), paired, skip_invalid=True)


def test_objects_of_one_name_and_two_kinds_do_not_collide() -> None:
    one = _of_kind("ModelService", "chat", ("Service", "chat"))
    other = _of_kind("LLMInferenceService", "chat", ("ConfigMap", "chat"))
    assert len(compile_fleet([one, other], GivenObjects(), paired)[0]) == 2


def test_no_two_children_of_real_services_collide() -> None:
    services, _none = loaded(full("chat"), full("chat-epp"), full("chat", "team-b"))
    compiled, _none = compile_fleet(services, GivenObjects(), paired)
    references = [
        child.manifest.reference for dummy, intent in compiled for child in intent.children
    ]
    assert len(references) == len(set(references)) == 3 * 17


# For `absent` the name is enough.


def _named(*values: Any, namespace: str | None = None) -> list[Reference]:
    return [reference for _kind, reference in named(given("services", values), namespace)]


def test_name_alone_says_which_service_is_to_go() -> None:
    broken = {**document("chat"), "spec": "of no use"}
    assert [str(each) for each in _named(broken)] == ["ModelService team-a/chat"]
    bare = thing(document()["apiVersion"], "ModelService", "x")
    assert [str(each) for each in _named(bare, namespace="b")] == ["ModelService b/x"]
    unversioned = {"kind": "ModelService", "metadata": {"name": "x", "namespace": "b"}}
    assert [str(each) for each in _named(unversioned)] == ["ModelService b/x"]


def test_service_that_is_named_twice_goes_once() -> None:
    assert len(_named(document("chat"), document("chat"))) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("chat", "str is not a custom resource"),
        ({**document(), "kind": "ModelServise"}, "did you mean ModelService?"),
        ({**document(), "metadata": {}}, "metadata.name: missing"),
        ({**document(), "metadata": None}, "metadata.namespace: missing"),
        ({**document(), "metadata": {"name": 5, "namespace": "a"}}, "metadata.name: 5 is not a"),
        ({**document(), "metadata": {"name": "a", "namespace": 5}}, "metadata.namespace: 5 is not"),
        ({**document(), "metadata": {"name": "a", "namespace": "A B"}}, "is not a namespace"),
    ],
)
def test_service_that_cannot_be_named_is_refused(value: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        _named(document(), value)
    assert said in str(error.value)
    assert str(error.value).startswith("services[1]")


@pytest.mark.parametrize(("texts", "made"), [("ab", None), ("aa", [1, 0])])
def test_what_services_share_is_made_by_the_first_of_them(
    texts: str, made: list[int] | None
) -> None:
    services, _none = loaded(document("chat"), document("code"))
    said = dict(zip([service.reference for service in services], texts, strict=True))
    for each in services:
        each.kind = replace(
            each.kind, view=lambda *_given: ServiceView(services[0].reference, {}, ())
        )

    def with_shared(service: Service, dummy: Any) -> Intent:
        data = {"data": {"text": said[service.reference]}}
        shared = Manifest("v1", "ConfigMap", "shared", "team-a", body=data)
        return Intent(service.typed.document, (Child(Stage.CONFIG, shared, shared=True),))

    if made is None:
        with pytest.raises(InputError, match="both become ConfigMap"):
            compile_fleet(services, GivenObjects(), paired, compiler=with_shared)
    else:
        intents, _none = compile_fleet(services, GivenObjects(), paired, compiler=with_shared)
        assert [len(intent.children) for dummy, intent in intents] == made
