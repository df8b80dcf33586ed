package devicecode

// A valueKind is the type of a property's value, and determines its metadata.
type valueKind uint8

const (
	none    valueKind = iota // the decoration has no operand
	number                   // an unsigned integer of 32 bits
	boolean                  // 0 when it is "false", else 1; a property without a value is true
	flag                     // as boolean, but expressed by the decoration's presence: "false" gives none
	numbers                  // integers, separated by commas
	text                     // any text
	cache                    // a set of levels for each mode of a cache: see cacheControls
	level                    // a cache level, to which the property's control applies
)

// A property specifies the decoration to which a property of a kernel, a parameter, a variable or a
// pointer is lowered.
type property struct {
	decoration uint32 // of SPIR-V
	withdrawn  uint32 // number in a withdrawn extension that DPC++ still uses, 0 if it is the same
	value      valueKind
	controls   *cacheControls // of cache and level
	dropped    bool           // translators drop it on pointers
}

// properties lists the properties that are lowered to decorations. Most are for FPGAs, which DPC++
// supported until 2025.
var properties = map[string]property{
	attrAlignment:                     {decoration: 44, value: number},              // Alignment
	"sycl-strict":                     {decoration: 19, value: flag, dropped: true}, // Restrict
	"sycl-cache-read-hint":            {value: cache, controls: &loadControls},      // CacheControlLoadINTEL
	"sycl-cache-read-assertion":       {value: cache, controls: &loadControls},      // CacheControlLoadINTEL
	"sycl-cache-write-hint":           {value: cache, controls: &storeControls},     // CacheControlStoreINTEL
	"sycl-prefetch-hint":              {value: level, controls: &prefetch},          // CacheControlLoadINTEL
	"sycl-prefetch-hint-nt":           {value: level, controls: &prefetchUnused},    // CacheControlLoadINTEL
	"sycl-init-mode":                  {decoration: 6190, withdrawn: 6148, value: number, dropped: true},
	"sycl-implement-in-csr":           {decoration: 6191, withdrawn: 6149, value: boolean, dropped: true},
	"sycl-buffer-location":            {decoration: 5921, value: number},
	"sycl-conduit":                    {decoration: 6175, value: flag, dropped: true},
	"sycl-register-map":               {decoration: 6176, value: flag, dropped: true},
	"sycl-awidth":                     {decoration: 6177, value: number, dropped: true},
	"sycl-dwidth":                     {decoration: 6178, value: number, dropped: true},
	"sycl-latency":                    {decoration: 6179, value: number, dropped: true},
	"sycl-read-write-mode":            {decoration: 6180, value: number, dropped: true},
	"sycl-maxburst":                   {decoration: 6181, value: number, dropped: true},
	"sycl-wait-request":               {decoration: 6182, value: number, dropped: true},
	"sycl-stable":                     {decoration: 6183, value: flag, dropped: true},
	"sycl-latency-anchor-id":          {decoration: 6172, value: numbers},
	"sycl-latency-constraint":         {decoration: 6173, value: numbers},
	"sycl-datapath":                   {decoration: 5825, value: none},
	"sycl-resource":                   {decoration: 5826, value: text},
	"sycl-num-banks":                  {decoration: 5827, value: number},
	"sycl-max-private-copies":         {decoration: 5829, value: number},
	"sycl-clock-2x-false":             {decoration: 5830, value: none},
	"sycl-clock-2x-true":              {decoration: 5831, value: none},
	"sycl-num-replicates":             {decoration: 5832, value: number},
	"sycl-bi-directional-ports-false": {decoration: 5833, value: none},
	"sycl-bi-directional-ports-true":  {decoration: 5885, value: none},
	"sycl-ram-stitching":              {decoration: 5836, value: number},
	"sycl-stride-size":                {decoration: 5883, value: number},
	"sycl-word-size":                  {decoration: 5884, value: number},
}

// Properties that need code in addition to a table row.
const (
	attrAlignment        = "sycl-alignment"          // also of loads and stores
	attrHostAccess       = "sycl-host-access"        // of device globals
	attrPipelined        = "sycl-pipelined"          // of kernels: two decorations
	attrDeviceGlobalSize = "sycl-device-global-size" // makes a variable a device global
	attrHostPipe         = "sycl-host-pipe"          // makes a variable a pipe
	attrUniqueID         = "sycl-unique-id"          // the name by which the host finds a variable
)

// handledElsewhere lists properties and attributes that are not lowered here. Other passes or the
// runtime read them, or they are unused.
var handledElsewhere = map[string]bool{
	"sycl-call-if-on-device-conditionally": true,
	"sycl-device-has":                      true,
	"sycl-device-image-scope":              true,
	"sycl-entry-point":                     true,
	"sycl-forceinline":                     true,
	"sycl-host-pipe-size":                  true,
	"sycl-implicit-local-arg":              true,
	"sycl-joint-matrix-cols":               true,
	"sycl-joint-matrix-rows":               true,
	"sycl-joint-matrix-type":               true,
	"sycl-joint-matrix-use":                true,
	"sycl-module-id":                       true,
	"sycl-nd-range-kernel":                 true,
	"sycl-optlevel":                        true,
	"sycl-single-task-kernel":              true,
	"sycl-unaliased":                       true,
	"sycl-usm-kind":                        true,
	"sycl-work-group-scratch":              true,
	"sycl-work-group-static":               true,
}

// The decorations of properties without a table row.
const (
	decorationHostAccess         = 6188 // HostAccessINTEL
	withdrawnHostAccess          = 6147
	decorationPipelineEnable     = 5919
	decorationInitiationInterval = 5917
)

// hostAccess maps SYCL's numbers for host access (read, write, read and write, none, from 0) to
// SPIR-V's. The withdrawn extension uses SYCL's numbers.
var hostAccess = []uint32{1, 2, 3, 0}

// readAndWrite is the default host access of a device global.
const readAndWrite = 2

// cacheControls are the controls of loads or of stores.
type cacheControls struct {
	decoration uint32
	modes      []int // SPIR-V control by SYCL's cache_mode, -1 for none
	of         string
}

// SYCL's modes are uncached, cached, streaming, invalidate, constant, write_through and
// write_back.
var (
	loadControls   = cacheControls{6442, []int{0, 1, 2, 3, 4, -1, -1}, "reads"}
	storeControls  = cacheControls{6443, []int{0, -1, 3, -1, -1, 1, 2}, "writes"}
	prefetch       = cacheControls{6442, []int{1}, "reads"} // CachedINTEL
	prefetchUnused = cacheControls{6442, []int{3}, "reads"} // InvalidateAfterReadINTEL
)

// modeNames are the names of SYCL's cache modes.
var modeNames = []string{"uncached", "cached", "streaming", "invalidate", "constant", "write_through", "write_back"}
