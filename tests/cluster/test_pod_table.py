# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a pod's types is what the API server says of them."""

from __future__ import annotations

from module_utils.kube.pod_schema import TABLE
from tests.lab.cluster import Cluster
from tests.tools.pod_table import written


def test_the_table_of_pods_is_current(lab: Cluster) -> None:
    document = lab.client.request("GET", "/openapi/v3/api/v1")
    assert written(document["components"]["schemas"]) == TABLE
