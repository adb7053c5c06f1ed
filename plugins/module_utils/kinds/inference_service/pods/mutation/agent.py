# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidecar that logs and gathers requests, and fetches models one after another. Source: KServe pkg/webhook/admission/pod/agent_injector.go@v0.17.0."""

from __future__ import annotations

from dataclasses import replace

from .....kube.manifest import Json
from .....kube.release import Since
from ....kserve.pod import appended, changed, container_of, with_volume
from ....kserve.releases import KServe
from ....kserve.storage.refused import StorageRefused
from ....kserve.storage.target import Target, in_pod
from ....kserve.system_config import Logger
from ..annotations import AGENT, BATCHER, CONFIG_VOLUME, LOGGER, MODEL_DIR
from ..containers import QUEUE_PROXY, SERVER, TRANSFORMER
from ..storage.init_container import account_credentials
from .agent_arguments import agent_arguments
from .probe import probe_text
from .subject import Subject

NAME = "agent"
PORT = 9081
_STORE_ACCOUNT = "logger-sa"
_CA_VOLUME, _CA_PATH = "agent-ca-bundle", "/etc/tls/logger"
_MODELS, _CONFIG = "model-dir", "model-config"
#: Whether the agent's own probe asks where the server's probe does.
_MIRRORS_PATH: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})


def with_agent(subject: Subject) -> Subject:
    """Return a pod with the agent, where its annotations ask for one. Raises StorageRefused and Misconfigured."""
    wanted = any(key in subject.annotations for key in (LOGGER, AGENT, BATCHER))
    if not wanted or container_of(subject.spec, NAME) is not None:
        return subject
    logger = logger_config(subject)
    container = _container(subject, logger)
    volumes = tuple(subject.spec.get("volumes") or ())
    target = _with_credentials(Target(container, volumes), subject, logger)
    pod = in_pod(_behind_agent(subject.spec), target)
    pod = appended(pod, "containers", target.container)
    if AGENT in subject.annotations:
        pod = _with_model_folders(pod, subject)
    return subject.having(pod)


def logger_config(subject: Subject) -> Logger:
    """Return how requests are logged: as configured, or as the service's predictor says where it says something."""
    logger, own = subject.config.logger, subject.logger
    if own is None:
        return logger
    return replace(
        logger,
        storage=own.get("storage"),
        marshaller_url=own.get("marshallerUrl", logger.marshaller_url),
        batch_size=own.get("batchSize", logger.batch_size),
        batch_interval=own.get("batchInterval", logger.batch_interval),
    )


def _container(subject: Subject, logger: Logger) -> Json:
    subject.config.need("agent")
    agent = subject.config.agent
    container: Json = {
        "name": NAME,
        "image": agent.image,
        "args": agent_arguments(subject, logger),
        "resources": agent.resources,
        "ports": [{"name": "agent-port", "containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": {
            "httpGet": {
                "path": _probed_path(subject),
                "port": PORT,
                "scheme": "HTTP",
                "httpHeaders": [{"name": "K-Network-Probe", "value": "queue"}],
            }
        },
    }
    env, security = _env(subject.spec), subject.containers()[0].get("securityContext")
    return {
        **container,
        **({"env": env} if env else {}),
        **({"securityContext": security} if security else {}),
    }


def _probed_path(subject: Subject) -> str:
    """Return where the agent is asked whether it is ready: it answers where its server would, which old releases do not ask."""
    if not _MIRRORS_PATH.at(subject.release) or container_of(subject.spec, QUEUE_PROXY) is not None:
        return "/"
    probe = _probed(subject.spec).get("readinessProbe") or {}
    return str((probe.get("httpGet") or {}).get("path") or "/")


def _probed(pod: Json) -> Json:
    """Return the container whose probe the agent takes over."""
    first: Json = pod["containers"][0]
    return container_of(pod, TRANSFORMER) or first


def _env(pod: Json) -> list[Json]:
    """Return the agent's variables: those of Knative's proxy, or the probe that the agent takes over from the server."""
    proxy = container_of(pod, QUEUE_PROXY)
    if proxy is not None:
        return list(proxy.get("env") or ())
    text = probe_text(_probed(pod).get("readinessProbe"))
    return [] if text is None else [{"name": "SERVING_READINESS_PROBE", "value": text}]


def _behind_agent(pod: Json) -> Json:
    """Return a pod whose proxy, where Knative gave it one, sends requests to the agent."""

    def sending(proxy: Json) -> Json:
        env = [
            {**each, "value": str(PORT)} if each.get("name") == "USER_PORT" else each
            for each in proxy.get("env") or ()
        ]
        return {**proxy, "env": env} if env else proxy

    return changed(pod, QUEUE_PROXY, sending)


def _with_credentials(target: Target, subject: Subject, logger: Logger) -> Target:
    logs = LOGGER in subject.annotations
    if logs and logger.ca_bundle:
        source = {"configMap": {"name": logger.ca_bundle, "optional": True}}
        target = target.with_mount({"name": _CA_VOLUME, **source}, _CA_PATH)
    around = subject.around()
    account = str(subject.spec.get("serviceAccountName") or "")
    target = account_credentials(target, account, around)
    if not logs or logger.storage is None:
        return target
    return account_credentials(
        target, logger.storage.get("serviceAccountName") or _STORE_ACCOUNT, around
    )


def _with_model_folders(pod: Json, subject: Subject) -> Json:
    """Return a pod whose agent writes models where its server reads them. Raises StorageRefused."""
    config = subject.annotations.get(CONFIG_VOLUME)
    if config is None or MODEL_DIR not in subject.annotations:
        raise StorageRefused(
            f"can not find {CONFIG_VOLUME} label",
            "annotations",
            f"the annotation {AGENT} is KServe's own: leave it out",
        )
    pod = with_volume(pod, {"name": _MODELS, "emptyDir": {}})
    for name in (NAME, SERVER):
        pod = _with_mount(pod, name, _MODELS, "/mnt/models")
    pod = with_volume(pod, {"name": _CONFIG, "configMap": {"name": config}})
    return _with_mount(pod, NAME, _CONFIG, "/mnt/configs")


def _with_mount(pod: Json, container: str, volume: str, path: str) -> Json:
    mount = {"name": volume, "mountPath": path}
    return changed(pod, container, lambda each: appended(each, "volumeMounts", mount))
