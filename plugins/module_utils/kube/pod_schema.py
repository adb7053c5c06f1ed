# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole pod spec and what is in it.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it. `python -m tests.tools.pod_table` writes the table from what an API server says.
"""

from __future__ import annotations

from .core_schema import ENV_VAR, TOLERATION, resources
from .schema_table import read_table

#: Types with a meaning of their own here.
OTHERS = {"EnvVar": ENV_VAR, "Toleration": TOLERATION, "ResourceRequirements": resources("")}

TABLE = """\
PodSpec  volumes:Volume[name] initContainers:Container[name] containers:Container[name] ephemeralContainers:EphemeralContainer[name] restartPolicy
  terminationGracePeriodSeconds:int64 activeDeadlineSeconds:int64 dnsPolicy nodeSelector:map-atomic serviceAccountName serviceAccount
  automountServiceAccountToken:bool nodeName hostNetwork:bool hostPID:bool hostIPC:bool shareProcessNamespace:bool securityContext:PodSecurityContext
  imagePullSecrets:LocalObjectReference[name] hostname subdomain affinity:Affinity schedulerName tolerations:Toleration[] hostAliases:HostAlias[ip]
  priorityClassName priority:int32 dnsConfig:PodDNSConfig readinessGates:PodReadinessGate[] runtimeClassName enableServiceLinks:bool preemptionPolicy
  overhead:quantities topologySpreadConstraints:TopologySpreadConstraint[topologyKey,whenUnsatisfiable] setHostnameAsFQDN:bool os:PodOS hostUsers:bool
  schedulingGates:PodSchedulingGate[name] resourceClaims:PodResourceClaim[name] resources:ResourceRequirements hostnameOverride
Volume  name! hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource gitRepo:GitRepoVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource
  iscsi:ISCSIVolumeSource glusterfs:GlusterfsVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource rbd:RBDVolumeSource
  flexVolume:FlexVolumeSource cinder:CinderVolumeSource cephfs:CephFSVolumeSource flocker:FlockerVolumeSource downwardAPI:DownwardAPIVolumeSource
  fc:FCVolumeSource azureFile:AzureFileVolumeSource configMap:ConfigMapVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
  quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource projected:ProjectedVolumeSource
  portworxVolume:PortworxVolumeSource scaleIO:ScaleIOVolumeSource storageos:StorageOSVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource
  image:ImageVolumeSource
HostPathVolumeSource  path! type
EmptyDirVolumeSource  medium sizeLimit:quantity
GCEPersistentDiskVolumeSource  pdName! fsType partition:int32 readOnly:bool
AWSElasticBlockStoreVolumeSource  volumeID! fsType partition:int32 readOnly:bool
GitRepoVolumeSource  repository! revision directory
SecretVolumeSource  secretName items:KeyToPath[] defaultMode:int32 optional:bool
KeyToPath  key! path! mode:int32
NFSVolumeSource  server! path! readOnly:bool
ISCSIVolumeSource  targetPortal! iqn! lun!:int32 iscsiInterface=default fsType readOnly:bool portals:text[] chapAuthDiscovery:bool
  chapAuthSession:bool secretRef:LocalObjectReference initiatorName
LocalObjectReference atomic  name=
GlusterfsVolumeSource  endpoints! path! readOnly:bool
PersistentVolumeClaimVolumeSource  claimName! readOnly:bool
RBDVolumeSource  monitors!:text[] image! fsType pool=rbd user=admin keyring=/etc/ceph/keyring secretRef:LocalObjectReference readOnly:bool
FlexVolumeSource  driver! fsType secretRef:LocalObjectReference readOnly:bool options:map
CinderVolumeSource  volumeID! fsType readOnly:bool secretRef:LocalObjectReference
CephFSVolumeSource  monitors!:text[] path user secretFile secretRef:LocalObjectReference readOnly:bool
FlockerVolumeSource  datasetName datasetUUID
DownwardAPIVolumeSource  items:DownwardAPIVolumeFile[] defaultMode:int32
DownwardAPIVolumeFile  path! fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode:int32
ObjectFieldSelector atomic  apiVersion fieldPath!
ResourceFieldSelector atomic  containerName resource! divisor:quantity
FCVolumeSource  targetWWNs:text[] lun:int32 fsType readOnly:bool wwids:text[]
AzureFileVolumeSource  secretName! shareName! readOnly:bool
ConfigMapVolumeSource atomic  name= items:KeyToPath[] defaultMode:int32 optional:bool
VsphereVirtualDiskVolumeSource  volumePath! fsType storagePolicyName storagePolicyID
QuobyteVolumeSource  registry! volume! readOnly:bool user group tenant
AzureDiskVolumeSource  diskName! diskURI! cachingMode fsType=ext4 readOnly:bool=false kind
PhotonPersistentDiskVolumeSource  pdID! fsType
ProjectedVolumeSource  sources:VolumeProjection[] defaultMode:int32
VolumeProjection  secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection
  serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection podCertificate:PodCertificateProjection
SecretProjection atomic  name= items:KeyToPath[] optional:bool
DownwardAPIProjection  items:DownwardAPIVolumeFile[]
ConfigMapProjection atomic  name= items:KeyToPath[] optional:bool
ServiceAccountTokenProjection  audience expirationSeconds:int64 path!
ClusterTrustBundleProjection  name signerName labelSelector:LabelSelector optional:bool path!
LabelSelector atomic  matchLabels:map matchExpressions:LabelSelectorRequirement[]
LabelSelectorRequirement  key! operator! values:text[]
PodCertificateProjection  signerName! keyType! maxExpirationSeconds:int32 credentialBundlePath keyPath certificateChainPath
PortworxVolumeSource  volumeID! fsType readOnly:bool
ScaleIOVolumeSource  gateway! system! secretRef!:LocalObjectReference sslEnabled:bool protectionDomain storagePool storageMode=ThinProvisioned
  volumeName fsType=xfs readOnly:bool
StorageOSVolumeSource  volumeName volumeNamespace fsType readOnly:bool secretRef:LocalObjectReference
CSIVolumeSource  driver! readOnly:bool fsType volumeAttributes:map nodePublishSecretRef:LocalObjectReference
EphemeralVolumeSource  volumeClaimTemplate:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate  metadata:ObjectMeta spec!:PersistentVolumeClaimSpec
ObjectMeta
PersistentVolumeClaimSpec  accessModes:text[] selector:LabelSelector resources:VolumeResourceRequirements volumeName storageClassName volumeMode
  dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference volumeAttributesClassName
VolumeResourceRequirements  limits:quantities requests:quantities
TypedLocalObjectReference atomic  apiGroup kind! name!
TypedObjectReference  apiGroup kind! name! namespace
ImageVolumeSource  reference pullPolicy
Container  name! image command:text[] args:text[] workingDir ports:ContainerPort[containerPort,protocol] envFrom:EnvFromSource[] env:EnvVar[name]
  resources:ResourceRequirements resizePolicy:ContainerResizePolicy[] restartPolicy restartPolicyRules:ContainerRestartRule[]
  volumeMounts:VolumeMount[mountPath] volumeDevices:VolumeDevice[devicePath] livenessProbe:Probe readinessProbe:Probe startupProbe:Probe
  lifecycle:Lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool
  tty:bool
ContainerPort  name hostPort:int32 containerPort!:int32 protocol=TCP hostIP
EnvFromSource  prefix configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
ConfigMapEnvSource atomic  name= optional:bool
SecretEnvSource atomic  name= optional:bool
ContainerResizePolicy  resourceName! restartPolicy!
ContainerRestartRule  action! exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes  operator! values:int32-set
VolumeMount  name! readOnly:bool recursiveReadOnly mountPath! subPath mountPropagation subPathExpr
VolumeDevice  name! devicePath!
Probe  exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction initialDelaySeconds:int32 timeoutSeconds:int32
  periodSeconds:int32 successThreshold:int32 failureThreshold:int32 terminationGracePeriodSeconds:int64
ExecAction  command:text[]
HTTPGetAction  path port!:int-or-text host scheme httpHeaders:HTTPHeader[]
HTTPHeader  name! value!
TCPSocketAction  port!:int-or-text host
GRPCAction  port!:int32 service=
Lifecycle  postStart:LifecycleHandler preStop:LifecycleHandler stopSignal
LifecycleHandler  exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
SleepAction  seconds!:int64
SecurityContext  capabilities:Capabilities privileged:bool seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser:int64
  runAsGroup:int64 runAsNonRoot:bool readOnlyRootFilesystem:bool allowPrivilegeEscalation:bool procMount seccompProfile:SeccompProfile
  appArmorProfile:AppArmorProfile
Capabilities  add:text[] drop:text[]
SELinuxOptions  user role type level
WindowsSecurityContextOptions  gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess:bool
SeccompProfile  type! localhostProfile
AppArmorProfile  type! localhostProfile
EphemeralContainer  name! image command:text[] args:text[] workingDir ports:ContainerPort[containerPort,protocol] envFrom:EnvFromSource[]
  env:EnvVar[name] resources:ResourceRequirements resizePolicy:ContainerResizePolicy[] restartPolicy restartPolicyRules:ContainerRestartRule[]
  volumeMounts:VolumeMount[mountPath] volumeDevices:VolumeDevice[devicePath] livenessProbe:Probe readinessProbe:Probe startupProbe:Probe
  lifecycle:Lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool
  tty:bool targetContainerName
PodSecurityContext  seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser:int64 runAsGroup:int64 runAsNonRoot:bool
  supplementalGroups:int64[] supplementalGroupsPolicy fsGroup:int64 sysctls:Sysctl[] fsGroupChangePolicy seccompProfile:SeccompProfile
  appArmorProfile:AppArmorProfile seLinuxChangePolicy
Sysctl  name! value!
Affinity  nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
NodeAffinity  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
NodeSelector atomic  nodeSelectorTerms!:NodeSelectorTerm[]
NodeSelectorTerm atomic  matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]
NodeSelectorRequirement  key! operator! values:text[]
PreferredSchedulingTerm  weight!:int32 preference!:NodeSelectorTerm
PodAffinity  requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodAffinityTerm  labelSelector:LabelSelector namespaces:text[] topologyKey! namespaceSelector:LabelSelector matchLabelKeys:text[]
  mismatchLabelKeys:text[]
WeightedPodAffinityTerm  weight!:int32 podAffinityTerm!:PodAffinityTerm
PodAntiAffinity  requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
HostAlias  ip! hostnames:text[]
PodDNSConfig  nameservers:text[] searches:text[] options:PodDNSConfigOption[]
PodDNSConfigOption  name value
PodReadinessGate  conditionType!
TopologySpreadConstraint  maxSkew!:int32 topologyKey! whenUnsatisfiable! labelSelector:LabelSelector minDomains:int32 nodeAffinityPolicy
  nodeTaintsPolicy matchLabelKeys:text[]
PodOS  name!
PodSchedulingGate  name!
PodResourceClaim  name! resourceClaimName resourceClaimTemplateName
"""

_TYPES = read_table(TABLE, OTHERS)
POD_SPEC, CONTAINER = _TYPES["PodSpec"], _TYPES["Container"]
CLAIM_SPEC = _TYPES["PersistentVolumeClaimSpec"]
