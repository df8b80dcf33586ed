package deviceconfig

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

var (
	//go:embed devices.yaml
	devicesYAML []byte
	//go:embed names.yaml
	namesYAML []byte
	//go:embed limits.yaml
	limitsYAML []byte
	//go:embed devices_overlay.yaml
	overlayYAML []byte
)

// The embedded files are read once, on first use. Tests also read them, so an error in one fails a
// test and no program panics.
var (
	defaults   = sync.OnceValue(func() *Config { return must(readDefaults()) })
	names      = sync.OnceValue(func() *nameTable { return must(readNames()) })
	overlay    = sync.OnceValue(func() []repair { return must(readOverlay()) })
	oclocNames = sync.OnceValue(func() map[string]string {
		known := make(map[string]string)
		for _, r := range overlay() {
			if r.oclocDevice != "" {
				known[r.targets[0]] = r.oclocDevice
			}
		}
		return known
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// devicesSource names the source of devices.yaml.
const devicesSource = "intel/llvm, DeviceConfigFile.td of July 2026"

// IsBuiltIn reports whether the device is an entry of the built-in configuration. Such an entry lists
// only the aspects that compilers need to know.
func (d *Device) IsBuiltIn() bool { return strings.HasPrefix(d.Source, devicesSource) }

func readDefaults() (*Config, error) {
	c, err := Read("devices.yaml", bytes.NewReader(devicesYAML))
	if err != nil {
		return nil, err
	}
	for _, d := range c.devices {
		d.Source = devicesSource
		if d.Name == "ptx64" {
			d.Source = "intel/llvm, OptionalDeviceFeatures.md: any 64-bit PTX"
		}
		for _, r := range overlay() {
			r.apply(d)
		}
	}
	return c, nil
}

// A nameTable is the content of names.yaml.
type nameTable struct {
	canonical     map[string]string // by alias
	aliases       map[string][]string
	architectures map[string]uint64
}

func readNames() (*nameTable, error) {
	var entries map[string]struct {
		Aliases      []string
		Architecture uint64
	}
	in := yaml.NewDecoder(bytes.NewReader(namesYAML))
	in.KnownFields(true)
	if err := in.Decode(&entries); err != nil {
		return nil, fmt.Errorf("names.yaml: %w", err)
	}
	t := &nameTable{make(map[string]string), make(map[string][]string), make(map[string]uint64)}
	for target, e := range entries {
		t.aliases[target] = e.Aliases
		if e.Architecture != 0 {
			t.architectures[target] = e.Architecture
		}
		for _, alias := range e.Aliases {
			if other, ok := t.canonical[alias]; ok {
				return nil, fmt.Errorf("names.yaml: %s is an alias of %s and of %s", alias, other, target)
			}
			t.canonical[alias] = target
		}
	}
	return t, nil
}

// A repair is an entry of limits.yaml or devices_overlay.yaml.
type repair struct {
	targets, except []string // patterns
	aspects         []aspect.Aspect
	subGroupSizes   []uint32
	limits          Limits
	oclocDevice     string
	source          string
}

func (r *repair) matches(target string) bool {
	match := func(pattern string) bool {
		if !strings.ContainsAny(pattern, "*?[\\") {
			return pattern == target // most patterns; path.Match is slow
		}
		ok, _ := path.Match(pattern, target) // readOverlay has checked the pattern
		return ok
	}
	return slices.ContainsFunc(r.targets, match) && !slices.ContainsFunc(r.except, match)
}

// apply changes d if the repair applies to it.
func (r *repair) apply(d *Device) {
	if !r.matches(d.Name) {
		return
	}
	var what []string
	if r.aspects != nil {
		d.Aspects = append(slices.Clip(d.Aspects), r.aspects...)
		slices.Sort(d.Aspects)
		d.Aspects = slices.Compact(d.Aspects)
		for _, a := range r.aspects {
			what = append(what, a.String())
		}
	}
	if r.subGroupSizes != nil {
		d.SubGroupSizes = r.subGroupSizes
		what = append(what, fmt.Sprintf("sub-groups of %d", r.subGroupSizes[0]))
	}
	d.Limits = r.limits.orElse(d.Limits)
	if r.limits.MaxWorkGroupSize != 0 {
		what = append(what, fmt.Sprintf("work-groups up to %d", r.limits.MaxWorkGroupSize))
	}
	if s := r.limits.MaxWorkItemSizes; s != nil {
		what = append(what, fmt.Sprintf("and %d x %d x %d", s[0], s[1], s[2]))
	}
	if r.limits.LocalMemorySize != 0 {
		what = append(what, fmt.Sprintf("local memory of %d bytes", r.limits.LocalMemorySize))
	}
	if r.limits.MaxParameterSize != 0 {
		what = append(what, fmt.Sprintf("parameters of %d bytes", r.limits.MaxParameterSize))
	}
	if r.limits.MaxParameterRegisters != 0 {
		what = append(what, fmt.Sprintf("parameters in %d bytes of registers", r.limits.MaxParameterRegisters))
	}
	if r.limits.MaxParameterRegistersLarge != 0 {
		what = append(what, fmt.Sprintf("%d bytes with large registers", r.limits.MaxParameterRegistersLarge))
	}
	if r.limits.Matrices != nil {
		what = append(what, fmt.Sprintf("%d combinations of matrices", len(r.limits.Matrices)))
	}
	if r.limits.Intrinsics != nil {
		what = append(what, fmt.Sprintf("%d families of intrinsics", len(r.limits.Intrinsics)))
	}
	if r.limits.RefusedExtensions != nil {
		what = append(what, fmt.Sprintf("%d refused extensions", len(r.limits.RefusedExtensions)))
	}
	if r.oclocDevice != "" {
		d.OclocDevice = r.oclocDevice
		what = append(what, "name for ocloc")
	}
	d.Source += "; " + strings.Join(what, ", ") + ": " + r.source
}

// readOverlay reads both files. The entries of the second can correct the first.
func readOverlay() ([]repair, error) {
	limits, err := readRepairs("limits.yaml", limitsYAML)
	if err != nil {
		return nil, err
	}
	repairs, err := readRepairs("devices_overlay.yaml", overlayYAML)
	return append(limits, repairs...), err
}

func readRepairs(name string, data []byte) ([]repair, error) {
	p := parser{file: name}
	root, err := readYAML(p.file, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if root.Kind != yaml.SequenceNode {
		return nil, p.errorf(root, "expected a list, not %s", kindName(root))
	}
	var all []repair
	for _, n := range root.Content {
		r, err := p.repair(n)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func (p *parser) repair(n *yaml.Node) (r repair, err error) {
	p.key = ""
	pairs, err := p.pairs(n, "keys with values")
	if err != nil {
		return r, err
	}
	for _, kv := range pairs {
		p.key = kv.key.Value
		switch p.key {
		case "targets":
			r.targets, err = p.patterns(kv.value)
		case "except":
			r.except, err = p.patterns(kv.value)
		case "add-aspects":
			r.aspects, err = p.aspects(kv.value)
		case keySubGroupSizes:
			r.subGroupSizes, err = p.subGroupSizes(kv.value)
		case keyMaxWorkGroupSize, keyMaxWorkItemSizes, keyLocalMemorySize, keyLocalMemSize, keyMaxParameters, keyMaxRegisters, keyLargeRegisters, keyMatrices, keyIntrinsics, keyRefused:
			err = p.limit(&r.limits, p.key, kv.value)
		case "ocloc-device":
			r.oclocDevice, err = p.word(kv.value)
		case "source":
			r.source = kv.value.Value
		default:
			err = p.errorf(kv.key, "unknown key")
		}
		if err != nil {
			return r, err
		}
	}
	p.key = ""
	switch {
	case len(r.targets) == 0 || r.source == "":
		return r, p.errorf(n, "the entry has no targets or no source")
	case r.oclocDevice != "" && (len(r.targets) > 1 || strings.Contains(r.targets[0], "*")):
		return r, p.errorf(n, "only one target can have the ocloc-device %s", r.oclocDevice)
	}
	return r, nil
}

func (p *parser) patterns(n *yaml.Node) ([]string, error) {
	return listOf(p, n, func(e *yaml.Node) (string, error) {
		if _, err := path.Match(e.Value, ""); err != nil {
			return "", p.errorf(e, "invalid pattern %q", e.Value)
		}
		return e.Value, nil
	})
}
