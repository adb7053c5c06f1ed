# SPDX-License-Identifier: GPL-3.0-or-later
"""How Knative's objects are called."""

from __future__ import annotations

KNATIVE_API = "serving.knative.dev/v1"
#: Where Knative keeps its configuration.
KNATIVE_NAMESPACE = "knative-serving"
#: Who may reach a service; revisions never have it.
VISIBILITY = "networking.knative.dev/visibility"
#: What its autoscaler reads begins so.
AUTOSCALING = "autoscaling.knative.dev/"
#: Its own autoscaler.
USUAL_CLASS = f"kpa.{AUTOSCALING.rstrip('/')}"
#: OpenShift's gateway leaves TLS to the service; revisions never have it.
PASSTHROUGH = "serving.knative.openshift.io/enablePassthrough"
