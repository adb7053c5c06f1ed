# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guides list exactly the objects that their own example becomes, and show the request that reaches it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from module_utils.modules import llmisvc_reconcile as entry
from tests.tools import pages
from tests.tools.tree import CHECKOUT

GUIDES = ("docs/model_service.md", "docs/llm_inference_service.md")
#: Keys are made when a service is applied, so rendering leaves this one out.
LEFT_OUT = {("Secret", "assistant-kserve-self-signed-certs")}
_ROW = re.compile(r"^\| ([A-Za-z]+) \| `([a-z0-9-]+)` \|", re.MULTILINE)
#: The address that the gateway of the lab has.
ADDRESS = "192.0.2.1"


def rendered(guide: str) -> dict[str, Any]:
    """Render the first example of a guide with its `fleet.yml`."""
    service, fleet, *dummy = (yaml.safe_load(block) for block in pages.blocks(guide, "yaml"))
    gateways = [
        yaml.safe_load(path.read_text())
        for path in sorted((CHECKOUT / "examples" / "cluster").glob("*gateway.yaml"))
    ]
    for gateway in gateways:
        gateway["status"] = {"addresses": [{"type": "IPAddress", "value": ADDRESS}]}
    params = {
        **{name: option.get("default") for name, option in entry.ARGUMENT_SPEC.items()},
        "state": "rendered",
        "services": [service],
        "cluster_objects": gateways,
        "settings": fleet["model_services_settings"],
    }
    return entry.run(params, check_mode=False, diff=False, environment={}, progress=print)


@pytest.mark.parametrize("guide", GUIDES)
def test_table_lists_the_objects_that_the_example_becomes(guide: str) -> None:
    section = (CHECKOUT / guide).read_text().partition("## What gets created")[2]
    told = set(_ROW.findall(section.partition("\n| with |")[0].partition("\n## ")[0]))
    made = {(each["kind"], each["metadata"]["name"]) for each in rendered(guide)["manifests"]} | (
        LEFT_OUT if "llm" in guide else set()
    )
    assert told == made


@pytest.mark.parametrize("guide", GUIDES)
def test_request_is_the_one_that_the_result_shows(guide: str) -> None:
    (shown,) = (each for each in pages.blocks(guide, "text") if each.startswith("curl"))
    (service,) = rendered(guide)["services"]
    assert service["request"]["curl"] == shown.replace("\\\n  ", "").strip()
