# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from pathlib import Path

import pytest

from tests.live import cgroups


def unified(root: Path, given: str) -> None:
    (root / "cgroup.controllers").write_text("cpuset cpu io memory pids\n", encoding="utf-8")
    (root / "cgroup.subtree_control").write_text(given, encoding="utf-8")


def hybrid(root: Path, names: str) -> None:
    for name in names.split():
        (root / name).mkdir()
        (root / name / "cgroup.procs").touch()


@pytest.mark.parametrize(
    ("make", "given", "wanted"),
    [
        pytest.param(unified, "cpu memory pids", "", id="v2"),
        pytest.param(unified, "cpu", "memory, pids", id="v2 in a container"),
        pytest.param(hybrid, "cpu,cpuacct memory pids", "", id="v1"),
        pytest.param(hybrid, "memory pids", "cpu", id="v1 without a controller"),
        pytest.param(hybrid, "", "cpu, memory, pids", id="none"),
    ],
)
def test_machine_that_cannot_limit_pods_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make: object, given: str, wanted: str
) -> None:
    assert callable(make)
    make(tmp_path, given)
    monkeypatch.setattr(cgroups, "_ROOT", tmp_path)
    why = cgroups.lacking("trial")
    assert why.endswith(wanted) if wanted else not why
    assert not [*tmp_path.rglob("trial")]


def test_cgroups_that_may_not_be_made_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unified(tmp_path, "cpu memory pids")
    monkeypatch.setattr(cgroups, "_ROOT", tmp_path)
    (tmp_path / "trial").write_text("in the way", encoding="utf-8")
    assert cgroups.lacking("trial").startswith("it needs cgroups of its own: ")
