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
short_description: Follow inference services and what they consist of
description:
  - Watches the services of every kind that the collection knows, and the children that it made for them.
  - Emits C(drift) where somebody else changed or deleted one of these, or changed a service; C(failure) where a service fails or is no longer
    ready; C(new) and C(deletion) for services.
  - The event for a deleted child comes five seconds after the last one of its service, and not if the service itself is removed.
  - Each event has C(type), C(fleet), C(service) and C(object) (each with C(kind), C(namespace), C(name)), C(reason) and C(message).
  - The source accepts the state at the beginning, so run a reconcile first. A lost connection is made again, and what happened
    meanwhile is told then. Contents of Secrets are not followed.
options:
  namespaces:
    description: Where to look; everywhere where none is named. One that does not exist is an error.
    type: list
    elements: str
    default: []
  fleet:
    description: The fleet whose children are followed.
    type: str
    default: default
  kubeconfig:
    description: The kubeconfig file. The options and variables of authentication are those of the modules, C(K8S_AUTH_*) among them.
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
