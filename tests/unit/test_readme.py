# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What our pages say is true: links lead somewhere, commands exist. Those that need a cluster are run in tests/cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from module_utils.kube.problem import InputError
from module_utils.modules import llmisvc_reconcile as entry
from tests.tools import pages, support_matrix
from tests.tools.steps import tool
from tests.tools.tree import CHECKOUT, COLLECTION

EVERY_PAGE = tuple(dict.fromkeys((*pages.PAGES, *pages.GUIDES, *pages.SHOWN)))
COMMANDS = sorted({command for page in EVERY_PAGE for command in pages.commands(page)})
#: Run in tests/cluster/test_readme.py and test_guides.py, all of them.
ON_A_CLUSTER = (
    "ansible-playbook ",
    "export KUBECONFIG=",
    "export ANSIBLE_STRATEGY=",
    *("diff ", "grep "),
)
MAKE = [command for command in COMMANDS if command.startswith("make ")]
INSTALL = ["ansible-galaxy collection install .", "pip install -r requirements.txt"]
#: Run by tests/tools/installed.py, with the tarball of the release.
FROM_THE_TARBALL = (
    "pip download ",
    "sha256sum ",
    "pip install --no-index ",
    "pip install -r ~/.ansible/",
    "ansible-galaxy collection install --offline ",
    "rm -r ~/.ansible/",
)


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_link_leads_to_a_file(page: str) -> None:
    assert page not in (*pages.PAGES, *pages.GUIDES) or pages.links(page)
    assert [str(path) for path in pages.links(page) if not path.exists()] == []


@pytest.mark.parametrize("page", pages.SHOWN)
def test_page_that_is_shown_elsewhere_has_links_that_work_there(page: str) -> None:
    assert pages.relative_links(page) == []


@pytest.mark.parametrize("page", pages.WRITTEN)
def test_line_of_prose_is_short(page: str) -> None:
    assert pages.long_lines(page) == []


def test_links_lead_to_the_repository_that_galaxy_names() -> None:
    galaxy = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text())
    assert pages.REPOSITORY.startswith(galaxy["repository"] + "/")


def test_every_command_is_run_by_a_test() -> None:
    known = [*MAKE, *INSTALL]
    assert [
        command
        for command in COMMANDS
        if command not in known and not command.startswith((*ON_A_CLUSTER, *FROM_THE_TARBALL))
    ] == []


def test_support_matrix_is_what_the_code_decides() -> None:
    """`python -m tests.tools.support_matrix` writes it."""
    assert support_matrix.README.read_text(encoding="utf-8") == support_matrix.page()


def test_readme_fits_on_two_screens() -> None:
    """A picture counts as twenty lines."""
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) + 20 * text.count("![") <= 200


def test_error_that_the_readme_shows_is_what_a_run_says(tmp_path: Path) -> None:
    shown = next(each for each in pages.blocks("README.md", "text") if "problem" in each)
    service = yaml.safe_load((CHECKOUT / "examples" / "services" / "chat.yaml").read_text())
    service["spec"]["engine"]["arg"] = service["spec"]["engine"].pop("args")
    service["spec"]["decode"]["replicas"] = "two"
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "chat.yaml").write_text(yaml.safe_dump(service))
    defaults = {name: option.get("default") for name, option in entry.ARGUMENT_SPEC.items()}
    params = {**defaults, "state": "rendered", "src": [str(tmp_path / "services")]}
    with pytest.raises(InputError) as told:
        entry.run(params, check_mode=False, diff=False, environment={}, progress=print)
    assert str(told.value).replace(f"{tmp_path}/", "") == shown.strip()


def test_the_two_commands_come_first() -> None:
    assert pages.commands("README.md")[:2] == ["make demo", "make test"]


@pytest.mark.parametrize("command", MAKE)
def test_make_knows_the_target(command: str) -> None:
    subprocess.run([*command.split(), "--dry-run"], cwd=CHECKOUT, check=True, capture_output=True)


def test_collection_can_be_installed_from_the_checkout(tmp_path: Path) -> None:
    words = INSTALL[0].split()
    command = [tool(words[0]), *words[1:], "--offline", "--force", "-p", str(tmp_path)]
    subprocess.run(command, cwd=COLLECTION, check=True, capture_output=True)
    installed = tmp_path / "ansible_collections" / "modelops" / "inference"
    assert (installed / "plugins" / "modules" / "llmisvc_reconcile.py").is_file()
    assert (installed / "roles" / "model_services" / "tasks" / "main.yml").is_file()
    # A folder of tests that is new belongs into build_ignore of galaxy.yml.
    assert [path.name for path in (installed / "tests").iterdir()] == ["config.yml"]


def test_requirements_are_what_the_tests_run_with() -> None:
    command = [sys.executable, "-m", "pip", *INSTALL[1].split()[1:], "--dry-run", "--no-index"]
    done = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_example_of_the_role_is_the_one_that_molecule_runs() -> None:
    converge = (CHECKOUT / "molecule" / "default" / "converge.yml").read_text()
    first, *dummy = pages.blocks("roles/model_services/README.md", "yaml")
    assert yaml.safe_load(first) == yaml.safe_load(converge)


def test_role_documents_every_variable_with_its_default() -> None:
    role = CHECKOUT / "roles" / "model_services"
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text())
    entries = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    assert {
        name: option["default"]
        for entry in entries.values()
        for name, option in entry["options"].items()
    } == defaults
