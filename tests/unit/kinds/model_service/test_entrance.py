# SPDX-License-Identifier: GPL-3.0-or-later
"""How a ModelService is called: the service's name in a header, the model's in the body."""

from __future__ import annotations

from module_utils.kinds.entrance import Entrance
from module_utils.kinds.model_service.entrance import entrance
from module_utils.kinds.model_service.settings import make_settings
from module_utils.kinds.protocols import EMBEDDINGS
from module_utils.kinds.request import request_of
from module_utils.kube.reader import GivenObjects

from .build import service


def entered(gateway: str = "gw", **spec: object) -> Entrance:
    settings = make_settings({"gateway_name": gateway}, {})
    return entrance(service(**spec), settings, GivenObjects())


def test_header_names_the_service_and_the_body_the_model() -> None:
    found = request_of(entered(), service().reference, GivenObjects())
    assert dict(found.headers) == {"OtterScale-Model-Name": "chat"}
    assert found.model == "acme/chat-8b"


def test_host_name_of_its_route_is_asked_for() -> None:
    route = {"gatewayRef": {"name": "gw", "namespace": "gateways"}, "hostnames": ["a.example.com"]}
    found = request_of(entered(httpRoute=route), service().reference, GivenObjects())
    assert (found.host, str(found.gateway)) == ("a.example.com", "Gateway gateways/gw")


def test_without_a_route_there_is_no_way_in() -> None:
    assert "gateway_name" in entered(gateway="").closed


def test_flag_of_the_engine_says_what_is_asked() -> None:
    assert entered(engine={"args": ["--task=embed"]}).protocol is EMBEDDINGS
