# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of flags and variables of vLLM, as tables: one line for those that came and went with the same releases.

    0.7..0.24  max-long-partial-prefills max-num-partial-prefills

No release before `..`: the oldest that was read has them; none behind it: the newest has them. A line that begins with a blank continues
with the one before.
Source: vllm/engine/arg_utils.py, the cli_args.py below vllm/entrypoints, and vllm/envs.py of the releases in `RELEASES`.
`python -m tests.tools.vllm_names` writes the tables.
"""

from __future__ import annotations

#: The releases that were read, the oldest first.
RELEASES = "0.6 0.7 0.8 0.9 0.10 0.11 0.13 0.16 0.18 0.20 0.22 0.24 0.27 0.28 0.30 0.33"
#: Long flags, without their two dashes.
FLAGS = """\
..0.6  quantization-param-path worker-use-ray
..0.7  disable-logprobs-during-spec-decoding ngram-prompt-lookup-max ngram-prompt-lookup-min num-speculative-tokens spec-decoding-acceptance-method
  speculative-disable-by-batch-size speculative-disable-mqa-scorer speculative-draft-tensor-parallel-size speculative-max-model-len speculative-model
  speculative-model-quantization typical-acceptance-sampler-posterior-alpha typical-acceptance-sampler-posterior-threshold
..0.9  device enable-prompt-adapter long-lora-scaling-factors max-prompt-adapter-token max-prompt-adapters multi-step-stream-outputs num-scheduler-steps
  override-neuron-config prompt-adapters qlora-adapter-name-or-path tokenizer-pool-extra-config tokenizer-pool-size tokenizer-pool-type use-v2-block-manager
..0.10  disable-async-output-proc enable-lora-bias guided-decoding-backend max-seq-len-to-capture preemption-mode rope-scaling rope-theta
  scheduler-delay-factor
..0.11  disable-mm-preprocessor-cache lora-extra-vocab-size num-lookahead-slots override-pooler-config task
..0.16  disable-log-requests logits-processor-pattern swap-space
..0.18  disable-frontend-multiprocessing
..  allow-credentials allowed-headers allowed-local-media-path allowed-methods allowed-origins api-key block-size chat-template chat-template-content-format
  code-revision collect-detailed-traces compilation-config config-format cpu-offload-gb disable-custom-all-reduce disable-fastapi-docs disable-log-stats
  disable-sliding-window distributed-executor-backend download-dir dtype enable-auto-tool-choice enable-chunked-prefill enable-lora enable-prefix-caching
  enable-prompt-tokens-details enable-request-id-headers enforce-eager fully-sharded-loras generation-config gpu-memory-utilization hf-overrides host
  ignore-patterns kv-cache-dtype kv-transfer-config limit-mm-per-prompt load-format lora-dtype lora-modules max-cpu-loras max-log-len max-logprobs
  max-lora-rank max-loras max-model-len max-num-batched-tokens max-num-seqs max-parallel-loading-workers middleware mm-processor-kwargs model
  model-loader-extra-config num-gpu-blocks-override otlp-traces-endpoint pipeline-parallel-size port quantization ray-workers-use-nsight response-role
  return-tokens-as-token-ids revision root-path scheduling-policy seed served-model-name skip-tokenizer-init ssl-ca-certs ssl-cert-reqs ssl-certfile
  ssl-keyfile tensor-parallel-size tokenizer tokenizer-mode tokenizer-revision tool-call-parser tool-parser-plugin trust-remote-code uvicorn-log-level
  worker-cls
0.7..0.9  enable-reasoning
0.7..0.24  max-long-partial-prefills max-num-partial-prefills
0.7..0.27  calculate-kv-scales
0.7..  additional-config config enable-sleep-mode long-prefill-token-threshold model-impl override-generation-config reasoning-parser scheduler-cls
0.8..  data-parallel-size disable-cascade-attn disable-chunked-mm-input disable-uvicorn-access-log enable-expert-parallel enable-server-load-tracking
  enable-ssl-refresh hf-config-path hf-token prefix-caching-hash-algo show-hidden-metrics-for-version speculative-config use-tqdm-on-load worker-extension-cls
0.9..0.9  expand-tools-even-if-tool-choice-none
0.9..0.10  guided-decoding-disable-additional-properties guided-decoding-disable-any-whitespace guided-decoding-disable-fallback
0.9..0.11  cuda-graph-sizes enable-multimodal-encoder-data-parallel eplb-log-balancedness eplb-step-interval eplb-window-size num-redundant-experts
0.9..0.27  override-attention-dtype
0.9..  api-server-count data-parallel-address data-parallel-backend data-parallel-rank data-parallel-rpc-port data-parallel-size-local
  data-parallel-start-rank disable-hybrid-kv-cache-manager enable-eplb enable-force-include-usage enable-prompt-embeds headless kv-events-config
  log-config-file media-io-kwargs pt-load-map-location
0.10..  async-scheduling convert data-parallel-hybrid-lb decode-context-parallel-size default-mm-loras enable-log-outputs enable-log-requests
  enable-tokenizer-info-endpoint eplb-config exclude-tools-when-tool-choice-none h11-max-header-count h11-max-incomplete-event-size interleave-mm-strings
  io-processor-plugin kv-cache-memory-bytes kv-sharing-fast-prefill log-error-stack logits-processors logprobs-mode mamba-cache-dtype mamba-ssm-cache-dtype
  mm-encoder-tp-mode mm-processor-cache-gb runner safetensors-load-strategy skip-mm-profiling tool-server uds
0.11..  aggregate-engine-logging all2all-backend allowed-media-domains cudagraph-capture-sizes data-parallel-external-lb dbo-decode-token-threshold
  dbo-prefill-token-threshold dcp-kv-cache-interleave-size disable-nccl-for-dp-synchronization ec-transfer-config enable-dbo enable-mm-embeds
  expert-placement-strategy kv-offloading-backend kv-offloading-size mamba-block-size master-addr master-port max-cudagraph-capture-size
  mm-encoder-attn-backend mm-processor-cache-type mm-shm-cache-max-object-size-mb nnodes node-rank pooler-config reasoning-parser-plugin stream-interval
  structured-outputs-config tokens-only trust-request-chat-template video-pruning-rate
0.13..  attention-backend attention-config cp-kv-cache-interleave-size cudagraph-metrics enable-layerwise-nvtx-tracing kv-cache-metrics
  kv-cache-metrics-sample optimization-level prefill-context-parallel-size profiler-config
0.16..  allow-deprecated-quantization default-chat-template-kwargs disable-access-log-for-endpoints enable-flashinfer-autotune enable-log-deltas
  enable-logging-iteration-details enable-mfu-metrics enable-offline-docs enable-return-routed-experts enable-tower-connector-lora kernel-config
  mamba-cache-mode mm-encoder-only specialize-active-lora ssl-ciphers ubatch-size weight-transfer-config
0.18..  cpu-offload-params dcp-comm-backend distributed-timeout-seconds enable-elastic-ep enable-ep-weight-filter fail-on-environ-validation
  gdn-prefill-backend grpc language-model-only moe-backend offload-backend offload-group-size offload-num-in-group offload-params offload-prefetch-step
  performance-mode shutdown-timeout
0.20..  enable-flash-late-interaction enable-mamba-cache-stochastic-rounding ir-op-priority kv-cache-dtype-skip-layers lora-target-modules mamba-backend
  mamba-cache-philox-rounds mm-tensor-ipc numa-bind numa-bind-cpus numa-bind-nodes reasoning-config renderer-num-workers scheduler-reserve-full-isl
0.22..  cpu-distributed-timeout-seconds data-parallel-multi-port-external-lb data-parallel-supervisor-port dp-supervisor-probe-failure-threshold
  dp-supervisor-probe-interval-s dp-supervisor-probe-timeout-s enable-cumem-allocator enable-mixed-moe-lora-format fingerprint-mode fingerprint-value
  linear-backend mm-encoder-attn-dtype mm-encoder-fp8-scale-path mm-encoder-fp8-scale-save-margin mm-encoder-fp8-scale-save-path quantization-config
  safetensors-prefetch-block-size safetensors-prefetch-num-threads spec-method spec-model spec-tokens use-fp64-gumbel
0.24..  device-ids diffusion-config jit-monitor-verbose prefill-schedule-interval watermark
0.27..0.28  enable-bf16x3-router-gemm
0.27..  cohere-format cohere-is-reasoning-model enable-fault-tolerance enable-moe-shared-loras enable-per-request-metrics fault-tolerance-config
  jit-monitor-mode kda-prefill-backend mamba-ssu-algorithm max-num-scheduled-tokens mm-hasher-algorithm mm-ipc-gpu-memory-gb model-class-overrides
  prefix-match-unit replayssm-buffer-len use-replayssm video-pruning-method
0.28..  ec-manager-config mm-device-do-normalize mm-processor-device return-sampling-mask
0.30..0.30  enable-mamba-fine-grained-prefix-cache
0.30..  dcp-q-replicate dp-sync-interval elastic-ep-max-dp-size enable-batch-sharded-sampling enable-nccl-comm-suspend enable-scale-out enable-trace-replay
  engram-config kda-decode-backend max-num-queued-reqs max-num-queued-tokens per-request-spec-decode-metrics prefix-cache-retention-interval
  sparse-indexer-topk-backend sse-keep-alive-interval watermark-config
0.33..  anthropic-disabled-thinking-effort aux-output-config custom-histogram-buckets device-memory-utilization enable-hc-sp
  enable-mamba-shared-prefix-checkpoint enable-shm-tensor-arena grpc-port log-level logging-config long-prefill-token-threshold-adaptive max-lora-cls-labels
  max-num-active-seqs monokernel reasoning-effort-map sleep-mode-backend sleep-mode-offload-cudagraph sleep-preserve-parameter-names swa-bounded-replay
  tool-strict-level trust-request-mm-kwargs watchdog-config
"""
#: Variables, without VLLM_.
VARIABLES = """\
..0.7  OPENVINO_CPU_KV_CACHE_PRECISION OPENVINO_DEVICE OPENVINO_ENABLE_QUANTIZED_WEIGHTS OPENVINO_KVCACHE_SPACE USE_RAY_COMPILED_DAG_NCCL_CHANNEL
..0.9  FLASHINFER_FORCE_TENSOR_CORES NO_DEPRECATION_WARNING
..0.10  TEST_DYNAMO_FULLGRAPH_CAPTURE USE_RAY_COMPILED_DAG USE_RAY_SPMD_WORKER USE_TRITON_FLASH_ATTN USE_V1
..0.13  ATTENTION_BACKEND TORCH_PROFILER_DIR
..0.16  FUSED_MOE_CHUNK_SIZE
..0.22  RPC_TIMEOUT
..0.28  TEST_FORCE_FP8_MARLIN
..0.30  ENGINE_ITERATION_TIMEOUT_S USE_RAY_COMPILED_DAG_OVERLAP_COMM
..  ALLOW_LONG_MAX_MODEL_LEN ALLOW_RUNTIME_LORA_UPDATING API_KEY ASSETS_CACHE AUDIO_FETCH_TIMEOUT CACHE_ROOT CONFIGURE_LOGGING CONFIG_ROOT CPU_KVCACHE_SPACE
  CPU_OMP_THREADS_BIND DISABLED_KERNELS DISABLE_COMPILE_CACHE DO_NOT_TRACK ENABLE_V1_MULTIPROCESSING HOST_IP IMAGE_FETCH_TIMEOUT KEEP_ALIVE_ON_ENGINE_DEATH
  LOGGING_CONFIG_PATH LOGGING_LEVEL LOGGING_PREFIX LOG_BATCHSIZE_INTERVAL NCCL_SO_PATH NO_USAGE_STATS PLUGINS PORT PP_LAYER_PARTITION
  PRECOMPILED_WHEEL_LOCATION RINGBUFFER_WARNING_INTERVAL RPC_BASE_PATH SKIP_P2P_CHECK TARGET_DEVICE TEST_FORCE_LOAD_FORMAT TRACE_FUNCTION USAGE_SOURCE
  USAGE_STATS_SERVER USE_FLASHINFER_SAMPLER USE_MODELSCOPE USE_PRECOMPILED USE_TRITON_AWQ VIDEO_FETCH_TIMEOUT WORKER_MULTIPROC_METHOD XLA_CACHE_PATH
0.7..0.7  CUDA_MEM_ALIGN_KV_CACHE MLA_DISABLE_REQUANTIZATION MLA_PERFORM_MATRIX_ABSORPTION MM_INPUT_CACHE_SIZE
0.7..0.8  ENABLE_MOE_ALIGN_BLOCK_SIZE_TRITON
0.7..0.9  CONTIGUOUS_PA USE_HPU_CONTIGUOUS_CACHE_FETCH
0.7..0.10  LOGITS_PROCESSOR_THREADS
0.7..0.13  FLASH_ATTN_VERSION
0.7..  CUDART_SO_PATH MLA_DISABLE RAY_BUNDLE_INDICES RAY_PER_WORKER_GPUS SERVER_DEV_MODE V1_OUTPUT_PROC_CHUNK_SIZE
0.8..0.9  DELAYED_SAMPLING HPU_USE_DELAYED_SAMPLING
0.8..0.10  V0_USE_OUTLINES_CACHE
0.8..0.11  MM_INPUT_CACHE_GIB TEST_USE_PRECOMPILED_NIGHTLY_WHEEL
0.8..0.18  ROCM_CUSTOM_PAGED_ATTN
0.8..0.24  CI_USE_S3 ROCM_USE_AITER_PAGED_ATTN TPU_BUCKET_PADDING_GAP
0.8..0.30  USE_RAY_COMPILED_DAG_CHANNEL_TYPE
0.8..  CPU_MOE_PREPACK DEBUG_LOG_API_SERVER_RESPONSE DP_MASTER_IP DP_MASTER_PORT DP_RANK DP_RANK_LOCAL DP_SIZE MARLIN_USE_ATOMIC_ADD MODEL_REDIRECT_PATH
  MSGPACK_ZERO_COPY_THRESHOLD ROCM_FP8_PADDING ROCM_MOE_PADDING ROCM_USE_AITER ROCM_USE_AITER_LINEAR ROCM_USE_AITER_MLA ROCM_USE_AITER_MOE
  ROCM_USE_AITER_RMSNORM ROCM_USE_SKINNY_GEMM USE_DEEP_GEMM XGRAMMAR_CACHE_MB XLA_CHECK_RECOMPILATION
0.9..0.9  QUARK_EMU_MEM_OPT
0.9..0.13  ALL2ALL_BACKEND V1_USE_PREFILL_DECODE_ATTENTION
0.9..0.16  ENABLE_FUSED_MOE_ACTIVATION_CHUNKING SLEEP_WHEN_IDLE
0.9..0.18  MOE_DP_CHUNK_SIZE
0.9..0.22  USE_NVFP4_CT_EMULATIONS
0.9..0.24  TPU_MOST_MODEL_LEN
0.9..0.27  CPU_SGL_KERNEL
0.9..  ALLOW_INSECURE_SERIALIZATION COMPUTE_NANS_IN_LOGITS CPU_NUM_OF_RESERVED_CPU EXECUTE_MODEL_TIMEOUT_SECONDS HTTP_TIMEOUT_KEEP_ALIVE KV_CACHE_LAYOUT
  LORA_RESOLVER_CACHE_DIR MAX_TOKENS_PER_EXPERT_FP4_MOE MQ_MAX_CHUNK_BYTES_MB NIXL_SIDE_CHANNEL_HOST NIXL_SIDE_CHANNEL_PORT RANDOMIZE_DP_DUMMY_INPUTS
  ROCM_QUICK_REDUCE_CAST_BF16_TO_FP16 ROCM_QUICK_REDUCE_MAX_SIZE_BYTES_MB ROCM_QUICK_REDUCE_QUANTIZATION ROCM_USE_AITER_MHA TOOL_PARSE_REGEX_TIMEOUT_SECONDS
  USE_STANDALONE_COMPILE VIDEO_LOADER_BACKEND XLA_USE_SPMD
0.10..0.10  DISABLE_PAD_FOR_CUDAGRAPH GPT_OSS_USE_CONTAINER_TOOL SKIP_DEEP_GEMM_WARMUP USE_AITER_UNIFIED_ATTENTION USE_DEEP_GEMM_E8M0_HOPPER
  USE_TRTLLM_FP4_GEMM
0.10..0.13  FLASHINFER_DISABLE_Q_QUANTIZATION TORCH_PROFILER_RECORD_SHAPES TORCH_PROFILER_WITH_FLOPS TORCH_PROFILER_WITH_PROFILE_MEMORY
  TORCH_PROFILER_WITH_STACK USE_CUDNN_PREFILL USE_TRTLLM_ATTENTION
0.10..0.20  NIXL_ABORT_REQUEST_TIMEOUT
0.10..0.22  FLASHINFER_MOE_BACKEND MXFP4_USE_MARLIN USE_FLASHINFER_MOE_FP4 USE_FLASHINFER_MOE_FP8 USE_FLASHINFER_MOE_MXFP4_BF16 USE_FLASHINFER_MOE_MXFP4_MXFP8
  USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS
0.10..0.24  FLASHINFER_ALLREDUCE_FUSION_THRESHOLDS_MB
0.10..0.30  USE_RAY_WRAPPED_PP_COMM
0.10..  ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE ALLREDUCE_USE_SYMM_MEM CUSTOM_SCOPES_FOR_PROFILING DOCKER_BUILD_CONTEXT ENABLE_CUDAGRAPH_GC
  ENABLE_RESPONSES_API_STORE GPT_OSS_HARMONY_SYSTEM_INSTRUCTIONS HAS_FLASHINFER_CUBIN KV_EVENTS_USE_INT_BLOCK_HASHES LOGGING_STREAM LOG_STATS_INTERVAL
  LOOPBACK_IP MAX_AUDIO_CLIP_FILESIZE_MB MEDIA_LOADING_THREAD_COUNT MOE_ROUTING_SIMULATION_STRATEGY PROCESS_NAME_PREFIX ROCM_USE_AITER_FP8BMM
  TPU_USING_PATHWAYS TUNED_CONFIG_FOLDER USE_DEEP_GEMM_E8M0 USE_FUSED_MOE_GROUPED_TOPK V1_USE_OUTLINES_CACHE
0.11..0.11  FLAT_LOGPROBS
0.11..0.13  DISABLE_FLASHINFER_PREFILL FLASH_ATTN_MAX_NUM_SPLITS_FOR_CUDA_GRAPH TORCH_CUDA_PROFILE USE_TRTLLM_RAGGED_DEEPSEEK_PREFILL
0.11..0.22  NVFP4_GEMM_BACKEND USE_FBGEMM USE_FLASHINFER_MOE_FP16
0.11..0.28  ROCM_USE_AITER_FP4_ASM_GEMM
0.11..  ASSETS_CACHE_MODEL_CLEAN COMPILE_CACHE_SAVE_FORMAT DBO_COMM_SMS DEBUG_DUMP_PATH DEEPEP_BUFFER_SIZE_MB DEEPEP_HIGH_THROUGHPUT_FORCE_INTRA_NODE
  DEEPEP_LOW_LATENCY_USE_MNNVL DEEP_GEMM_WARMUP DISABLE_PYNCCL DISABLE_SHARED_EXPERTS_STREAM ENABLE_INDUCTOR_COORDINATE_DESCENT_TUNING
  ENABLE_INDUCTOR_MAX_AUTOTUNE FLASHINFER_WORKSPACE_BUFFER_SIZE FORCE_AOT_LOAD GC_DEBUG GPT_OSS_SYSTEM_TOOL_MCP_LABELS MAIN_CUDA_VERSION MEDIA_CONNECTOR
  MEDIA_URL_ALLOW_REDIRECTS MOE_USE_DEEP_GEMM NCCL_INCLUDE_PATH NVTX_SCOPES_FOR_PROFILING OBJECT_STORAGE_SHM_BUFFER OBJECT_STORAGE_SHM_BUFFER_NAME
  PATTERN_MATCH_DEBUG RAY_DP_PACK_STRATEGY ROCM_FP8_MFMA_PAGE_ATTN ROCM_SLEEP_MEM_CHUNK_SIZE ROCM_USE_AITER_FUSION_SHARED_EXPERTS ROCM_USE_AITER_TRITON_GEMM
  ROCM_USE_AITER_TRITON_ROPE ROCM_USE_AITER_UNIFIED_ATTENTION SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD TOOL_JSON_ERROR_AUTOMATIC_RETRY USE_AOT_COMPILE
  USE_BYTECODE_HOOK USE_NCCL_SYMM_MEM
0.13..0.13  PROFILER_DELAY_ITERS PROFILER_MAX_ITERS TORCH_PROFILER_DISABLE_ASYNC_LLM TORCH_PROFILER_DUMP_CUDA_TIME_TOTAL TORCH_PROFILER_USE_GZIP
0.13..0.18  ENABLE_MOE_DP_CHUNK
0.13..  DEBUG_WORKSPACE DEEPEPLL_NVFP4_DISPATCH FLOAT32_MATMUL_PRECISION LOGGING_COLOR MARLIN_INPUT_DTYPE MOONCAKE_ABORT_REQUEST_TIMEOUT
  MOONCAKE_BOOTSTRAP_PORT SKIP_PRECOMPILED_VERSION_SUFFIX USE_EXPERIMENTAL_PARSER_CONTEXT USE_V2_MODEL_RUNNER
0.16..0.22  MORIIO_CONNECTOR_READ_MODE MORIIO_NUM_WORKERS MORIIO_POST_BATCH_SIZE MORIIO_QP_PER_TRANSFER
0.16..0.28  MM_HASHER_ALGORITHM
0.16..0.30  OBJECT_STORAGE_SHM_BUFFER_
0.16..  BLOCKSCALE_FP8_GEMM_FLASHINFER DEBUG_MFU_METRICS DISABLE_LOG_LOGO ENGINE_READY_TIMEOUT_S LOG_MODEL_INSPECTION LORA_DISABLE_PDL
  LORA_RESOLVER_HF_REPO_LIST ROCM_SHUFFLE_KV_CACHE_LAYOUT ROCM_USE_AITER_FP4BMM USE_DEEP_GEMM_TMA_ALIGNED_SCALES USE_FLASHINFER_MOE_INT4 USE_MEGA_AOT_ARTIFACT
0.18..0.28  NIXL_EP_MAX_NUM_RANKS
0.18..  ALLREDUCE_USE_FLASHINFER CUDA_COMPATIBILITY_PATH DISABLE_REQUEST_ID_RANDOMIZATION ELASTIC_EP_DRAIN_REQUESTS ELASTIC_EP_SCALE_UP_LAUNCH
  ENABLE_CUDA_COMPATIBILITY ENABLE_FLA_PACKED_RECURRENT_DECODE ENABLE_PREGRAD_PASSES FLASHINFER_ALLREDUCE_BACKEND MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS
  RAY_EXTRA_ENV_VARS_TO_COPY RAY_EXTRA_ENV_VAR_PREFIXES_TO_COPY SYSTEM_START_DATE USE_OINK_OPS WEIGHT_OFFLOADING_DISABLE_PIN_MEMORY
  WEIGHT_OFFLOADING_DISABLE_UVA ZENTORCH_WEIGHT_PREPACK
0.20..0.30  USE_RAY_V2_EXECUTOR_BACKEND XPU_ENABLE_XPU_GRAPH
0.20..  BATCH_INVARIANT CPU_ATTN_SPLIT_KV CPU_INT4_W4A8 HUMMING_INPUT_QUANT_CONFIG HUMMING_MOE_GEMM_TYPE HUMMING_ONLINE_QUANT_CONFIG HUMMING_USE_F16_ACCUM
  LORA_ENABLE_DUAL_STREAM MAX_N_SEQUENCES MEDIA_CACHE MEDIA_CACHE_MAX_SIZE_MB MEDIA_CACHE_TTL_HOURS MEDIA_FETCH_MAX_RETRIES MULTI_STREAM_GEMM_TOKEN_THRESHOLD
  SPARSE_INDEXER_MAX_LOGITS_MB SSM_CONV_STATE_LAYOUT USE_LAYERNAME USE_SIMPLE_KV_OFFLOAD
0.22..0.28  TRITON_ATTN_USE_TD
0.22..  ENFORCE_STRICT_TOOL_CALLING FLASHINFER_AUTOTUNE_CACHE_DIR MOONCAKE_DISK_STAGING_USABLE_RATIO MOONCAKE_STORE_TIER_LOG
  ROCM_QUICK_REDUCE_MIN_SIZE_BYTES_MB ROCM_QUICK_REDUCE_QUANTIZATION_MIN_SIZE_KB RUST_FRONTEND_PATH SKIP_MODEL_NAME_VALIDATION USE_BREAKABLE_CUDAGRAPH
  USE_FASTOKENS USE_PRECOMPILED_RUST USE_RUST_FRONTEND USE_SPINLOOP_EXT XPU_USE_SAMPLER_KERNEL
0.24..0.28  PREFIX_CACHE_RETENTION_INTERVAL
0.24..  DEEPEP_V2_ALLOW_HYBRID_MODE DEEPEP_V2_ALLOW_MULTIPLE_REDUCTION DEEPEP_V2_PREFER_OVERLAP DISTRIBUTED_USE_SPLIT_GROUP FASTSAFETENSORS_QUEUE_SIZE
  GPU_NIC_PCIE_MAPPING MAX_AUDIO_DECODE_DURATION_S MAX_AUDIO_PREPROCESS_WORKERS MXFP8_EMULATION_DEQUANT_AT_LOAD NIC_SELECTION_VARS RAY_DP_PLACEMENT_NODE_IPS
  REGEX_COMPILATION_TIMEOUT_S ROCM_AITER_MOE_DISPATCH_POLICY ROCM_USE_AITER_LINEAR_HIPBMM TRITON_FORCE_FIRST_CONFIG WORKER_SHUTDOWN_TIMEOUT_SECONDS
  WSL2_ENABLE_PIN_MEMORY
0.27..  BUILD_COMMIT BUILD_PIPELINE BUILD_URL DCP_Q_REPLICATE EC_SIDE_CHANNEL_HOST EC_SIDE_CHANNEL_PORT ENABLE_COHERE_API ENABLE_STARTUP_PLAN
  FLASHINFER_AUTOTUNE_SKIP_OPS GPU_SYNC_CHECK IMAGE_TAG KIMI_K3_SHARD_SP_SHARED_EXPERT MAX_COMPLETION_PROMPTS MAX_IMAGE_PIXELS MOE_SKIP_PADDING
  MOONCAKE_LOAD_RECV_THREADS P2P_SIDE_CHANNEL_HOST P2P_SIDE_CHANNEL_PORT ROCM_USE_AITER_CUSTOM_AR TRITON_USE_TD USE_RUST_BENCH
0.28..0.30  KIMI_K3_GEMM_RS ROCM_USE_AITER_MOE_SITUV2_A8W4
0.28..  ADAPTIVE_VERIFICATION_PROFILE_CONTEXT_LEN GDN_DECODE_KERNEL KIMI_K3_AUX_ATTN_RES_STREAM MAX_AUDIO_DECODE_BYTES MAX_BAD_WORDS_TOTAL_TOKENS
  MAX_NUM_BAD_WORDS MAX_STOP_STRINGS RAISE_ON_LOGIT_NANS ROCM_AITER_MLA_ASM_PADDING USE_DIRECT_DCP_A2A USE_DIRECT_DCP_KV_GATHER USE_DIRECT_DCP_Q_GATHER
  USE_HW_AGNOSTIC
0.30..0.30  PLE_CPU_OFFLOAD
0.30..  ALLREDUCE_USE_FLASHINFER_PCIE_IPC B12X_MOE_FP4_FORCE_A16 CPU_CI_ENV DISABLE_DSV4_MEGAMOE_SHARED_EXPERT_FUSION ENABLE_HPC_OPS KIMI_K3_GEMM_AR
  KV_OFFLOAD_MAX_BATCH_DESCRIPTORS MAX_EMBED_DECODE_BYTES MAX_MEDIA_DOWNLOAD_SIZE_MB REPLICATE_EMBED XPU_FORCE_N_CONTIG_WEIGHT XPU_INC_WNA16_BACKEND
0.33..  BEAM_ALWAYS_CONSTRAIN_OUTPUT CHAT_TEMPLATE_FUEL CHAT_TEMPLATE_RENDER_TIMEOUT COHERE2_ATTN_MOE_DUAL_STREAM_TOKEN_THRESHOLD ENABLE_GEMM_RS
  FLASHINFER_MOE_A2A_LOW_PRECISION_COMBINE HTTP_MAX_REQUEST_BODY_SIZE MAX_MEDIA_REQUEST_DECODE_BYTES MAX_MEDIA_REQUEST_DOWNLOAD_SIZE_MB
  MOONCAKE_CONNECTOR_TIMEOUT MXFP4_EMULATION_DEQUANT_AT_LOAD P2P_HANDSHAKE_TIMEOUT_S P2P_IDLE_TIMEOUT_S P2P_MAX_PEERS REQUEST_BODY_LOG_LEVEL
  ROCM_MUSE_MOE_ONLINE_QUANT ROCM_MUSE_MOE_REDUCE_DTYPE ROCM_USE_AITER_MOE_A4W4_DSV4 ROCM_USE_AITER_MOE_SITUV2 ROCM_USE_AITER_TRITON_SPARSE_MLA
  SKIP_VERSION_SUFFIX STEP5_SHARD_SP_SHARED_EXPERT TRITON_JIT_WARMUP_NUM_THREADS XPU_PP_MICROBATCH
"""
