# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever library is missing where a task runs: the module and its action end with a result that names it, never with a traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils import basic

from module_utils.cluster.errors import MissingLibrary
from module_utils.cluster.libraries import LIBRARIES, need
from module_utils.fleet.load import load_fleet
from module_utils.fleet.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from module_utils.module_runner import run_module
from module_utils.reconcile.certificates import KeyMaker
from module_utils.task.manifest_loader import given
from tests.tools.tree import CHECKOUT
from tests.unit.cluster import faulty

Taken = Callable[[str], None]
PLUGINS = "ansible_collections.modelops.inference.plugins"
SERVICE: Json = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "chat", "namespace": "team-a"},
    "spec": {"model": {"uri": "hf://Qwen/Qwen3-8B", "name": "qwen"}, "router": {"scheduler": {}}},
}
MANIFEST: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
WORK: dict[str, Json] = {
    "llmisvc_reconcile": {"services": [SERVICE]},
    "llmisvc_info": {},
    "llmisvc_controller": {},
    "applyset": {"name": "set", "namespace": "team-a", "definition": [MANIFEST]},
    "epp_config": {
        "state": "gathered",
        "name": "picker",
        "namespace": "team-a",
        "target": "llmd:0.9",
    },
    "gpu_resources": {"services": [SERVICE], "state": "gathered"},
}


class _Taken:
    """An import hook that has not a package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuse the package and what stands in it."""
        if name.partition(".")[0] == self._package:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that refuses all: a task that gets as far as this has found all its libraries."""
    with faulty.serving(always=faulty.status(403, "Forbidden")) as script:
        yield script.url


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Take a package away, as if it had never been installed."""

    def away(package: str) -> None:
        for name in [*sys.modules]:
            if name.partition(".")[0] == package:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [_Taken(package), *sys.meta_path])

    return away


def as_action(module: str, options: Json, *, diff: bool = False) -> Json:
    """Do a task in this process, as Ansible does on localhost."""
    action = import_module(f"{PLUGINS}.action.{module}").ActionModule
    made = action.__new__(action)
    made._task = SimpleNamespace(environment=[], check_mode=False, diff=diff)
    result: Json = made._in_process(dict(options))
    return result


def as_module(
    module: str,
    options: Json,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    diff: bool = False,
) -> Json:
    """Do a task as the program that Ansible starts on another host."""
    arguments = {**options, "_ansible_diff": diff}
    monkeypatch.setattr(
        basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
    )
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    entry = import_module(f"{PLUGINS}.module_utils.modules.{module}")
    with pytest.raises(SystemExit):
        run_module(entry.ARGUMENT_SPEC, entry.run, entry.EMPTY)
    result: Json = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.parametrize("module", WORK)
@pytest.mark.parametrize("package", LIBRARIES)
@pytest.mark.parametrize("way", ["action", "module"])
def test_without_a_library_every_task_ends_with_a_result(
    package: str,
    module: str,
    way: str,
    server: str,
    take: Taken,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    take(package)
    options = {**WORK[module], "host": server}
    if way == "action":
        result = as_action(module, options, diff=True)
    else:
        result = as_module(module, options, monkeypatch, capsys, diff=True)
    assert result["failed"]
    expected = str(LIBRARIES[package]) if package in ("urllib3", "yaml") else "Forbidden"
    assert expected in result["msg"]
    assert set(import_module(f"{PLUGINS}.module_utils.modules.{module}").EMPTY) <= set(result)


@pytest.mark.parametrize("module", WORK)
def test_what_a_login_needs_is_told_when_it_is_used(
    module: str, server: str, take: Taken, tmp_path: Path
) -> None:
    take("kubernetes")
    user = {"auth-provider": {"name": "oidc", "config": {}}}
    kubeconfig = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user}],
    }
    file = tmp_path / "config"
    file.write_text(json.dumps(kubeconfig))
    result = as_action(module, {**WORK[module], "kubeconfig": str(file)})
    assert "the Python library kubernetes>=29 is needed for the auth-provider" in result["msg"]


class _Objects(GivenObjects):
    """Objects as a run sees them, with those that it puts among them."""

    def put(self, manifest: Json) -> None:
        """No key is made where the library is missing."""
        raise AssertionError(manifest)


@pytest.mark.parametrize("real", [True, False], ids=["run", "check mode"])
def test_keys_without_their_library_are_told_before_anything_is_planned(
    real: bool, take: Taken
) -> None:
    take("cryptography")
    (service,), dummy = load_fleet(
        given("services", [SERVICE]), Settings({}, {}), None, skip_invalid=False
    )
    reader: Any = _Objects([])
    with pytest.raises(MissingLibrary) as caught:
        KeyMaker(reader, real=real).compile(service)
    assert "the Python library cryptography>=42 is needed for the keys of" in str(caught.value)
    assert "team-a/chat" in str(caught.value)
    assert f"{sys.executable} -m pip install 'cryptography>=42'" in str(caught.value)


def test_a_stopped_service_needs_no_keys(take: Taken) -> None:
    take("cryptography")
    metadata = {**SERVICE["metadata"], "annotations": {"serving.kserve.io/stop": "true"}}
    (service,), dummy = load_fleet(
        given("services", [{**SERVICE, "metadata": metadata}]),
        Settings({}, {}),
        None,
        skip_invalid=False,
    )
    reader: Any = _Objects([])
    assert KeyMaker(reader, real=True).compile(service).nothing


@pytest.mark.parametrize(
    ("version", "does"), [("1.26.20", False), ("2.0.0", True), ("2.8.0", True), ("3.0.0", False)]
)
def test_a_version_that_does_not_do_is_told(
    version: str, does: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import urllib3

    monkeypatch.setattr(urllib3, "__version__", version)
    if does:
        need("urllib3", "to reach a cluster")
        return
    with pytest.raises(MissingLibrary, match=rf"urllib3>=2,<3 .* has version {version}"):
        need("urllib3", "to reach a cluster")


def test_requirements_are_the_libraries_that_every_host_needs() -> None:
    lines = (CHECKOUT / "requirements.txt").read_text().splitlines()
    extras = {"cel_expr_python", "kubernetes", "socks"}
    assert {line for line in lines if not line.startswith("#")} == {
        str(library) for package, library in LIBRARIES.items() if package not in extras
    }
