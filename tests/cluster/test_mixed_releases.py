# SPDX-License-Identifier: GPL-3.0-or-later
"""One list with services of both kinds of KServe, under each release that both know."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support import inference_services, llm_services
from .support.cluster import there
from .support.entries import Entries, actions
from .support.inference_services import GATEWAY_API, SETTINGS, isvc
from .support.llm_services import routed
from .support.places import knowing, own_namespace

#: Rules of the route to a server of both protocols, by release.
RULES = {"0.17": 1, "0.18": 2, "0.19": 2, "0.20": 2, "0.21": 2}


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
    entries: Entries, counted: Entries, proxy: Proxy, client: Client, place: str
) -> None:
    services = (routed("chat", place), speaking_both(place))
    for release, rules in RULES.items():
        # From 0.20 on no gateway of the lab accepts pools as a service asks for it.
        wait = release not in ("0.20", "0.21")
        done = entries.reconcile(*services, **under(release, wait=wait, wait_timeout=120.0))
        if wait:
            assert [each["ready"] for each in done["services"]] == [True, True], release
        route = there(client, thing(GATEWAY_API, "HTTPRoute", "iris", place))
        assert len(route["spec"]["rules"]) == rules
        again = entries.reconcile(*services, **under(release))
        assert (again["changed"], actions(again)) == (False, {}), release
        proxy.reset()
        assert not counted.reconcile(services[1], **under(release))["changed"]
        assert proxy.requests <= 20, release
    gone = entries.run(*services, state="absent", **under(release))
    assert set(actions(gone).values()) == {"deleted"}
