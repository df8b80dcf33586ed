package deviceconfig

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed spirv.tsv
var spirvTSV string

// features is read once, on first use.
var features = sync.OnceValue(func() *featureTable { return must(readFeatures(spirvTSV)) })

// A featureTable records which SPIR-V capabilities and extensions the compilers of Intel GPUs
// accept.
type featureTable struct {
	ocloc        string
	devices      []string // targets, by column
	rows         map[string]*featureRow
	capabilities map[uint32]*featureRow
}

type featureRow struct {
	name, extension string
	cells           string // of the devices: y, n or ?
	message         string // of the first compiler that rejects it
}

// Images is the name of the capability of modules with images.
const Images = "ImageBasic"

// readFeatures reads the output of .ci/spirv-features.
func readFeatures(text string) (*featureTable, error) {
	const before = 3 // columns before the device columns
	t := &featureTable{rows: map[string]*featureRow{}, capabilities: map[uint32]*featureRow{}}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fields := strings.Split(line, "\t")
		switch {
		case n == 0:
			_, rest, _ := strings.Cut(line, "with ocloc ")
			t.ocloc, _, _ = strings.Cut(rest, ":")
			continue
		case n == 1:
			if len(fields) <= before+1 {
				return nil, fmt.Errorf("spirv.tsv:2: %d columns", len(fields))
			}
			for _, short := range fields[before : len(fields)-1] {
				t.devices = append(t.devices, intelGPU+short)
			}
			continue
		case len(fields) != before+len(t.devices)+1:
			return nil, fmt.Errorf("spirv.tsv:%d: %d columns, expected %d", n+1, len(fields), before+len(t.devices)+1)
		}
		row := &featureRow{name: fields[0], extension: fields[2], cells: strings.Join(fields[before:len(fields)-1], ""), message: fields[len(fields)-1]}
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
	// A capability that is rejected along with its extension has the extension's name.
	for _, row := range t.capabilities {
		if e := t.rows[row.extension]; e != nil && e.cells == row.cells {
			row.name = e.name
		}
	}
	return t, nil
}

// differs reports whether some compiler does not accept a feature, or was not tested with it.
func (r *featureRow) differs() bool { return r != nil && strings.Trim(r.cells, "y") != "" }

// FeatureOf returns the feature name of a SPIR-V capability. ok is false for capabilities that all
// compilers for Intel GPUs accept, and for unknown ones.
func FeatureOf(capability uint32) (name string, ok bool) {
	r := features().capabilities[capability]
	if !r.differs() {
		return "", false
	}
	return r.name, true
}

// IsFeature reports whether a name is an extension or another feature that some compiler for Intel
// GPUs does not accept.
func IsFeature(name string) bool { return features().rows[name].differs() }

// A Support is a compiler's answer to whether it accepts a SPIR-V feature for a device.
type Support uint8

const (
	NotInTable Support = iota // the table does not have the device or the feature
	Accepted
	Refused
	NotMeasured
)

// FeatureSupport returns whether the compiler for a device accepts a feature, and its message if
// not. A family of GPUs has the compiler of its first member.
func FeatureSupport(target, feature string) (Support, string) {
	t := features()
	if members := FamilyMembers(target); members != nil {
		target = members[0]
	}
	row, i := t.rows[feature], slices.Index(t.devices, target)
	if row == nil || i < 0 {
		return NotInTable, ""
	}
	switch row.cells[i] {
	case 'y':
		return Accepted, ""
	case 'n':
		return Refused, row.message
	}
	return NotMeasured, row.message
}

// FeatureRelease returns the release of ocloc that the features were measured with.
func FeatureRelease() string { return features().ocloc }
