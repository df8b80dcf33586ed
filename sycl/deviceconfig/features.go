package deviceconfig

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed spirv.tsv
var spirvTSV string

// features is read once, on first use.
var features = sync.OnceValue(func() *featureTable { return must(readFeatures(spirvTSV)) })

// A featureTable records which SPIR-V capabilities and extensions the compilers of Intel GPUs and
// of Intel's CPU device accept.
type featureTable struct {
	ocloc, cpu   string   // releases
	devices      []string // targets, by column
	rows         map[string]*featureRow
	capabilities map[uint32]*featureRow
}

type featureRow struct {
	name, extension     string
	cells               string // y, n or ? for each device, with the CPU last
	message, cpuMessage string // of the first compiler that rejects it
}

// cpu returns the cell of the CPU device.
func (r *featureRow) cpu() byte { return r.cells[len(r.cells)-1] }

// gpus returns the cells of the GPUs.
func (r *featureRow) gpus() string { return r.cells[:len(r.cells)-1] }

// Images is the name of the capability of modules with images.
const Images = "ImageBasic"

// readFeatures reads the output of .ci/spirv-features.
func readFeatures(text string) (*featureTable, error) {
	const before, after = 3, 2 // columns before and after the device columns
	t := &featureTable{rows: map[string]*featureRow{}, capabilities: map[uint32]*featureRow{}}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fields := strings.Split(line, "\t")
		switch {
		case n == 0:
			_, rest, _ := strings.Cut(line, "with ocloc ")
			rest, _, _ = strings.Cut(rest, ":")
			t.ocloc, t.cpu, _ = strings.Cut(rest, " and Intel's CPU device ")
			continue
		case n == 1:
			if len(fields) <= before+after+1 || fields[len(fields)-after-1] != anyCPU {
				return nil, fmt.Errorf("spirv.tsv:2: %d columns, expected columns for GPUs and %s", len(fields), anyCPU)
			}
			for _, short := range fields[before : len(fields)-after-1] {
				t.devices = append(t.devices, intelGPU+short)
			}
			t.devices = append(t.devices, anyCPU)
			continue
		case len(fields) != before+len(t.devices)+after:
			return nil, fmt.Errorf("spirv.tsv:%d: %d columns, expected %d", n+1, len(fields), before+len(t.devices)+after)
		}
		row := &featureRow{name: fields[0], extension: fields[2], cells: strings.Join(fields[before:len(fields)-after], ""),
			message: fields[len(fields)-after], cpuMessage: fields[len(fields)-after+1]}
		if len(row.cells) != len(t.devices) || strings.Trim(row.cells, "yn?") != "" {
			return nil, fmt.Errorf("spirv.tsv:%d: cells %q, expected y, n or ? for each device", n+1, row.cells)
		}
		t.rows[row.name] = row
		if fields[1] != "" {
			number, err := strconv.ParseUint(fields[1], 10, 32)
			if err != nil {
				return nil, fmt.Errorf("spirv.tsv:%d: capability %q is not a number", n+1, fields[1])
			}
			t.capabilities[uint32(number)] = row
		}
	}
	t.mergeCapabilities()
	// The aspect ext_intel_esimd decides about explicit SIMD.
	for _, name := range []string{"VectorComputeINTEL", "VectorAnyINTEL", "SPV_INTEL_vector_compute"} {
		if row := t.rows[name]; row != nil {
			row.cells = strings.Repeat("y", len(row.cells))
		}
	}
	return t, nil
}

// mergeCapabilities renames each capability that is rejected along with its extension to that
// extension. The CPU device rejects capabilities, and ignores the names of extensions.
func (t *featureTable) mergeCapabilities() {
	along := map[*featureRow][]*featureRow{} // by extension
	for _, number := range slices.Sorted(maps.Keys(t.capabilities)) {
		row := t.capabilities[number]
		if e := t.rows[row.extension]; e != nil && e.gpus() == row.gpus() {
			along[e] = append(along[e], row)
		}
	}
	for e, rows := range along {
		if !slices.ContainsFunc(rows, func(r *featureRow) bool { return r.cpu() != 'n' }) {
			e.cells, e.cpuMessage = e.gpus()+"n", rows[0].cpuMessage
		}
		for _, row := range rows {
			if row.cells == e.cells {
				row.name = e.name
			}
		}
	}
}

// differs reports whether some compiler does not accept a feature, or was not tested with it.
func (r *featureRow) differs() bool { return r != nil && strings.Trim(r.cells, "y") != "" }

// FeatureOf returns the feature name of a SPIR-V capability. ok is false for capabilities that all
// compilers accept, and for unknown ones.
func FeatureOf(capability uint32) (name string, ok bool) {
	r := features().capabilities[capability]
	if !r.differs() {
		return "", false
	}
	return r.name, true
}

// IsFeature reports whether a name is an extension or another feature that some compiler does not
// accept.
func IsFeature(name string) bool { return features().rows[name].differs() }

// A Support states whether a compiler accepts a SPIR-V feature for a device.
type Support uint8

const (
	NotInTable Support = iota // the table does not have the device or the feature
	Accepted
	Refused
	NotMeasured
)

// FeatureSupport returns whether the compiler for a device accepts a feature. If it does not,
// message names the compiler and quotes its error, such as `ocloc 26.27.039122: "..."`. A family of
// GPUs uses the compiler for its first member.
func FeatureSupport(target, feature string) (support Support, message string) {
	t := features()
	if members := FamilyMembers(target); members != nil {
		target = members[0]
	} else if IsIntelCPU(target) {
		target = anyCPU
	}
	row, i := t.rows[feature], slices.Index(t.devices, target)
	if row == nil || i < 0 {
		return NotInTable, ""
	}
	switch row.cells[i] {
	case 'y':
		return Accepted, ""
	case 'n':
		if target == anyCPU {
			return Refused, fmt.Sprintf("Intel's CPU device %s: %q", t.cpu, row.cpuMessage)
		}
		return Refused, fmt.Sprintf("ocloc %s: %q", t.ocloc, row.message)
	}
	return NotMeasured, ""
}

const anyCPU = "x86_64"

// IsIntelCPU reports whether Intel's CPU device runs code for a target.
func IsIntelCPU(target string) bool {
	return target == anyCPU || target == "spir64_x86_64" || strings.HasPrefix(target, "intel_cpu_") || strings.HasPrefix(target, "x86_64_")
}
