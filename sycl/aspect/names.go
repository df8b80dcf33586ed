package aspect

// Aspects that devices are asked for today, by value.
const (
	CPU                                     Aspect = 1
	GPU                                     Aspect = 2
	Accelerator                             Aspect = 3
	Custom                                  Aspect = 4
	FP16                                    Aspect = 5
	FP64                                    Aspect = 6
	Image                                   Aspect = 9
	OnlineCompiler                          Aspect = 10
	OnlineLinker                            Aspect = 11
	QueueProfiling                          Aspect = 12
	USMDeviceAllocations                    Aspect = 13
	USMHostAllocations                      Aspect = 14
	USMSharedAllocations                    Aspect = 15
	USMSystemAllocations                    Aspect = 17
	ExtIntelPCIAddress                      Aspect = 18
	ExtIntelGPUEUCount                      Aspect = 19
	ExtIntelGPUEUSIMDWidth                  Aspect = 20
	ExtIntelGPUSlices                       Aspect = 21
	ExtIntelGPUSubslicesPerSlice            Aspect = 22
	ExtIntelGPUEUCountPerSubslice           Aspect = 23
	ExtIntelMaxMemBandwidth                 Aspect = 24
	USMAtomicHostAllocations                Aspect = 26
	USMAtomicSharedAllocations              Aspect = 27
	Atomic64                                Aspect = 28
	ExtIntelDeviceInfoUUID                  Aspect = 29
	ExtOneAPISRGB                           Aspect = 30
	ExtOneAPINativeAssert                   Aspect = 31
	HostDebuggable                          Aspect = 32
	ExtIntelGPUHWThreadsPerEU               Aspect = 33
	ExtOneAPICUDAAsyncBarrier               Aspect = 34
	ExtIntelFreeMemory                      Aspect = 36
	ExtIntelDeviceID                        Aspect = 37
	ExtIntelMemoryClockRate                 Aspect = 38
	ExtIntelMemoryBusWidth                  Aspect = 39
	Emulated                                Aspect = 40
	ExtIntelLegacyImage                     Aspect = 41
	ExtOneAPIBindlessImages                 Aspect = 42
	ExtOneAPIBindlessImagesSharedUSM        Aspect = 43
	ExtOneAPIBindlessImages1DUSM            Aspect = 44
	ExtOneAPIBindlessImages2DUSM            Aspect = 45
	ExtOneAPIExternalMemoryImport           Aspect = 46
	ExtOneAPIExternalSemaphoreImport        Aspect = 48
	ExtOneAPIMipmap                         Aspect = 50
	ExtOneAPIMipmapAnisotropy               Aspect = 51
	ExtOneAPIMipmapLevelReference           Aspect = 52
	ExtIntelESIMD                           Aspect = 53
	ExtOneAPIFragment                       Aspect = 54
	ExtOneAPIChunk                          Aspect = 55
	ExtOneAPITangle                         Aspect = 57
	ExtIntelMatrix                          Aspect = 58
	ExtOneAPIIsComposite                    Aspect = 59
	ExtOneAPIIsComponent                    Aspect = 60
	ExtOneAPIGraph                          Aspect = 61
	ExtOneAPILimitedGraph                   Aspect = 63
	ExtOneAPIPrivateAlloca                  Aspect = 64
	ExtOneAPICubemap                        Aspect = 65
	ExtOneAPICubemapSeamlessFiltering       Aspect = 66
	ExtOneAPIBindlessSampledImageFetch1DUSM Aspect = 67
	ExtOneAPIBindlessSampledImageFetch1D    Aspect = 68
	ExtOneAPIBindlessSampledImageFetch2DUSM Aspect = 69
	ExtOneAPIBindlessSampledImageFetch2D    Aspect = 70
	ExtOneAPIBindlessSampledImageFetch3D    Aspect = 72
	ExtOneAPIQueueProfilingTag              Aspect = 73
	ExtOneAPIVirtualMem                     Aspect = 74
	ExtOneAPICUDAClusterGroup               Aspect = 75
	ExtOneAPIImageArray                     Aspect = 76
	ExtOneAPIUniqueAddressingPerDim         Aspect = 77
	ExtOneAPIBindlessImagesSample1DUSM      Aspect = 78
	ExtOneAPIBindlessImagesSample2DUSM      Aspect = 79
	ExtOneAPIAtomic16                       Aspect = 80
	ExtOneAPIVirtualFunctions               Aspect = 81
	ExtIntelSpillMemorySize                 Aspect = 82
	ExtOneAPIBindlessImagesGather           Aspect = 83
	ExtIntelCurrentClockThrottleReasons     Aspect = 84
	ExtIntelFanSpeed                        Aspect = 85
	ExtIntelPowerLimits                     Aspect = 86
	ExtOneAPIAsyncMemoryAlloc               Aspect = 87
	ExtIntelDeviceInfoLUID                  Aspect = 88
	ExtIntelDeviceInfoNodeMask              Aspect = 89
	ExtOneAPIExportableDeviceMem            Aspect = 90
	ExtOneAPIClockSubGroup                  Aspect = 91
	ExtOneAPIClockWorkGroup                 Aspect = 92
	ExtOneAPIClockDevice                    Aspect = 93
	ExtOneAPIIsIntegratedGPU                Aspect = 94
	ExtOneAPIIPCMemory                      Aspect = 95
	ExtOneAPIDeviceWait                     Aspect = 96
	ExtIntelXeStackCount                    Aspect = 97
	ExtIntelXeRegionsPerStack               Aspect = 98
	ExtIntelXeClustersPerRegion             Aspect = 99
	ExtIntelXeCoresPerCluster               Aspect = 100
	ExtIntelEUsPerXeCore                    Aspect = 101
	ExtIntelMaxLanesPerHWThread             Aspect = 102
	ExtOneAPIIPCPhysicalMemory              Aspect = 103
	ExtOneAPIRegisterHostMemory             Aspect = 104
	ExtOneAPIPerEventProfiling              Aspect = 105
	ExtOneAPIIPCEvent                       Aspect = 106
)

// Deprecated aspects: new code has no use for them, but the runtime still knows
// them.
const (
	Host                           Aspect = 0
	Int64BaseAtomics               Aspect = 7
	Int64ExtendedAtomics           Aspect = 8
	USMRestrictedSharedAllocations Aspect = 16
	USMSystemAllocator             Aspect = 17
)

// Retired aspects: older releases had them. Their numbers are unused or have
// been taken over by aspects above.
const (
	ExtIntelMemChannel                      Aspect = 25
	ExtOneAPIBfloat16MathFunctions          Aspect = 35
	ExtOneAPIInteropMemoryImport            Aspect = 46
	ExtOneAPIInteropMemoryExport            Aspect = 47
	ExtOneAPIInteropSemaphoreImport         Aspect = 48
	ExtOneAPIInteropSemaphoreExport         Aspect = 49
	ExtOneAPIBallotGroup                    Aspect = 54
	ExtOneAPIFixedSizeGroup                 Aspect = 55
	ExtOneAPIOpportunisticGroup             Aspect = 56
	ExtOneAPITangleGroup                    Aspect = 57
	ExtIntelFpgaTaskSequence                Aspect = 62
	ExtOneAPIBindlessSampledImageFetch3DUSM Aspect = 71
)

// names lists each name of enum class aspect. Where several share a value, the
// first one is what the value is called today.
var names = []entry{
	{Host, "host", deprecated},
	{CPU, "cpu", current},
	{GPU, "gpu", current},
	{Accelerator, "accelerator", current},
	{Custom, "custom", current},
	{FP16, "fp16", current},
	{FP64, "fp64", current},
	{Int64BaseAtomics, "int64_base_atomics", deprecated},
	{Int64ExtendedAtomics, "int64_extended_atomics", deprecated},
	{Image, "image", current},
	{OnlineCompiler, "online_compiler", current},
	{OnlineLinker, "online_linker", current},
	{QueueProfiling, "queue_profiling", current},
	{USMDeviceAllocations, "usm_device_allocations", current},
	{USMHostAllocations, "usm_host_allocations", current},
	{USMSharedAllocations, "usm_shared_allocations", current},
	{USMRestrictedSharedAllocations, "usm_restricted_shared_allocations", deprecated},
	{USMSystemAllocations, "usm_system_allocations", current},
	{USMSystemAllocator, "usm_system_allocator", deprecated},
	{ExtIntelPCIAddress, "ext_intel_pci_address", current},
	{ExtIntelGPUEUCount, "ext_intel_gpu_eu_count", current},
	{ExtIntelGPUEUSIMDWidth, "ext_intel_gpu_eu_simd_width", current},
	{ExtIntelGPUSlices, "ext_intel_gpu_slices", current},
	{ExtIntelGPUSubslicesPerSlice, "ext_intel_gpu_subslices_per_slice", current},
	{ExtIntelGPUEUCountPerSubslice, "ext_intel_gpu_eu_count_per_subslice", current},
	{ExtIntelMaxMemBandwidth, "ext_intel_max_mem_bandwidth", current},
	{ExtIntelMemChannel, "ext_intel_mem_channel", retired},
	{USMAtomicHostAllocations, "usm_atomic_host_allocations", current},
	{USMAtomicSharedAllocations, "usm_atomic_shared_allocations", current},
	{Atomic64, "atomic64", current},
	{ExtIntelDeviceInfoUUID, "ext_intel_device_info_uuid", current},
	{ExtOneAPISRGB, "ext_oneapi_srgb", current},
	{ExtOneAPINativeAssert, "ext_oneapi_native_assert", current},
	{HostDebuggable, "host_debuggable", current},
	{ExtIntelGPUHWThreadsPerEU, "ext_intel_gpu_hw_threads_per_eu", current},
	{ExtOneAPICUDAAsyncBarrier, "ext_oneapi_cuda_async_barrier", current},
	{ExtOneAPIBfloat16MathFunctions, "ext_oneapi_bfloat16_math_functions", retired},
	{ExtIntelFreeMemory, "ext_intel_free_memory", current},
	{ExtIntelDeviceID, "ext_intel_device_id", current},
	{ExtIntelMemoryClockRate, "ext_intel_memory_clock_rate", current},
	{ExtIntelMemoryBusWidth, "ext_intel_memory_bus_width", current},
	{Emulated, "emulated", current},
	{ExtIntelLegacyImage, "ext_intel_legacy_image", current},
	{ExtOneAPIBindlessImages, "ext_oneapi_bindless_images", current},
	{ExtOneAPIBindlessImagesSharedUSM, "ext_oneapi_bindless_images_shared_usm", current},
	{ExtOneAPIBindlessImages1DUSM, "ext_oneapi_bindless_images_1d_usm", current},
	{ExtOneAPIBindlessImages2DUSM, "ext_oneapi_bindless_images_2d_usm", current},
	{ExtOneAPIExternalMemoryImport, "ext_oneapi_external_memory_import", current},
	{ExtOneAPIInteropMemoryImport, "ext_oneapi_interop_memory_import", retired},
	{ExtOneAPIInteropMemoryExport, "ext_oneapi_interop_memory_export", retired},
	{ExtOneAPIExternalSemaphoreImport, "ext_oneapi_external_semaphore_import", current},
	{ExtOneAPIInteropSemaphoreImport, "ext_oneapi_interop_semaphore_import", retired},
	{ExtOneAPIInteropSemaphoreExport, "ext_oneapi_interop_semaphore_export", retired},
	{ExtOneAPIMipmap, "ext_oneapi_mipmap", current},
	{ExtOneAPIMipmapAnisotropy, "ext_oneapi_mipmap_anisotropy", current},
	{ExtOneAPIMipmapLevelReference, "ext_oneapi_mipmap_level_reference", current},
	{ExtIntelESIMD, "ext_intel_esimd", current},
	{ExtOneAPIFragment, "ext_oneapi_fragment", current},
	{ExtOneAPIBallotGroup, "ext_oneapi_ballot_group", retired},
	{ExtOneAPIChunk, "ext_oneapi_chunk", current},
	{ExtOneAPIFixedSizeGroup, "ext_oneapi_fixed_size_group", retired},
	{ExtOneAPIOpportunisticGroup, "ext_oneapi_opportunistic_group", retired},
	{ExtOneAPITangle, "ext_oneapi_tangle", current},
	{ExtOneAPITangleGroup, "ext_oneapi_tangle_group", retired},
	{ExtIntelMatrix, "ext_intel_matrix", current},
	{ExtOneAPIIsComposite, "ext_oneapi_is_composite", current},
	{ExtOneAPIIsComponent, "ext_oneapi_is_component", current},
	{ExtOneAPIGraph, "ext_oneapi_graph", current},
	{ExtIntelFpgaTaskSequence, "ext_intel_fpga_task_sequence", retired},
	{ExtOneAPILimitedGraph, "ext_oneapi_limited_graph", current},
	{ExtOneAPIPrivateAlloca, "ext_oneapi_private_alloca", current},
	{ExtOneAPICubemap, "ext_oneapi_cubemap", current},
	{ExtOneAPICubemapSeamlessFiltering, "ext_oneapi_cubemap_seamless_filtering", current},
	{ExtOneAPIBindlessSampledImageFetch1DUSM, "ext_oneapi_bindless_sampled_image_fetch_1d_usm", current},
	{ExtOneAPIBindlessSampledImageFetch1D, "ext_oneapi_bindless_sampled_image_fetch_1d", current},
	{ExtOneAPIBindlessSampledImageFetch2DUSM, "ext_oneapi_bindless_sampled_image_fetch_2d_usm", current},
	{ExtOneAPIBindlessSampledImageFetch2D, "ext_oneapi_bindless_sampled_image_fetch_2d", current},
	{ExtOneAPIBindlessSampledImageFetch3DUSM, "ext_oneapi_bindless_sampled_image_fetch_3d_usm", retired},
	{ExtOneAPIBindlessSampledImageFetch3D, "ext_oneapi_bindless_sampled_image_fetch_3d", current},
	{ExtOneAPIQueueProfilingTag, "ext_oneapi_queue_profiling_tag", current},
	{ExtOneAPIVirtualMem, "ext_oneapi_virtual_mem", current},
	{ExtOneAPICUDAClusterGroup, "ext_oneapi_cuda_cluster_group", current},
	{ExtOneAPIImageArray, "ext_oneapi_image_array", current},
	{ExtOneAPIUniqueAddressingPerDim, "ext_oneapi_unique_addressing_per_dim", current},
	{ExtOneAPIBindlessImagesSample1DUSM, "ext_oneapi_bindless_images_sample_1d_usm", current},
	{ExtOneAPIBindlessImagesSample2DUSM, "ext_oneapi_bindless_images_sample_2d_usm", current},
	{ExtOneAPIAtomic16, "ext_oneapi_atomic16", current},
	{ExtOneAPIVirtualFunctions, "ext_oneapi_virtual_functions", current},
	{ExtIntelSpillMemorySize, "ext_intel_spill_memory_size", current},
	{ExtOneAPIBindlessImagesGather, "ext_oneapi_bindless_images_gather", current},
	{ExtIntelCurrentClockThrottleReasons, "ext_intel_current_clock_throttle_reasons", current},
	{ExtIntelFanSpeed, "ext_intel_fan_speed", current},
	{ExtIntelPowerLimits, "ext_intel_power_limits", current},
	{ExtOneAPIAsyncMemoryAlloc, "ext_oneapi_async_memory_alloc", current},
	{ExtIntelDeviceInfoLUID, "ext_intel_device_info_luid", current},
	{ExtIntelDeviceInfoNodeMask, "ext_intel_device_info_node_mask", current},
	{ExtOneAPIExportableDeviceMem, "ext_oneapi_exportable_device_mem", current},
	{ExtOneAPIClockSubGroup, "ext_oneapi_clock_sub_group", current},
	{ExtOneAPIClockWorkGroup, "ext_oneapi_clock_work_group", current},
	{ExtOneAPIClockDevice, "ext_oneapi_clock_device", current},
	{ExtOneAPIIsIntegratedGPU, "ext_oneapi_is_integrated_gpu", current},
	{ExtOneAPIIPCMemory, "ext_oneapi_ipc_memory", current},
	{ExtOneAPIDeviceWait, "ext_oneapi_device_wait", current},
	{ExtIntelXeStackCount, "ext_intel_xe_stack_count", current},
	{ExtIntelXeRegionsPerStack, "ext_intel_xe_regions_per_stack", current},
	{ExtIntelXeClustersPerRegion, "ext_intel_xe_clusters_per_region", current},
	{ExtIntelXeCoresPerCluster, "ext_intel_xe_cores_per_cluster", current},
	{ExtIntelEUsPerXeCore, "ext_intel_eus_per_xe_core", current},
	{ExtIntelMaxLanesPerHWThread, "ext_intel_max_lanes_per_hw_thread", current},
	{ExtOneAPIIPCPhysicalMemory, "ext_oneapi_ipc_physical_memory", current},
	{ExtOneAPIRegisterHostMemory, "ext_oneapi_register_host_memory", current},
	{ExtOneAPIPerEventProfiling, "ext_oneapi_per_event_profiling", current},
	{ExtOneAPIIPCEvent, "ext_oneapi_ipc_event", current},
}
