package aspect

// Current aspects, by value.
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
	USMAtomicHostAllocations                Aspect = 25
	USMAtomicSharedAllocations              Aspect = 26
	Atomic64                                Aspect = 27
	ExtIntelDeviceInfoUUID                  Aspect = 28
	ExtOneAPISRGB                           Aspect = 29
	ExtOneAPINativeAssert                   Aspect = 30
	HostDebuggable                          Aspect = 31
	ExtIntelGPUHWThreadsPerEU               Aspect = 32
	ExtOneAPICUDAAsyncBarrier               Aspect = 33
	ExtIntelFreeMemory                      Aspect = 34
	ExtIntelDeviceID                        Aspect = 35
	ExtIntelMemoryClockRate                 Aspect = 36
	ExtIntelMemoryBusWidth                  Aspect = 37
	Emulated                                Aspect = 38
	ExtIntelLegacyImage                     Aspect = 39
	ExtOneAPIBindlessImages                 Aspect = 40
	ExtOneAPIBindlessImagesSharedUSM        Aspect = 41
	ExtOneAPIBindlessImages1DUSM            Aspect = 42
	ExtOneAPIBindlessImages2DUSM            Aspect = 43
	ExtOneAPIExternalMemoryImport           Aspect = 44
	ExtOneAPIExternalSemaphoreImport        Aspect = 45
	ExtOneAPIMipmap                         Aspect = 46
	ExtOneAPIMipmapAnisotropy               Aspect = 47
	ExtOneAPIMipmapLevelReference           Aspect = 48
	ExtIntelESIMD                           Aspect = 49
	ExtOneAPIFragment                       Aspect = 50
	ExtOneAPIChunk                          Aspect = 51
	ExtOneAPITangle                         Aspect = 52
	ExtIntelMatrix                          Aspect = 53
	ExtOneAPIIsComposite                    Aspect = 54
	ExtOneAPIIsComponent                    Aspect = 55
	ExtOneAPIGraph                          Aspect = 56
	ExtOneAPILimitedGraph                   Aspect = 57
	ExtOneAPIPrivateAlloca                  Aspect = 58
	ExtOneAPICubemap                        Aspect = 59
	ExtOneAPICubemapSeamlessFiltering       Aspect = 60
	ExtOneAPIBindlessSampledImageFetch1DUSM Aspect = 61
	ExtOneAPIBindlessSampledImageFetch1D    Aspect = 62
	ExtOneAPIBindlessSampledImageFetch2DUSM Aspect = 63
	ExtOneAPIBindlessSampledImageFetch2D    Aspect = 64
	ExtOneAPIBindlessSampledImageFetch3D    Aspect = 65
	ExtOneAPIQueueProfilingTag              Aspect = 66
	ExtOneAPIVirtualMem                     Aspect = 67
	ExtOneAPICUDAClusterGroup               Aspect = 68
	ExtOneAPIImageArray                     Aspect = 69
	ExtOneAPIUniqueAddressingPerDim         Aspect = 70
	ExtOneAPIBindlessImagesSample1DUSM      Aspect = 71
	ExtOneAPIBindlessImagesSample2DUSM      Aspect = 72
	ExtOneAPIAtomic16                       Aspect = 73
	ExtOneAPIVirtualFunctions               Aspect = 74
	ExtIntelSpillMemorySize                 Aspect = 75
	ExtOneAPIBindlessImagesGather           Aspect = 76
	ExtIntelCurrentClockThrottleReasons     Aspect = 77
	ExtIntelFanSpeed                        Aspect = 78
	ExtIntelPowerLimits                     Aspect = 79
	ExtOneAPIAsyncMemoryAlloc               Aspect = 80
	ExtIntelDeviceInfoLUID                  Aspect = 81
	ExtIntelDeviceInfoNodeMask              Aspect = 82
	ExtOneAPIExportableDeviceMem            Aspect = 83
	ExtOneAPIClockSubGroup                  Aspect = 84
	ExtOneAPIClockWorkGroup                 Aspect = 85
	ExtOneAPIClockDevice                    Aspect = 86
	ExtOneAPIIsIntegratedGPU                Aspect = 87
	ExtOneAPIIPCMemory                      Aspect = 88
	ExtOneAPIDeviceWait                     Aspect = 89
	ExtIntelXeStackCount                    Aspect = 90
	ExtIntelXeRegionsPerStack               Aspect = 91
	ExtIntelXeClustersPerRegion             Aspect = 92
	ExtIntelXeCoresPerCluster               Aspect = 93
	ExtIntelEUsPerXeCore                    Aspect = 94
	ExtIntelMaxLanesPerHWThread             Aspect = 95
	ExtOneAPIIPCPhysicalMemory              Aspect = 96
	ExtOneAPIRegisterHostMemory             Aspect = 97
	ExtOneAPIPerEventProfiling              Aspect = 98
	ExtOneAPIIPCEvent                       Aspect = 99
)

// Deprecated aspects, which the runtime still supports.
const (
	Host                           Aspect = 0
	Int64BaseAtomics               Aspect = 7
	Int64ExtendedAtomics           Aspect = 8
	USMRestrictedSharedAllocations Aspect = 16
	USMSystemAllocator             Aspect = 17
)

// Retired aspects of older releases. Current releases have a different name for them, or no number.
const (
	ExtIntelMemChannel                      Aspect = Retired + 25
	ExtOneAPIBfloat16MathFunctions          Aspect = Retired + 35
	ExtOneAPIInteropMemoryImport            Aspect = 44
	ExtOneAPIInteropMemoryExport            Aspect = Retired + 47
	ExtOneAPIInteropSemaphoreImport         Aspect = 45
	ExtOneAPIInteropSemaphoreExport         Aspect = Retired + 49
	ExtOneAPIBallotGroup                    Aspect = 50
	ExtOneAPIFixedSizeGroup                 Aspect = 51
	ExtOneAPIOpportunisticGroup             Aspect = Retired + 56
	ExtOneAPITangleGroup                    Aspect = 52
	ExtIntelFpgaTaskSequence                Aspect = Retired + 62
	ExtOneAPIBindlessSampledImageFetch3DUSM Aspect = Retired + 71
)

// names lists each name of enum class aspect. If several names share a value, the first is the
// current one.
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
	{USMAtomicHostAllocations, "usm_atomic_host_allocations", current},
	{USMAtomicSharedAllocations, "usm_atomic_shared_allocations", current},
	{Atomic64, "atomic64", current},
	{ExtIntelDeviceInfoUUID, "ext_intel_device_info_uuid", current},
	{ExtOneAPISRGB, "ext_oneapi_srgb", current},
	{ExtOneAPINativeAssert, "ext_oneapi_native_assert", current},
	{HostDebuggable, "host_debuggable", current},
	{ExtIntelGPUHWThreadsPerEU, "ext_intel_gpu_hw_threads_per_eu", current},
	{ExtOneAPICUDAAsyncBarrier, "ext_oneapi_cuda_async_barrier", current},
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
	{ExtOneAPIExternalSemaphoreImport, "ext_oneapi_external_semaphore_import", current},
	{ExtOneAPIInteropSemaphoreImport, "ext_oneapi_interop_semaphore_import", retired},
	{ExtOneAPIMipmap, "ext_oneapi_mipmap", current},
	{ExtOneAPIMipmapAnisotropy, "ext_oneapi_mipmap_anisotropy", current},
	{ExtOneAPIMipmapLevelReference, "ext_oneapi_mipmap_level_reference", current},
	{ExtIntelESIMD, "ext_intel_esimd", current},
	{ExtOneAPIFragment, "ext_oneapi_fragment", current},
	{ExtOneAPIBallotGroup, "ext_oneapi_ballot_group", retired},
	{ExtOneAPIChunk, "ext_oneapi_chunk", current},
	{ExtOneAPIFixedSizeGroup, "ext_oneapi_fixed_size_group", retired},
	{ExtOneAPITangle, "ext_oneapi_tangle", current},
	{ExtOneAPITangleGroup, "ext_oneapi_tangle_group", retired},
	{ExtIntelMatrix, "ext_intel_matrix", current},
	{ExtOneAPIIsComposite, "ext_oneapi_is_composite", current},
	{ExtOneAPIIsComponent, "ext_oneapi_is_component", current},
	{ExtOneAPIGraph, "ext_oneapi_graph", current},
	{ExtOneAPILimitedGraph, "ext_oneapi_limited_graph", current},
	{ExtOneAPIPrivateAlloca, "ext_oneapi_private_alloca", current},
	{ExtOneAPICubemap, "ext_oneapi_cubemap", current},
	{ExtOneAPICubemapSeamlessFiltering, "ext_oneapi_cubemap_seamless_filtering", current},
	{ExtOneAPIBindlessSampledImageFetch1DUSM, "ext_oneapi_bindless_sampled_image_fetch_1d_usm", current},
	{ExtOneAPIBindlessSampledImageFetch1D, "ext_oneapi_bindless_sampled_image_fetch_1d", current},
	{ExtOneAPIBindlessSampledImageFetch2DUSM, "ext_oneapi_bindless_sampled_image_fetch_2d_usm", current},
	{ExtOneAPIBindlessSampledImageFetch2D, "ext_oneapi_bindless_sampled_image_fetch_2d", current},
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
	{ExtIntelMemChannel, "ext_intel_mem_channel", retired},
	{ExtOneAPIBfloat16MathFunctions, "ext_oneapi_bfloat16_math_functions", retired},
	{ExtOneAPIInteropMemoryExport, "ext_oneapi_interop_memory_export", retired},
	{ExtOneAPIInteropSemaphoreExport, "ext_oneapi_interop_semaphore_export", retired},
	{ExtOneAPIOpportunisticGroup, "ext_oneapi_opportunistic_group", retired},
	{ExtIntelFpgaTaskSequence, "ext_intel_fpga_task_sequence", retired},
	{ExtOneAPIBindlessSampledImageFetch3DUSM, "ext_oneapi_bindless_sampled_image_fetch_3d_usm", retired},
}
