# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is given as a spec comes to a service or to problems, never to an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings

from .build import document

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=6,
)
ROUTER = st.fixed_dictionaries(
    {},
    optional={
        "route": JSON
        | st.fixed_dictionaries(
            {
                "http": JSON
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "refs": JSON,
                        "spec": JSON
                        | st.fixed_dictionaries(
                            {
                                "rules": JSON
                                | st.lists(
                                    st.fixed_dictionaries(
                                        {},
                                        optional={
                                            "matches": JSON,
                                            "filters": JSON,
                                            "backendRefs": JSON,
                                        },
                                    ),
                                    max_size=2,
                                )
                            }
                        ),
                    },
                )
            }
        ),
        "gateway": JSON,
        "scheduler": JSON
        | st.fixed_dictionaries({}, optional={"pool": JSON, "config": JSON, "replicas": JSON}),
    },
)
SPECS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "model": JSON,
        "router": JSON | ROUTER,
        "scaling": JSON,
        "parallelism": JSON,
        "prefill": JSON,
        "worker": JSON,
        "template": JSON,
        "baseRefs": JSON,
    },
)


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@given(spec=SPECS)
def test_any_input_gives_a_service_or_problems(version: str, spec: Any) -> None:
    loaded = load({**document(version=version), "spec": spec}, Settings())
    assert loaded.service is not None or loaded.problems
