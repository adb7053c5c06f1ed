# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which names a service is reached."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_service.router.hosts import additional_hosts, service_path
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kserve.host_name import HostError, host_name
from module_utils.kinds.kserve.system_config import Ingress


def host(template: str, name: str = "chat") -> str:
    ingress = Ingress(domain="example.com", domain_template=template)
    return host_name(name, "team-a", ingress, labels={"env": "dev"}, annotations={"sub": "ml"})


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}", "chat-team-a.example.com"),
        ("{{ .Name }}.{{ .Annotations.sub }}.{{ .Labels.env }}.io", "chat.ml.dev.io"),
        ("{{ .Name }}{{ if .Labels.gone }}-x{{ end }}.{{ .IngressDomain }}", "chat.example.com"),
        ("{{ .Name }}.example.com.", "chat.example.com."),
    ],
)
def test_a_template_gives_the_host(template: str, expected: str) -> None:
    assert host(template) == expected


@pytest.mark.parametrize(
    ("template", "name", "told"),
    [
        ("{{ .Name }}", "chat", '"chat": should be a domain with at least two segments'),
        ("{{ .Name }}.{{ .IngressDomain }}", "a" * 64, f'"{"a" * 64}": must be no more than 63'),
        ("{{ .Name }}.{{ .Labels.gone }}.io", "chat", '"chat.<no value>.io"'),
        ("{{ .Name }}_{{ .Namespace }}.io", "chat", '"chat_team-a.io"'),
        ("{{ .Nome }}.io", "chat", "Nome"),
        ("{{ .Name", "chat", "unclosed action"),
        (" ", "chat", 'invalid domain name " "'),
    ],
)
def test_a_host_that_is_none_is_told(template: str, name: str, told: str) -> None:
    with pytest.raises(HostError, match="failed creating host name") as error:
        host(template, name)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("name", "domains", "more", "expected"),
    [
        ("a.example.com", ["example.com"], ("b.org", "c.org"), ["a.b.org", "a.c.org"]),
        ("a.example.com", ["example.com"], ("b.org", "b.org", "B_"), ["a.b.org"]),
        ("a.example.com", ["gone.com"], ("b.org",), []),
        ("example.com", ["example.com"], ("b.org",), []),
        ("a.example.com", ["example.com"], None, []),
    ],
)
def test_more_domains_give_more_hosts(
    name: str, domains: list[str], more: tuple[str, ...] | None, expected: list[str]
) -> None:
    assert additional_hosts(name, domains, Ingress(additional_domains=more)) == expected


def test_a_path_begins_at_the_root() -> None:
    service = InferenceService({}, "chat", "team-a", {}, {}, {})
    good = Ingress(path_template="/serve/{{ .Namespace }}/{{ .Name }}")
    assert service_path(service, good) == "/serve/team-a/chat"
    assert service_path(service, Ingress()) is None
    with pytest.raises(HostError, match="absolute"):
        service_path(service, Ingress(path_template="serve/{{ .Name }}"))
