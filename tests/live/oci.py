# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images made of files: an OCI layout in one archive, the same bytes for the same files.

Format: image-spec v1.1, image-layout.md, manifest.md, config.md and layer.md.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
_INDEX = "application/vnd.oci.image.index.v1+json"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True)
class File:
    """One file of a layer: `source` on this machine, or `text`, or `link` to another path of the image."""

    path: str
    source: Path | None = None
    text: str = ""
    link: str = ""
    mode: int = 0o755


@dataclass(frozen=True)
class Layer:
    """A layer as it is in an image: an uncompressed archive."""

    content: bytes

    @property
    def digest(self) -> str:
        return _digest(self.content)


@dataclass(frozen=True)
class Image:
    """Layers and what a container of them runs; user by number, since runAsNonRoot trusts no name."""

    layers: Sequence[Layer]
    command: Sequence[str] = ()
    user: str = "1000:1000"
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def _config(self) -> bytes:
        return _json(
            {
                "architecture": _MACHINES.get(platform.machine(), platform.machine()),
                "os": "linux",
                "config": {
                    "User": self.user,
                    "Entrypoint": list(self.command),
                    "Env": [f"{name}={value}" for name, value in self.environment.items()],
                    "WorkingDir": "/",
                },
                "rootfs": {"type": "layers", "diff_ids": [each.digest for each in self.layers]},
            }
        )

    @property
    def _manifest(self) -> bytes:
        layers = [_descriptor(_LAYER, each.content) for each in self.layers]
        config = _descriptor(_CONFIG, self._config)
        return _json(
            {"schemaVersion": 2, "mediaType": _MANIFEST, "config": config, "layers": layers}
        )

    @property
    def digest(self) -> str:
        """What pins the image, as in `name@sha256:…`."""
        return _digest(self._manifest)

    def write(self, archive: Path, names: Iterable[str]) -> None:
        """Write the image under these names, each with a tag or a digest, for `ctr images import`."""
        manifest = self._manifest
        index = {
            "schemaVersion": 2,
            "mediaType": _INDEX,
            "manifests": [
                {
                    **_descriptor(_MANIFEST, manifest),
                    "annotations": {"io.containerd.image.name": name},
                }
                for name in names
            ],
        }
        with tarfile.open(archive, "w") as tar:
            _add(tar, "oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
            _add(tar, "index.json", _json(index))
            for blob in (manifest, self._config, *(each.content for each in self.layers)):
                _add(tar, f"blobs/sha256/{_digest(blob).partition(':')[2]}", blob)


def layer(files: Iterable[File]) -> Layer:
    """Put files into a layer, with the folders above them, which anybody may enter."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        made: set[str] = set()
        for each in sorted(files, key=lambda file: file.path):
            _add_folders(tar, each.path, made)
            if each.link:
                _add_link(tar, each)
            else:
                content = each.source.read_bytes() if each.source else each.text.encode()
                # A compiled Python file fits a source of its time alone.
                changed = int(each.source.stat().st_mtime) if each.source else 0
                _add(tar, each.path, content, each.mode, changed)
    return Layer(buffer.getvalue())


def _add_folders(tar: tarfile.TarFile, path: str, made: set[str]) -> None:
    for parent in reversed(Path(path).parents):
        name = str(parent)
        if name not in (".", "/") and name not in made:
            made.add(name)
            entry = _entry(name, 0o1777 if name.strip("/") == "tmp" else 0o755)
            entry.type = tarfile.DIRTYPE
            tar.addfile(entry)


def _add_link(tar: tarfile.TarFile, file: File) -> None:
    entry = _entry(file.path, 0o777)
    entry.type, entry.linkname = tarfile.SYMTYPE, file.link
    tar.addfile(entry)


def _add(
    tar: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644, changed: int = 0
) -> None:
    entry = _entry(name, mode)
    entry.size, entry.mtime = len(content), changed
    tar.addfile(entry, io.BytesIO(content))


def _entry(name: str, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name.lstrip(os.sep))
    entry.mode = mode
    return entry


def _descriptor(media_type: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": _digest(content), "size": len(content)}


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
