package link

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// An ID is the kind of a problem. The names and meanings of IDs never change.
type ID string

// The kinds of problems, in the order of reports.
const (
	StateMissing        ID = "state-missing"
	StateExecutable     ID = "state-executable"
	StateEarlier        ID = "state-earlier"
	GlobalMetadata      ID = "global-metadata"
	KernelDuplicate     ID = "kernel-duplicate"
	ExportDuplicate     ID = "export-duplicate"
	ImportUnresolved    ID = "import-unresolved"
	ImportInExecutable  ID = "import-in-executable"
	VirtualFunctions    ID = "virtual-functions-missing"
	DeviceGlobalDiffers ID = "device-global-differs"
	DeviceGlobalScope   ID = "device-global-scope"
	SpecConstantDiffers ID = "spec-constant-differs"
	SpecConstantNumber  ID = "spec-constant-number"
)

var ids = []ID{
	StateMissing, StateExecutable, StateEarlier, GlobalMetadata, KernelDuplicate, ExportDuplicate, ImportUnresolved,
	ImportInExecutable, VirtualFunctions, DeviceGlobalDiffers, DeviceGlobalScope, SpecConstantDiffers, SpecConstantNumber,
}

// IDs returns all kinds of problems, in the order of reports.
func IDs() []ID { return slices.Clone(ids) }

// fixes are the fixes for the kinds of problems. A problem of kind ImportUnresolved can have a more
// specific fix.
var fixes = map[ID]string{
	StateMissing:        "give it one: packager convert --state object",
	StateExecutable:     "build it in object state, or use --state executable to combine its modules with the others",
	StateEarlier:        "request that state or a later one; compiled code cannot be converted back",
	GlobalMetadata:      "build the files with the same tools, or remove the property from one of them",
	KernelDuplicate:     "remove one of the files, or rename the kernel: a program cannot choose between the two",
	ExportDuplicate:     "remove one of the definitions, or rename it; functions used in only one file need no SYCL_EXTERNAL",
	ImportUnresolved:    "add the file that defines it, or allow unresolved imports (--allow-unresolved, in Bazel allow_unresolved = True) and link it later",
	ImportInExecutable:  "link the code with --mode ir, or use --state object and let the program call sycl::link",
	VirtualFunctions:    "add the file whose functions are in the set, or allow unresolved imports (--allow-unresolved, in Bazel allow_unresolved = True) and link it later",
	DeviceGlobalDiffers: "build all files from the same definition of the variable",
	DeviceGlobalScope:   "define it in one module, or remove the property device_image_scope",
	SpecConstantDiffers: "build all files from the same definition of the constant",
	SpecConstantNumber:  "build the sources of both files as one program, so that the compiler renumbers the constants",
}

// A Problem is one obstacle to combining inputs into one file.
type Problem struct {
	ID   ID     `json:"id"`
	Name string `json:"name"` // its subject: a kernel, symbol, set, variable, constant or file

	// Text describes the problem, in the words of DPC++'s message if there is one. It is safe to
	// print: control characters in names are escaped.
	Text string `json:"text"`

	Targets []string `json:"targets"` // affected targets, none for problems with files
	Places  []Place  `json:"places"`  // the modules concerned
	Files   []string `json:"files"`   // the files concerned
	Details []string `json:"details"` // further information, such as similar names
	Fix     string   `json:"remedy"`
}

func (p Problem) compare(o Problem) int {
	first := func(p Problem) Place {
		if len(p.Places) > 0 {
			return p.Places[0]
		}
		return Place{File: p.Files[0]}
	}
	return cmp.Or(
		cmp.Compare(slices.Index(ids, p.ID), slices.Index(ids, o.ID)),
		strings.Compare(p.Name, o.Name), strings.Compare(p.Text, o.Text), first(p).compare(first(o)))
}

// most is the maximum number of list elements in a text.
const most = 3

// Lines returns the problem as text: the problem, further information, and the fix. Long lists are
// truncated.
func (p Problem) Lines() []string {
	lines := []string{p.Text}
	if len(p.Places) > 0 {
		where := make([]string, 0, most)
		for _, place := range p.Places[:min(most, len(p.Places))] {
			where = append(where, place.String())
		}
		lines = append(lines, "in "+joinFirst(where, len(p.Places)))
	} else if len(p.Files) > 1 {
		where := make([]string, 0, most)
		for _, name := range p.Files[:min(most, len(p.Files))] {
			where = append(where, safetext.Printable(name))
		}
		lines = append(lines, "in "+joinFirst(where, len(p.Files)))
	}
	if len(p.Targets) > 0 {
		lines = append(lines, "for "+joinFirst(p.Targets, len(p.Targets)))
	}
	lines = append(lines, p.Details...)
	return append(lines, "fix: "+p.Fix)
}

// joinFirst joins first, the first of n names, and the number of the others.
func joinFirst(first []string, n int) string {
	s := strings.Join(first[:min(most, len(first))], ", ")
	if n > most {
		s += " and " + strconv.Itoa(n-most) + " more"
	}
	return s
}

// add adds a problem, with sorted locations and no nil lists.
func (l *linker) add(p Problem) {
	p.Fix = cmp.Or(p.Fix, fixes[p.ID])
	slices.SortFunc(p.Places, Place.compare)
	for _, place := range p.Places {
		p.Files = append(p.Files, place.File)
	}
	slices.Sort(p.Files)
	p.Files = slices.Compact(p.Files)
	p.Targets = append([]string{}, p.Targets...)
	p.Details = append([]string{}, p.Details...)
	l.problems = append(l.problems, p)
}

// addModules adds a problem with modules for targets.
func (l *linker) addModules(id ID, name string, modules []*module, targets set, details []string, format string, args ...any) *Problem {
	p := Problem{ID: id, Name: name, Text: fmt.Sprintf(format, args...), Places: []Place{}, Targets: l.targetNames(targets), Details: details}
	for _, m := range modules {
		p.Places = append(p.Places, m.places...)
	}
	l.add(p)
	return &l.problems[len(l.problems)-1]
}
