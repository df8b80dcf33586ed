package deviceconfig

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"gopkg.in/yaml.v3"
)

//go:embed gpus.yaml
var gpusYAML []byte

// gpus is read once, on first use.
var gpus = sync.OnceValue(func() *gpuNames { return must(readGPUs()) })

// A gpuNames holds the names of Intel GPUs. Targets are canonical.
type gpuNames struct {
	versions     map[string]string   // target by version, as in 12.60.7
	acronyms     map[string]string   // target by acronym, as in acm-g10
	families     map[string]gpuGroup // by acronym
	releases     map[string][]string // targets by acronym
	names        map[string]string   // marketing names of the GPUs of a target
	productNames map[string][]string // product names by target
	ids          map[string]string   // target by PCI device ID
	products     []gpuProduct
}

// A gpuGroup holds the GPUs that an acronym stands for.
type gpuGroup struct {
	Members    []string
	Compatible []string // other GPUs that run the same code
}

// A gpuProduct is a product name.
type gpuProduct struct {
	words  []string // in lower case
	target string
}

const intelGPU = "intel_gpu_"

func readGPUs() (*gpuNames, error) {
	var file struct {
		Ocloc, Source string
		Targets       map[string]struct {
			Name, Version       string
			Acronyms, Steppings []string
			Products            map[string][]string
		}
		Families map[string]gpuGroup
		Releases map[string][]string
	}
	in := yaml.NewDecoder(bytes.NewReader(gpusYAML))
	in.KnownFields(true)
	if err := in.Decode(&file); err != nil {
		return nil, fmt.Errorf("gpus.yaml: %w", err)
	}
	g := &gpuNames{versions: map[string]string{}, acronyms: map[string]string{}, families: map[string]gpuGroup{},
		releases: map[string][]string{}, names: map[string]string{}, productNames: map[string][]string{}, ids: map[string]string{}}
	for _, short := range slices.Sorted(maps.Keys(file.Targets)) {
		t, target := file.Targets[short], intelGPU+short
		g.versions[t.Version], g.names[target] = target, t.Name
		for _, a := range t.Acronyms {
			g.acronyms[a] = target
		}
		known := map[string]bool{}
		addProduct := func(name string) {
			for part := range strings.SplitSeq(name, "/") {
				if words := nameWords(part); len(words) > 0 && !known[part] {
					known[part] = true
					g.products = append(g.products, gpuProduct{words, target})
				}
			}
		}
		addProduct(t.Name)
		for _, name := range slices.Sorted(maps.Keys(t.Products)) {
			addProduct(name)
			if name != "" {
				g.productNames[target] = append(g.productNames[target], name)
			}
			for _, id := range t.Products[name] {
				g.ids[id] = target
			}
		}
	}
	full := func(list []string) (targets []string) {
		for _, short := range list {
			targets = append(targets, intelGPU+short)
		}
		return targets
	}
	for name, group := range file.Families {
		g.families[name] = gpuGroup{full(group.Members), full(group.Compatible)}
	}
	for name, list := range file.Releases {
		g.releases[name] = full(list)
	}
	return g, nil
}

// nameWords returns the words of a product name that distinguish products.
func nameWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return w == "intel" || w == "gpu" || w == "graphics" || w == "tm" || w == "r" })
}

// GPUName returns the marketing name of a target's GPU, as in "Arc A770", or "" if it has none.
func GPUName(target string) string { return gpus().names[Canonical(target)] }

// DisplayName returns a target with its marketing name, as in "Arc A770 (acm_g10)". Targets
// without such a name are returned unchanged.
func DisplayName(target string) string {
	if name := GPUName(target); name != "" {
		return fmt.Sprintf("%s (%s)", name, strings.TrimPrefix(Canonical(target), intelGPU))
	}
	return target
}

// ProductNames returns the product names of a target's GPUs, in alphabetical order.
func ProductNames(target string) []string {
	return slices.Clone(gpus().productNames[Canonical(target)])
}

// A NameKind is a kind of name that [TargetsNamed] resolves.
type NameKind uint8

const (
	UnknownName NameKind = iota
	TargetName           // one target: an acronym, a version or a PCI device ID
	GroupName            // a family or release, which stands for its members
	ProductName          // a product; several targets if it is ambiguous
)

// TargetsNamed returns the targets of Intel GPUs that a name stands for: an acronym of ocloc, with or
// without intel_gpu_, with hyphens or underscores (acm-g10), a version (12.60.7), a family (bmg) or
// release (xe-hpg), a PCI device ID (0x56a0), or words of a product name (B580, arc-a770, Max 1550).
// The targets are in ascending order.
func TargetsNamed(name string) ([]string, NameKind) {
	g := gpus()
	short := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), intelGPU), "_", "-")
	if group, ok := g.families[short]; ok {
		return slices.Clone(group.Members), GroupName
	}
	if list, ok := g.releases[short]; ok {
		return slices.Sorted(slices.Values(list)), GroupName
	}
	if target := g.findByCode(short); target != "" {
		return []string{target}, TargetName
	}
	if target, ok := g.ids[short]; ok {
		return []string{target}, TargetName
	}
	if list := g.findByProduct(nameWords(name)); list != nil {
		return list, ProductName
	}
	return nil, UnknownName
}

// findByProduct returns the targets of the products whose names contain these words, consecutively
// and in this order. An exact match takes precedence.
func (g *gpuNames) findByProduct(words []string) []string {
	var exact, all []string
	for _, p := range g.products {
		switch i := indexWords(p.words, words); {
		case len(words) == 0 || i < 0:
		case len(words) == len(p.words):
			exact = append(exact, p.target)
		default:
			all = append(all, p.target)
		}
	}
	if exact != nil {
		all = exact
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// indexWords returns the index of words in a list, or -1.
func indexWords(list, words []string) int {
	for i := 0; i+len(words) <= len(list); i++ {
		if slices.Equal(list[i:i+len(words)], words) {
			return i
		}
	}
	return -1
}

// findByCode returns the target of a version or acronym, in which hyphens may be missing, or "" if
// there is none.
func (g *gpuNames) findByCode(name string) string {
	if target, ok := g.versions[name]; ok {
		return target
	}
	if target, ok := g.acronyms[name]; ok {
		return target
	}
	// DPC++ and ocloc have different versions for bmg_g21, wcl and the nvl GPUs.
	if strings.Count(name, ".") == 2 {
		if alias := intelGPU + strings.ReplaceAll(name, ".", "_"); Canonical(alias) != alias {
			return Canonical(alias)
		}
	}
	if target := Canonical(intelGPU + strings.ReplaceAll(name, "-", "_")); names().architectures[target] != 0 {
		return target
	}
	for acronym, target := range g.acronyms {
		if strings.ReplaceAll(acronym, "-", "") == name {
			return target
		}
	}
	return ""
}

// CodeTarget returns the target of native code that ocloc labels with a version, family or acronym,
// as in the member 64.NAME of an archive. If the label is unknown, known is false and target is the
// label in the form of a target name.
func CodeTarget(label string) (target string, known bool) {
	g := gpus()
	if _, ok := g.families[label]; ok {
		return intelGPU + label, true
	}
	if target := g.findByCode(label); target != "" {
		return target, true
	}
	return intelGPU + strings.NewReplacer(".", "_", "-", "_").Replace(label), false
}

// ConfigVersion returns the version for a product config, the number in ELF files of Intel GPUs.
func ConfigVersion(config uint32) string {
	const revisionBits, minorBits = 14, 8
	return strings.Join([]string{strconv.Itoa(int(config >> (revisionBits + minorBits))), strconv.Itoa(int(config >> revisionBits & (1<<minorBits - 1))),
		strconv.Itoa(int(config & (1<<revisionBits - 1)))}, ".")
}

// FamilyMembers returns the targets that run the code of a family such as intel_gpu_dg2, or nil
// for other targets.
func FamilyMembers(target string) []string {
	group, ok := gpus().families[strings.TrimPrefix(target, intelGPU)]
	if !ok {
		return nil
	}
	return slices.Concat(group.Members, group.Compatible)
}

// FamilyOfCode returns the family that shares a target's code, or "" if there is none: ocloc
// compiles for the first member, and the driver runs the result on the others.
func FamilyOfCode(target string) string {
	for name, group := range gpus().families {
		if group.Members[0] == target {
			return intelGPU + name
		}
	}
	return ""
}
