# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of the objects that are judged, with what each field by itself has to be.

Rules across fields are in the files beside this one. Source: k8s.io/kubernetes v1.36.3 (pkg/apis/core/validation, pkg/apis/apps/validation,
pkg/apis/autoscaling/validation).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core_schema import ENV_VAR, TOLERATION
from ..pod_schema import TABLE as POD_TABLE
from ..schema import MapOf, Object, QuantityValue, Schema, Text
from ..schema_table import read_table
from .forms import FORMS

_TABLE = """\
ResourceRequirements  limits:quantities requests:quantities claims:ResourceClaim[name]
ResourceClaim  name! request
PodTemplate  metadata:ObjectMeta spec!:PodSpec
Pod  spec!:PodSpec
Deployment  spec!:DeploymentSpec
DeploymentSpec  replicas:int32 selector!:LabelSelector template!:PodTemplate strategy:DeploymentStrategy minReadySeconds:int32
  revisionHistoryLimit:int32 paused:bool progressDeadlineSeconds:int32
DeploymentStrategy  type rollingUpdate:RollingUpdate
RollingUpdate  maxUnavailable:int-or-text maxSurge:int-or-text
Templated  spec!:TemplatedSpec
TemplatedSpec  replicas:int32 selector:LabelSelector template!:PodTemplate
Job  spec!:JobSpec
JobSpec  template!:PodTemplate
KnativeService  spec!:KnativeServiceSpec
KnativeServiceSpec  template!:PodTemplate
LeaderWorkerSet  spec!:LeaderWorkerSetSpec
LeaderWorkerSetSpec  replicas:int32 leaderWorkerTemplate!:LeaderWorkerTemplate
LeaderWorkerTemplate  size:int32 leaderTemplate:PodTemplate workerTemplate!:PodTemplate
Service  spec!:ServiceSpec
ServiceSpec  ports:ServicePort[port,protocol] selector:map clusterIP clusterIPs:text[] type externalIPs:text[] sessionAffinity loadBalancerIP
  loadBalancerSourceRanges:text[] externalName externalTrafficPolicy healthCheckNodePort:int32 publishNotReadyAddresses:bool
  sessionAffinityConfig:SessionAffinityConfig ipFamilies:text[] ipFamilyPolicy allocateLoadBalancerNodePorts:bool loadBalancerClass
  internalTrafficPolicy trafficDistribution
ServicePort  name protocol=TCP appProtocol port!:int32 targetPort:int-or-text nodePort:int32
SessionAffinityConfig  clientIP:ClientIPConfig
ClientIPConfig  timeoutSeconds:int32
HorizontalPodAutoscaler  spec!:HorizontalPodAutoscalerSpec
HorizontalPodAutoscalerSpec  scaleTargetRef!:CrossVersionObjectReference minReplicas:int32 maxReplicas!:int32 metrics:MetricSpec[]
  behavior:HorizontalPodAutoscalerBehavior
CrossVersionObjectReference  kind! name! apiVersion
MetricSpec  type! object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource
  containerResource:ContainerResourceMetricSource external:ExternalMetricSource
ObjectMetricSource  describedObject!:CrossVersionObjectReference target!:MetricTarget metric!:MetricIdentifier
PodsMetricSource  metric!:MetricIdentifier target!:MetricTarget
ResourceMetricSource  name! target!:MetricTarget
ContainerResourceMetricSource  name! target!:MetricTarget container!
ExternalMetricSource  metric!:MetricIdentifier target!:MetricTarget
MetricTarget  type! value:quantity averageValue:quantity averageUtilization:int32
MetricIdentifier  name! selector:MetricSelector
MetricSelector atomic  matchLabels:map matchExpressions:MetricExpression[]
MetricExpression  key! operator! values:text[]
HorizontalPodAutoscalerBehavior  scaleUp:HPAScalingRules scaleDown:HPAScalingRules
HPAScalingRules  stabilizationWindowSeconds:int32 selectPolicy policies:HPAScalingPolicy[] tolerance:quantity
HPAScalingPolicy  type! value!:int32 periodSeconds!:int32
"""

_LIMITS = """\
PodSpec.restartPolicy  ?Always|OnFailure|Never
PodSpec.dnsPolicy  ?ClusterFirst|ClusterFirstWithHostNet|Default|None
PodSpec.preemptionPolicy  PreemptLowerPriority|Never
PodSpec.hostname  ?@word
PodSpec.subdomain  ?@word
PodSpec.hostnameOverride  @name
PodSpec.serviceAccountName  ?@name
PodSpec.nodeName  ?@name
PodSpec.priorityClassName  ?@name
PodSpec.runtimeClassName  @name
PodSpec.activeDeadlineSeconds  1..2147483647
PodOS.name  linux|windows
PodResourceClaim.name  @word
PodResourceClaim.resourceClaimName  @name
PodResourceClaim.resourceClaimTemplateName  @name
PodReadinessGate.conditionType  @key
PodSchedulingGate.name  @key
HostAlias.ip  @address
HostAlias.hostnames[]  @name
PodDNSConfig.nameservers  0..3
PodDNSConfig.nameservers[]  @address
PodDNSConfig.searches  0..32
PodDNSConfig.searches[]  @search
PodDNSConfigOption.name  ! +
PodSecurityContext.runAsUser  0..2147483647
PodSecurityContext.runAsGroup  0..2147483647
PodSecurityContext.fsGroup  0..2147483647
PodSecurityContext.supplementalGroups[]  0..2147483647
PodSecurityContext.supplementalGroupsPolicy  Merge|Strict
PodSecurityContext.fsGroupChangePolicy  OnRootMismatch|Always
PodSecurityContext.seLinuxChangePolicy  Recursive|MountOption
Sysctl.name  @sysctl
SecurityContext.runAsUser  0..2147483647
SecurityContext.runAsGroup  0..2147483647
SecurityContext.procMount  Default|Unmasked
SeccompProfile.type  Localhost|RuntimeDefault|Unconfined
SeccompProfile.localhostProfile  @relative
AppArmorProfile.type  Localhost|RuntimeDefault|Unconfined
NodeSelector.nodeSelectorTerms  1..
NodeSelectorRequirement.operator  In|NotIn|Exists|DoesNotExist|Gt|Lt
PreferredSchedulingTerm.weight  1..100
WeightedPodAffinityTerm.weight  1..100
PodAffinityTerm.topologyKey  @key
PodAffinityTerm.namespaces[]  @word
PodAffinityTerm.matchLabelKeys[]  @key
PodAffinityTerm.mismatchLabelKeys[]  @key
LabelSelectorRequirement.operator  In|NotIn|Exists|DoesNotExist
LabelSelectorRequirement.key  @key
LabelSelectorRequirement.values[]  @value
TopologySpreadConstraint.maxSkew  1..
TopologySpreadConstraint.topologyKey  +
TopologySpreadConstraint.whenUnsatisfiable  DoNotSchedule|ScheduleAnyway
TopologySpreadConstraint.minDomains  1..
TopologySpreadConstraint.nodeAffinityPolicy  Honor|Ignore
TopologySpreadConstraint.nodeTaintsPolicy  Honor|Ignore
TopologySpreadConstraint.matchLabelKeys[]  @key
Container.name  @word
Container.terminationMessagePolicy  ?File|FallbackToLogsOnError
Container.imagePullPolicy  ?Always|IfNotPresent|Never
Container.restartPolicy  Always|OnFailure|Never
Container.restartPolicyRules  0..20
ContainerRestartRule.action  Restart
ContainerRestartRule.exitCodes  !
ContainerRestartRuleOnExitCodes.operator  In|NotIn
ContainerRestartRuleOnExitCodes.values  0..255
ContainerResizePolicy.resourceName  cpu|memory
ContainerResizePolicy.restartPolicy  NotRequired|RestartContainer
ContainerPort.name  ?@port-name
ContainerPort.hostPort  0..65535
ContainerPort.containerPort  1..65535
ContainerPort.protocol  ?TCP|UDP|SCTP
EnvFromSource.prefix  ?@variable
ConfigMapEnvSource.name  ! @prefix
SecretEnvSource.name  ! @prefix
VolumeMount.mountPath  +
VolumeMount.subPath  ?@relative
VolumeMount.subPathExpr  ?@relative
VolumeMount.mountPropagation  None|HostToContainer|Bidirectional
VolumeMount.recursiveReadOnly  Disabled|IfPossible|Enabled
VolumeDevice.devicePath  +
VolumeDevice.devicePath  @no-way-up
Probe.initialDelaySeconds  0..
Probe.timeoutSeconds  0..
Probe.periodSeconds  0..
Probe.successThreshold  0..
Probe.failureThreshold  0..
Probe.terminationGracePeriodSeconds  1..
ExecAction.command  ! 1..
HTTPGetAction.port  @port
HTTPGetAction.scheme  ?HTTP|HTTPS
HTTPHeader.name  @header
TCPSocketAction.port  @port
GRPCAction.port  1..65535
Volume.name  @word
HostPathVolumeSource.path  +
HostPathVolumeSource.path  @no-way-up
HostPathVolumeSource.type  ?DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|BlockDevice
EmptyDirVolumeSource.sizeLimit  not-negative
GCEPersistentDiskVolumeSource.pdName  +
GCEPersistentDiskVolumeSource.partition  0..255
AWSElasticBlockStoreVolumeSource.volumeID  +
AWSElasticBlockStoreVolumeSource.partition  0..255
GitRepoVolumeSource.repository  +
GitRepoVolumeSource.directory  ?@relative
SecretVolumeSource.secretName  ! +
SecretVolumeSource.defaultMode  0..511
KeyToPath.key  +
KeyToPath.path  +
KeyToPath.path  @local
KeyToPath.mode  0..511
NFSVolumeSource.server  +
NFSVolumeSource.path  @absolute
ISCSIVolumeSource.targetPortal  +
ISCSIVolumeSource.lun  0..255
PersistentVolumeClaimVolumeSource.claimName  +
RBDVolumeSource.monitors  1..
RBDVolumeSource.image  +
FlexVolumeSource.driver  +
CinderVolumeSource.volumeID  +
CephFSVolumeSource.monitors  1..
DownwardAPIVolumeSource.defaultMode  0..511
DownwardAPIVolumeFile.path  +
DownwardAPIVolumeFile.path  @local
DownwardAPIVolumeFile.mode  0..511
AzureFileVolumeSource.secretName  +
AzureFileVolumeSource.shareName  +
ConfigMapVolumeSource.name  ! +
ConfigMapVolumeSource.defaultMode  0..511
VsphereVirtualDiskVolumeSource.volumePath  +
QuobyteVolumeSource.registry  +
QuobyteVolumeSource.volume  +
AzureDiskVolumeSource.diskName  +
AzureDiskVolumeSource.diskURI  +
AzureDiskVolumeSource.cachingMode  None|ReadOnly|ReadWrite
AzureDiskVolumeSource.kind  Shared|Dedicated|Managed
PhotonPersistentDiskVolumeSource.pdID  +
ProjectedVolumeSource.defaultMode  0..511
SecretProjection.name  ! +
ConfigMapProjection.name  ! +
ServiceAccountTokenProjection.expirationSeconds  600..4294967296
ServiceAccountTokenProjection.path  +
ServiceAccountTokenProjection.path  @local
ClusterTrustBundleProjection.path  +
ClusterTrustBundleProjection.path  @local
PodCertificateProjection.keyType  RSA3072|RSA4096|ECDSAP256|ECDSAP384|ECDSAP521|ED25519
PortworxVolumeSource.volumeID  +
ScaleIOVolumeSource.gateway  +
ScaleIOVolumeSource.system  +
ScaleIOVolumeSource.volumeName  ! +
CSIVolumeSource.driver  @driver
EphemeralVolumeSource.volumeClaimTemplate  !
PersistentVolumeClaimSpec.accessModes  ! 1..
PersistentVolumeClaimSpec.accessModes[]  ReadWriteOnce|ReadOnlyMany|ReadWriteMany|ReadWriteOncePod
PersistentVolumeClaimSpec.storageClassName  ?@name
PersistentVolumeClaimSpec.volumeMode  Block|Filesystem
ImageVolumeSource.pullPolicy  ?Always|IfNotPresent|Never
DeploymentSpec.replicas  0..
DeploymentSpec.minReadySeconds  0..
DeploymentSpec.revisionHistoryLimit  0..
DeploymentSpec.progressDeadlineSeconds  0..
DeploymentStrategy.type  ?RollingUpdate|Recreate
RollingUpdate.maxUnavailable  @amount-of-pods
RollingUpdate.maxSurge  @amount-of-pods
TemplatedSpec.replicas  0..
LeaderWorkerTemplate.size  1..
ServicePort.name  ?@word
ServicePort.protocol  ?TCP|UDP|SCTP
ServicePort.port  1..65535
ServicePort.targetPort  @target-port
ServicePort.appProtocol  @key
ServiceSpec.type  ?ClusterIP|NodePort|LoadBalancer|ExternalName
ServiceSpec.sessionAffinity  ?ClientIP|None
ServiceSpec.internalTrafficPolicy  Cluster|Local
ServiceSpec.ipFamilies[]  IPv4|IPv6
ServiceSpec.ipFamilyPolicy  SingleStack|PreferDualStack|RequireDualStack
ServiceSpec.externalTrafficPolicy  ?Cluster|Local
ServiceSpec.trafficDistribution  PreferClose|PreferSameZone|PreferSameNode
ServiceSpec.externalIPs[]  @address
HorizontalPodAutoscalerSpec.minReplicas  1..
HorizontalPodAutoscalerSpec.maxReplicas  1..
CrossVersionObjectReference.kind  @segment
CrossVersionObjectReference.name  @segment
MetricSpec.type  Object|Pods|Resource|ContainerResource|External
ResourceMetricSource.name  +
ContainerResourceMetricSource.name  +
ContainerResourceMetricSource.container  @word
MetricTarget.type  Utilization|Value|AverageValue
MetricTarget.value  positive
MetricTarget.averageValue  positive
MetricTarget.averageUtilization  1..
MetricIdentifier.name  @segment
HPAScalingRules.stabilizationWindowSeconds  0..3600
HPAScalingRules.selectPolicy  Max|Min|Disabled
HPAScalingRules.policies  0..
HPAScalingRules.tolerance  not-negative
HPAScalingPolicy.type  Pods|Percent
HPAScalingPolicy.value  1..
HPAScalingPolicy.periodSeconds  1..1800
"""

_AMOUNT = QuantityValue(fractions=True)
_TEXT = Text(keep_empty=True)
_TEXTS = MapOf(values=_TEXT)
_OTHERS: Mapping[str, Schema] = {
    "EnvVar": ENV_VAR,
    "Toleration": TOLERATION,
    "ObjectMeta": Object(
        fields={
            "labels": _TEXTS,
            "annotations": _TEXTS,
            "name": _TEXT,
            "namespace": _TEXT,
        }
    ),
    "quantity": _AMOUNT,
    "quantities": MapOf(values=_AMOUNT),
}

#: By name.
TYPES = read_table(f"{POD_TABLE}{_TABLE}", _OTHERS, _LIMITS, FORMS)
