# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
import io
import json
import tarfile
from pathlib import Path

import pytest

from tests.live.oci import File, Image, layer


def members(content: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return {each.name: each for each in tar.getmembers()}


def test_same_files_in_another_order_make_the_same_image() -> None:
    files = [File("/bin/a", text="a"), File("/etc/b", text="b", mode=0o644)]
    made = [Image([layer(order)]).digest for order in (files, files[::-1])]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Image([layer([File("/a", text="2")])]), id="another file"),
        pytest.param(Image([layer([File("/a", text="1")])], user="0:0"), id="another user"),
        pytest.param(Image([layer([File("/a", text="1")])], ["/a"]), id="another command"),
    ],
)
def test_whatever_differs_in_an_image_changes_the_digest_that_pins_it(other: Image) -> None:
    assert Image([layer([File("/a", text="1")])]).digest != other.digest


def test_folders_above_a_file_may_be_entered_by_any_user() -> None:
    found = members(layer([File("/opt/own/run", text="x"), File("/tmp/kept", text="")]).content)
    assert {name: oct(each.mode) for name, each in found.items() if each.isdir()} == {
        "opt": "0o755",
        "opt/own": "0o755",
        "tmp": "0o1777",
    }


def test_archive_names_the_image_and_holds_every_blob_that_it_refers_to(tmp_path: Path) -> None:
    image = Image([layer([File("/a", text="1")]), layer([File("/b", link="a")])])
    names = ["example.com/one:1", f"example.com/one@{image.digest}"]
    image.write(tmp_path / "image.tar", names)
    with tarfile.open(tmp_path / "image.tar") as tar:

        def read(digest: str) -> bytes:
            stream = tar.extractfile(f"blobs/sha256/{digest.removeprefix('sha256:')}")
            assert stream is not None
            return stream.read()

        index = json.load(tar.extractfile("index.json") or io.BytesIO())
        manifest = json.loads(read(image.digest))
        config = json.loads(read(manifest["config"]["digest"]))
        layers = [read(each["digest"]) for each in manifest["layers"]]
    found = [each["annotations"]["io.containerd.image.name"] for each in index["manifests"]]
    assert found == names
    assert {each["digest"] for each in index["manifests"]} == {image.digest}
    assert config["rootfs"]["diff_ids"] == [each["digest"] for each in manifest["layers"]]
    assert [list(members(each)) for each in layers] == [["a"], ["b"]]
