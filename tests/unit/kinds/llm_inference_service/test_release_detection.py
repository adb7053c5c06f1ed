# SPDX-License-Identifier: GPL-3.0-or-later
"""What live objects say of the release that made them: KServe writes it nowhere."""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.release_detection import made_as, other_release
from module_utils.kube.manifest import Json
from tests.objects import thing

from .build import document
from .preset_world import ROUTER, children
from .release_pairs import settings

RELEASES = ("0.17", "0.18", "0.19")
STATUS = {"kind": "LLMInferenceService", "status": {"workloads": {}}}
SECRET = thing(
    "v1",
    "Secret",
    "s",
    "team-a",
    metadata={"managedFields": [{"fieldsV1": {"f:data": {"f:ca.crt": {}}}}]},
)
HASHED = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "p",
        "namespace": "team-a",
        "labels": {"app.kubernetes.io/component": "llminferenceservice-router-scheduler"},
    },
    "spec": {"template": {"metadata": {"annotations": {"certificates.kserve.io/cert-hash": "x"}}}},
}


def made(release: str) -> list[Json]:
    """Return the children of a service of a release."""
    return [*children(document(router=ROUTER), settings=settings(release)).values()]


@pytest.mark.parametrize("theirs", RELEASES)
@pytest.mark.parametrize("wanted", RELEASES)
def test_objects_of_another_release_are_told_apart(theirs: str, wanted: str) -> None:
    """A plain port is a sign of 0.19, and a port called https is none: TLS may be switched on."""
    pairs = [(each, None) for each in made(theirs)]
    silent = theirs == wanted or (theirs, wanted) == ("0.18", "0.19")
    assert (other_release(settings(wanted), pairs, True) is None) is silent
    ours = list(zip(made(theirs), made(wanted), strict=True))
    assert (other_release(settings(wanted), ours, False) is None) is (theirs == wanted)


@pytest.mark.parametrize(
    ("live", "wanted", "told"),
    [
        (SECRET, "0.17", "KServe 0.18 or later"),
        (SECRET, "0.19", None),
        (HASHED, "0.18", "KServe before 0.18"),
        (HASHED, "0.17", None),
        (
            {**STATUS, "metadata": {"name": "c"}, "apiVersion": "x/v1"},
            "0.18",
            "KServe 0.19 or later",
        ),
        ({**STATUS, "metadata": {"name": "c"}, "apiVersion": "x/v1"}, "0.19", None),
    ],
)
def test_each_sign_is_told_with_its_place(live: Json, wanted: str, told: str | None) -> None:
    found = other_release(settings(wanted), [(live, None)], True)
    assert (found.theirs if found else None) == told
    assert found is None or live["metadata"]["name"] in found.seen


def test_pods_that_an_upgraded_controller_left_alone_are_no_certain_sign() -> None:
    name = "chat-kserve"
    (old,) = [each for each in made("0.17") if each["metadata"]["name"] == name]
    (new,) = [each for each in made("0.18") if each["metadata"]["name"] == name]
    assert other_release(settings("0.18"), [(old, new)], True) is None
    found = other_release(settings("0.18"), [(old, new)], False)
    assert found is not None
    assert "HF_HUB_ENABLE_HF_TRANSFER" in found.seen


def test_a_port_that_stays_as_it_is_is_no_sign() -> None:
    name = "chat-kserve-workload-svc"
    (live,) = [each for each in made("0.18") if each["metadata"]["name"] == name]
    assert other_release(settings("0.19"), [(live, live)], False) is None


@pytest.mark.parametrize(
    ("theirs", "found"), [("0.17", "0.17"), ("0.18", "0.18"), ("0.19", "0.19"), ("0.20", "0.20")]
)
def test_objects_have_the_oldest_release_that_they_fit(theirs: str, found: str) -> None:
    told = made_as(made(theirs))
    assert (str(told.release), told.contradiction) == (found, "")


def test_objects_without_a_sign_are_of_the_oldest_release() -> None:
    told = made_as([])
    assert (str(told.release), told.seen, told.contradiction) == ("0.17", "", "")


def test_signs_that_exclude_each_other_are_told_with_both() -> None:
    told = made_as([HASHED, {**STATUS, "metadata": {"name": "c"}, "apiVersion": "x/v1"}])
    assert "KServe 0.19 or later" in told.contradiction
    assert "but KServe before 0.18" in told.contradiction
