# SPDX-License-Identifier: GPL-3.0-or-later
"""The page about GPUs shows what the module returns for the task that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.unit.modules.gpu_task import rendered

PAGE = (Path(__file__).parents[2] / "docs" / "gpus.md").read_text(encoding="utf-8")


def test_figures_of_the_page_are_those_of_its_task() -> None:
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block
    (task,) = yaml.safe_load(block[1])
    options = task["modelops.inference.gpu_resources"]
    shown = re.findall(r"^\| (\w+) \| ([0-9.]+) \| (\w+) \| (.*) \|$", PAGE, re.MULTILINE)
    figures = rendered(**options)["memory"]
    assert shown == [
        (each["name"], str(each["value"]), each["unit"], each["basis"]) for each in figures
    ]
