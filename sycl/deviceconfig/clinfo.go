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
	ID      string            // clinfo's identifier of the device, such as POCL/0
	From    string            // source program, such as "clinfo --raw"
	Answers map[string]string // by query, such as CL_DEVICE_TYPE, in the form of clinfo --raw
	Partial bool              // only some queries were made
}

// Limits on the output of clinfo --raw.
const (
	maxClinfo        = 8 << 20 // bytes
	maxClinfoDevices = 1000
)

// ReadClinfo reads the output of clinfo --raw. The name appears in errors, which are of type
// *SyntaxError unless r fails. There is at least one device.
func ReadClinfo(name string, r io.Reader) ([]*OpenCLDevice, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxClinfo+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the output of clinfo: %w", name, err)
	}
	if len(data) > maxClinfo {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("file too large (limit %d bytes)", maxClinfo)}
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
		// Platforms can have the same name, but each device states its name once.
		if d == nil || query == "CL_DEVICE_NAME" && d.Answers[query] != "" {
			if len(all) == maxClinfoDevices {
				return nil, &SyntaxError{File: name, Line: number, Msg: fmt.Sprintf("too many devices (limit %d)", maxClinfoDevices)}
			}
			d = &OpenCLDevice{ID: id, From: "clinfo --raw", Answers: make(map[string]string)}
			byID[id] = d
			all = append(all, d)
		}
		// clinfo prints such text if a device has no answer.
		if !strings.HasPrefix(answer, "<") {
			d.Answers[query] = answer
		}
	}
	if all == nil {
		return nil, &SyntaxError{File: name, Msg: "no devices found; expected the output of 'clinfo --raw'"}
	}
	return all, nil
}

// cutClinfo splits a line such as "[POCL/0] CL_DEVICE_TYPE CL_DEVICE_TYPE_CPU". For lines about
// platforms, which have "[POCL/*]", ok is false.
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
	sizes    string // why the device has these sub-group sizes
	limits   map[string]string
	open     string // why there may or may not be other aspects
}

// Target returns a name for the device: the target with its hardware version, or else a name
// derived from its OpenCL name.
func (o *OpenCLDevice) Target() string {
	if major, minor, revision, ok := o.hardwareVersion(); ok {
		// An architecture value includes the revision of a stepping, which is masked out.
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

// hardwareVersion returns the version of an Intel GPU. The device reports either a number, with the
// major version starting at bit 22, the minor version at bit 14 and the revision in the low 6 bits,
// or a version with dots.
func (o *OpenCLDevice) hardwareVersion() (major, minor, revision uint64, ok bool) {
	answer, _, _ := strings.Cut(o.Answers["CL_DEVICE_IP_VERSION_INTEL"], " ")
	if n, err := fmt.Sscanf(answer, "%d.%d.%d", &major, &minor, &revision); err == nil && n == 3 {
		return major, minor, revision, major < 1<<10 && minor < 1<<8 && revision < 1<<6
	}
	v, err := strconv.ParseUint(answer, 0, 32)
	return v >> 22, v >> 14 & 0xff, v & 0x3f, err == nil && v != 0
}

// answered reports whether the device answered a query.
func (o *OpenCLDevice) answered(query string) bool { return o.Answers[query] != "" }

// A fact is a property of a device and the answer that proves it.
type fact struct {
	has bool
	why string
}

// word returns the fact that the answer to a query contains a word.
func (o *OpenCLDevice) word(query, word string) fact {
	words := strings.FieldsFunc(o.Answers[query], func(c rune) bool { return c == ' ' || c == '|' || c == ',' })
	is := slices.ContainsFunc(words, func(w string) bool {
		name, _, _ := strings.Cut(w, ":") // a version
		return name == word
	})
	return fact{is, query + ": " + word}
}

// firstTrue returns the first fact if it holds, otherwise the second.
func firstTrue(first, second fact) fact {
	if first.has {
		return first
	}
	return second
}

func (o *OpenCLDevice) extension(names ...string) fact {
	missing := slices.ContainsFunc(names, func(name string) bool { return !o.word("CL_DEVICE_EXTENSIONS", name).has })
	return fact{!missing, "CL_DEVICE_EXTENSIONS: " + strings.Join(names, ", ")}
}

// profiling returns the fact that the device's queue supports profiling. The runtime also needs the
// device timer of OpenCL 2.1.
func (o *OpenCLDevice) profiling() fact {
	var major, minor int
	if _, err := fmt.Sscanf(o.Answers["CL_DEVICE_VERSION"], "OpenCL %d.%d", &major, &minor); err != nil || major < 2 || major == 2 && minor < 1 {
		return fact{}
	}
	const enabled = "CL_QUEUE_PROFILING_ENABLE"
	return firstTrue(o.word("CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", enabled), o.word("CL_DEVICE_QUEUE_PROPERTIES", enabled))
}

// isIntel returns the fact that the device is an Intel GPU.
func (o *OpenCLDevice) isIntel() fact {
	vendor, err := strconv.ParseUint(o.Answers["CL_DEVICE_VENDOR_ID"], 0, 32)
	return fact{err == nil && vendor == 0x8086, "CL_DEVICE_TYPE: CL_DEVICE_TYPE_GPU, CL_DEVICE_VENDOR_ID: 0x8086"}
}

// Entry returns the configuration for a device under the name of a target. The aspects match what
// DPC++ reports for the device through its OpenCL adapter. If an answer is not a number, the error
// is of type *SyntaxError.
func (o *OpenCLDevice) Entry(target string) (*Entry, error) {
	if problem := nameProblem(target, "_-."); problem != "" {
		return nil, fmt.Errorf("the target %q %s", target, problem)
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

func (e *Entry) add(f fact, aspects ...aspect.Aspect) {
	for _, a := range aspects {
		if f.has {
			e.Device.Aspects = append(e.Device.Aspects, a)
			e.aspects[a] = f.why
		}
	}
}

func (o *OpenCLDevice) addAspects(e *Entry) {
	cpu, gpu := o.addType(e)
	o.addMemory(e)
	e.add(o.extension("cl_khr_fp16"), aspect.FP16)
	e.add(o.extension("cl_khr_fp64"), aspect.FP64)
	e.add(firstTrue(o.word("CL_DEVICE_IMAGE_SUPPORT", "CL_TRUE"), o.word("CL_DEVICE_OPENCL_C_FEATURES", "__opencl_c_images")), aspect.Image, aspect.ExtIntelLegacyImage)
	e.add(o.word("CL_DEVICE_COMPILER_AVAILABLE", "CL_TRUE"), aspect.OnlineCompiler)
	e.add(o.word("CL_DEVICE_LINKER_AVAILABLE", "CL_TRUE"), aspect.OnlineLinker)
	e.add(o.profiling(), aspect.QueueProfiling)
	e.add(o.extension("cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"), aspect.Atomic64)
	e.add(o.extension("cl_ext_float_atomics"), aspect.ExtOneAPIAtomic16)
	e.add(o.extension("cl_intel_devicelib_assert"), aspect.ExtOneAPINativeAssert)
	e.add(o.extension("cl_khr_command_buffer"), aspect.ExtOneAPILimitedGraph)
	e.add(o.extension("cl_khr_pci_bus_info"), aspect.ExtIntelPCIAddress)
	e.add(o.extension("cl_khr_device_uuid"), aspect.ExtIntelDeviceInfoUUID)
	hardware := o.extension("cl_intel_device_attribute_query")
	e.add(hardware, aspect.ExtIntelDeviceID, aspect.ExtIntelGPUSlices, aspect.ExtIntelGPUSubslicesPerSlice, aspect.ExtIntelGPUEUCountPerSubslice, aspect.ExtIntelGPUHWThreadsPerEU)
	if gpu {
		e.add(hardware, aspect.ExtIntelGPUEUCount)
		e.add(o.isIntel(), aspect.ExtIntelESIMD)
	}
	e.add(fact{true, "the value that DPC++ reports for all devices under OpenCL"},
		aspect.ExtOneAPISRGB, aspect.ExtOneAPIFragment, aspect.ExtOneAPIChunk, aspect.ExtOneAPITangle, aspect.ExtOneAPIPrivateAlloca)
	e.add(fact{cpu || gpu, "the value that DPC++ reports for all CPUs and GPUs under OpenCL"}, aspect.ExtOneAPIVirtualFunctions)
	// The runtime uses the architecture to decide which devices have matrices.
	if known, ok := Default().Lookup(e.Device.Name); ok {
		e.add(fact{known.Has(aspect.ExtIntelMatrix), "the value that DPC++ reports for " + known.Name}, aspect.ExtIntelMatrix)
	}
	slices.Sort(e.Device.Aspects)
}

// addType adds the kind of the device: the first one that matches, in the adapter's order.
func (o *OpenCLDevice) addType(e *Entry) (isCPU, isGPU bool) {
	kind := func(name string) fact { return o.word("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_"+name) }
	switch cpu, gpu := kind("CPU"), kind("GPU"); {
	case cpu.has:
		e.add(cpu, aspect.CPU)
		return true, false
	case gpu.has:
		e.add(gpu, aspect.GPU)
		return false, true
	}
	e.add(kind("ACCELERATOR"), aspect.Accelerator)
	return false, false
}

// addMemory adds the kinds of allocations that the device and the host can share.
func (o *OpenCLDevice) addMemory(e *Entry) {
	if !o.extension("cl_intel_unified_shared_memory").has {
		return
	}
	memory := func(kind, way string) fact {
		return o.word("CL_DEVICE_"+kind+"_MEM_CAPABILITIES_INTEL", "CL_UNIFIED_SHARED_MEMORY_"+way+"_INTEL")
	}
	e.add(memory("DEVICE", "ACCESS"), aspect.USMDeviceAllocations)
	e.add(memory("HOST", "ACCESS"), aspect.USMHostAllocations)
	e.add(memory("HOST", "CONCURRENT_ATOMIC_ACCESS"), aspect.USMAtomicHostAllocations)
	e.add(memory("SINGLE_DEVICE_SHARED", "ACCESS"), aspect.USMSharedAllocations)
	e.add(memory("SINGLE_DEVICE_SHARED", "CONCURRENT_ATOMIC_ACCESS"), aspect.USMAtomicSharedAllocations)
	e.add(memory("SHARED_SYSTEM", "ACCESS"), aspect.USMSystemAllocations)
}

func (o *OpenCLDevice) addSubGroups(e *Entry) {
	if required := o.extension("cl_intel_required_subgroup_size"); !required.has {
		e.Device.SubGroupSizes = []uint32{1}
		e.sizes = "CL_DEVICE_EXTENSIONS: no cl_intel_required_subgroup_size, so each sub-group has one work-item"
	} else if sizes, ok := numbers(o.Answers["CL_DEVICE_SUB_GROUP_SIZES_INTEL"], 32); ok {
		for _, n := range sizes {
			e.Device.SubGroupSizes = append(e.Device.SubGroupSizes, uint32(n))
		}
		slices.Sort(e.Device.SubGroupSizes)
		e.Device.SubGroupSizes = slices.Compact(e.Device.SubGroupSizes)
		e.sizes = "CL_DEVICE_SUB_GROUP_SIZES_INTEL"
	} else if known, ok := Default().Lookup(e.Device.Name); ok && known.SubGroupSizes != nil {
		e.Device.SubGroupSizes = known.SubGroupSizes
		e.sizes = required.why + "; the sizes of " + known.Name
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
			return o.errorf(limit.query, "is not a positive number")
		}
		*limit.value = list[0]
		e.limits[limit.key] = limit.query
	}
	const query = "CL_DEVICE_MAX_WORK_ITEM_SIZES"
	if o.answered(query) {
		list, ok := numbers(o.Answers[query], 64)
		if !ok || len(list) < 3 {
			return o.errorf(query, "is not a list of 3 positive numbers")
		}
		l.MaxWorkItemSizes = list[:3]
		e.limits[keyMaxWorkItemSizes] = query
	}
	return nil
}

func (o *OpenCLDevice) errorf(query, what string) error {
	return &SyntaxError{Target: o.ID, Key: query, Msg: safetext.Quote(o.Answers[query]) + " " + what}
}

// numbers reads consecutive numbers above 0.
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

// Text returns an entry as YAML for [Read], with a comment for each fact.
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

// flow formats a list in YAML's flow style.
func flow[T any](list []T) string { return strings.Join(strings.Fields(fmt.Sprint(list)), ", ") }

// clean makes outside text safe for a one-line comment.
func clean(s string) string {
	const most = 300
	if len(s) > most {
		s = truncate(s, most) + "..."
	}
	return safetext.Printable(s)
}

func truncate(s string, most int) string { return s[:min(len(s), most)] }
