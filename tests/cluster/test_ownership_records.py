# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of ownership that are old, wiped, shared, or lost with a restored copy."""

from __future__ import annotations

import contextlib

from tests.lab.client import ApiError, Client

from .support.engine import Engine
from .support.replaced import DEPLOYMENT, ROUTE, live, ours, pods, replace, route
from .support.services import deployment


def test_record_of_an_older_version_is_renewed(client: Client, made: Engine) -> None:
    wanted = made.child(*ROUTE, route())
    made.run(wanted)
    changed = live(client, made, ROUTE)
    ours(changed)["apiVersion"] = "gateway.networking.k8s.io/v1beta1"
    replace(client, changed)
    ran = made.run(wanted)
    assert not ran.changed
    assert "it was applied as gateway.networking.k8s.io/v1beta1" in ran.reasons
    assert ours(live(client, made, ROUTE))["apiVersion"] == ROUTE[0]
    assert made.run(wanted).writes == 0


def test_wiped_record_is_made_again(client: Client, made: Engine) -> None:
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    ran = made.run(wanted)
    assert (ran.changed, ran.writes) == (False, 1)
    assert "no apply of ours" in ran.reasons
    assert made.run(wanted).writes == 0


def test_field_that_may_be_left_from_before_the_wipe_is_named(client: Client, made: Engine) -> None:
    """Server-side apply cannot take away what nobody is recorded for, nor can anybody tell whose it was."""
    made.run(made.child(*DEPLOYMENT, pods(minReadySeconds=5)))
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    wanted = made.child(*DEPLOYMENT, pods())
    (outcome,) = made.run(wanted).outcomes
    assert "spec.minReadySeconds" in outcome.warning
    assert "spec.template" not in outcome.warning
    assert live(client, made, DEPLOYMENT)["spec"]["minReadySeconds"] == 5
    assert made.run(wanted).writes == 0


def test_record_without_a_form_of_fields_cannot_be_stored(client: Client, made: Engine) -> None:
    """The API server refuses it, or keeps the record that it had."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    ours(changed).pop("fieldsType")
    with contextlib.suppress(ApiError):
        replace(client, changed)
    assert made.run(wanted).writes <= 1
    assert made.run(wanted).writes == 0
    assert ours(live(client, made, DEPLOYMENT))["fieldsType"] == "FieldsV1"


def test_restored_copy_is_owned_again(client: Client, made: Engine) -> None:
    """The annotation with the hash survives a backup, the ownership does not."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    copied = live(client, made, DEPLOYMENT)
    client.delete(copied)
    client.wait_for(copied, lambda found: found is None)
    kept = {
        name: copied["metadata"][name]
        for name in ("name", "namespace", "labels", "annotations", "ownerReferences")
    }
    restored = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": kept}
    client.create({**restored, "spec": copied["spec"], "metadata": {**kept, "managedFields": []}})
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    ran = made.run(wanted)
    assert "no apply of ours" in ran.reasons
    assert ours(live(client, made, DEPLOYMENT))["operation"] == "Apply"
    assert made.run(wanted).writes == 0


def test_replaced_object_is_ours_again(client: Client, made: Engine) -> None:
    """`kubectl replace` from a file takes no record away, but each field that it changes."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    changed["metadata"].pop("managedFields")
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "other:2"
    replace(client, changed)
    ran = made.run(wanted)
    assert ran.changed
    assert "image is not ours any more" in ran.reasons
    assert made.run(wanted).writes == 0


def test_field_that_others_hold_too_is_named_where_the_server_refuses_the_rest(
    client: Client, made: Engine
) -> None:
    """Server-side apply leaves what another manager owns, and what is left may be invalid."""
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    wanted = made.child(*DEPLOYMENT, pods(strategy=rolling))
    made.run(wanted)
    theirs = {**pods(strategy=rolling), **deployment("x", made.namespace)}
    client.apply(theirs, manager="autopilot")
    ran = made.run(made.child(*DEPLOYMENT, pods(strategy={"type": "Recreate"})))
    assert ran.actions == {"x": "failed"}
    assert "spec.strategy.rollingUpdate.maxSurge" in ran.reasons
    assert "since autopilot holds it too" in ran.reasons
