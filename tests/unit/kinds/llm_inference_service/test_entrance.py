# SPDX-License-Identifier: GPL-3.0-or-later
"""How an LLMInferenceService is called: by its own route or that of its author, in OpenAI's API."""

from __future__ import annotations

import pytest

from module_utils.kinds.entrance import Entrance
from module_utils.kinds.llm_inference_service.entrance import entrance
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kinds.request import request_of
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .world import GATEWAY_API, resolved, stopped, thing

SERVED: Json = {"name": "chat-kserve-workload-svc", "port": 8000}
ENGINE: Json = {
    "model": {"uri": "hf://acme/chat-8b", "name": "acme/chat"},
    "template": {"containers": [{"name": "main", "args": ["--served-model-name", "chat-8b", "x"]}]},
}


def entered(spec: Json, *objects: Json) -> Entrance:
    return entrance(resolved({**ENGINE, **spec}), Settings(), Cluster(objects))


def test_model_is_called_as_the_engine_is_told() -> None:
    assert entered({}).model == "chat-8b"
    assert entered({"template": {"containers": [{"name": "main"}]}}).model == "acme/chat"


BY_PATH: Json = {"matches": [{"path": {"value": "/team-a/chat"}}], "backendRefs": [SERVED]}
BY_MODEL: Json = {
    "matches": [{"headers": [{"name": "X-Gateway-Model-Name", "value": "acme/chat"}]}],
    "backendRefs": [SERVED],
}


@pytest.mark.parametrize(
    ("rules", "path", "headers"),
    [
        ([BY_MODEL, BY_PATH], "/team-a/chat", {}),
        ([BY_MODEL], "", {"X-Gateway-Model-Name": "acme/chat"}),
    ],
)
def test_header_is_told_only_where_no_path_leads_to_the_service(
    rules: list[Json], path: str, headers: Json
) -> None:
    spec = {"parentRefs": [{"name": "gw"}], "rules": rules}
    named = entered({"router": {"route": {"http": {"spec": spec}}}})
    found = request_of(named, resolved(ENGINE).service.reference, Cluster())
    assert (found.path, dict(found.headers)) == (path, headers)


def test_route_of_the_author_leads() -> None:
    own = thing(GATEWAY_API, "HTTPRoute", "theirs", spec={"parentRefs": [{"name": "gw"}]})
    found = entered({"router": {"route": {"http": {"refs": [{"name": "theirs"}]}}}}, own)
    assert [one["metadata"]["name"] for one in found.routes] == ["theirs"]


def test_without_a_route_it_is_called_inside_the_cluster() -> None:
    found = entered({})
    assert found.closed.endswith(
        "by https://chat-kserve-workload-svc.team-a.svc.cluster.local:8000"
    )


def test_stopped_service_says_so() -> None:
    found = entrance(stopped(ENGINE), Settings(), Cluster())
    assert found.closed == "the service is stopped"
