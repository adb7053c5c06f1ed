# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys that plugins read from their `parameters`, with the kind of value and the generations that read them.

Measured by giving every factory of every release each known key with values of six kinds; for 0.11, which was not run, as its
project announced it. A block starts with the types
that it holds for. `number` takes whole and other numbers, `list` without keys below it holds texts, `strings` is a map of
texts, `object` without keys below it takes anything.
"""

from __future__ import annotations

TABLE = """
[active-request-scorer]
int 1.4.. idleThreshold
number 1.4.. maxBusyScore
string 1.0.. requestTimeout
string 0.9.. inFlightLoadProducerName
[agent-identity]
list 0.9.. additionalSessionHeaders
[approx-prefix-cache-producer]
bool 1.5.. autoTune
int 1.5.. blockSize blockSizeTokens lruCapacityPerServer maxPrefixBlocksToMatch maxPrefixTokensToMatch
[burst-prefix-cache-producer]
int 0.10.. blockSizeTokens maxBatchSize maxPerReplica maxPrefixTokensToMatch minColocateBlocks windowDurationMs
string 0.10.. balanceBy
[by-label]
bool 1.0.. allowsNoLabel
list 1.0.. validValues
string 1.0.. label
[by-label-selector]
list 1.0.. matchExpressions matchExpressions[].values
string 1.0.. matchExpressions[].key matchExpressions[].operator
strings 1.0.. matchLabels
[concurrency-detector]
int 1.5.. maxConcurrency maxTokenConcurrency
number 1.5.. headroom
string 1.5.. concurrencyMode
string 0.9.. inFlightLoadProducerName
[context-length-aware]
bool 1.4.. enableFiltering
string 1.4.. label
[core-metrics-extractor]
list 1.5.. engineConfigs
list 0.9.. engineConfigs[].customMetrics
string 1.5.. defaultEngine engineConfigs[].cacheBlockSizeLabelName engineConfigs[].cacheBlockSizeSpec
string 1.5.. engineConfigs[].cacheInfoSpec engineConfigs[].cacheNumBlocksLabelName
string 1.5.. engineConfigs[].cacheNumBlocksSpec engineConfigs[].kvUsageSpec engineConfigs[].loraSpec
string 1.5.. engineConfigs[].name engineConfigs[].queuedRequestsSpec engineConfigs[].runningRequestsSpec
string 1.5.. engineLabelKey
string 0.9.. engineConfigs[].customMetrics[].attributeKey engineConfigs[].customMetrics[].metricSpec
[data-parallel-profile-handler]
int 1.2.. primaryPort
[dcgm-data-source]
bool 0.10.. insecureSkipVerify useNodeAddress
int 0.10.. port
string 0.10.. interval path scheme
[disagg-headers-handler]
string 1.4.. encodeProfile prefillProfile
[disagg-profile-handler]
object 1.4.. deciders profiles
string 1.4.. deciders.encode deciders.prefill profiles.decode profiles.encode profiles.prefill
string 1.4..0.10 deciderPluginName decodeProfile encodeDeciderPluginName encodeProfile
string 1.4..0.10 prefillDeciderPluginName prefillProfile
string 0.10.. stageOrder
[disaggregatedset-rollout-screener]
list 0.10.. headerSelectors revisionGating.requireRoles.values
object 0.10.. revisionGating revisionGating.requireRoles scope
string 0.10.. headerSelectors[].headerName headerSelectors[].labelKey headerSelectors[].mode
string 0.10.. headerSelectors[].name revisionGating.mode revisionGating.revisionLabelKey
string 0.10.. revisionGating.roleLabelKey scope.labelSelector
[endpoint-attribute-filter]
bool 0.10.. fallbackOnEmpty
number 0.10.. algorithm.threshold.value
object 0.10.. algorithm algorithm.threshold
string 0.10.. algorithm.threshold.operator algorithm.type attribute onMissing
string 0.11.. producer
[endpoint-attribute-scorer]
number 0.10.. algorithm.normalization.fixedRange.max algorithm.normalization.fixedRange.min
object 0.10.. algorithm algorithm.normalization algorithm.normalization.adaptiveRange
object 0.10.. algorithm.normalization.fixedRange
string 0.10.. algorithm.type attributeKey
string 0.11.. producer
[file-discovery]
bool 0.9.. watchFile
string 0.9.. path
[header-label-affinity-scorer]
string 0.10.. headerName labelKey
[header-profile-handler]
string 0.10.. defaultProfile headerName
[inflight-load-producer]
bool 0.9.. addEstimatedOutputTokens
bool 0.10.. syncCrossReplicaState
int 0.10.. maxEstimatedOutputTokens
number 0.10.. outputRatio
string 0.9.. prefixMatchInfoProducerName
[k8s-notification-source]
string 1.4.. group kind version
[label-selector-filter]
list 0.9.. matchExpressions matchExpressions[].values
string 0.9.. matchExpressions[].key matchExpressions[].operator
strings 0.9.. matchLabels
[latency-scorer]
number 1.5.. compositeKVWeight compositePrefixWeight compositeQueueWeight tpotWeight ttftWeight
string 1.5.. headroomSelectionStrategy
string 0.9.. latencyPredictionInfoProducerName prefixMatchInfoProducerName
[latency-slo-admitter]
string 0.9.. latencyPredictionInfoProducerName
[load-aware-scorer]
int 1.0.. threshold
[max-score-picker random-picker weighted-random-picker]
int 1.0.. maxNumOfEndpoints
[metrics-data-source]
bool 1.3.. insecureSkipVerify
int 0.10.. port
string 1.3.. path scheme
string 0.10.. caCertPath clientCertPath clientKeyPath interval
[mm-embeddings-cache-producer]
int 0.9.. cacheSizeInMBPerServer
[mm-embeddings-cache-scorer]
string 0.9.. producerName
[model-server-protocol-metrics]
list 1.4..1.4 engineConfigs
string 1.3..0.6 cacheInfoSpec kvUsageSpec loraSpec queueRequestsSpec runningRequestsSpec
string 1.4..1.4 defaultEngine engineConfigs[].cacheInfoSpec engineConfigs[].kvUsageSpec engineConfigs[].loraSpec
string 1.4..1.4 engineConfigs[].name engineConfigs[].queuedRequestsSpec engineConfigs[].runningRequestsSpec
string 1.4..1.4 engineLabelKey
[models-data-source]
bool 0.6.. insecureSkipVerify
string 0.6.. path scheme
string 0.10.. caCertPath clientCertPath clientKeyPath interval
[multicluster-approx-prefix-cache-producer]
bool 0.10.. autoTune
int 0.10.. blockSize blockSizeTokens lruCapacityPerServer maxPrefixBlocksToMatch maxPrefixTokensToMatch
[multicluster-file-discovery]
bool 0.10.. watchFile
string 0.10.. path
[multicluster-metrics-data-source]
bool 0.10.. insecureSkipVerify
int 0.10.. port
string 0.10.. caCertPath clientCertPath clientKeyPath interval path scheme
[multicluster-metrics-extractor]
string 0.10.. kvCacheUtilizationMetric queueSizeMetric
[multicluster-prefix-cache-scorer]
int 0.10.. matchLengthScaleTokens
number 0.10.. matchLengthWeight
string 0.10.. prefixMatchInfoProducerName
[multicluster-session-affinity-filter]
list 0.10.. sessionIdConfig.sources
number 0.10.. sessionIdConfig.evictionSweepSeconds sessionIdConfig.evictionTtlSeconds
object 0.10.. encodedEndpointHeaderConfig sessionIdConfig
string 0.10.. encodedEndpointHeaderConfig.header profileName sessionIdConfig.sources[].attribute
string 0.10.. sessionIdConfig.sources[].header strategy
[no-hit-lru-scorer]
int 1.2.. lruSize
string 1.2.. prefixPluginName
string 1.3.. prefixPluginType
string 0.9.. prefixMatchInfoProducerName
[p2p-source-producer]
int 0.10.. minCachedTokenDelta
string 0.10.. prefillProfileName prefixMatchInfoProducerName
[pd-profile-handler]
int 1.0..1.3 hashBlockSize threshold
int 1.2.. primaryPort
string 1.0.. decodeProfile prefillProfile prefixPluginName
string 1.3.. prefixPluginType
string 0.6.. deciderPluginName
string 0.9.. prefixMatchInfoProducerName
[precise-prefix-cache-producer]
bool 0.9.. indexerConfig.kvBlockIndexConfig.enableMetrics indexerConfig.tokenizersPoolConfig.uds.useTCP
bool 0.9.. kvEventsConfig.discoverPods speculativeIndexing
int 0.9.. indexerConfig.kvBlockIndexConfig.inMemoryConfig.podCacheSize
int 0.9.. indexerConfig.kvBlockIndexConfig.inMemoryConfig.size
int 0.9.. indexerConfig.kvBlockIndexConfig.metricsLoggingInterval indexerConfig.tokenizersPoolConfig.workersCount
int 0.9.. kvEventsConfig.concurrency kvEventsConfig.podDiscoveryConfig.socketPort tokenProcessorConfig.blockSize
int 0.9.. tokenProcessorConfig.blockSizeTokens
int 0.10.. kvEventsConfig.podDiscoveryConfig.replaySocketPort
list 0.9.. indexerConfig.kvCacheBackendConfigs
number 0.9.. indexerConfig.kvCacheBackendConfigs[].weight
object 0.9.. indexerConfig indexerConfig.kvBlockIndexConfig indexerConfig.kvBlockIndexConfig.costAwareMemoryConfig
object 0.9.. indexerConfig.kvBlockIndexConfig.inMemoryConfig indexerConfig.kvBlockIndexConfig.redisConfig
object 0.9.. indexerConfig.tokenizersPoolConfig indexerConfig.tokenizersPoolConfig.uds kvEventsConfig
object 0.9.. kvEventsConfig.podDiscoveryConfig tokenProcessorConfig
object 0.9..0.9 indexerConfig.kvBlockIndexConfig.valkeyConfig
string 0.9.. indexerConfig.kvBlockIndexConfig.costAwareMemoryConfig.size
string 0.9.. indexerConfig.kvCacheBackendConfigs[].name indexerConfig.tokenizersPoolConfig.modelName
string 0.9.. indexerConfig.tokenizersPoolConfig.uds.socketFile kvEventsConfig.engineType
string 0.9.. kvEventsConfig.podDiscoveryConfig.podLabelSelector kvEventsConfig.podDiscoveryConfig.podNamespace
string 0.9.. kvEventsConfig.topicFilter kvEventsConfig.zmqEndpoint speculativeTTL tokenProcessorConfig.hashSeed
strings 0.9.. indexerConfig.tokenizersPoolConfig.uds.modelTokenizerMap
bool 0.9..0.9 indexerConfig.kvBlockIndexConfig.redisConfig.enableRDMA indexerConfig.kvBlockIndexConfig.valkeyConfig.enableRDMA
string 0.9.. indexerConfig.kvBlockIndexConfig.redisConfig.address
string 0.11.. tokenProcessorConfig.hashAlgorithm
string 0.9..0.9 indexerConfig.kvBlockIndexConfig.redisConfig.backendType
string 0.9..0.9 indexerConfig.kvBlockIndexConfig.valkeyConfig.address indexerConfig.kvBlockIndexConfig.valkeyConfig.backendType
[precise-prefix-cache-scorer]
bool 1.0.. indexerConfig.kvBlockIndexConfig.enableMetrics
bool 1.2..1.3 indexerConfig.tokenizersPoolConfig.hf.enabled
bool 1.3.. kvEventsConfig.discoverPods
bool 0.6.. indexerConfig.tokenizersPoolConfig.uds.useTCP
bool 1.4.. speculativeIndexing
int 1.0.. indexerConfig.kvBlockIndexConfig.inMemoryConfig.podCacheSize
int 1.0.. indexerConfig.kvBlockIndexConfig.inMemoryConfig.size
int 1.0.. indexerConfig.kvBlockIndexConfig.metricsLoggingInterval indexerConfig.tokenizersPoolConfig.workersCount
int 1.0.. kvEventsConfig.concurrency
int 1.0..1.2 indexerConfig.tokenProcessorConfig.blockSize
int 1.0..1.3 indexerConfig.prefixStoreConfig.blockSize indexerConfig.prefixStoreConfig.cacheSize
int 1.3.. kvEventsConfig.podDiscoveryConfig.socketPort tokenProcessorConfig.blockSize
int 0.9.. tokenProcessorConfig.blockSizeTokens
int 0.10.. kvEventsConfig.podDiscoveryConfig.replaySocketPort
list 1.2.. indexerConfig.kvCacheBackendConfigs
number 1.0..1.3 indexerConfig.tokenizersPoolConfig.minPrefixOverlapRatio
number 1.2.. indexerConfig.kvCacheBackendConfigs[].weight
object 1.0.. indexerConfig indexerConfig.kvBlockIndexConfig indexerConfig.kvBlockIndexConfig.costAwareMemoryConfig
object 1.0.. indexerConfig.kvBlockIndexConfig.inMemoryConfig indexerConfig.kvBlockIndexConfig.redisConfig
object 1.0.. indexerConfig.tokenizersPoolConfig kvEventsConfig
object 1.0..1.2 indexerConfig.tokenProcessorConfig
object 1.0..1.3 indexerConfig.prefixStoreConfig
object 1.2.. indexerConfig.tokenizersPoolConfig.uds
object 1.2..0.9 indexerConfig.kvBlockIndexConfig.valkeyConfig
object 1.2..1.3 indexerConfig.tokenizersPoolConfig.hf indexerConfig.tokenizersPoolConfig.local
object 1.3.. kvEventsConfig.podDiscoveryConfig tokenProcessorConfig
string 1.0.. indexerConfig.kvBlockIndexConfig.costAwareMemoryConfig.size kvEventsConfig.topicFilter
string 1.0.. kvEventsConfig.zmqEndpoint
string 1.0..1.0 indexerConfig.tokenizersPoolConfig.huggingFaceToken
string 1.0..1.0 indexerConfig.tokenizersPoolConfig.tokenizersCacheDir
string 1.0..1.2 indexerConfig.tokenProcessorConfig.hashSeed
string 1.2.. indexerConfig.kvCacheBackendConfigs[].name indexerConfig.tokenizersPoolConfig.uds.socketFile
string 1.2..1.3 indexerConfig.tokenizersPoolConfig.hf.huggingFaceToken
string 1.2..1.3 indexerConfig.tokenizersPoolConfig.hf.tokenizersCacheDir
string 1.2..1.3 indexerConfig.tokenizersPoolConfig.local.autoDiscoveryDir
string 1.2..1.3 indexerConfig.tokenizersPoolConfig.local.autoDiscoveryTokenizerFileName
string 1.3.. indexerConfig.tokenizersPoolConfig.modelName kvEventsConfig.podDiscoveryConfig.podLabelSelector
string 1.3.. kvEventsConfig.podDiscoveryConfig.podNamespace tokenProcessorConfig.hashSeed
string 1.4.. kvEventsConfig.engineType speculativeTTL
strings 1.2..1.3 indexerConfig.tokenizersPoolConfig.local.modelTokenizerMap
strings 0.6.. indexerConfig.tokenizersPoolConfig.uds.modelTokenizerMap
bool 1.2..0.9 indexerConfig.kvBlockIndexConfig.redisConfig.enableRDMA indexerConfig.kvBlockIndexConfig.valkeyConfig.enableRDMA
string 1.0.. indexerConfig.kvBlockIndexConfig.redisConfig.address
string 1.2..0.9 indexerConfig.kvBlockIndexConfig.redisConfig.backendType
string 1.2..0.9 indexerConfig.kvBlockIndexConfig.valkeyConfig.address indexerConfig.kvBlockIndexConfig.valkeyConfig.backendType
[predicted-latency-producer]
bool 1.5.. streamingMode
bool 1.5..1.5 predictInPrepareData
bool 0.9.. predictInProduce
bool 0.10.. useEncoderCacheFeatures
int 1.5.. contextTTL maxDecodeTokenSamplesForPrediction
number 1.5.. samplingMean sloBufferFactor
string 1.5.. endpointRoleLabel
string 0.9.. prefixMatchInfoProducerName
string 0.10.. encoderCacheMatchInfoProducerName inFlightLoadProducerName
[predicted-latency-scorer]
bool 1.3..1.5 streamingMode
int 1.3..1.5 maxSampledTokens
int 1.4..1.5 contextTTL
number 1.3..1.5 affinityGateTau affinityGateTauGlobal compositeKVWeight compositePrefixWeight compositeQueueWeight
number 1.3..1.5 epsilonExploreNeg epsilonExploreSticky headroomTPOTWeight headroomTTFTWeight negHeadroomTPOTWeight
number 1.3..1.5 negHeadroomTTFTWeight samplingMean sloBufferFactor
number 1.5..1.5 affinityMaxTTFTPenaltyMs
string 1.3..1.5 headroomSelectionStrategy selectionMode
string 1.4..1.5 endpointRoleLabel
[prefill-header-handler]
string 1.0.. prefillProfile
string 1.4.. encodeProfile
[prefix-based-pd-decider]
int 0.6.. nonCachedTokens
int 0.10.. promptTokens
[prefix-cache-affinity-filter]
number 1.5.. affinityThreshold explorationProbability maxTTFTPenaltyMs
number 0.9.. peakPrefillThroughput
string 0.9.. inFlightLoadProducerName latencyPredictionInfoProducerName prefixMatchInfoProducerName ttftSource
[prefix-cache-scorer]
bool 1.2..1.4 autoTune
int 1.0..1.0 hashBlockSize
int 1.0..1.4 lruCapacityPerServer maxPrefixBlocksToMatch
int 1.1..1.4 blockSize
int 0.6..1.4 blockSizeTokens
int 0.10.. matchLengthScaleTokens
number 0.10.. matchLengthWeight
string 0.9.. prefixMatchInfoProducerName
[priority-holdback-policy]
number 0.10.. maxCeiling minCeiling
string 0.10.. domain shape
[probabilistic-admitter]
int 0.9.. queueDepthThreshold
number 0.9.. k kvCacheUtilThreshold power
[program-aware-fairness]
number 0.9.. evictionSweepSeconds evictionTtlSeconds lasHalfLifeSeconds lasWeightHeadWait
number 0.9..0.10 lasDecayFactor
number 0.9.. lasWeightService
string 0.9.. strategy
[request-attribute-reporter]
list 1.4.. attributes
object 1.4.. attributes[].key
string 1.4.. attributes[].condition attributes[].expression attributes[].key.name attributes[].key.namespace
[session-affinity-filter session-affinity-scorer]
list 0.10.. sessionIdConfig.sources
number 0.10.. sessionIdConfig.evictionSweepSeconds sessionIdConfig.evictionTtlSeconds
object 0.10.. encodedEndpointHeaderConfig sessionIdConfig
string 0.9.. profileName
string 0.9..0.9 headerName
string 0.10.. encodedEndpointHeaderConfig.header sessionIdConfig.sources[].attribute
string 0.10.. sessionIdConfig.sources[].header strategy
[session-id-producer]
string 0.9.. cookieName headerName
[slo-headroom-tier-filter]
number 1.5.. epsilonExploreNeg
string 0.9.. latencyPredictionInfoProducerName
[static-usage-limit-policy]
number 1.5.. threshold
[token-load-scorer]
int 1.5.. queueThresholdTokens
string 0.9.. inFlightLoadProducerName
[token-producer]
bool 0.9.. udsTokenizerConfig.useTCP
int 0.9.. estimate.image.defaultResolution.height estimate.image.defaultResolution.width
int 0.9.. estimate.image.dynamic.factor estimate.image.static.staticToken
int 0.10.. estimate.video.defaultResolution.height estimate.video.defaultResolution.width
int 0.10.. estimate.video.frames.maxFrames estimate.video.frames.minFrames
int 0.10.. estimate.video.frames.sampled.temporalPatchSize estimate.video.frames.strided.frameStride
int 0.10.. estimate.video.maxVideoTokens estimate.video.tokensPerFrame.dynamic.factor
int 0.10.. estimate.video.tokensPerFrame.static.numTokensPerFrame
number 0.10.. estimate.video.defaultDuration estimate.video.frames.sampled.sampleFPS
number 0.10.. estimate.video.frames.strided.defaultSourceFPS
object 0.9.. estimate estimate.image estimate.image.defaultResolution estimate.image.dynamic estimate.image.static
object 0.9.. udsTokenizerConfig vllm
object 0.10.. estimate.video estimate.video.defaultResolution estimate.video.frames estimate.video.frames.sampled
object 0.10.. estimate.video.frames.strided estimate.video.tokensPerFrame estimate.video.tokensPerFrame.dynamic
object 0.10.. estimate.video.tokensPerFrame.static
string 0.9.. estimate.image.mode modelName udsTokenizerConfig.socketFile vllm.mmTimeout vllm.timeout vllm.url
string 0.10.. estimate.video.frames.mode estimate.video.tokensPerFrame.mode
strings 0.9.. udsTokenizerConfig.modelTokenizerMap
[tokenizer]
bool 1.4.. udsTokenizerConfig.useTCP
int 0.9.. estimate.image.defaultResolution.height estimate.image.defaultResolution.width
int 0.9.. estimate.image.dynamic.factor estimate.image.static.staticToken
int 0.10.. estimate.video.defaultResolution.height estimate.video.defaultResolution.width
int 0.10.. estimate.video.frames.maxFrames estimate.video.frames.minFrames
int 0.10.. estimate.video.frames.sampled.temporalPatchSize estimate.video.frames.strided.frameStride
int 0.10.. estimate.video.maxVideoTokens estimate.video.tokensPerFrame.dynamic.factor
int 0.10.. estimate.video.tokensPerFrame.static.numTokensPerFrame
number 0.10.. estimate.video.defaultDuration estimate.video.frames.sampled.sampleFPS
number 0.10.. estimate.video.frames.strided.defaultSourceFPS
object 1.4.. udsTokenizerConfig
object 0.9.. estimate estimate.image estimate.image.defaultResolution estimate.image.dynamic estimate.image.static
object 0.9.. vllm
object 0.10.. estimate.video estimate.video.defaultResolution estimate.video.frames estimate.video.frames.sampled
object 0.10.. estimate.video.frames.strided estimate.video.tokensPerFrame estimate.video.tokensPerFrame.dynamic
object 0.10.. estimate.video.tokensPerFrame.static
string 1.4.. modelName udsTokenizerConfig.socketFile
string 0.9.. estimate.image.mode vllm.mmTimeout vllm.timeout vllm.url
string 0.10.. estimate.video.frames.mode estimate.video.tokensPerFrame.mode
strings 1.4.. udsTokenizerConfig.modelTokenizerMap
[topology-affinity-filter]
string 0.10.. minAffinity topologyProducerName
[topology-affinity-scorer]
string 0.10.. topologyProducerName
[topology-extractor]
string 0.10.. hostname rack region zone
[utilization-detector]
int 1.5.. queueDepthThreshold
number 1.5.. headroom kvCacheUtilThreshold
string 1.5.. metricsStalenessThreshold
[utilization-filter]
bool 0.10.. fallbackOnEmpty
list 0.10.. conditions
number 0.10.. conditions[].maxValue
string 0.10.. conditions[].metric inFlightLoadProducerName
"""
