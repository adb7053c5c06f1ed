# SPDX-License-Identifier: GPL-3.0-or-later
"""From an Ansible module to an entry and back: options in, result or one clear error out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from .cluster.errors import ClusterError
from .cluster.libraries import missing_library, need
from .cluster.options import secrets_of_login
from .interrupts import stoppable
from .kube.problem import InputError
from .kube.redact import mask, redact, redact_text
from .task.arguments import check_values

Result = dict[str, Any]
Run = Callable[..., Result]


class _Module(AnsibleModule):
    """Tells the system's log that it ran, and no options: they hold whole objects."""

    def log(self, msg: object, log_args: object = None) -> None:  # noqa: ARG002
        """Log one line without content."""
        super().log("Invoked")


def run_module(argument_spec: Mapping[str, Any], run: Run, empty: Mapping[str, Any]) -> None:
    """Run an entry as a module. empty: what the result holds where the entry had to give up."""
    module = _Module(argument_spec=dict(argument_spec), supports_check_mode=True)
    module.no_log_values |= secrets_of_login(module.params, os.environ)
    result = outcome(
        run,
        module.params,
        empty,
        check_mode=module.check_mode,
        diff=bool(module._diff),  # the only way to learn of diff mode
        environment=os.environ,
        progress=_quiet,
    )
    for warning in result.pop("warnings", []):
        module.warn(warning)
    # Ansible shows it at -vvv; what it puts there by itself knows no secrets but the options' own.
    result["invocation"] = {"module_args": _shown(module.params)}
    if result.pop("failed", False):
        module.fail_json(**result)
    module.exit_json(**result)


def _shown(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with their secrets masked; a kubeconfig that was given as text is one whole, and so is what a service is sent."""
    given = params.get("kubeconfig")
    shown = dict(params)
    if isinstance(given, str) and "\n" in given:
        shown["kubeconfig"] = mask(given)
    for name in ("answer", "answer_options"):
        if isinstance(sent := params.get(name), dict):
            secret = {key: mask(sent[key]) for key in ("headers", "body") if sent.get(key)}
            shown[name] = {**sent, **secret}
    return redact(shown)


def _quiet(line: str) -> None:
    """Say nothing: what a module prints while it works never arrives."""


def outcome(
    run: Run, params: Mapping[str, Any], empty: Mapping[str, Any], **context: Any
) -> Result:
    """Run an entry; turn what it raises, a library that is missing, and a signal to stop, into a failed result with the same keys as any other."""
    try:
        check_values(params)
        if context.get("diff"):
            need("yaml", "to show differences")
        with stoppable():
            return run(params, **context)
    except ImportError as error:
        missing = missing_library(error)
        if missing is None:
            raise
        return {**empty, "failed": True, "msg": str(missing)}
    except (InputError, ClusterError) as error:
        return {**empty, "failed": True, "msg": redact_text(str(error))}
    except KeyboardInterrupt:
        return {**empty, "failed": True, "msg": "interrupted before anything was changed"}
