# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The images of the live lab, made of what was built and of the stand-ins. None is pulled."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..lab import paths
from ..lab.files import locked
from . import build, libraries, network, wheels
from .oci import File, Image, Layer, layer
from .programs import FETCH_WHEELS, SERVER_WHEELS, VLLM_VERSION, VLLM_WHEELS, Wheels

STAND_INS = Path(__file__).parent / "stand_ins"
#: What played webhooks answer, wherever they are played.
REVIEWS = paths.CHECKOUT / "tests" / "cluster" / "support" / "reviews.py"
#: Where nothing listens: an image that is not there is not searched for elsewhere.
REGISTRY = "127.0.0.1:5000"

PAUSE, ENVOY, ENGINE = (f"{REGISTRY}/{name}:1" for name in ("pause", "envoy", "engine"))
#: The same engine under the name of a later release.
LATER_ENGINE = f"{REGISTRY}/engine:2"
#: Images that the collection's defaults name, of ModelServices and of presets: ours have their names.
PICKERS = tuple(f"ghcr.io/llm-d/llm-d-inference-scheduler:{tag}" for tag in ("v0.6.0", "v0.7.1"))
SERVERS = tuple(f"ghcr.io/llm-d/llm-d-cuda:{tag}" for tag in ("v0.5.1", "v0.6.0"))
#: What a service of the molecule scenario `default` names.
EXAMPLE = "registry.example.com/engines/vllm-cpu:1.2"
KIT = "ghcr.io/kitops-ml/kitops:v1.11.0"
#: What the ConfigMap of KServe names here.
INITIALIZER = "docker.io/kserve/storage-initializer:v0.19.0"

#: Where the node serves models as the Hugging Face Hub does.
HUB_PORT = 9001

_TMP = File("/tmp/.keep", mode=0o644)


@dataclass(frozen=True)
class Recipe:
    """An image and every name under which the node has it."""

    names: tuple[str, ...]
    make: Callable[[], Image]


def _shell() -> Layer:
    program = build.packages() / "usr" / "bin" / "busybox"
    tools = (
        "sh",
        "cat",
        "cp",
        "echo",
        "env",
        "false",
        "head",
        "ls",
        "mkdir",
        "sleep",
        "tail",
        "test",
        "true",
        "wget",
    )
    links = [File(f"/bin/{name}", link="busybox") for name in tools]
    return layer([File("/bin/busybox", program), *links, _TMP])


def _python() -> Layer:
    """The running Python; what it is made of changes with its version alone."""
    version = hashlib.sha256(f"{sys.version} {sys.base_prefix}".encode()).hexdigest()[:16]
    return _kept(f"live-python-{version}", libraries.python)


def _kept(name: str, files: Callable[[], Iterable[File]]) -> Layer:
    """A layer that is made once, into the lab's cache: asking for the libraries of hundreds of files takes its time."""
    cached = paths.cache() / f"{name}.tar"
    with locked(paths.cache() / "locks" / cached.name):
        if not cached.is_file():
            made = cached.with_suffix(".new")
            made.write_bytes(layer(files()).content)
            made.replace(cached)
    return Layer(cached.read_bytes())


def _pause() -> Image:
    return Image([_shell()], ["/bin/tail", "-f", "/dev/null"])


def _envoy() -> Image:
    program = build.envoy()
    files = [File("/usr/bin/envoy", program), *libraries.with_libraries([program])]
    return Image([layer([*files, _TMP])], ["/usr/bin/envoy"])


def _picker() -> Image:
    return Image(
        [layer([File("/app/epp", build.program("epp")), _TMP])], ["/app/epp"], user="65532:65532"
    )


def _kit() -> Image:
    return Image([_shell(), layer([File("/usr/bin/kit", STAND_INS / "kit.sh")])])


def _initializer() -> Image:
    return Image([_shell(), layer([File("/entry", STAND_INS / "initializer.sh")])], ["/entry"])


def _engine() -> Image:
    script = '#!/bin/sh\nexec python3 -u /opt/engine.py "$@"\n'
    files = [
        File("/opt/engine.py", STAND_INS / "engine.py"),
        File("/usr/bin/vllm", text=script),
        # Presets start vLLM by a shell of that name.
        File("/bin/bash", text='#!/bin/sh\nexec sh "$@"\n'),
    ]
    return Image([_shell(), _python(), layer(files)], environment={"PATH": "/usr/bin:/bin"})


def _with_packages(packages: Wheels, program: str, *, environment: dict[str, str]) -> Image:
    """Python with packages and a program that uses them. Raises LabError where the packages cannot be had."""
    place = wheels.there(packages)
    site = _kept(place.name, lambda: wheels.files(place))
    own = [File(f"/opt/{program}", STAND_INS / program)]
    common = {"PATH": "/usr/bin:/bin", "PYTHONPATH": wheels.PLACE, "HOME": "/tmp", **environment}
    command = ["/usr/bin/python3", "-u", f"/opt/{program}"]
    return Image([_python(), site, layer([*own, _TMP])], command, environment=common)


def _manager() -> Image:
    files = [
        File("/opt/manager.py", STAND_INS / "manager.py"),
        File("/opt/reviews.py", REVIEWS),
        File("/manager", text='#!/bin/sh\nexec /usr/bin/python3 -u /opt/manager.py "$@"\n'),
    ]
    return Image([_shell(), _python(), layer(files)], ["/manager"], user="65532:65532")


def _model_server() -> Image:
    return _with_packages(SERVER_WHEELS, "model.py", environment={})


def _fetcher() -> Image:
    hub = f"http://{network.NODE}:{HUB_PORT}"
    return _with_packages(FETCH_WHEELS, "fetch.py", environment={"HF_ENDPOINT": hub})


def _vllm() -> Image:
    """Python and what starts vLLM; its packages are gigabytes, which a pod mounts at their place. Raises LabError where they are not there."""
    place = wheels.there(VLLM_WHEELS)
    loaded = _kept(f"{place.name}-libraries", lambda: wheels.system_libraries(place))
    # It asks which processors there are.
    processors = Path(shutil.which("lscpu") or "lscpu")
    start = "from vllm.entrypoints.cli.main import main; main()"
    named = "/opt/named"
    files = [
        File("/usr/bin/vllm", text=f"#!/bin/sh\nexec python3 -c '{start}' \"$@\"\n"),
        File("/bin/bash", text='#!/bin/sh\nexec sh "$@"\n'),
        # It asks for its own version, and whether that is one for processors, by a name that the package does not have.
        File(
            f"{named}/vllm-{VLLM_VERSION}.dist-info/METADATA",
            text=f"Metadata-Version: 2.1\nName: vllm\nVersion: {VLLM_VERSION}+cpu\n",
            mode=0o644,
        ),
        File("/usr/bin/lscpu", processors),
        *libraries.with_libraries([processors]),
    ]
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": f"{wheels.PLACE}:{named}",
        # Its user has no name, for which some libraries ask.
        "USER": "vllm",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
    }
    return Image([_shell(), _python(), loaded, layer(files)], environment=environment)


#: Made at the start. Those of one scenario are made where it begins.
RECIPES = (
    Recipe((PAUSE,), _pause),
    Recipe((ENVOY,), _envoy),
    Recipe(PICKERS, _picker),
    Recipe((KIT,), _kit),
    Recipe((INITIALIZER,), _initializer),
    Recipe((ENGINE, LATER_ENGINE, *SERVERS, EXAMPLE), _engine),
)


#: Releases of KServe between which the role `controllers` upgrades, and the images of their programs.
UPGRADED = ("v0.19.0", "v0.20.0")
MANAGERS = tuple(
    f"docker.io/kserve/{name}:{release}"
    for release in UPGRADED
    for name in ("kserve-controller", "kserve-localmodel-controller", "llmisvc-controller")
)
PROXY = "quay.io/brancz/kube-rbac-proxy:v0.18.0"

#: Each made by the scenarios that need it: KServe's managers, its own model server, its own package that fetches models, and vLLM.
MANAGER = Recipe((*MANAGERS, PROXY), _manager)
MODEL_SERVER = Recipe((f"{REGISTRY}/kserve-model-server:1",), _model_server)
FETCHER = Recipe((f"{REGISTRY}/kserve-storage:1",), _fetcher)
VLLM = Recipe((f"{REGISTRY}/vllm:1",), _vllm)


def archives(folder: Path, recipes: Sequence[Recipe] = RECIPES) -> dict[str, str]:
    """Write each image into this folder and return the digest for each name."""
    folder.mkdir(parents=True, exist_ok=True)
    pinned: dict[str, str] = {}
    for recipe in recipes:
        image = recipe.make()
        for name in recipe.names:
            pinned[name] = f"{name.rpartition(':')[0]}@{image.digest}"
        names = [*recipe.names, *(pinned[name] for name in recipe.names)]
        image.write(folder / f"{recipe.names[0].rpartition('/')[2].replace(':', '-')}.tar", names)
    return pinned
