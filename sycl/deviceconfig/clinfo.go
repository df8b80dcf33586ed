package deviceconfig

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// An OpenCLDevice is a device as OpenCL describes it.
type OpenCLDevice struct {
	ID      string            // as clinfo counts the devices, such as POCL/0
	From    string            // program that asked, such as "clinfo --raw"
	Answers map[string]string // by query, such as CL_DEVICE_TYPE, in the form of clinfo --raw
	Partial bool              // only some queries were asked
}

// Bounds of what clinfo --raw may print.
const (
	maxClinfo        = 8 << 20 // bytes
	maxClinfoDevices = 1000
)

// ReadClinfo reads what the program clinfo prints with --raw. The name is used in
// errors, which are of type *SyntaxError unless r fails. There is at least one
// device.
func ReadClinfo(name string, r io.Reader) ([]*OpenCLDevice, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxClinfo+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the output of clinfo: %w", name, err)
	}
	if len(data) > maxClinfo {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("the file is longer than %d bytes", maxClinfo)}
	}
	var all []*OpenCLDevice
	byID := make(map[string]*OpenCLDevice)
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		id, query, answer, ok := cutClinfo(line)
		if !ok {
			continue
		}
		d := byID[id]
		// Platforms can have the same name, but each device is named once.
		if d == nil || query == "CL_DEVICE_NAME" && d.Answers[query] != "" {
			if len(all) == maxClinfoDevices {
				return nil, &SyntaxError{File: name, Line: number, Msg: fmt.Sprintf("there are more than %d devices", maxClinfoDevices)}
			}
			d = &OpenCLDevice{ID: id, From: "clinfo --raw", Answers: make(map[string]string)}
			byID[id] = d
			all = append(all, d)
		}
		// clinfo says in such words that a device has no answer.
		if !strings.HasPrefix(answer, "<") {
			d.Answers[query] = answer
		}
	}
	if all == nil {
		return nil, &SyntaxError{File: name, Msg: "there is no device in it: expected the output of 'clinfo --raw'"}
	}
	return all, nil
}

// cutClinfo divides a line such as "[POCL/0]  CL_DEVICE_TYPE  CL_DEVICE_TYPE_CPU".
// Those about platforms have "[POCL/*]", and are not ok.
func cutClinfo(line string) (id, query, answer string, ok bool) {
	rest, ok := strings.CutPrefix(line, "[")
	id, rest, closed := strings.Cut(rest, "]")
	platform, number, hasNumber := strings.Cut(id, "/")
	if !ok || !closed || !hasNumber || platform == "" || len(id) > 80 || strings.ContainsAny(platform, " \t") {
		return "", "", "", false
	}
	if _, err := strconv.ParseUint(number, 10, 16); err != nil {
		return "", "", "", false
	}
	query, answer, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return id, query, strings.TrimSpace(answer), strings.HasPrefix(query, "CL_")
}

// An Entry is a configuration for one device, with the reason for each fact.
type Entry struct {
	Device   *Device
	comments []string // above the entry
	aspects  map[aspect.Aspect]string
	sizes    string // why these sub-group sizes
	limits   map[string]string
	open     string // why there may be other aspects, or why not
}

// Target returns a name for the device: that of the target which has its hardware
// version, else one made of the name that OpenCL has for it.
func (o *OpenCLDevice) Target() string {
	if major, minor, revision, ok := o.hardwareVersion(); ok {
		// The value of an architecture has the revision of one stepping.
		const steppings = 1<<14 - 1
		version := major<<22 | minor<<14
		for name, architecture := range names().architectures {
			if architecture>>8&^steppings == version {
				return name
			}
		}
		return fmt.Sprintf("intel_gpu_%d_%d_%d", major, minor, revision)
	}
	var b strings.Builder
	const most = 100
	for _, c := range strings.ToLower(truncate(o.Answers["CL_DEVICE_NAME"], most)) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if name := strings.Trim(b.String(), "_"); name != "" {
		return "opencl_" + name
	}
	return "opencl_device"
}

// hardwareVersion returns the version of an Intel GPU. It is a number with the
// major version from bit 22 on, the minor from 14 on and the revision in the last
// 6 bits, or written with dots.
func (o *OpenCLDevice) hardwareVersion() (major, minor, revision uint64, ok bool) {
	answer, _, _ := strings.Cut(o.Answers["CL_DEVICE_IP_VERSION_INTEL"], " ")
	if n, err := fmt.Sscanf(answer, "%d.%d.%d", &major, &minor, &revision); err == nil && n == 3 {
		return major, minor, revision, major < 1<<10 && minor < 1<<8 && revision < 1<<6
	}
	v, err := strconv.ParseUint(answer, 0, 32)
	return v >> 22, v >> 14 & 0xff, v & 0x3f, err == nil && v != 0
}

// answered reports whether there is an answer to a query.
func (o *OpenCLDevice) answered(query string) bool { return o.Answers[query] != "" }

// word reports whether a word is in the answer to a query, and says so.
func (o *OpenCLDevice) word(query, word string) (why string, is bool) {
	for _, w := range strings.FieldsFunc(o.Answers[query], func(c rune) bool { return c == ' ' || c == '|' || c == ',' }) {
		w, _, _ = strings.Cut(w, ":") // a version
		is = is || w == word
	}
	return query + ": " + word, is
}

func (o *OpenCLDevice) extension(names ...string) (why string, has bool) {
	for _, name := range names {
		if _, has := o.word("CL_DEVICE_EXTENSIONS", name); !has {
			return "", false
		}
	}
	return "CL_DEVICE_EXTENSIONS: " + strings.Join(names, ", "), true
}

// memory reports whether unified shared memory of a kind can be used in some way.
func (o *OpenCLDevice) memory(kind, way string) (why string, can bool) {
	if _, ok := o.extension("cl_intel_unified_shared_memory"); !ok {
		return "", false
	}
	return o.word("CL_DEVICE_"+kind+"_MEM_CAPABILITIES_INTEL", "CL_UNIFIED_SHARED_MEMORY_"+way+"_INTEL")
}

// profiling reports whether the queue of a device can be profiled; the runtime
// also needs its timer, which OpenCL 2.1 has.
func (o *OpenCLDevice) profiling() (why string, can bool) {
	var major, minor int
	if _, err := fmt.Sscanf(o.Answers["CL_DEVICE_VERSION"], "OpenCL %d.%d", &major, &minor); err != nil || major < 2 || major == 2 && minor < 1 {
		return "", false
	}
	for _, query := range []string{"CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", "CL_DEVICE_QUEUE_PROPERTIES"} {
		if why, can := o.word(query, "CL_QUEUE_PROFILING_ENABLE"); can {
			return why, true
		}
	}
	return "", false
}

// intelGPU reports whether the device is a GPU of Intel.
func (o *OpenCLDevice) intelGPU() (why string, is bool) {
	_, gpu := o.word("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_GPU")
	vendor, err := strconv.ParseUint(o.Answers["CL_DEVICE_VENDOR_ID"], 0, 32)
	return "CL_DEVICE_TYPE: CL_DEVICE_TYPE_GPU, CL_DEVICE_VENDOR_ID: 0x8086", gpu && err == nil && vendor == 0x8086
}

// Entry returns the configuration for a device under the name of a target. The
// aspects are those that DPC++ has for the device through its OpenCL adapter. An
// answer that is no number is an error of type *SyntaxError.
func (o *OpenCLDevice) Entry(target string) (*Entry, error) {
	if fault := nameFault(target, "_-."); fault != "" {
		return nil, fmt.Errorf("the target %q %s", target, fault)
	}
	e := &Entry{
		Device:  &Device{Name: Canonical(target), MayHaveOtherAspects: o.Partial},
		aspects: make(map[aspect.Aspect]string),
		limits:  make(map[string]string),
		open:    "these are all that the OpenCL adapter of DPC++ can find",
	}
	if o.Partial {
		e.open = o.From + " does not list all of them"
	}
	e.comments = append(e.comments, o.ID+" of "+o.From)
	for _, query := range []string{"CL_DEVICE_NAME", "CL_DEVICE_VERSION", "CL_DRIVER_VERSION"} {
		if o.answered(query) {
			e.comments = append(e.comments, query+": "+o.Answers[query])
		}
	}
	o.addAspects(e)
	o.addSubGroups(e)
	if err := o.addLimits(e); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Entry) add(a aspect.Aspect, why string, has bool) {
	if has {
		e.Device.Aspects = append(e.Device.Aspects, a)
		e.aspects[a] = why
	}
}

func (o *OpenCLDevice) addAspects(e *Entry) {
	cpu, gpu := o.addType(e)
	o.addMemory(e)
	extension := func(a aspect.Aspect, names ...string) {
		why, has := o.extension(names...)
		e.add(a, why, has)
	}
	extension(aspect.FP16, "cl_khr_fp16")
	extension(aspect.FP64, "cl_khr_fp64")
	why, has := o.word("CL_DEVICE_IMAGE_SUPPORT", "CL_TRUE")
	if !has {
		why, has = o.word("CL_DEVICE_OPENCL_C_FEATURES", "__opencl_c_images")
	}
	e.add(aspect.Image, why, has)
	e.add(aspect.ExtIntelLegacyImage, why, has)
	why, has = o.word("CL_DEVICE_COMPILER_AVAILABLE", "CL_TRUE")
	e.add(aspect.OnlineCompiler, why, has)
	why, has = o.word("CL_DEVICE_LINKER_AVAILABLE", "CL_TRUE")
	e.add(aspect.OnlineLinker, why, has)
	why, has = o.profiling()
	e.add(aspect.QueueProfiling, why, has)
	extension(aspect.Atomic64, "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics")
	extension(aspect.ExtOneAPIAtomic16, "cl_ext_float_atomics")
	extension(aspect.ExtOneAPINativeAssert, "cl_intel_devicelib_assert")
	extension(aspect.ExtOneAPILimitedGraph, "cl_khr_command_buffer")
	extension(aspect.ExtIntelPCIAddress, "cl_khr_pci_bus_info")
	extension(aspect.ExtIntelDeviceInfoUUID, "cl_khr_device_uuid")
	why, has = o.extension("cl_intel_device_attribute_query")
	for _, a := range []aspect.Aspect{
		aspect.ExtIntelDeviceID, aspect.ExtIntelGPUSlices, aspect.ExtIntelGPUSubslicesPerSlice,
		aspect.ExtIntelGPUEUCountPerSubslice, aspect.ExtIntelGPUHWThreadsPerEU,
	} {
		e.add(a, why, has)
	}
	e.add(aspect.ExtIntelGPUEUCount, why, has && gpu)
	why, has = o.intelGPU()
	e.add(aspect.ExtIntelESIMD, why, has && gpu)
	const all = "what DPC++ says of all devices under OpenCL"
	for _, a := range []aspect.Aspect{
		aspect.ExtOneAPISRGB, aspect.ExtOneAPIFragment, aspect.ExtOneAPIChunk, aspect.ExtOneAPITangle, aspect.ExtOneAPIPrivateAlloca,
	} {
		e.add(a, all, true)
	}
	e.add(aspect.ExtOneAPIVirtualFunctions, "what DPC++ says of all CPUs and GPUs under OpenCL", cpu || gpu)
	// The runtime knows by the architecture which devices have matrices.
	if known, ok := Default().Lookup(e.Device.Name); ok && known.Has(aspect.ExtIntelMatrix) {
		e.add(aspect.ExtIntelMatrix, "what DPC++ says of "+known.Name, true)
	}
	slices.Sort(e.Device.Aspects)
}

// addType adds the kind of the device. The adapter takes it for the first of these that it is.
func (o *OpenCLDevice) addType(e *Entry) (cpu, gpu bool) {
	why, cpu := o.word("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_CPU")
	e.add(aspect.CPU, why, cpu)
	why, gpu = o.word("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_GPU")
	gpu = gpu && !cpu
	e.add(aspect.GPU, why, gpu)
	why, accelerator := o.word("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_ACCELERATOR")
	e.add(aspect.Accelerator, why, accelerator && !cpu && !gpu)
	return cpu, gpu
}

// addMemory adds which allocations the device and the host can share.
func (o *OpenCLDevice) addMemory(e *Entry) {
	for _, m := range []struct {
		aspect    aspect.Aspect
		kind, way string
	}{
		{aspect.USMDeviceAllocations, "DEVICE", "ACCESS"},
		{aspect.USMHostAllocations, "HOST", "ACCESS"},
		{aspect.USMAtomicHostAllocations, "HOST", "CONCURRENT_ATOMIC_ACCESS"},
		{aspect.USMSharedAllocations, "SINGLE_DEVICE_SHARED", "ACCESS"},
		{aspect.USMAtomicSharedAllocations, "SINGLE_DEVICE_SHARED", "CONCURRENT_ATOMIC_ACCESS"},
		{aspect.USMSystemAllocations, "SHARED_SYSTEM", "ACCESS"},
	} {
		why, has := o.memory(m.kind, m.way)
		e.add(m.aspect, why, has)
	}
}

func (o *OpenCLDevice) addSubGroups(e *Entry) {
	if why, has := o.extension("cl_intel_required_subgroup_size"); !has {
		e.Device.SubGroupSizes = []uint32{1}
		e.sizes = "CL_DEVICE_EXTENSIONS: no cl_intel_required_subgroup_size, so that each work-item is alone"
	} else if sizes, ok := numbers(o.Answers["CL_DEVICE_SUB_GROUP_SIZES_INTEL"], 32); ok {
		for _, n := range sizes {
			e.Device.SubGroupSizes = append(e.Device.SubGroupSizes, uint32(n))
		}
		slices.Sort(e.Device.SubGroupSizes)
		e.Device.SubGroupSizes = slices.Compact(e.Device.SubGroupSizes)
		e.sizes = "CL_DEVICE_SUB_GROUP_SIZES_INTEL"
	} else if known, ok := Default().Lookup(e.Device.Name); ok && known.SubGroupSizes != nil {
		e.Device.SubGroupSizes = known.SubGroupSizes
		e.sizes = why + "; the sizes of " + known.Name
	}
}

func (o *OpenCLDevice) addLimits(e *Entry) error {
	l := &e.Device.Limits
	for _, limit := range []struct {
		key, query string
		value      *uint64
	}{
		{keyMaxWorkGroupSize, "CL_DEVICE_MAX_WORK_GROUP_SIZE", &l.MaxWorkGroupSize},
		{keyLocalMemorySize, "CL_DEVICE_LOCAL_MEM_SIZE", &l.LocalMemorySize},
	} {
		if !o.answered(limit.query) {
			continue
		}
		list, ok := numbers(o.Answers[limit.query], 64)
		if !ok || len(list) != 1 {
			return o.errorf(limit.query, "is not a number above 0")
		}
		*limit.value = list[0]
		e.limits[limit.key] = limit.query
	}
	const query = "CL_DEVICE_MAX_WORK_ITEM_SIZES"
	if o.answered(query) {
		list, ok := numbers(o.Answers[query], 64)
		if !ok || len(list) < 3 {
			return o.errorf(query, "is not 3 numbers above 0")
		}
		l.MaxWorkItemSizes = list[:3]
		e.limits[keyMaxWorkItemSizes] = query
	}
	return nil
}

func (o *OpenCLDevice) errorf(query, what string) error {
	return &SyntaxError{Target: o.ID, Key: query, Msg: safetext.Quote(o.Answers[query]) + " " + what}
}

// numbers reads numbers above 0 that stand one after the other.
func numbers(s string, bits int) (list []uint64, ok bool) {
	for _, f := range strings.FieldsFunc(s, func(c rune) bool { return c == ' ' || c == ',' }) {
		n, err := strconv.ParseUint(f, 10, bits)
		if err != nil || n == 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, list != nil
}

// Text returns an entry as YAML that [Read] takes, with a comment for each fact.
func (e *Entry) Text() string {
	b := new(strings.Builder)
	for _, comment := range e.comments {
		fmt.Fprintf(b, "# %s\n", clean(comment))
	}
	d := e.Device
	fmt.Fprintf(b, "%s:\n", d.Name)
	if len(d.Aspects) == 0 {
		fmt.Fprintf(b, "  %s: []\n", keyAspects)
	} else {
		fmt.Fprintf(b, "  %s:\n", keyAspects)
	}
	for _, a := range d.Aspects {
		fmt.Fprintf(b, "    - %s # %s\n", a, clean(e.aspects[a]))
	}
	if e.sizes != "" {
		fmt.Fprintf(b, "  %s: %s # %s\n", keySubGroupSizes, flow(d.SubGroupSizes), clean(e.sizes))
	}
	fmt.Fprintf(b, "  %s: %t # %s\n", keyMayHaveOthers, d.MayHaveOtherAspects, clean(e.open))
	if why, ok := e.limits[keyMaxWorkGroupSize]; ok {
		fmt.Fprintf(b, "  %s: %d # %s\n", keyMaxWorkGroupSize, d.MaxWorkGroupSize, why)
	}
	if why, ok := e.limits[keyMaxWorkItemSizes]; ok {
		fmt.Fprintf(b, "  %s: %s # %s\n", keyMaxWorkItemSizes, flow(d.MaxWorkItemSizes), why)
	}
	if why, ok := e.limits[keyLocalMemorySize]; ok {
		fmt.Fprintf(b, "  %s: %d # %s\n", keyLocalMemorySize, d.LocalMemorySize, why)
	}
	return b.String()
}

// flow writes a list as YAML has it in one line.
func flow[T any](list []T) string { return strings.Join(strings.Fields(fmt.Sprint(list)), ", ") }

// clean makes text from outside fit for a comment, which is one line.
func clean(s string) string {
	const most = 300
	if len(s) > most {
		s = truncate(s, most) + "..."
	}
	return safetext.Printable(s)
}

func truncate(s string, most int) string { return s[:min(len(s), most)] }
