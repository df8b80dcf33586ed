package deviceconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A SyntaxError is an error in a configuration file, with its location.
type SyntaxError struct {
	File   string // the name given to Read, may be ""
	Line   int    // from 1, 0 if it is not known
	Target string // "" outside entries
	Key    string // "" outside keys
	Msg    string
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	switch {
	case e.File != "" && e.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	case e.File != "":
		fmt.Fprintf(&b, "%s: ", e.File)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Target != "" {
		fmt.Fprintf(&b, "%s: ", e.Target)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	b.WriteString(e.Msg)
	return b.String()
}

// BadInput marks errors caused by an input file.
func (*SyntaxError) BadInput() {}

// Limits on the memory and time that a file can take, and on the output.
const (
	maxFile     = 512 << 10 // bytes
	maxWarnings = 100
)

// Read reads a configuration file. The name appears in errors, which are of type *SyntaxError
// unless r fails. An entry for an alias becomes an entry for the canonical name. An empty file is
// an empty configuration.
func Read(name string, r io.Reader) (*Config, error) {
	root, err := readYAML(name, r)
	if err != nil {
		return nil, err
	}
	c := new(Config)
	if root == nil {
		return c, nil
	}
	p := parser{file: name}
	entries, err := p.pairs(root, "entries by target")
	if err != nil {
		return nil, err
	}
	lines := make(map[string]int)
	for _, e := range entries {
		d, err := p.device(e)
		if err != nil {
			return nil, err
		}
		if line, ok := lines[d.Name]; ok {
			p.target, p.key = d.Name, ""
			p.warn(e.key, "duplicate target, also on line %d; this entry takes precedence", line)
		}
		if len(p.warnings) > maxWarnings {
			return nil, p.errorf(e.key, "too many duplicate targets or keys (limit %d)", maxWarnings)
		}
		lines[d.Name] = e.key.Line
		c.put(d)
	}
	c.Warnings = p.warnings
	return c, nil
}

// readYAML returns the root of the only document in r, or nil if r is empty.
func readYAML(name string, r io.Reader) (*yaml.Node, error) {
	root, err := strict.YAML(r, maxFile)
	var yamlErr *strict.YAMLError
	switch {
	case errors.As(err, &yamlErr):
		return nil, &SyntaxError{File: name, Line: yamlErr.Line, Msg: yamlErr.Msg}
	case err != nil:
		return nil, fmt.Errorf("%s: reading the device configuration: %w", name, err)
	case root == nil || strict.IsNull(root):
		return nil, nil
	}
	return root, nil
}

// A parser reads YAML nodes and tracks the location for errors.
type parser struct {
	file        string
	target, key string
	warnings    []*SyntaxError
}

func (p *parser) errorf(n *yaml.Node, format string, args ...any) *SyntaxError {
	return &SyntaxError{File: p.file, Line: n.Line, Target: p.target, Key: p.key, Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) warn(n *yaml.Node, format string, args ...any) {
	p.warnings = append(p.warnings, p.errorf(n, format, args...))
}

// Keys of an entry. Other aot-toolchain-... keys are allowed.
const (
	keyAspects          = "aspects"
	keySubGroupSizes    = "sub-group-sizes"
	keyMayHaveOthers    = "may-support-other-aspects"
	keyMaxWorkGroupSize = "max-work-group-size"
	keyMaxWorkItemSizes = "max-work-item-sizes"
	keyLocalMemorySize  = "local-memory-size"
	keyLocalMemSize     = "local-mem-size" // the OpenCL name
	keyMaxParameters    = "max-parameter-size"
	keyMaxRegisters     = "max-parameter-registers"
	keyLargeRegisters   = "max-parameter-registers-large"
	keyMatrices         = "matrix-combinations"
	keyIntrinsics       = "esimd-intrinsics"
	keyRefused          = "refused-extensions"
	keyToolchain        = "aot-toolchain"
	keyOclocDevice      = "aot-toolchain-ocloc-device"
	keyToolchainOptions = "aot-toolchain-options"
)

var entryKeys = []string{
	keyAspects, keySubGroupSizes, keyMayHaveOthers, keyMaxWorkGroupSize, keyMaxWorkItemSizes, keyLocalMemorySize, keyLocalMemSize, keyMaxParameters, keyMaxRegisters,
	keyLargeRegisters, keyMatrices, keyIntrinsics, keyRefused, keyToolchain, keyOclocDevice, keyToolchainOptions,
}

// Keys returns the keys that an entry can have.
func Keys() []string { return slices.Clone(entryKeys) }

// device reads the entry of a target.
func (p *parser) device(e pair) (*Device, error) {
	p.target, p.key = "", ""
	target := e.key.Value
	if problem := nameProblem(target, "_-."); problem != "" {
		return nil, p.errorf(e.key, "the target %q %s", target, problem)
	}
	p.target = target
	name := Canonical(target)
	d := &Device{Name: name, Source: fmt.Sprintf("%s:%d", p.file, e.key.Line), Aliases: names().aliases[name], Architecture: names().architectures[name]}
	if strict.IsNull(e.value) {
		d.infer()
		return d, nil
	}
	pairs, err := p.pairs(e.value, "keys with values")
	if err != nil {
		return nil, err
	}
	lines := make(map[string]int)
	var options []pair
	for _, kv := range pairs {
		p.key = ""
		key := strings.ReplaceAll(kv.key.Value, "_", "-")
		p.key = key
		if line, ok := lines[key]; ok {
			p.warn(kv.key, "duplicate key, also on line %d; this value takes precedence", line)
		}
		lines[key] = kv.key.Line
		switch known, err := p.property(d, key, kv.value); {
		case err != nil:
			return nil, err
		case known:
			continue
		case key != keyToolchainOptions:
			if err := p.knownOption(kv.key, key); err != nil {
				return nil, err
			}
		}
		options = append(options, pair{kv.key, kv.value})
	}
	if err := p.deviceOption(d, options); err != nil {
		return nil, err
	}
	d.infer()
	if d.OclocDevice != "" && d.AOTToolchain != "ocloc" {
		p.key = keyOclocDevice
		return nil, p.errorf(e.key, "the device is for ocloc, but %s is %q", keyToolchain, d.AOTToolchain)
	}
	for _, o := range options {
		if err := p.option(d, o); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// property sets a property of a device from a key, and reports whether the key is a property.
func (p *parser) property(d *Device, key string, value *yaml.Node) (known bool, err error) {
	switch key {
	case keyAspects:
		d.Aspects, err = p.aspects(value)
	case keySubGroupSizes:
		d.SubGroupSizes, err = p.subGroupSizes(value)
	case keyMayHaveOthers:
		d.MayHaveOtherAspects, err = p.boolean(value)
	case keyMaxWorkGroupSize, keyMaxWorkItemSizes, keyLocalMemorySize, keyLocalMemSize, keyMaxParameters, keyMaxRegisters, keyLargeRegisters, keyMatrices, keyIntrinsics, keyRefused:
		err = p.limit(&d.Limits, key, value)
	case keyToolchain:
		d.AOTToolchain, err = p.word(value)
	case keyOclocDevice:
		d.OclocDevice, err = p.word(value)
	default:
		return false, nil
	}
	return true, err
}

// infer sets the compiler properties that the name of an Intel GPU implies.
func (d *Device) infer() {
	device, ok := inferOcloc(d.Name)
	if !ok {
		return
	}
	d.AOTToolchain = cmp.Or(d.AOTToolchain, "ocloc")
	if d.AOTToolchain != "ocloc" || d.OclocDevice != "" {
		return
	}
	if known, ok := oclocNames()[d.Name]; ok {
		device = known
	}
	d.OclocDevice = device
}

// knownOption accepts keys with compiler options, and rejects misspelled ones.
func (p *parser) knownOption(n *yaml.Node, key string) error {
	near := safetext.Nearest(key, slices.Values(entryKeys), 1)
	if strings.HasPrefix(key, keyToolchain+"-") && (near == nil || safetext.Distance(key, near[0]) > 2) {
		return nil
	}
	p.key = ""
	return p.errorf(n, "unknown key %q; %s", n.Value, safetext.Suggest(key, entryKeys))
}

// deviceOption extracts the ocloc device from aot-toolchain-options if no other key sets it.
func (p *parser) deviceOption(d *Device, options []pair) error {
	for _, o := range options {
		p.key = strings.ReplaceAll(o.key.Value, "_", "-")
		words := strings.Fields(o.value.Value)
		i := slices.Index(words, "-device")
		if p.key != keyToolchainOptions || i < 0 || cmp.Or(d.AOTToolchain, "ocloc") != "ocloc" {
			continue
		}
		device := ""
		if i+1 < len(words) {
			device = words[i+1]
		}
		if problem := nameProblem(device, "_-.:,"); problem != "" {
			return p.errorf(o.value, "the name %q after -device %s", device, problem)
		}
		if d.OclocDevice != "" && d.OclocDevice != device {
			return p.errorf(o.value, "-device is %s here, but %s is %s", device, keyOclocDevice, d.OclocDevice)
		}
		d.OclocDevice = device
	}
	return nil
}

// option reads a key aot-toolchain-TOOLCHAIN-OPTION, or aot-toolchain-options.
func (p *parser) option(d *Device, o pair) error {
	p.key = strings.ReplaceAll(o.key.Value, "_", "-")
	option := strings.TrimPrefix(p.key, keyToolchain+"-")
	if p.key == keyToolchainOptions {
		if d.AOTToolchain == "" {
			return p.errorf(o.key, "the options require %s", keyToolchain)
		}
	} else if rest, ok := strings.CutPrefix(option, d.AOTToolchain+"-"); d.AOTToolchain == "" || !ok || rest == "" {
		return p.errorf(o.key, "the key is for a different compiler; %s is %q", keyToolchain, d.AOTToolchain)
	}
	if o.value.Kind != yaml.ScalarNode || strict.IsNull(o.value) {
		return p.errorf(o.value, "expected one value, got %s", kindName(o.value))
	}
	if strings.ContainsAny(o.value.Value, "\x00\n\r") {
		return p.errorf(o.value, "option %q contains a line break or NUL", o.value.Value)
	}
	if d.AOTOptions == nil {
		d.AOTOptions = make(map[string]string)
	}
	d.AOTOptions[option] = o.value.Value
	return nil
}

// A pair is a key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

// pairs returns the content of a mapping.
func (p *parser) pairs(n *yaml.Node, what string) ([]pair, error) {
	if n.Kind != yaml.MappingNode {
		return nil, p.errorf(n, "expected %s, got %s", what, kindName(n))
	}
	var all []pair
	for kv := range slices.Chunk(n.Content, 2) {
		if kv[0].Kind != yaml.ScalarNode {
			return nil, p.errorf(kv[0], "expected a name before the colon, got %s", kindName(kv[0]))
		}
		all = append(all, pair{kv[0], kv[1]})
	}
	return all, nil
}

// listOf reads a sequence of scalars; null is an empty list.
func listOf[T any](p *parser, n *yaml.Node, read func(*yaml.Node) (T, error)) (all []T, err error) {
	if strict.IsNull(n) {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, p.errorf(n, "expected a list such as [a, b], got %s", kindName(n))
	}
	for _, e := range n.Content {
		if e.Kind != yaml.ScalarNode || strict.IsNull(e) {
			return nil, p.errorf(e, "expected one value in the list, got %s", kindName(e))
		}
		value, err := read(e)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, nil
}

// setOf reads a list whose order does not matter.
func setOf[T cmp.Ordered](p *parser, n *yaml.Node, read func(*yaml.Node) (T, error)) ([]T, error) {
	all, err := listOf(p, n, read)
	slices.Sort(all)
	return slices.Compact(all), err
}

func (p *parser) aspects(n *yaml.Node) ([]aspect.Aspect, error) {
	return setOf(p, n, func(e *yaml.Node) (aspect.Aspect, error) {
		a, err := aspect.Parse(e.Value)
		if err != nil {
			err = p.errorf(e, "%v", err)
		}
		return a, err
	})
}

func (p *parser) subGroupSizes(n *yaml.Node) ([]uint32, error) {
	return setOf(p, n, func(e *yaml.Node) (uint32, error) {
		size, err := p.positive(e, 32)
		return uint32(size), err
	})
}

// limit reads the value of a key that DPC++'s configuration files do not have.
func (p *parser) limit(l *Limits, key string, n *yaml.Node) (err error) {
	switch key {
	case keyMaxWorkGroupSize:
		l.MaxWorkGroupSize, err = p.positive(n, 64)
	case keyMaxWorkItemSizes:
		l.MaxWorkItemSizes, err = listOf(p, n, func(e *yaml.Node) (uint64, error) { return p.positive(e, 64) })
		if err == nil && len(l.MaxWorkItemSizes) != 3 {
			err = p.errorf(n, "expected 3 sizes, got %d", len(l.MaxWorkItemSizes))
		}
	case keyLocalMemorySize, keyLocalMemSize:
		l.LocalMemorySize, err = p.positive(n, 64)
	case keyMaxParameters:
		l.MaxParameterSize, err = p.positive(n, 64)
	case keyMaxRegisters:
		l.MaxParameterRegisters, err = p.positive(n, 64)
	case keyLargeRegisters:
		l.MaxParameterRegistersLarge, err = p.positive(n, 64)
	case keyMatrices:
		l.Matrices, err = p.matrices(n)
	case keyIntrinsics:
		var known []string
		for _, f := range aspect.IntrinsicFamilies {
			known = append(known, f.Name)
		}
		l.Intrinsics, err = p.oneOf(n, "family", known)
	case keyRefused:
		var known []string
		for _, e := range aspect.Extensions {
			known = append(known, e.Name)
		}
		known = append(known, "SPV_INTEL_bindless_images")
		l.RefusedExtensions, err = p.oneOf(n, "extension", known)
	}
	return err
}

// oneOf reads a list of known names. The result is not nil, even if it is empty.
func (p *parser) oneOf(n *yaml.Node, what string, known []string) ([]string, error) {
	all, err := setOf(p, n, func(e *yaml.Node) (string, error) {
		if !slices.Contains(known, e.Value) {
			return "", p.errorf(e, "unknown %s %s; %s", what, kindName(e), safetext.Suggest(e.Value, known))
		}
		return e.Value, nil
	})
	return append([]string{}, all...), err
}

// positive reads a decimal number above 0.
func (p *parser) positive(n *yaml.Node, bits int) (uint64, error) {
	if n.Kind != yaml.ScalarNode {
		return 0, p.errorf(n, "expected a number, got %s", kindName(n))
	}
	v, err := strconv.ParseUint(n.Value, 10, bits)
	if err != nil || v == 0 {
		return 0, p.errorf(n, "%q is not a positive number of at most %d bits", n.Value, bits)
	}
	return v, nil
}

func (p *parser) boolean(n *yaml.Node) (bool, error) {
	if n.Kind == yaml.ScalarNode {
		switch n.Value {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, p.errorf(n, "expected true or false, got %s", kindName(n))
}

// word reads a name that becomes part of a command line. It may be a list or a range in ocloc's
// syntax.
func (p *parser) word(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || strict.IsNull(n) {
		return "", p.errorf(n, "expected a name, got %s", kindName(n))
	}
	if problem := nameProblem(n.Value, "_-.:,"); problem != "" {
		return "", p.errorf(n, "the name %q %s", n.Value, problem)
	}
	return n.Value, nil
}

// nameProblem describes the error in a name that may contain letters, digits and the characters in
// others, or returns "" if the name is valid. A valid name can be part of a file name.
func nameProblem(name, others string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > 200:
		return "is longer than 200 characters"
	case name[0] == '-' || name[0] == '.':
		return fmt.Sprintf("begins with %q", name[0])
	}
	i := strings.IndexFunc(name, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune(others, c))
	})
	if i >= 0 {
		return fmt.Sprintf("has a character %q that names cannot have", []rune(name[i:])[0])
	}
	return ""
}

func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "a reference *" + n.Value + ", which device configurations cannot have"
	case strict.IsNull(n):
		return "nothing"
	case n.Kind == yaml.ScalarNode && len(n.Value) <= 60:
		return strconv.Quote(n.Value)
	}
	return "a long text"
}
