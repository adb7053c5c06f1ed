# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refused, of the input or of a child, is refused before any write; everything else is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kube.problem import InputError, Problem
from tests.unit.kinds.refusals import refusals

from .recorded_services import folders, name_of, read, recorded_settings

# Refused for reasons that are not in the input, so that the engine has to find them: docs/differences.md names its tests.
NOT_IN_THE_INPUT = {
    "SEQ-all-controllers-running/step-2": "a conflict with another writer, W15",
    "SEQ-existing-rolebinding-other-role/step-2": "an object of somebody else, W3",
}
# Taken by the operator, refused by us on purpose: docs/differences.md gives the reasons.
REFUSED_ON_PURPOSE = {
    "flags-provider-unknown": "settings.provider",
    "schema-unknown-fields": "spec.affinity",
}
# The field at which the author has to act, for each refusal of the API server.
FIELDS = {
    "SEQ-error-recovery/step-1": "spec.inferencePool.endpointPicker.port",
    "SEQ-error-recovery/step-4": "spec.inferencePool.endpointPicker.port",
    "engine-env-bad-name": "spec.engine.env[0].name",
    "engine-pull-invalid": "spec.engine.imagePullPolicy",
    "engine-pull-percent": "spec.engine.imagePullPolicy",
    "ex-09-name-64": "metadata.name",
    "flags-no-engine-image": "spec.engine.image",
    "flags-version-plus": "settings.operator_version",
    "mon-bad-interval": "spec.monitoring.podMonitor.interval",
    "mount-docker-dir": "spec.model.mountPath",
    "name-leading-dash-rejected": "metadata.name",
    "name-len-253": "metadata.name",
    "name-len-60": "metadata.name",
    "name-len-63-dotted": "metadata.name",
    "name-underscore-rejected": "metadata.name",
    "name-uppercase-rejected": "metadata.name",
    "pool-port-9090": "spec.inferencePool.endpointPicker.port",
    "res-claims": "spec.decode.resources.claims[0]",
    "res-request-over-limit": "spec.decode.resources.requests.memory",
    "route-bad-hostname": "spec.httpRoute.hostnames[0]",
    "route-seventeen-hostnames": "spec.httpRoute.hostnames",
    "schema-env-without-name": "spec.engine.env[0].name",
    "schema-integer-quantity-bad": "spec.decode.resources.limits.memory",
    "schema-pool-without-picker": "spec.inferencePool.endpointPicker",
    "schema-port-too-high": "spec.engine.port",
    "schema-port-zero": "spec.engine.port",
    "schema-tensor-zero": "spec.decode.parallelism.tensor",
    "v1-name-60": "metadata.name",
}

INPUTS = {name_of(folder): folder for folder in folders("input.yaml")}
REFUSED = sorted(
    name
    for name, folder in INPUTS.items()
    if name not in NOT_IN_THE_INPUT
    and ((folder / "rejected.yaml").exists() or (folder / "rejected-input.yaml").exists())
)


def errors(folder: Path) -> list[Problem]:
    try:
        settings = recorded_settings(folder)
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]
    found = refusals(read(folder / "input.yaml"), settings)
    return [problem for problem in found if problem.severity == "error"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_api_server_refuses_is_refused_before_any_write(name: str) -> None:
    assert [problem.path for problem in errors(INPUTS[name])] == [FIELDS[name]]


@pytest.mark.parametrize("name", sorted(set(INPUTS) - set(REFUSED) - set(REFUSED_ON_PURPOSE)))
def test_what_the_operator_reconciles_is_taken(name: str) -> None:
    assert not errors(INPUTS[name])


@pytest.mark.parametrize("name", REFUSED_ON_PURPOSE)
def test_what_we_refuse_on_purpose_is_named(name: str) -> None:
    assert errors(INPUTS[name])[0].path == REFUSED_ON_PURPOSE[name]


def test_every_recorded_refusal_is_looked_at() -> None:
    assert set(REFUSED) == set(FIELDS)
    steps_without_input = {"SEQ-error-recovery/step-5"}  # the input of step 4 is refused again
    recorded = {name_of(folder) for folder in folders("rejected.yaml")}
    assert recorded <= set(FIELDS) | set(NOT_IN_THE_INPUT) | steps_without_input
