# SPDX-License-Identifier: GPL-3.0-or-later
"""From a service as it was loaded to what it means in its cluster.

Source: KServe pkg/apis/serving/v1beta1/{configmap,inference_service_defaults}.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.problem import Complaint, InputError, Problem
from ...kube.reader import Reader
from ..kserve.read_system_config import read_system_config
from ..kserve.system_config import Misconfigured
from .admission.naming import name_change
from .admission.service import admission_problems, placed_problems
from .defaulting import defaulted
from .errors import NotAdmitted
from .mode import deployment_mode, mode_change, mode_problem
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceService


def resolve(service: InferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return a service with the cluster's configuration applied. Raises InputError with all that forbids to run, or stop, it."""
    try:
        config = read_system_config(settings.kserve_namespace, reader)
    except Misconfigured as error:
        raise _refused(service, *error.problems) from error
    live = reader.get(service.reference)
    changed = mode_change(service, live) or name_change(service, live)
    if changed:
        raise NotAdmitted([Complaint(service.subject, (changed,))])
    problem = mode_problem(service, config, live)
    if problem:
        raise _refused(service, problem)
    mode = deployment_mode(service, config, live)
    done = defaulted(service, config, settings.release, reader)
    refused = tuple(admission_problems(done, config))
    failing = () if done.stopped else tuple(placed_problems(done, mode, config))
    if refused or failing:
        kind = NotAdmitted if refused else InputError
        raise kind([Complaint(service.subject, (*refused, *failing))])
    return Resolved(done, mode, config, settings, live)


def _refused(service: InferenceService, *problems: Problem) -> InputError:
    return InputError([Complaint(service.subject, problems)])
