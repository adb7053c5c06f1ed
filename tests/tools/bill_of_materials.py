# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the bill of materials of the built tarball as CycloneDX: the collection, and what it was tested with.

Runs in the environment `release`. Nothing is bundled in the tarball; the libraries are those that a user installs beside it.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sys
import tarfile
import uuid
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement

from .tarball import moment, tarball
from .tree import CHECKOUT

TESTED_WITH = CHECKOUT / "tests" / "requirements-run.txt"


def main() -> int:
    """Write it beside the tarball and return the exit code."""
    archive = tarball()
    text = JsonV1Dot6(bill(archive)).output_as_string(indent=2)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        print(f"bill of materials: {fault}")
        return 1
    path = archive.with_name(archive.name.replace(".tar.gz", ".cdx.json"))
    path.write_text(f"{text}\n")
    print(f"bill of materials: {path.relative_to(CHECKOUT)}")
    return 0


def bill(archive: Path) -> Bom:
    """Return the bill of materials of a tarball; it says the same for the same tarball."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_OID, digest))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(moment(), datetime.UTC)
    bom.metadata.component = collection = _collection(archive, digest)
    libraries = [_library(requirement) for requirement in _requirements()]
    for library in libraries:
        bom.components.add(library)
    bom.register_dependency(collection, libraries)
    return bom


def _collection(archive: Path, digest: str) -> Component:
    with tarfile.open(archive) as opened:
        manifest = opened.extractfile("MANIFEST.json")
        info = json.load(manifest)["collection_info"] if manifest else {}
    return Component(
        type=ComponentType.LIBRARY,
        group=info["namespace"],
        name=info["name"],
        version=info["version"],
        bom_ref="collection",
        description=info["description"],
        licenses=[LicenseExpression(" OR ".join(info["license"]))],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )


def _requirements() -> list[Requirement]:
    lines = (line.partition("#")[0].strip() for line in TESTED_WITH.read_text().splitlines())
    found = [Requirement(line) for line in lines if line]
    return [each for each in found if each.marker is None or each.marker.evaluate()]


def _library(requirement: Requirement) -> Component:
    version = str(requirement.specifier).removeprefix("==")
    purl = PackageURL("pypi", name=requirement.name.lower(), version=version)
    return Component(
        type=ComponentType.LIBRARY,
        name=requirement.name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
    )


if __name__ == "__main__":
    sys.exit(main())
