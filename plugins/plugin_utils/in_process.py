# SPDX-License-Identifier: GPL-3.0-or-later
"""An action that does a module's work in the Ansible process, where that is safe; else it hands over to the module.

A process costs a third of a second and compiles all its source; an action's imports happen once for all tasks.
What a module gets from Ansible is done by hand here: validated options, masked secrets, `environment:`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from ansible.errors import AnsibleError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.modelops.inference.plugins.plugin_utils import bytecode
from ansible_collections.modelops.inference.plugins.plugin_utils.arguments import plain

# Before the first of the rooms is imported.
bytecode.install()

from ansible_collections.modelops.inference.plugins.module_utils.cluster.options import (  # noqa: E402
    secrets_of_login,
    without_secret_variables,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (  # noqa: E402
    InputError,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.redact import (  # noqa: E402
    redact_text,
)
from ansible_collections.modelops.inference.plugins.module_utils.module_runner import outcome  # noqa: E402
from ansible_collections.modelops.inference.plugins.module_utils.task import manifest_loader  # noqa: E402

DISPLAY = Display()


class InProcessAction(ActionBase):
    """The base of the actions; a subclass names its module."""

    _supports_check_mode = True
    _supports_async = True

    MODULE: ClassVar[str]
    _entry: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        """Load the entry of the module's name: workers inherit what their parent has imported."""
        cls._entry = import_module(f"{bytecode.ROOMS}modules.{cls.MODULE}")

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Do the task in this process or by its module."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        arguments = plain(self._task.args)
        try:
            arguments = self._with_paths(arguments)
            if not self._is_safe(variables):
                return self._by_module(self._as_content(arguments), variables)
        except InputError as error:
            return {**self._entry.EMPTY, "failed": True, "msg": redact_text(str(error))}
        return self._in_process(arguments)

    def _in_process(self, arguments: dict[str, Any]) -> dict[str, Any]:
        validated = ArgumentSpecValidator(dict(self._entry.ARGUMENT_SPEC)).validate(arguments)
        environment = self._environment()
        # What AnsibleModule masks, too.
        secret = validated._no_log_values | secrets_of_login(arguments, environment)
        if validated.error_messages:
            message = redact_text(_options_message(validated.errors), secret)
            return {**self._entry.EMPTY, "failed": True, "msg": message}
        result = outcome(
            self._entry.run,
            validated.validated_parameters,
            self._entry.EMPTY,
            check_mode=bool(self._task.check_mode),
            diff=bool(self._task.diff),
            environment=environment,
            progress=lambda line: DISPLAY.display(f"  {line}"),
        )
        masked: dict[str, Any] = remove_values(result, secret)
        return masked

    def _is_safe(self, variables: Mapping[str, Any]) -> bool:
        """Tell whether this process may do it: it is the host, the user and the interpreter that the task asks for."""
        local = getattr(self._connection, "transport", "") == "local"
        if not local or self._becomes() or self._task.async_val:
            return False
        interpreter = variables.get("ansible_python_interpreter")
        if interpreter is None:
            return False
        wanted = str(self._templar.template(interpreter))
        return (
            os.path.realpath(wanted) == os.path.realpath(sys.executable) or wanted == sys.executable
        )

    def _becomes(self) -> bool:
        return bool(getattr(self._connection, "become", None)) or bool(self._task.become)

    def _by_module(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """Run the module. Secrets in `environment:` become options.

        Ansible sets a module's environment on a command line, which it prints and which every user of the machine can read.
        """
        given = self._task.environment
        arguments, left = without_secret_variables(arguments, self._task_environment())
        self._task.environment = [left]
        try:
            result: dict[str, Any] = self._execute_module(
                module_name=f"modelops.inference.{self.MODULE}",
                module_args=arguments,
                task_vars=variables,
                wrap_async=bool(self._task.async_val),
            )
        finally:
            self._task.environment = given
        return result

    def _environment(self) -> dict[str, str]:
        """Return the process's environment with the task's `environment:` over it; nothing is set in the process itself."""
        return {**os.environ, **self._task_environment()}

    def _task_environment(self) -> dict[str, str]:
        merged: dict[str, str] = {}
        for layer in self._task.environment or []:
            if layer:
                values = self._templar.template(layer)
                merged |= {str(key): str(value) for key, value in plain(values).items()}
        return merged

    def _with_paths(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Make `src`, and paths in `cluster_objects`, absolute: they are looked for as other actions look for files."""
        for option in ("src", "cluster_objects"):
            value = arguments.get(option)
            if isinstance(value, str):
                value = [item.strip() for item in value.split(",")] if option == "src" else [value]
            if isinstance(value, list):
                arguments[option] = [
                    self._find(item) if isinstance(item, str) else item for item in value
                ]
        return arguments

    def _find(self, path: str) -> str:
        given = Path(path).expanduser()
        if given.is_absolute():
            return str(given)
        try:
            return str(self._find_needle("files", path))
        except AnsibleError:
            return str(Path(self._loader.get_basedir()) / given)

    def _as_content(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Replace paths by what they hold: the module may run where these files are not. Raises InputError."""
        if arguments.get("src"):
            documents = manifest_loader.read(arguments.pop("src"))
            arguments["services"] = [
                *(arguments.get("services") or []),
                *(document.value for document in documents),
            ]
        if arguments.get("cluster_objects"):
            arguments["cluster_objects"] = manifest_loader.cluster_objects(
                arguments["cluster_objects"]
            )
        return arguments


def _options_message(errors: Any) -> str:
    """Return what is wrong with the options, in the words of AnsibleModule."""
    texts = [
        f"Unsupported parameters: {error.msg}" if isinstance(error, UnsupportedError) else error.msg
        for error in errors
    ]
    return "; ".join(texts)
