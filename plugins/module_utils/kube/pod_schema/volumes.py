# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes of a pod.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..schema import Boolean, ListOf, Object, Text
from .basics import BOOL, INT32, KEY_TO_PATH, LOCAL_REFERENCE, QUANTITY, TEXT, TEXT_MAP, TEXTS
from .volume_sources import DOWNWARD_FILE, PROJECTED, VOLUME_CLAIM

VOLUME = Object(
    fields={
        "name": TEXT,
        "hostPath": Object(
            fields={
                "path": TEXT,
                "type": TEXT,
            },
            required=("path",),
        ),
        "emptyDir": Object(
            fields={
                "medium": TEXT,
                "sizeLimit": QUANTITY,
            }
        ),
        "gcePersistentDisk": Object(
            fields={
                "pdName": TEXT,
                "fsType": TEXT,
                "partition": INT32,
                "readOnly": BOOL,
            },
            required=("pdName",),
        ),
        "awsElasticBlockStore": Object(
            fields={
                "volumeID": TEXT,
                "fsType": TEXT,
                "partition": INT32,
                "readOnly": BOOL,
            },
            required=("volumeID",),
        ),
        "gitRepo": Object(
            fields={
                "repository": TEXT,
                "revision": TEXT,
                "directory": TEXT,
            },
            required=("repository",),
        ),
        "secret": Object(
            fields={
                "secretName": TEXT,
                "items": ListOf(items=KEY_TO_PATH),
                "defaultMode": INT32,
                "optional": BOOL,
            }
        ),
        "nfs": Object(
            fields={
                "server": TEXT,
                "path": TEXT,
                "readOnly": BOOL,
            },
            required=("path", "server"),
        ),
        "iscsi": Object(
            fields={
                "targetPortal": TEXT,
                "iqn": TEXT,
                "lun": INT32,
                "iscsiInterface": Text(default="default"),
                "fsType": TEXT,
                "readOnly": BOOL,
                "portals": TEXTS,
                "chapAuthDiscovery": BOOL,
                "chapAuthSession": BOOL,
                "secretRef": LOCAL_REFERENCE,
                "initiatorName": TEXT,
            },
            required=("iqn", "lun", "targetPortal"),
        ),
        "glusterfs": Object(
            fields={
                "endpoints": TEXT,
                "path": TEXT,
                "readOnly": BOOL,
            },
            required=("endpoints", "path"),
        ),
        "persistentVolumeClaim": Object(
            fields={
                "claimName": TEXT,
                "readOnly": BOOL,
            },
            required=("claimName",),
        ),
        "rbd": Object(
            fields={
                "monitors": TEXTS,
                "image": TEXT,
                "fsType": TEXT,
                "pool": Text(default="rbd"),
                "user": Text(default="admin"),
                "keyring": Text(default="/etc/ceph/keyring"),
                "secretRef": LOCAL_REFERENCE,
                "readOnly": BOOL,
            },
            required=("image", "monitors"),
        ),
        "flexVolume": Object(
            fields={
                "driver": TEXT,
                "fsType": TEXT,
                "secretRef": LOCAL_REFERENCE,
                "readOnly": BOOL,
                "options": TEXT_MAP,
            },
            required=("driver",),
        ),
        "cinder": Object(
            fields={
                "volumeID": TEXT,
                "fsType": TEXT,
                "readOnly": BOOL,
                "secretRef": LOCAL_REFERENCE,
            },
            required=("volumeID",),
        ),
        "cephfs": Object(
            fields={
                "monitors": TEXTS,
                "path": TEXT,
                "user": TEXT,
                "secretFile": TEXT,
                "secretRef": LOCAL_REFERENCE,
                "readOnly": BOOL,
            },
            required=("monitors",),
        ),
        "flocker": Object(
            fields={
                "datasetName": TEXT,
                "datasetUUID": TEXT,
            }
        ),
        "downwardAPI": Object(
            fields={
                "items": ListOf(items=DOWNWARD_FILE),
                "defaultMode": INT32,
            }
        ),
        "fc": Object(
            fields={
                "targetWWNs": TEXTS,
                "lun": INT32,
                "fsType": TEXT,
                "readOnly": BOOL,
                "wwids": TEXTS,
            }
        ),
        "azureFile": Object(
            fields={
                "secretName": TEXT,
                "shareName": TEXT,
                "readOnly": BOOL,
            },
            required=("secretName", "shareName"),
        ),
        "configMap": Object(
            fields={
                "name": Text(default=""),
                "items": ListOf(items=KEY_TO_PATH),
                "defaultMode": INT32,
                "optional": BOOL,
            },
            atomic=True,
        ),
        "vsphereVolume": Object(
            fields={
                "volumePath": TEXT,
                "fsType": TEXT,
                "storagePolicyName": TEXT,
                "storagePolicyID": TEXT,
            },
            required=("volumePath",),
        ),
        "quobyte": Object(
            fields={
                "registry": TEXT,
                "volume": TEXT,
                "readOnly": BOOL,
                "user": TEXT,
                "group": TEXT,
                "tenant": TEXT,
            },
            required=("registry", "volume"),
        ),
        "azureDisk": Object(
            fields={
                "diskName": TEXT,
                "diskURI": TEXT,
                "cachingMode": TEXT,
                "fsType": Text(default="ext4"),
                "readOnly": Boolean(default=False),
                "kind": TEXT,
            },
            required=("diskName", "diskURI"),
        ),
        "photonPersistentDisk": Object(
            fields={
                "pdID": TEXT,
                "fsType": TEXT,
            },
            required=("pdID",),
        ),
        "projected": PROJECTED,
        "portworxVolume": Object(
            fields={
                "volumeID": TEXT,
                "fsType": TEXT,
                "readOnly": BOOL,
            },
            required=("volumeID",),
        ),
        "scaleIO": Object(
            fields={
                "gateway": TEXT,
                "system": TEXT,
                "secretRef": LOCAL_REFERENCE,
                "sslEnabled": BOOL,
                "protectionDomain": TEXT,
                "storagePool": TEXT,
                "storageMode": Text(default="ThinProvisioned"),
                "volumeName": TEXT,
                "fsType": Text(default="xfs"),
                "readOnly": BOOL,
            },
            required=("gateway", "secretRef", "system"),
        ),
        "storageos": Object(
            fields={
                "volumeName": TEXT,
                "volumeNamespace": TEXT,
                "fsType": TEXT,
                "readOnly": BOOL,
                "secretRef": LOCAL_REFERENCE,
            }
        ),
        "csi": Object(
            fields={
                "driver": TEXT,
                "readOnly": BOOL,
                "fsType": TEXT,
                "volumeAttributes": TEXT_MAP,
                "nodePublishSecretRef": LOCAL_REFERENCE,
            },
            required=("driver",),
        ),
        "ephemeral": Object(
            fields={
                "volumeClaimTemplate": Object(
                    fields={
                        "metadata": Object(fields={}),
                        "spec": VOLUME_CLAIM,
                    },
                    required=("spec",),
                )
            }
        ),
        "image": Object(
            fields={
                "reference": TEXT,
                "pullPolicy": TEXT,
            }
        ),
    },
    required=("name",),
)
