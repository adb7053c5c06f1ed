# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook that converts values of a chart does what docs/from_llm_d_chart.md shows, with the values of that page."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import yaml

from tests.tools import pages
from tests.tools.steps import tool
from tests.tools.tree import TREE_ROOT

PAGE = "docs/from_llm_d_chart.md"
COMMAND = next(each for each in pages.commands(PAGE) if "from_llm_d_chart" in each)


def play(folder: Path, values: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "values.yaml").write_text(values)
    program, *words = shlex.split(COMMAND)
    return subprocess.run(
        [tool(program), *words, *more],
        cwd=folder,
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT)},
        check=False,
        capture_output=True,
        text=True,
    )


def test_page_shows_what_the_playbook_prints_and_writes(tmp_path: Path) -> None:
    (values,) = pages.blocks(PAGE, "yaml")
    done = play(tmp_path, values)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = pages.blocks(PAGE, "text")[-1].splitlines()
    assert [line for line in shown if line not in done.stdout] == []
    (account,) = yaml.safe_load_all((tmp_path / "chat-objects.yaml").read_text())
    service = yaml.safe_load((tmp_path / "chat.yaml").read_text())
    assert account["kind"] == "ServiceAccount"
    assert service["metadata"] == {"name": "chat", "namespace": "team-a"}
    assert service["spec"]["template"]["serviceAccountName"] == account["metadata"]["name"]


def test_nothing_is_written_where_the_values_are_wrong(tmp_path: Path) -> None:
    done = play(tmp_path, "decode: {replicas: many}")
    assert done.returncode == 2
    assert "decode.replicas: 'many' is not a whole number" in done.stdout + done.stderr
    assert not (tmp_path / "chat.yaml").exists()


def test_nothing_is_written_where_a_run_would_refuse_the_service(tmp_path: Path) -> None:
    done = play(
        tmp_path,
        "modelArtifacts: {uri: 'hf://a b'}\ndecode: {containers: [{modelCommand: vllmServe}]}",
    )
    assert done.returncode == 2
    assert "spec.model.uri" in done.stdout + done.stderr
    assert not (tmp_path / "chat.yaml").exists()


def test_unknown_variable_is_refused(tmp_path: Path) -> None:
    (values,) = pages.blocks(PAGE, "yaml")
    done = play(tmp_path, values, "-e", "chart_nmae=chat")
    assert done.returncode == 2
    assert "chart_nmae" in done.stdout + done.stderr
