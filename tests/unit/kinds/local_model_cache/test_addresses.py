# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addresses a cache holds, and where they are in its claim.

Read in KServe pkg/apis/serving/v1alpha1/storage_uri_utils.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.20.0.
"""

from __future__ import annotations

import pytest

from module_utils.kinds.kserve.local_models import in_claim, is_within

#: The address of a cache, that of a service, and what follows the folder of the cache; None where the cache does not hold it.
ADDRESSES = [
    ("s3://m/qwen", "s3://m/qwen", "/"),
    ("s3://m/qwen", "s3://m/qwen/", "/"),
    ("s3://m/qwen/", "s3://m/qwen", "/"),
    ("s3://m/qwen/", "s3://m/qwen/", "/"),
    ("s3://m/qwen", "s3://m/qwen/part", "/part"),
    ("s3://m/qwen/", "s3://m/qwen/part", "/part"),
    ("s3://m/qwen", "s3://m/qwen/part/", "/part/"),
    ("s3://m/qwen", "s3://m/qwen-2", None),
    ("s3://m/qwen/", "s3://m/qwen-2", None),
    ("s3://m/qwen//", "s3://m/qwen", None),
    ("s3://m/qwen", "s3://m", None),
    ("", "s3://m", None),
]


@pytest.mark.parametrize(("source", "uri", "rest"), ADDRESSES)
def test_a_model_is_where_its_cache_has_put_it(source: str, uri: str, rest: str | None) -> None:
    assert is_within(uri, source) is (rest is not None)
    if rest is not None:
        assert in_claim(uri, source, "qwen-gpus", "key") == f"pvc://qwen-gpus/models/key{rest}"
