# SPDX-License-Identifier: GPL-3.0-or-later
"""`rendered`: the manifests, without a cluster, returned or written to a folder."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from ..engine.desired import marked
from ..fleet.service import Service
from ..kube.intent import Intent
from ..kube.local_path import local_path
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..kube.redact import mask, redact, secrets_of
from ..kube.reference import Reference


def manifests(compiled: Sequence[tuple[Service, Intent]], fleet: str) -> list[Json]:
    """Return every child as anybody can apply it: with our label and owner annotation, without owner references and hash.

    In the order of stages, so that a plain `kubectl apply -f` meets no account that is not there yet.
    """
    children = [(child, service) for service, intent in compiled for child in intent.children]
    children.sort(key=lambda pair: pair[0].stage)
    # Copied, since builders share parts, which a YAML dumper would write as anchors and aliases.
    return [
        deepcopy(marked(child.manifest.to_dict(), service.reference, fleet))
        for child, service in children
    ]


@dataclass(slots=True)
class Written:
    """Files written: all paths, whether any is another than before, and where it is asked for what differs."""

    paths: list[str] = field(default_factory=list)
    changed: bool = False
    diffs: list[Json] = field(default_factory=list)


def write(rendered: Sequence[Json], dest: str, *, dry_run: bool, diff: bool) -> Written:
    """Write one file per object below a folder.

    Files are written beside their place and renamed, so that an interrupted run leaves no half of one. What holds a secret is
    for its owner to read alone. Raises InputError.
    """
    try:
        root = local_path(dest)
    except ValueError as error:
        raise InputError.single("dest", "", f"{ascii(dest)[1:-1]}: {error}") from None
    written = Written()
    for manifest, place in zip(rendered, _places(rendered), strict=True):
        path = root / place
        after = _yaml(manifest)
        try:
            if root.exists() and not root.is_dir():
                raise InputError.single("dest", "", f"{dest} is not a folder")
            before = path.read_bytes() if path.exists() else b""
            if before != after.encode():
                written.changed = True
                if diff:
                    written.diffs.append(_diff(path, before.decode(errors="replace"), manifest))
                if not dry_run:
                    _replace(path, after, mode=0o600 if secrets_of(manifest) else 0o644)
        except OSError as error:
            raise InputError.single(
                "dest", "", f"{path} cannot be written: {error.strerror}"
            ) from error
        written.paths.append(str(path))
    return written


def _diff(path: Path, before: str, after: Json) -> Json:
    """Return the difference of a file as Ansible shows it, secrets masked. The file itself holds them."""
    return {
        "before_header": str(path),
        "after_header": str(path),
        "before": _shown(before),
        "after": _yaml(redact(after)),
    }


def _shown(text: str) -> str:
    import yaml

    if not text:
        return ""
    try:
        manifest = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        manifest = None
    return _yaml(redact(manifest)) if isinstance(manifest, dict) else f"{mask(text)}\n"


def _places(rendered: Sequence[Json]) -> list[Path]:
    """Return `<namespace>/<kind>-<name>.yaml` for each; objects without a namespace are below `_cluster`.

    A kind that comes from two API groups has its group in the file's name where both have an object of one name, as the pools of an
    LLMInferenceService do: `inferencepool.inference.networking.k8s.io-chat.yaml`.
    """
    references = [Reference.of(manifest) for manifest in rendered]
    alike = Counter((each.namespace, each.kind, each.name) for each in references)
    return [
        Path(each.namespace or "_cluster")
        / (
            f"{each.kind.lower()}-{each.name}.yaml"
            if alike[each.namespace, each.kind, each.name] == 1
            else f"{each.kind.lower()}.{each.group}-{each.name}.yaml"
        )
        for each in references
    ]


def _replace(path: Path, text: str, *, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as draft:
        finished = Path(draft.name)
        try:
            draft.write(text)
            draft.flush()
            finished.chmod(mode)
            finished.replace(path)
        except OSError:
            finished.unlink(missing_ok=True)
            raise


def _yaml(manifest: Json) -> str:
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump(manifest, Dumper=dumper, sort_keys=False, default_flow_style=False, width=4096)
    return f"---\n{text}"
