# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that are asked for by claim (DRA): which are counted, and what is said of the others."""

from __future__ import annotations

from copy import deepcopy

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.capacity import (
    capacity,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.demand import (
    demands_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.explain import explain
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.fit import fit
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.inventory import (
    Inventory,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.quota import (
    quota_problems,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.resource_claims import (
    with_claims,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.resource_slices import (
    ResourceSlices,
)

from .build import GPU, Json, deployment, node

DRIVER = "gpu.example.com"
FITS, LACKS, UNCERTAIN = "fits", "does not fit", "uncertain"
WHOLE = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == 'gpu'"


def device_class(*expressions: str, name: str = DRIVER) -> Json:
    selectors = [{"cel": {"expression": each}} for each in expressions]
    return {"metadata": {"name": name}, "spec": {"selectors": selectors}}


def device(name: str, kind: str = "gpu", **more: object) -> Json:
    return {"name": name, "attributes": {"type": {"string": kind}}, **more}


def part(
    *devices: Json, on: str = "a", generation: int = 1, parts: int = 1, **more: object
) -> Json:
    """Return a ResourceSlice. parts: slices of its pool."""
    pool = {"name": on, "generation": generation, "resourceSliceCount": parts}
    where = {"nodeName": on} if on else {"allNodes": True}
    return {"spec": {"driver": DRIVER, "pool": pool, "devices": list(devices), **where, **more}}


def held(*names: str, on: str = "a", **more: object) -> Json:
    """Return a ResourceClaim that has been given devices."""
    results = [{"driver": DRIVER, "pool": on, "device": name, **more} for name in names]
    return {"status": {"allocation": {"devices": {"results": results}}}}


def template(count: int | None = 1, **more: object) -> Json:
    exactly = {"deviceClassName": DRIVER, **({"count": count} if count else {}), **more}
    return {"spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}}}


def judged(
    slices: list[Json],
    claims: list[Json],
    template: Json,
    replicas: int = 1,
    classes: list[Json] | None = None,
) -> tuple[str, str]:
    claiming = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}
    (demand,) = demands_of(deployment(0, replicas, **claiming))
    demand = with_claims(demand, {"gpus": template})
    inventory = Inventory([demand])
    for name in ("a", "b"):
        inventory.add_node(node(name, 0))
    published = ResourceSlices()
    for each in classes or [device_class(WHOLE)]:
        published.add_class(each)
    for each in slices:
        published.add_slice(each)
    for each in claims:
        published.add_claim(each)
    inventory.add_published(published)
    (answer,) = fit([demand], inventory)
    return answer.verdict.value, explain(answer, inventory)


FOUR = [device(f"gpu-{number}") for number in range(4)]


@pytest.mark.parametrize(
    ("slices", "claims", "asked", "replicas", "verdict"),
    [
        ([part(*FOUR)], [], template(4), 1, FITS),
        ([part(*FOUR)], [], template(2), 2, FITS),
        ([part(*FOUR)], [], template(3), 2, LACKS),
        ([part(*FOUR), part(*FOUR, on="b")], [], template(3), 2, FITS),
        ([part(*FOUR)], [held("gpu-0")], template(4), 1, LACKS),
        ([part(*FOUR)], [held("gpu-0", adminAccess=True)], template(4), 1, FITS),
        ([part(*FOUR)], [held("gpu-0", on="b")], template(4), 1, FITS),
        ([part(*FOUR)], [], template(None), 4, FITS),
        # Devices of another sort are no devices of the class.
        ([part(*FOUR[:3], device("mig", "mig"))], [], template(4), 1, LACKS),
        (
            [part(*FOUR[:3], device("sick", taints=[{"key": "x", "effect": "NoSchedule"}]))],
            [],
            template(4),
            1,
            LACKS,
        ),
        # Only the newest generation of a pool counts, and only when all of it is there.
        ([part(*FOUR), part(FOUR[0], generation=2)], [], template(2), 1, LACKS),
        ([part(*FOUR, parts=2)], [], template(1), 1, LACKS),
    ],
)
def test_devices_of_a_class_are_counted(
    slices: list[Json], claims: list[Json], asked: Json, replicas: int, verdict: str
) -> None:
    assert judged(slices, claims, asked, replicas)[0] == verdict


def test_numbers_are_named() -> None:
    text = judged([part(*FOUR)], [held("gpu-0")], template(4))[1]
    assert "no room for 1 pod of 4 deviceclass/gpu.example.com" in text
    assert "Free: 3 deviceclass/gpu.example.com on 1 node, the largest block is 3, on a." in text
    nothing = judged([], [], template(1))[1]
    assert "No driver publishes devices of this class" in nothing


SHARED = template(1)
SHARED["spec"]["spec"]["devices"]["constraints"] = [{"matchAttribute": "x/numa"}]
FIRST = {"spec": {"spec": {"devices": {"requests": [{"name": "gpu", "firstAvailable": [{}]}]}}}}


@pytest.mark.parametrize(
    ("slices", "classes", "asked", "why"),
    [
        (
            [part(*FOUR)],
            [device_class("device.capacity['x'].memory.isGreaterThan(quantity('40Gi'))")],
            template(),
            "more than equalities",
        ),
        (
            [part(*FOUR)],
            [device_class(f"device.attributes['{DRIVER}'].model == 'x'")],
            template(),
            "fails for devices of gpu.example.com",
        ),
        ([part(*FOUR, on="")], None, template(), "do not belong to one node each"),
        ([part(device("half", consumesCounters=[{}]))], None, template(), "parts of devices"),
        ([part(*FOUR)], None, template(1, allocationMode="All"), "a choice of devices"),
        ([part(*FOUR)], None, template(1, selectors=[{"cel": {}}]), "looks at more than the class"),
        ([part(*FOUR)], None, SHARED, "constraints between the devices"),
        ([part(*FOUR)], None, FIRST, "a choice of devices"),
    ],
)
def test_what_is_not_counted_is_said(
    slices: list[Json], classes: list[Json] | None, asked: Json, why: str
) -> None:
    verdict, text = judged(slices, [], asked, classes=classes)
    assert verdict == UNCERTAIN
    assert why in text


def test_claim_without_its_template_and_shared_claim_are_not_counted() -> None:
    for claim, why in (
        ({"resourceClaimTemplateName": "gone"}, "ResourceClaimTemplate gone does not exist"),
        ({"resourceClaimName": "ours"}, "ResourceClaim ours, which pods share"),
    ):
        (demand,) = demands_of(deployment(0, resourceClaims=[{"name": "gpu", **claim}]))
        assert with_claims(demand, {}).doubts == (why,)


@pytest.mark.parametrize(
    ("listed", "devices", "verdict"), [(0, 3, FITS), (0, 4, LACKS), (8, 8, FITS), (2, 3, LACKS)]
)
def test_resource_that_a_driver_serves_is_counted_where_no_plugin_lists_it(
    listed: int, devices: int, verdict: str
) -> None:
    inventory = Inventory(demands := demands_of(deployment(devices)))
    inventory.add_node(node("a", listed))
    published = ResourceSlices()
    served = device_class(WHOLE)
    served["spec"]["extendedResourceName"] = GPU
    published.add_class(served)
    published.add_slice(part(*FOUR))
    published.add_claim(held("gpu-0"))
    inventory.add_published(published)
    assert fit(demands, inventory)[0].verdict.value == verdict


def test_devices_under_two_names_may_be_the_same() -> None:
    named = "deviceclass.resource.kubernetes.io/gpu.example.com"
    workloads = [deployment(1), deployment(1, name="other", resource=named)]
    demands = [demand for workload in workloads for demand in demands_of(workload)]
    inventory = Inventory(demands)
    inventory.add_node(node("a", 0))
    published = ResourceSlices()
    served = device_class(WHOLE)
    served["spec"]["extendedResourceName"] = GPU
    published.add_class(served)
    published.add_slice(part(*FOUR))
    inventory.add_published(published)
    answers = fit(demands, inventory)
    assert {answer.verdict.value for answer in answers} == {UNCERTAIN}
    assert "which may be the same" in explain(answers[0], inventory)


def test_quota_of_a_class_counts_claimed_devices() -> None:
    claiming = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}
    (demand,) = demands_of(deployment(0, 2, **claiming))
    demand = with_claims(demand, {"gpus": template(4)})
    answers = fit([demand], Inventory([demand]))
    entry = "gpu.example.com.deviceclass.resource.k8s.io/devices"
    for allowed, exceeded in (("8", False), ("7", True)):
        metadata = {"name": "gpus", "namespace": "team-a"}
        quota = {"metadata": metadata, "spec": {"hard": {entry: allowed}}}
        assert bool(list(quota_problems(answers, [quota]))) is exceeded


def test_capacity_has_a_row_for_each_class() -> None:
    inventory = Inventory()
    inventory.add_node(deepcopy(node("a", 0)))
    published = ResourceSlices()
    published.add_class(device_class(WHOLE))
    published.add_slice(part(*FOUR))
    published.add_claim(held("gpu-1"))
    inventory.add_published(published)
    (row,) = capacity(inventory)
    assert (row["resource"], row["devices"], row["used"], row["free"]) == (
        "deviceclass/gpu.example.com",
        4,
        1,
        3,
    )
