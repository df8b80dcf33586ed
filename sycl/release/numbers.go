package release

import "github.com/rules-sycl/rules_sycl/sycl/aspect"

// firstRenumbered is the first number that means a different aspect in releases before 2026.
const firstRenumbered = 25

// numbersBefore2026 are the aspects by their numbers in releases before 2026. Numbers above 90
// come from development versions.
var numbersBefore2026 = [...]aspect.Aspect{
	25:  aspect.ExtIntelMemChannel,
	26:  aspect.USMAtomicHostAllocations,
	27:  aspect.USMAtomicSharedAllocations,
	28:  aspect.Atomic64,
	29:  aspect.ExtIntelDeviceInfoUUID,
	30:  aspect.ExtOneAPISRGB,
	31:  aspect.ExtOneAPINativeAssert,
	32:  aspect.HostDebuggable,
	33:  aspect.ExtIntelGPUHWThreadsPerEU,
	34:  aspect.ExtOneAPICUDAAsyncBarrier,
	35:  aspect.ExtOneAPIBfloat16MathFunctions,
	36:  aspect.ExtIntelFreeMemory,
	37:  aspect.ExtIntelDeviceID,
	38:  aspect.ExtIntelMemoryClockRate,
	39:  aspect.ExtIntelMemoryBusWidth,
	40:  aspect.Emulated,
	41:  aspect.ExtIntelLegacyImage,
	42:  aspect.ExtOneAPIBindlessImages,
	43:  aspect.ExtOneAPIBindlessImagesSharedUSM,
	44:  aspect.ExtOneAPIBindlessImages1DUSM,
	45:  aspect.ExtOneAPIBindlessImages2DUSM,
	46:  aspect.ExtOneAPIExternalMemoryImport,
	47:  aspect.ExtOneAPIInteropMemoryExport,
	48:  aspect.ExtOneAPIExternalSemaphoreImport,
	49:  aspect.ExtOneAPIInteropSemaphoreExport,
	50:  aspect.ExtOneAPIMipmap,
	51:  aspect.ExtOneAPIMipmapAnisotropy,
	52:  aspect.ExtOneAPIMipmapLevelReference,
	53:  aspect.ExtIntelESIMD,
	54:  aspect.ExtOneAPIFragment,
	55:  aspect.ExtOneAPIChunk,
	56:  aspect.ExtOneAPIOpportunisticGroup,
	57:  aspect.ExtOneAPITangle,
	58:  aspect.ExtIntelMatrix,
	59:  aspect.ExtOneAPIIsComposite,
	60:  aspect.ExtOneAPIIsComponent,
	61:  aspect.ExtOneAPIGraph,
	62:  aspect.ExtIntelFpgaTaskSequence,
	63:  aspect.ExtOneAPILimitedGraph,
	64:  aspect.ExtOneAPIPrivateAlloca,
	65:  aspect.ExtOneAPICubemap,
	66:  aspect.ExtOneAPICubemapSeamlessFiltering,
	67:  aspect.ExtOneAPIBindlessSampledImageFetch1DUSM,
	68:  aspect.ExtOneAPIBindlessSampledImageFetch1D,
	69:  aspect.ExtOneAPIBindlessSampledImageFetch2DUSM,
	70:  aspect.ExtOneAPIBindlessSampledImageFetch2D,
	71:  aspect.ExtOneAPIBindlessSampledImageFetch3DUSM,
	72:  aspect.ExtOneAPIBindlessSampledImageFetch3D,
	73:  aspect.ExtOneAPIQueueProfilingTag,
	74:  aspect.ExtOneAPIVirtualMem,
	75:  aspect.ExtOneAPICUDAClusterGroup,
	76:  aspect.ExtOneAPIImageArray,
	77:  aspect.ExtOneAPIUniqueAddressingPerDim,
	78:  aspect.ExtOneAPIBindlessImagesSample1DUSM,
	79:  aspect.ExtOneAPIBindlessImagesSample2DUSM,
	80:  aspect.ExtOneAPIAtomic16,
	81:  aspect.ExtOneAPIVirtualFunctions,
	82:  aspect.ExtIntelSpillMemorySize,
	83:  aspect.ExtOneAPIBindlessImagesGather,
	84:  aspect.ExtIntelCurrentClockThrottleReasons,
	85:  aspect.ExtIntelFanSpeed,
	86:  aspect.ExtIntelPowerLimits,
	87:  aspect.ExtOneAPIAsyncMemoryAlloc,
	88:  aspect.ExtIntelDeviceInfoLUID,
	89:  aspect.ExtIntelDeviceInfoNodeMask,
	90:  aspect.ExtOneAPIExportableDeviceMem,
	91:  aspect.ExtOneAPIClockSubGroup,
	92:  aspect.ExtOneAPIClockWorkGroup,
	93:  aspect.ExtOneAPIClockDevice,
	94:  aspect.ExtOneAPIIsIntegratedGPU,
	95:  aspect.ExtOneAPIIPCMemory,
	96:  aspect.ExtOneAPIDeviceWait,
	97:  aspect.ExtIntelXeStackCount,
	98:  aspect.ExtIntelXeRegionsPerStack,
	99:  aspect.ExtIntelXeClustersPerRegion,
	100: aspect.ExtIntelXeCoresPerCluster,
	101: aspect.ExtIntelEUsPerXeCore,
	102: aspect.ExtIntelMaxLanesPerHWThread,
	103: aspect.ExtOneAPIIPCPhysicalMemory,
	104: aspect.ExtOneAPIRegisterHostMemory,
	105: aspect.ExtOneAPIPerEventProfiling,
	106: aspect.ExtOneAPIIPCEvent,
}

var before2026 = make(map[aspect.Aspect]uint32, len(numbersBefore2026))

func init() {
	for n, a := range numbersBefore2026 {
		if n >= firstRenumbered {
			before2026[a] = uint32(n)
		}
	}
}
