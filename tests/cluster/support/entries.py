# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries called as Ansible calls them: options checked by the argument spec, one result whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from module_utils.module_runner import outcome
from module_utils.modules import (
    applyset,
    epp_config,
    gpu_resources,
    llmisvc_controller,
    llmisvc_info,
    llmisvc_reconcile,
)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entries:
    """The modules for one user of one cluster. options: given with every task. environment: that of the task."""

    kubeconfig: Path | None
    options: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        *services: Json,
        check_mode: bool = False,
        diff: bool = False,
        progress: list[str] | None = None,
        **options: Any,
    ) -> Json:
        """Run llmisvc_reconcile and return its result, failed or not. progress: gets what the task prints."""
        lines: list[str] = [] if progress is None else progress
        return self._run(llmisvc_reconcile, services, options, check_mode, diff, lines.append)

    def reconcile(self, *services: Json, **options: Any) -> Json:
        """Run llmisvc_reconcile, which has to succeed."""
        result = self.run(*services, **options)
        assert not result.get("failed"), result["msg"]
        return result

    def refused(self, *services: Json, **options: Any) -> str:
        """Run llmisvc_reconcile, which has to fail, and return its message."""
        result = self.run(*services, **options)
        assert result.get("failed"), result
        assert not result["changed"], "something was written before the refusal"
        message: str = result["msg"]
        assert "Traceback" not in message
        return message

    def info(self, *services: Json, **options: Any) -> Json:
        """Run llmisvc_info, which has to succeed."""
        result = self._run(llmisvc_info, services, options)
        assert not result.get("failed"), result["msg"]
        return result

    def controller(self, *, check_mode: bool = False, **options: Any) -> Json:
        """Run llmisvc_controller and return its result, failed or not."""
        return self._run(llmisvc_controller, (), options, check_mode)

    def picker(self, *, check_mode: bool = False, diff: bool = False, **options: Any) -> Json:
        """Run epp_config and return its result, failed or not."""
        return self._run(epp_config, (), options, check_mode, diff)

    def applyset(self, *, check_mode: bool = False, diff: bool = False, **options: Any) -> Json:
        """Run applyset and return its result, failed or not."""
        return self._run(applyset, (), options, check_mode, diff)

    def gpu(self, *, check_mode: bool = False, **options: Any) -> Json:
        """Run gpu_resources and return its result, failed or not."""
        return self._run(gpu_resources, (), options, check_mode, diff=True)

    def _run(
        self,
        module: Any,
        services: tuple[Json, ...],
        options: Mapping[str, Any],
        check_mode: bool = False,
        diff: bool = False,
        progress: Callable[[str], object] = lambda dummy: None,
    ) -> Json:
        return outcome(
            module.run,
            self._checked(module.ARGUMENT_SPEC, services, options),
            module.EMPTY,
            check_mode=check_mode,
            diff=diff,
            environment=self.environment,
            progress=progress,
        )

    def _checked(
        self, spec: Mapping[str, Any], services: tuple[Json, ...], options: Mapping[str, Any]
    ) -> Json:
        given = {**self.options, **options}
        if self.kubeconfig is not None:
            given["kubeconfig"] = str(self.kubeconfig)
        if services:
            given["services"] = list(services)
        validated = ArgumentSpecValidator(dict(spec)).validate(given)
        assert not validated.error_messages, validated.error_messages
        checked: Json = validated.validated_parameters
        return checked


def conditions(result: Json) -> dict[str, str]:
    """Return type and status of the conditions of the only service."""
    (service,) = result["services"]
    return {each["type"]: each["status"] for each in service["conditions"]}


def actions(result: Json) -> dict[str, str]:
    """Return what was done, by `Kind/name`."""
    return {
        f"{child['kind']}/{child['name']}": child["action"]
        for service in result["services"]
        for child in service["children"]
    }


def reasons(result: Json) -> str:
    """Return why each object was written, one line each."""
    return "\n".join(
        f"{child['kind']}/{child['name']}: {child['reason']}"
        for service in result["services"]
        for child in service["children"]
    )
