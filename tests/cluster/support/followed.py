# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of one namespace, as the event source would put them into a rulebook's queue."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from module_utils.events import follower

#: Seconds in which an event has to come.
PATIENCE = 60.0


def options(**given: Any) -> Json:
    """Return the options of the event source, checked and completed as it does."""
    checked = ArgumentSpecValidator(dict(follower.ARGUMENT_SPEC)).validate(given)
    assert not checked.error_messages, checked.error_messages
    found: Json = checked.validated_parameters
    return found


class Followed:
    """The events of one namespace."""

    def __init__(self, kubeconfig: Path, namespace: str) -> None:
        self.events: list[Json] = []
        self._more = threading.Condition()
        self._over = threading.Event()
        # A watch is opened anew after so many seconds.
        given = options(kubeconfig=str(kubeconfig), namespaces=[namespace], request_timeout=2.0)
        arguments = (given, {}, self._take, self._over)
        self._thread = threading.Thread(target=follower.follow, args=arguments, daemon=True)
        self._thread.start()

    def _take(self, found: Json) -> None:
        with self._more:
            self.events.append(found)
            self._more.notify_all()

    def wait_until_it_follows(self, make: Callable[[str], object]) -> None:
        """Make one service after another until one is told of, the last one too; forget these events. make: of a name."""
        for attempt in range(int(PATIENCE)):
            last = f"first-{attempt}"
            make(last)
            with self._more:
                if self._more.wait_for(lambda: self.events, timeout=1.0):
                    break
        self.wait_for("new", last)
        self.events.clear()

    def wait_for(self, kind: str, name: str) -> Json:
        """Return the first event of a type about an object, which is taken out."""
        end = time.monotonic() + PATIENCE
        with self._more:
            while time.monotonic() < end:
                for each in self.events:
                    if (each["type"], each["object"]["name"]) == (kind, name):
                        self.events.remove(each)
                        return each
                self._more.wait(timeout=1.0)
        raise AssertionError(f"no {kind} of {name} within {PATIENCE} s, but {self.events}")

    def end(self) -> None:
        """Stop, and see that it does."""
        self._over.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
