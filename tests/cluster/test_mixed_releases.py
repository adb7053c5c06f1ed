# SPDX-License-Identifier: GPL-3.0-or-later
"""One list with services of both kinds of KServe, under each release that both know."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.objects import thing

from .support import inference_services, llm_services
from .support.cluster import there
from .support.entries import Entries, actions
from .support.inference_services import GATEWAY_API, SETTINGS, isvc
from .support.llm_services import routed
from .support.places import knowing, own_namespace

#: Rules of the route to a server of both protocols, by release.
RULES = {"0.17": 1, "0.18": 2, "0.19": 2}


client = knowing(llm_services.prepare, inference_services.prepare)
place = own_namespace("mixed")


def under(release: str, **options: Any) -> Json:
    """Return the options of a task under a release."""
    return {"releases": {"kserve": release}, "settings": SETTINGS, **options}


def speaking_both(place: str) -> Json:
    """Return an InferenceService whose server listens for HTTP and for gRPC."""
    ports = [
        {"name": "http", "containerPort": 8080},
        {"name": "grpc", "containerPort": 9000},
    ]
    model = {"modelFormat": {"name": "lab"}, "storageUri": "hf://acme/iris", "ports": ports}
    return isvc("iris", place, model=model)


def test_a_mixed_list_goes_through_all_releases_and_is_settled_under_each(
    entries: Entries, client: Client, place: str
) -> None:
    services = (routed("chat", place), speaking_both(place))
    for release, rules in RULES.items():
        done = entries.reconcile(*services, **under(release, wait=True, wait_timeout=120.0))
        assert [each["ready"] for each in done["services"]] == [True, True], release
        route = there(client, thing(GATEWAY_API, "HTTPRoute", "iris", place))
        assert len(route["spec"]["rules"]) == rules
        again = entries.reconcile(*services, **under(release))
        assert (again["changed"], actions(again)) == (False, {}), release
    gone = entries.run(*services, state="absent", **under("0.19"))
    assert set(actions(gone).values()) == {"deleted"}
