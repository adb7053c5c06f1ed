# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

import subprocess
import sys
import time

import pytest

from tests.lab.process import is_alive
from tests.live import __main__ as live
from tests.live import background, build, needs, outside, turn

MISSING = ["istio", "node"]
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
LEFT_ALONE = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A machine that could run the live lab and has nothing of it."""
    monkeypatch.setattr(outside, "is_running", lambda dummy: False)
    monkeypatch.setattr(needs, "lacking", lambda: "")
    monkeypatch.setattr(build, "missing", lambda: MISSING)
    monkeypatch.setattr(build, "is_complete", lambda: False)
    monkeypatch.setattr(background, "LOG", tmp_path_factory.mktemp("log") / "build.log")
    monkeypatch.setattr(background, "_PATIENCE", 0.2)


def starts(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(background, "_COMMAND", (sys.executable, "-c", program))


def given(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def test_build_that_fails_is_told_at_once_with_its_last_words_and_counted_as_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starts(monkeypatch, "raise SystemExit('compiling\\n\\nno network')")
    began = time.monotonic()
    with background.built_beside(wanted=True) as environment:
        given(monkeypatch, environment)
        assert live.run([]) == 0
    assert time.monotonic() - began < 20
    said = capsys.readouterr().out
    assert "not run: not built: istio, node; the build ended with: compiling | no network\n" in said
    assert said.rstrip().endswith("live: 0 passed, 0 failed, 1 skipped")


def test_build_that_takes_too_long_is_waited_for_until_its_hour_is_over_and_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starts(monkeypatch, "import time; time.sleep(60)")
    monkeypatch.setattr(turn, "_BUILT_WITHIN", 0.3)
    monkeypatch.setattr(turn, "_LOOK_EVERY", 0.05)
    with background.built_beside(wanted=True) as environment:
        given(monkeypatch, environment)
        assert live.run([]) == 0
        builder = int(environment[turn.BUILDER])
        assert is_alive(builder)
    assert "not run: not built yet: istio, node (see " in capsys.readouterr().out
    assert not is_alive(builder)


@pytest.mark.parametrize("program", [STUBBORN, LEFT_ALONE])
def test_whatever_a_build_started_ends_with_the_tests_beside_it(
    monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    starts(monkeypatch, program)
    with background.built_beside(wanted=True) as environment:
        builder = int(environment[turn.BUILDER])
        deadline = time.monotonic() + 20
        while not members(builder) and time.monotonic() < deadline:
            time.sleep(0.02)
    assert not members(builder)


def members(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    listed = subprocess.run(
        ["ps", "-s", str(session), "-o", "stat=,args="], capture_output=True, text=True, check=False
    )
    return [line for line in listed.stdout.splitlines() if not line.startswith("Z")]


@pytest.mark.parametrize(
    ("wanted", "lacking", "complete"),
    [(False, "", False), (True, "it needs root", False), (True, "", True)],
)
def test_nothing_is_built_where_nobody_could_use_it(
    monkeypatch: pytest.MonkeyPatch, wanted: bool, lacking: str, complete: bool
) -> None:
    monkeypatch.setattr(needs, "lacking", lambda: lacking)
    monkeypatch.setattr(build, "is_complete", lambda: complete)
    with background.built_beside(wanted=wanted) as environment:
        assert environment[turn.BUILDER] == "0"
    assert not background.LOG.exists()


@pytest.mark.parametrize(
    "why", ["it needs Linux", "it needs cgroups of its own: Read-only file system"]
)
def test_machine_without_what_a_node_needs_is_told_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], why: str
) -> None:
    monkeypatch.setattr(needs, "lacking", lambda: why)
    assert live.run([]) == 0
    assert capsys.readouterr().out == f"not run: {why}\nlive: 0 passed, 0 failed, 1 skipped\n"
