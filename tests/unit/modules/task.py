# SPDX-License-Identifier: GPL-3.0-or-later
"""A task without a cluster: options checked as Ansible checks them, one result whatever happens."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from module_utils.fleet.load import load_fleet
from module_utils.fleet.service import Service
from module_utils.fleet.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Complaint
from module_utils.module_runner import outcome
from module_utils.modules import llmisvc_reconcile
from module_utils.task.manifest_loader import given
from tests.unit.kinds.model_service.build import document

#: A service without the default route, whose gateway other services' routes would share.
SETTINGS: Json = {"gateway_name": ""}


def checked(spec: Mapping[str, Any], options: Mapping[str, Any]) -> Json:
    """Return options as an entry gets them."""
    validated = ArgumentSpecValidator(dict(spec)).validate(deepcopy(dict(options)))
    assert not validated.error_messages, validated.error_messages
    parameters: Json = validated.validated_parameters
    return parameters


def run(*, check_mode: bool = False, diff: bool = False, **options: Any) -> Json:
    """Run llmisvc_reconcile and return its result, failed or not."""
    return result_of(llmisvc_reconcile, options, check_mode=check_mode, diff=diff)


def result_of(
    module: Any, options: Mapping[str, Any], *, check_mode: bool = False, diff: bool = False
) -> Json:
    """Run a module and return its result, failed or not."""
    return outcome(
        module.run,
        checked(module.ARGUMENT_SPEC, options),
        module.EMPTY,
        check_mode=check_mode,
        diff=diff,
        environment={},
        progress=lambda dummy: None,
    )


def rendered(*services: Json, check_mode: bool = False, diff: bool = False, **options: Any) -> Json:
    """Run a task of state rendered, which has to succeed."""
    result = run(
        check_mode=check_mode,
        diff=diff,
        **{"state": "rendered", "services": list(services), "settings": SETTINGS, **options},
    )
    assert not result.get("failed"), result["msg"]
    return result


def loaded(
    *documents: Any, namespace: str | None = None, skip_invalid: bool = False, **settings: Any
) -> tuple[list[Service], list[Complaint]]:
    """Load services as a task does."""
    return load_fleet(
        given("services", documents),
        Settings({**SETTINGS, **settings}, {}),
        namespace,
        skip_invalid=skip_invalid,
    )


def full(name: str, namespace: str = "team-a", **spec: Any) -> Json:
    """Return a service that has a child of every kind."""
    everything = {
        "decode": {"replicas": 2},
        "prefill": {"replicas": 1},
        "routingProxy": {"connector": "nixlv2", "secureProxy": False},
        "inferencePool": {"endpointPicker": {"replicas": 1}},
        "monitoring": {"podMonitor": {"enabled": True}},
        "httpRoute": {
            "gatewayRef": {"name": "edge", "namespace": "infra"},
            "hostnames": [f"{name}.{namespace}.example.org"],
        },
    }
    return document(name, namespace, **{**everything, **spec})
