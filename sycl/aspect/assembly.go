package aspect

import (
	"regexp"
	"slices"
	"strings"
)

// AssemblyNames returns the names that a compiler must support to accept text, inline vISA assembly
// for Intel GPUs. They are instructions, types that only some GPUs have, and compiler-defined
// variables: those that text does not declare and that the program does not pass. The name of a
// matrix instruction includes its number of channels: dpas.16. The list is sorted and has no
// duplicates.
func AssemblyNames(text string) []string {
	var names []string
	text = assemblyComment.ReplaceAllString(text, "")
	declared := map[string]bool{}
	for _, d := range assemblyDeclaration.FindAllStringSubmatch(text, -1) {
		declared[d[1]] = true
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, t := range assemblyType.FindAllStringSubmatch(line, -1) {
			names = append(names, strings.ToLower(t[1]))
		}
		line = assemblyPrefix.ReplaceAllString(strings.Trim(line, " \t\r{}"), "")
		if line == "" || strings.HasPrefix(line, ".") {
			continue
		}
		name := strings.ToLower(assemblyName.FindString(line))
		switch operands := line[len(name):]; {
		case name == "":
			name = unreadableAssembly
		case strings.HasPrefix(operands, ":"): // a label
			continue
		case name == "dpas":
			if size := assemblyChannels.FindStringSubmatch(operands); size != nil {
				name += "." + size[1]
			}
			fallthrough
		default:
			for _, v := range assemblyVariable.FindAllString(operands, -1) {
				if !declared[v] {
					names = append(names, v)
				}
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unreadableAssembly is the name that represents a line that is not an instruction.
const unreadableAssembly = "syntax"

var (
	assemblyComment     = regexp.MustCompile(`//[^\n]*`)
	assemblyDeclaration = regexp.MustCompile(`\.decl\s+(\w{1,64})`)
	assemblyType        = regexp.MustCompile(`(?i)(?::|type=)(df|u?q)\b`)
	assemblyPrefix      = regexp.MustCompile(`^\([^)]*\)\s*`) // a predicate
	assemblyName        = regexp.MustCompile(`^[A-Za-z_]\w{0,63}`)
	assemblyChannels    = regexp.MustCompile(`\(\s*\w+\s*,\s*(\d{1,2})\s*\)`)
	assemblyVariable    = regexp.MustCompile(`\b[VAPST]\d{1,9}\b`)
)

// An AssemblyNeed is a GPU requirement of a name from [AssemblyNames].
type AssemblyNeed struct {
	Family   string // of intrinsics for the same hardware, "" if all Intel GPUs have it
	Aspect   Aspect // if Aspects
	SubGroup uint32 // the smallest sub-group size, 0 for any
	What     string // describes the need, in the plural
	Where    string // GPUs that have it
}

// HasAspect reports whether the need is an aspect.
func (n AssemblyNeed) HasAspect() bool { return n.Aspect != 0 }

// assemblyNeeds lists the needs by name. A name that ends in * is a prefix. The facts come from
// IGC's documentation of vISA, 6_instructions.md and DPAS.md. A test in sycl/compat compares them
// with what ocloc accepts.
var assemblyNeeds = []struct {
	name string
	need AssemblyNeed
}{
	{"lsc_*", AssemblyNeed{Family: "lsc", What: "memory accesses by the load-store cache", Where: "Intel GPUs from Xe-HPG on"}},
	{"add3", AssemblyNeed{Family: "lsc", What: "additions of three operands", Where: "Intel GPUs from Xe-HPG on"}},
	{"bfn", AssemblyNeed{Family: "lsc", What: "logical operations on three operands", Where: "Intel GPUs from Xe-HPG on"}},
	{"nbarrier", AssemblyNeed{Family: "named-barriers", What: "named barriers", Where: "Xe-HPC and Intel GPUs from Xe2 on"}},
	{"dpas.8", AssemblyNeed{Family: "dpas", SubGroup: 8, What: "matrix products of 8 channels", Where: "Xe-HPG with matrix engines"}},
	{"dpas.16", AssemblyNeed{Family: "dpas", SubGroup: 16, What: "matrix products of 16 channels", Where: "Xe-HPC and Intel GPUs from Xe2 on"}},
	{"df", AssemblyNeed{Aspect: FP64, What: "numbers of double precision", Where: "devices with fp64"}},
}

// commonAssembly lists the instructions that all Intel GPUs support.
var commonAssembly = strings.Fields(`
	add addc addr_add and asr avg barrier bfe bfi bfrev cbit cmp cos div exp fbh fbl fence frc inv lifetime log lzd mad madw
	max min mov movs mul mulh not or pow rndd rnde rndu rndz rsqt sbarrier sel setp shl shr sin sqt subb xor`)

// AssemblyRequirement returns the GPU requirement of a name from [AssemblyNames]. It is zero if
// every Intel GPU supports the name. For unknown names, ok is false.
func AssemblyRequirement(name string) (need AssemblyNeed, ok bool) {
	for _, n := range assemblyNeeds {
		if prefix, isPrefix := strings.CutSuffix(n.name, "*"); name == n.name || isPrefix && strings.HasPrefix(name, prefix) {
			return n.need, true
		}
	}
	return AssemblyNeed{}, slices.Contains(commonAssembly, name)
}
