# SPDX-License-Identifier: GPL-3.0-or-later
"""Services at random, and the objects around them. The same seed gives the same services."""

from __future__ import annotations

import random
from typing import Any

from module_utils.kinds.kserve.releases import KServe

from .batch import Case
from .llm_later import add_features
from .llm_pods import Pods
from .llm_router import Router

Json = dict[str, Any]
_V2 = "serving.kserve.io/v1alpha2"

_URIS = (
    "hf://acme/tiny-llm",
    "hf://acme/tiny-llm",
    "hf://acme/tiny-llm:main",
    "hf://acme",
    "hf://acme/tiny?x=1&y=<2>",
    "hf://acme/tiny%20x",
    "HF://acme/Tiny",
    "s3://bucket/models/tiny",
    "s3://bucket",
    "s3://u:p@bucket/x#frag",
    "pvc://claim/models/tiny",
    "pvc://claim",
    "pvc://claim/",
    "pvc://claim/a//b/",
    "pvc:///x",
    "oci://registry.example.com/models/tiny:1",
    "oci://registry.example.com:5000/models/tiny@sha256:aaaa",
    "oci://tiny",
    "gs://bucket/m",
    "https://example.com/m.tar.gz",
    "http://example.com/m",
    "https://acct.blob.core.windows.net/c/m",
    "hdfs://nn/m",
    "webhdfs://nn:9870/m",
    "file:///m",
    "abfs://x/y",
    "hf://acme/tiny x",
    "hf://acme/ü|x(y)",
    "s3://bucket:port/x",
    "oci://tiny@sha256:abc",
    "hf://%zz",
    "pvc://my_claim/{{ .Name }}",
    "s3://b/x?y z#f g",
    "ftp://x/y",
    "tiny-llm",
    "hf:acme/tiny",
    "",
)
_SECRETS: tuple[Json, ...] = (
    {"HF_TOKEN": "t"},
    {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
    {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"},
    {"AWS_SECRET_ACCESS_KEY": "b"},
    {"gcloud-application-credentials.json": "{}"},
    {
        "AZURE_CLIENT_ID": "i",
        "AZURE_CLIENT_SECRET": "s",
        "AZURE_SUBSCRIPTION_ID": "u",
        "AZURE_TENANT_ID": "t",
    },
    {"AZ_CLIENT_ID": "i", "AZ_CLIENT_SECRET": "s", "AZ_SUBSCRIPTION_ID": "u", "AZ_TENANT_ID": "t"},
    {"AZURE_STORAGE_ACCESS_KEY": "k"},
    {"AZURE_ACCESS_TOKEN": "t"},
    {"https-host": "example.com", "headers": "a: b"},
    {"HDFS_NAMENODE": "n", "HDFS_ROOTPATH": "/"},
    {"other": "x"},
    {"HF_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ACCESS_KEY_ID": "a"},
)
_S3_NOTES = {
    "s3-endpoint": ("minio.example.com:9000", "https://s3.example.com", ""),
    "s3-region": ("eu-west-1", ""),
    "s3-usehttps": ("0", "1", "true", "x"),
    "s3-verifyssl": ("0", "1", "false"),
    "s3-useanoncredential": ("true", "false"),
    "s3-usevirtualbucket": ("true", "false"),
    "s3-useaccelerate": ("true",),
    "s3-cabundle": ("/etc/ca.pem",),
    "s3-cabundle-configmap": ("own-ca", "missing-ca"),
}
_LABELS = (
    ("team", "blue"),
    ("kueue.x-k8s.io/queue-name", "gold"),
    ("app.kubernetes.io/name", "mine"),
    ("kserve.io/component", "x"),
    ("llm-d.ai/role", "both"),
    ("app.kubernetes.io/component", "y"),
    ("kserve.io/other", "z"),
    ("opendatahub.io/dashboard", "true"),
    ("istio.io/rev", "one"),
    ("sidecar.istio.io/inject", "false"),
    ("kueue.x-k8s.io/priority-class", "p"),
)
_NOTES = (
    ("note", "hello"),
    ("k8s.v1.cni.cncf.io/networks", "rdma"),
    ("leaderworkerset.sigs.k8s.io/exclusive-topology", "rack"),
    ("kueue.x-k8s.io/pod-group", "g"),
    ("prometheus.io/scrape", "true"),
    ("prometheus.io/port", "8000"),
    ("prometheus.io/path", "/m"),
    ("security.opendatahub.io/enable-auth", "false"),
    ("serving.kserve.io/storageSecretName", "creds"),
    ("serving.kserve.io/storageInitializerUid", "1234"),
    ("serving.kserve.io/autoscalerClass", "hpa"),
    ("sidecar.istio.io/inject", "false"),
    ("networking.istio.io/exclude", "x"),
    ("serving.kserve.io/storage-initializer-uid", "1234"),
    ("odd-note", "100%"),
)


class Generator:
    """Makes the cases of one seed."""

    def __init__(self, seed: int, release: KServe, wild: float = 0.35) -> None:
        self._chance = random.Random(seed)
        self._seed = seed
        self._release = release
        self._wild = wild
        self._number = 0

    def cases(self, count: int) -> list[Case]:
        """Return that many cases."""
        return [self._case() for dummy in range(count)]

    def _maybe(self, probability: float) -> bool:
        return self._chance.random() < probability * (0.5 + self._wild)

    def _case(self) -> Case:
        chance = self._chance
        self._number += 1
        namespace = f"g{self._seed}-{self._number}"
        if chance.random() < 0.06:
            namespace += "-" + "n" * chance.choice((20, 40, 52))
        name = self._name()
        # A case has few features, so that its difference is easy to read.
        self._wild = chance.choice((0.0, 0.0, 0.2, 0.5))
        context: list[Json] = []
        pods = Pods(chance, self._maybe)
        spec = self._spec(pods, context, namespace, name)
        spec["model"] = self._model()
        metadata: Json = {"name": name, "namespace": namespace}
        if self._maybe(0.25):
            metadata["labels"] = dict(chance.sample(_LABELS, chance.randint(1, 4)))
        if self._maybe(0.25):
            metadata["annotations"] = dict(chance.sample(_NOTES, chance.randint(1, 5)))
        if self._maybe(0.06):
            stop = chance.choice(("true", "false", "True", "1"))
            metadata.setdefault("annotations", {})["serving.kserve.io/stop"] = stop
        if self._maybe(0.2):
            spec["baseRefs"] = self._bases(pods, context, namespace, name)
        if self._maybe(0.08):
            context.append(self._shadow(namespace))
        self._accounts(spec, context, namespace)
        self._neighbours(context, namespace, name)
        version = "v1alpha2"
        scheduler = (spec.get("router") or {}).get("scheduler") or {}
        if chance.random() < 0.1 and "spec" not in (scheduler.get("pool") or {}):
            version = "v1alpha1"
            if self._maybe(0.5):
                spec["model"]["criticality"] = chance.choice(("Critical", "Standard", "Sheddable"))
        document = {
            "apiVersion": f"serving.kserve.io/{version}",
            "kind": "LLMInferenceService",
            "metadata": metadata,
            "spec": spec,
        }
        add_features(document, context, self._release, f"{self._seed}/{self._number}")
        return Case(namespace, document, context, True, mood=chance.randint(0, 9))

    def _name(self) -> str:
        chance = self._chance
        if chance.random() < 0.8:
            return chance.choice(("demo", "demo", "llama-3", "a"))
        length = chance.choice((20, 30, 36, 38, 39, 40, 42, 43, 44, 45, 47, 50, 52, 55, 58, 60, 63))
        text = "".join(chance.choice("abcxyz019") for dummy in range(length))
        return "m" + text[1:]

    def _model(self) -> Json:
        chance = self._chance
        model: Json = {
            "uri": chance.choice(_URIS[:12]) if chance.random() < 0.7 else chance.choice(_URIS)
        }
        if self._maybe(0.2):
            model["name"] = chance.choice(
                ("tiny", "acme/tiny", 'a <b> & "c"', "x" * 80, "mit ü", "100%", "back\\slash")
            )
        if self._maybe(0.05):
            model["lora"] = {"adapters": [{"uri": "hf://acme/ad", "name": "ad"}]}
        return model

    def _parallelism(self) -> Json:
        chance = self._chance
        found: Json = {}
        form = chance.choice(("t", "dp", "pp", "dpl", "any"))
        if form in ("t", "dp", "pp") and chance.random() < 0.5:
            found["tensor"] = chance.choice((1, 2, 3, 8))
        if form in ("dp", "dpl"):
            found["data"] = chance.choice((1, 2, 4, 6, 7))
            found["dataLocal"] = chance.choice((1, 2, 4, 8))
        if form == "pp":
            found["pipeline"] = chance.choice((1, 2, 3))
        if form == "any":
            for key in ("tensor", "pipeline", "data", "dataLocal"):
                if chance.random() < 0.4:
                    found[key] = chance.choice((1, 2, 5))
        if chance.random() < 0.15:
            found["expert"] = chance.random() < 0.7
        if chance.random() < 0.15:
            found["dataRPCPort"] = 6000
        return found

    def _scaling(self) -> Json:
        chance = self._chance
        actuator: Json = chance.choice(
            ({"hpa": {}}, {"keda": {}}, {"keda": {"pollingInterval": 10, "cooldownPeriod": 5}})
        )
        found: Json = {"maxReplicas": chance.choice((1, 4)), "wva": actuator}
        if chance.random() < 0.5:
            found["minReplicas"] = chance.choice((1, 2))
        return found

    def _workload(self, pods: Pods, *, base: bool = False) -> Json:
        chance = self._chance
        spec: Json = {}
        if self._maybe(0.4):
            spec["replicas"] = chance.choice((0, 1, 2, 3))
        elif self._maybe(0.08):
            spec["scaling"] = self._scaling()
        multi = self._maybe(0.3)
        if self._maybe(0.3) or (multi and chance.random() < 0.9):
            spec["parallelism"] = self._parallelism()
        if multi:
            spec["worker"] = chance.choice(({}, {"containers": []}, pods.pod(worker=True)))
        if self._maybe(0.5):
            spec["template"] = pods.pod()
        if self._maybe(0.15):
            spec["labels"] = dict(chance.sample(_LABELS, chance.randint(1, 3)))
        if self._maybe(0.15):
            spec["annotations"] = dict(chance.sample(_NOTES, chance.randint(1, 3)))
        if base and chance.random() < 0.5:
            for key in list(spec):
                if chance.random() < 0.4:
                    del spec[key]
        return spec

    def _spec(
        self, pods: Pods, context: list[Json], namespace: str, name: str, *, base: bool = False
    ) -> Json:
        chance = self._chance
        spec = self._workload(pods, base=base)
        if self._maybe(0.3):
            spec["prefill"] = self._workload(pods, base=base)
        if chance.random() < (0.3 if base else 0.75):
            spec["router"] = Router(chance, self._maybe, pods).router(context, namespace, name)
        if self._maybe(0.08):
            spec["storageInitializer"] = chance.choice(({"enabled": False}, {"enabled": True}, {}))
        return spec

    def _bases(self, pods: Pods, context: list[Json], namespace: str, name: str) -> list[Json]:
        chance = self._chance
        refs = []
        for number in range(chance.randint(1, 3)):
            own = f"base-{number}"
            spec = self._spec(pods, context, namespace, name, base=True)
            if chance.random() < 0.3:
                spec["model"] = {"uri": "hf://base/model", "name": "based"}
            if spec.get("template", {}).get("containers"):
                expressions = (
                    "{{ .ObjectMeta.Name }}",
                    "{{ .Spec.Model.Name }}",
                    "{{ ChildName .ObjectMeta.Name `-x` }}",
                    "{{ .GlobalConfig.IngressGatewayName }}",
                    "{{- if .Spec.Replicas }}r{{ else }}n{{ end }}",
                    "{{ .Spec.Parallelism.Tensor }}",
                )
                container = spec["template"]["containers"][0]
                container["args"] = [chance.choice(expressions), "x"]
            context.append(_config(own, chance.choice((namespace, namespace, namespace)), spec))
            refs.append({"name": own})
        if chance.random() < 0.05:
            refs.append({"name": "missing"})
        return refs

    def _shadow(self, namespace: str) -> Json:
        name = self._chance.choice(
            (
                "template",
                "scheduler",
                "router-route",
                "worker-data-parallel",
                "decode-template",
                "prefill-template",
            )
        )
        pod = {
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example.com/shadow:1",
                    "args": ["{{ .Spec.Model.Name }}"],
                }
            ]
        }
        spec: Json = {"template": pod}
        if name == "scheduler":
            spec = {"router": {"scheduler": {"template": pod}}}
        if name == "router-route":
            spec = {
                "router": {
                    "route": {
                        "http": {
                            "spec": {"rules": [{"backendRefs": [{"name": "shadow", "port": 1}]}]}
                        }
                    }
                }
            }
        if name == "worker-data-parallel":
            spec = {"template": pod, "worker": pod}
        if name == "prefill-template":
            spec = {"prefill": {"template": pod}}
        return _config(f"kserve-config-llm-{name}", namespace, spec)

    def _accounts(self, spec: Json, context: list[Json], namespace: str) -> None:
        chance = self._chance
        names = {"default"} if self._maybe(0.25) else set()
        for pod in _pods_of(spec):
            if "serviceAccountName" in pod and chance.random() < 0.92:
                names.add(pod["serviceAccountName"])
        for name in sorted(names):
            account: Json = {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": name, "namespace": namespace},
            }
            if chance.random() < 0.7:
                secrets = []
                for number in range(chance.randint(1, 2)):
                    secret = f"{name}-{number}"
                    if chance.random() < 0.93:
                        context.append(self._secret(secret, namespace))
                    secrets.append({"name": secret})
                account["secrets"] = secrets
            if chance.random() < 0.15:
                notes = {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x", **self._s3_notes()}
                account["metadata"]["annotations"] = notes
            if chance.random() < 0.1:
                account["imagePullSecrets"] = [{"name": "pull"}]
            context.append(account)
        if chance.random() < 0.07:
            context.append(self._secret("creds", namespace))
        if chance.random() < 0.05:
            context.append(self._secret("storage-config", namespace))

    def _s3_notes(self) -> Json:
        chance = self._chance
        keys = chance.sample(sorted(_S3_NOTES), chance.randint(0, 4))
        return {f"serving.kserve.io/{key}": chance.choice(_S3_NOTES[key]) for key in keys}

    def _secret(self, name: str, namespace: str) -> Json:
        metadata: Json = {"name": name, "namespace": namespace}
        if self._chance.random() < 0.4:
            metadata["annotations"] = self._s3_notes()
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "type": "Opaque",
            "stringData": dict(self._chance.choice(_SECRETS)),
        }

    def _neighbours(self, context: list[Json], namespace: str, name: str) -> None:
        """Add what happens to be in the namespace: a pod of the service, a Service of it."""
        labels = {
            "app.kubernetes.io/name": name,
            "app.kubernetes.io/part-of": "llminferenceservice",
        }
        if self._maybe(0.04):
            context.append(
                {
                    "apiVersion": "v1",
                    "kind": "Service",
                    "metadata": {"name": "extra", "namespace": namespace, "labels": labels},
                    "spec": {"ports": [{"port": 1}]},
                }
            )


def _config(name: str, namespace: str, spec: Json) -> Json:
    return {
        "apiVersion": _V2,
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def _pods_of(spec: Json) -> list[Json]:
    prefill = spec.get("prefill") or {}
    scheduler = (spec.get("router") or {}).get("scheduler") or {}
    found = [
        spec.get("template"),
        spec.get("worker"),
        prefill.get("template"),
        prefill.get("worker"),
        scheduler.get("template"),
    ]
    return [pod for pod in found if pod]
