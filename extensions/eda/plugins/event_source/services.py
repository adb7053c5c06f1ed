# SPDX-License-Identifier: GPL-3.0-or-later
"""An event source of inference services: drift, failures, new and removed services. The work is in `module_utils/events/follower.py`."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import Any

DOCUMENTATION = r"""
short_description: Follow inference services and their children
description:
  - Watches the services of every kind that the collection knows, and the children that it created for them.
  - Emits C(drift) when somebody else changes or deletes a child, or changes a service; C(failure) when a service fails or is no longer
    ready; C(new) and C(deletion) for services.
  - The event for a deleted child comes when no other child of its service has been deleted for five seconds, and not if the service itself is removed.
  - Each event has C(type), C(fleet), C(service) and C(object) (each with C(kind), C(namespace), C(name)), C(reason) and C(message).
  - The source accepts the state at the beginning, so run a reconcile first. After a lost connection it reconnects and emits
    what happened meanwhile. It does not follow the content of Secrets.
options:
  namespaces:
    description: The namespaces to look in, by default all. One that does not exist is an error.
    type: list
    elements: str
    default: []
  fleet:
    description: The fleet whose children to follow.
    type: str
    default: default
  kubeconfig:
    description: The kubeconfig file. Authentication has the options and variables of the modules, including C(K8S_AUTH_*).
    type: str
  context:
    description: The context of the kubeconfig file.
    type: str
  request_timeout:
    description: Seconds for each request.
    type: float
    default: 30
"""

EXAMPLES = r"""
- name: Reconcile services on events
  hosts: all
  sources:
    - modelops.inference.services:
        namespaces: [team-a]
"""


def _follower() -> Any:
    """Import the entry. Whoever runs rulebooks finds this file by its path, so the collection's place is not known to Python."""
    place = str(Path(__file__).resolve().parents[7])
    if place not in sys.path:
        sys.path.append(place)
    from ansible_collections.modelops.inference.plugins.module_utils.events import follower

    return follower


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put events into the queue until the rulebook ends. Raises ValueError for options that are wrong."""
    follower = _follower()
    from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

    own = {name: value for name, value in args.items() if not name.startswith("eda_")}
    checked = ArgumentSpecValidator(dict(follower.ARGUMENT_SPEC)).validate(own)
    if checked.error_messages:
        raise ValueError(
            f"modelops.inference.services: wrong options: {'; '.join(checked.error_messages)}"
        )
    loop = asyncio.get_running_loop()
    over = threading.Event()

    def emit(event: dict[str, Any]) -> None:
        asyncio.run_coroutine_threadsafe(queue.put(event), loop).result()

    try:
        await asyncio.to_thread(
            follower.follow, checked.validated_parameters, os.environ, emit, over
        )
    finally:
        over.set()


if __name__ == "__main__":

    class _Shown(asyncio.Queue[Any]):
        """Prints what it is given."""

        async def put(self, item: Any) -> None:
            print(item, flush=True)

    asyncio.run(main(_Shown(), {}))
