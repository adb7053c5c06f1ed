# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs come out as Go's net/url writes them: the table was made with it."""

from __future__ import annotations

import pytest

from module_utils.kube.go_url import go_url

WRITTEN = {
    "hf://acme/tiny-llm:main": "hf://acme/tiny-llm:main",
    "HF://Acme/X": "hf://Acme/X",
    "hf://acme/tiny x": "hf://acme/tiny%20x",
    "hf://acme/ü": "hf://acme/%C3%BC",
    "s3://b/a%20b": "s3://b/a%20b",
    "s3://b/%41 x": "s3://b/A%20x",
    "s3://b/a(b)": "s3://b/a(b)",
    "s3://b/a(b) c": "s3://b/a%28b%29%20c",
    "s3://b/a|b": "s3://b/a%7Cb",
    "s3://b/a?b c": "s3://b/a?b c",
    "s3://b/a?": "s3://b/a?",
    "s3://b/a#b c": "s3://b/a#b%20c",
    "s3://b/a#": "s3://b/a",
    "s3://a:b@c:1/d": "s3://a:b@c:1/d",
    "hf://[::1]:80/x": "hf://[::1]:80/x",
    "hf://": "hf:",
    "hf:///x": "hf:///x",
    "hf:acme/x": "hf:acme/x",
    "oci://reg:5000/m@sha256:a": "oci://reg:5000/m@sha256:a",
    "pvc://c/{{.x}}": "pvc://c/%7B%7B.x%7D%7D",
    "tiny-llm": "tiny-llm",
    "": "",
}
REFUSED = {
    "hf://%zz": 'parse "hf://%zz": invalid URL escape "%zz"',
    "s3://bucket:port/x": 'parse "s3://bucket:port/x": invalid port ":port" after host',
    "oci://tiny@sha256:abc": 'parse "oci://tiny@sha256:abc": invalid port ":abc" after host',
    "://x": 'parse "://x": missing protocol scheme',
    "hf://a c/x": 'parse "hf://a c/x": invalid character " " in host name',
    "hf://a%20c/x": 'parse "hf://a%20c/x": invalid URL escape "%20"',
    "1hf://a": 'parse "1hf://a": first path segment in URL cannot contain colon',
    "hf://a|b@c#d": 'parse "hf://a|b@c": net/url: invalid userinfo',
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_url_is_written_as_go_writes_it(text: str) -> None:
    assert go_url(text) == WRITTEN[text]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_url_is_told_as_go_tells_it(text: str) -> None:
    with pytest.raises(ValueError, match="parse") as caught:
        go_url(text)
    assert str(caught.value) == REFUSED[text]
