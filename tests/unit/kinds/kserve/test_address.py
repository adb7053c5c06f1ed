# SPDX-License-Identifier: GPL-3.0-or-later
"""An address that whoever fetches the model cannot read is told, with what to write instead."""

from __future__ import annotations

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.storage.address import (
    address_fault,
)


@pytest.mark.parametrize(
    "uri",
    [
        "hf://acme/chat-8b",
        "hf://acme/chat-8b:main",
        "hf://acme/chat_8.b:rev?x=1#frag",
        "s3://bucket/key",
        "s3://my-bucket.v1/a//b",
        "gs://my_bucket.v1/a//b",
        "https://models7.blob.core.windows.net/$web/tiny",
        "https://Models7.file.core.windows.net/my-share/tiny/",
        "gs://models/iris",
        "pvc://models",
        "pvc://models.v1/a/b",
        "oci://registry.example.com:5000/models/tiny@sha256:0123",
        "https://files.example.com/m.tgz",
        "https://u:p@files.example.com:8443/a/m.tgz?x=1#y",
        "https://[::1]:8080/m.tgz",
        "https://huggingface.co/acme/chat/resolve/main/chat.gguf",
        "https://acct.blob.core.windows.net/container/models/",
        "hdfs://node:9000/models",
        "webhdfs://models",
        "oci://registry.example.com:5000/tiny",
        "/mnt/models",
        "",
    ],
)
def test_an_address_that_can_be_read_is_fine(uri: str) -> None:
    assert address_fault(uri) is None


@pytest.mark.parametrize(
    ("uri", "fact", "way"),
    [
        ("s3://bucket/my model", "has a blank", "write it without"),
        ("hf://acme/chat/chat.gguf", "has 3 parts", "hf://acme/chat, which is fetched as a whole"),
        ("hf://acme/chat/tree/v1", "has 4 parts", "write hf://acme/chat:v1"),
        ("hf://acme/chat/", "has 3 parts", "write hf://acme/chat"),
        ("hf://https://huggingface.co/acme/chat", "has 5 parts", "write hf://acme/chat"),
        ("hf://gpt2", "has 1 part ", "name the owner"),
        ("hf:///chat", "names no owner", "hf://owner/model"),
        ("hf://acme/:v1", "names no model", "hf://owner/model"),
        ("hf://acme/chat@v1", 'names the model "chat@v1"', "hf://acme/chat:v1"),
        ("s3:///key", "names no bucket", "s3://bucket/key"),
        ("s3://minio:9000/bucket/key", 'names the bucket "minio:9000"', "with the credentials"),
        ("gs:///key", "names no bucket", "gs://bucket/key"),
        ("pvc:///a", "names no claim", "pvc://claim/folder"),
        ("pvc://Models/a", "cannot be a claim", "pvc://claim/folder"),
        ("oci://", "names no image", "oci://registry"),
        ("oci://registry/tiny:", "no name of an image", "repository:tag"),
        ("oci://registry/tiny@latest", '"latest" is neither', "repository:tag"),
        ("hf://huggingface.co/acme/chat", "has 3 parts", "write hf://acme/chat"),
        ("https://huggingface.co/acme/chat", "is a page of the hub", "write hf://acme/chat"),
        ("https://hf.co/acme/chat/tree/v1", "is a page of the hub", "write hf://acme/chat:v1"),
        ("https://", "names no host", "https://host/file"),
        ("http:///m.tgz", "names no host", "http://host/file"),
        ("https://files.example.com/models/", "names no file", "/file"),
        ("https://files.example.com", "names no file", "/file"),
        ("https://files.example.com:99999/m.tgz", 'the port "99999"', "host:port"),
        ("hdfs://", "names no folder", "hdfs://host/folder"),
        ("oci://https://registry/a", "twice", "oci://registry/a"),
        ("https://models_7.blob.core.windows.net/c/a", 'the account "models_7"', "/container/"),
        ("https://models7.blob.core.windows.net/My-Models/a", 'container "My-Models"', "/folder"),
        ("https://models7.file.core.windows.net/a--b/c", 'the share "a--b"', "/share/folder"),
        ("https://models7.blob.core.windows.net", "names no container", "/container/folder"),
    ],
)
def test_an_address_that_cannot_be_read_is_told(uri: str, fact: str, way: str) -> None:
    fault = address_fault(uri)
    assert fault is not None
    assert fault.fatal
    assert fact in fault.finds
    assert way in fault.fix


def test_what_stands_behind_a_key_of_s3_is_left_out() -> None:
    fault = address_fault("s3://bucket/models/tiny?versionId=3")
    assert fault is not None
    assert not fault.fatal
    assert "write s3://bucket/models/tiny" in fault.fix


@pytest.mark.parametrize(
    ("uri", "bucket"),
    [
        ("s3://My-Models/tiny", "My-Models"),
        ("s3://my_models/tiny", "my_models"),
        ("s3://models-/tiny", "models-"),
        ("gs://Models/tiny", "Models"),
        ("gs://a..b/tiny", "a..b"),
        (f"s3://{'a' * 64}/tiny", "a" * 64),
    ],
)
def test_a_bucket_that_no_service_would_make_is_told(uri: str, bucket: str) -> None:
    fault = address_fault(uri)
    assert fault is not None
    assert not fault.fatal
    assert f'the bucket "{bucket}"' in fault.finds


@pytest.mark.parametrize("uri", ["s3://bucket", "gs://bucket/"])
def test_a_whole_bucket_can_be_fetched(uri: str) -> None:
    fault = address_fault(uri)
    assert fault is not None
    assert not fault.fatal


@pytest.mark.parametrize(
    ("uri", "way"),
    [("bucket/models", "s3://bucket/models"), ("s3:/bucket/key", "write s3://bucket/key")],
)
def test_an_address_without_a_scheme_is_a_folder(uri: str, way: str) -> None:
    fault = address_fault(uri)
    assert fault is not None
    assert not fault.fatal
    assert "names no scheme" in fault.finds
    assert way in fault.fix
