# SPDX-License-Identifier: GPL-3.0-or-later
"""Every filter and test has its documentation, and every example in it is true.

The convention: `EXAMPLES` is a list of tasks with `ansible.builtin.assert`, which a reader can paste into a playbook. Here
they all run in one playbook, so that Ansible itself finds the plugins and fills in the templates.
"""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tools.tree import COLLECTION

PACKAGE = "ansible_collections.modelops.inference.plugins"
KINDS = {"filter": ("FilterModule", "filters"), "test": ("TestModule", "tests")}


def _plugins() -> dict[tuple[str, str], Callable[..., Any]]:
    """Return every filter and test of the collection by kind and name."""
    found = {}
    for kind, (class_name, method) in KINDS.items():
        for path in sorted((COLLECTION / "plugins" / kind).glob("[!_]*.py")):
            module = importlib.import_module(f"{PACKAGE}.{kind}.{path.stem}")
            plugins = getattr(getattr(module, class_name)(), method)()
            found.update({(kind, name): function for name, function in plugins.items()})
    return found


PLUGINS = _plugins()
SIDECARS = [
    (kind, path.stem, path)
    for kind in KINDS
    for path in sorted((COLLECTION / "plugins" / kind).glob("*.yml"))
]
each_sidecar = pytest.mark.parametrize(
    ("kind", "name", "path"), SIDECARS, ids=[f"{kind}-{name}" for kind, name, _path in SIDECARS]
)


def _examples(path: Path) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = yaml.safe_load(yaml.safe_load(path.read_text())["EXAMPLES"])
    return tasks


def test_each_plugin_has_one_sidecar() -> None:
    assert sorted((kind, name) for kind, name, _path in SIDECARS) == sorted(PLUGINS)


@each_sidecar
def test_documentation_has_the_options_of_the_function(kind: str, name: str, path: Path) -> None:
    documentation = yaml.safe_load(path.read_text())["DOCUMENTATION"]
    assert documentation["name"] == name
    options = documentation["options"]
    (_first, *parameters) = inspect.signature(PLUGINS[kind, name]).parameters.values()
    assert ["_input", *(parameter.name for parameter in parameters)] == list(options)
    positional = ", ".join(parameter.name for parameter in parameters)
    assert documentation.get("positional", "") == positional
    for parameter in parameters:
        needed = parameter.default is inspect.Parameter.empty
        assert options[parameter.name].get("required", False) is needed
        assert options[parameter.name].get("default") == (None if needed else parameter.default)


@each_sidecar
def test_examples_use_the_plugin_and_say_what_comes_out(kind: str, name: str, path: Path) -> None:
    tasks = _examples(path)
    assert f"modelops.inference.{name}" in yaml.safe_dump(tasks)
    assert all(task["name"] and task["ansible.builtin.assert"]["that"] for task in tasks), kind


def test_every_example_is_true(tmp_path: Path) -> None:
    tasks = [task for _kind, _name, path in SIDECARS for task in _examples(path)]
    playbook = tmp_path / "examples.yml"
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    playbook.write_text(yaml.safe_dump([play], allow_unicode=True))
    command = [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(playbook)]
    environment = {**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "0"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"ok={len(tasks)} " in run.stdout
    assert "modelops.inference" not in run.stderr
