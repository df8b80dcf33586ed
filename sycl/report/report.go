// Package report is the model of a compatibility report: which kernels of a program run
// on which devices, the reasons where they do not, and the kind of code that there is for
// each device. The package builds reports from device images, and reads and writes them
// as JSON. Package render shows them to people.
//
// The schema docs/schema/compat-report.schema.json describes the JSON of a report. The
// JSON depends on the inputs alone: members are in alphabetical order, lists are sorted,
// and there are no times, hosts or paths of files that were read. Reports come from
// builds that may not be trusted, so [Decode] is strict: it refuses what two readers
// could understand differently.
package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Schema and SchemaVersion say what the JSON of a report means. Readers accept
// any minor version of the major version that they know. Reports have the lowest version
// that has all of their members: version 1.1 added the files of images, their options
// for the runtime's compiler and the forms of kernels, version 1.2 specialization constants.
const (
	Schema        = "https://rules-sycl.github.io/schema/compat-report/v1"
	SchemaVersion = "1.2"

	firstVersion, formsVersion = "1.0", "1.1"
)

// Fields of the following types are in the alphabetical order of their JSON names, and
// so are the members of the output.

// A Report says which kernels run on which devices.
type Report struct {
	Cells         Cells                      `json:"cells"` // by kernel and device; one for each pair
	Devices       []Device                   `json:"devices"`
	Extensions    map[string]json.RawMessage `json:"extensions,omitempty"`
	Generator     Generator                  `json:"generator"`
	Images        Images                     `json:"images"`
	Kernels       Kernels                    `json:"kernels"`
	Schema        string                     `json:"schema"`
	SchemaVersion string                     `json:"schema-version"`
	Statistics    Statistics                 `json:"statistics"`
	Target        Target                     `json:"target"`
}

// A Cell is the verdict on one kernel and one device.
type Cell struct {
	Device  string         `json:"device"`          // id
	Code    Code           `json:"holds"`           // that there is for the device
	Image   string         `json:"image,omitempty"` // id of the image that the device would get
	Kernel  string         `json:"kernel"`          // id
	Reasons []Reason       `json:"reasons,omitempty"`
	Scope   Scope          `json:"scope"`
	Verdict compat.Verdict `json:"status"`
}

// A Code is the kind of code that there is for a device.
type Code string

const (
	Native Code = "native" // code compiled for the device
	IR     Code = "ir"     // code that is compiled when the program runs
	NoCode Code = "none"

	// NativeOrIR is both, in different modules. The runtime of 2026 builds both and takes
	// either one, which can differ from run to run.
	NativeOrIR Code = "native-or-ir"
)

// A Scope says whose needs a verdict is about: those of the kernel alone, or those of
// its device image. Device images record needs for all their kernels together, and the
// runtime applies them to each of the kernels.
type Scope string

const (
	ScopeKernel Scope = "kernel"
	ScopeImage  Scope = "image"
)

// A Reason is one thing that keeps a kernel from running on a device.
type Reason struct {
	Available string         `json:"available,omitempty"` // what the device has instead
	Property  string         `json:"property,omitempty"`  // key in "SYCL/device requirements"
	Required  string         `json:"required"`            // what the kernel needs
	Rule      string         `json:"rule"`                // a compat.Rule
	Verdict   compat.Verdict `json:"status"`              // what this reason alone amounts to
	Text      string         `json:"text"`
}

// A Device is a device as the verdicts take it to be.
type Device struct {
	Architecture     string         `json:"architecture,omitempty"` // its name for an ahead-of-time compiler
	Aspects          []aspect.Named `json:"aspects"`
	Backend          string         `json:"backend"` // spirv, ptx or amdgcn
	ID               string         `json:"id"`
	LocalMemorySize  uint64         `json:"local-memory-size,omitempty"`   // absent: not known
	Matrices         []string       `json:"matrix-combinations,omitzero"`  // empty: none; absent: not known
	MaxWorkGroupSize uint64         `json:"max-work-group-size,omitempty"` // absent: not known
	MaxWorkItemSizes []uint64       `json:"max-work-item-sizes,omitempty"` // of each dimension, as in a SYCL range
	Name             string         `json:"name"`
	OpenWorld        bool           `json:"open-world"` // may have aspects that are not listed
	SubGroupSizes    []uint32       `json:"sub-group-sizes"`
}

// IsGeneric reports whether a device is a target that stands for devices that are known
// only when the program runs. See [deviceconfig.Device.IsGeneric].
func (d *Device) IsGeneric() bool {
	return d.OpenWorld && len(d.Aspects) == 0 && len(d.SubGroupSizes) == 0
}

// A Generator is the program that made a report.
type Generator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// An Image is a device image.
type Image struct {
	Architecture   string       `json:"architecture,omitempty"`    // of native code
	CompileOptions string       `json:"compile-options,omitempty"` // for the runtime's compiler
	CompileTarget  string       `json:"compile-target,omitempty"`
	Digest         string       `json:"digest"` // SHA-256 of its bytes, in hexadecimal
	ESIMD          bool         `json:"esimd"`
	Files          []string     `json:"files,omitempty"` // that hold it, see Module.Files
	FixedTargets   []string     `json:"fixed-targets,omitempty"`
	Format         string       `json:"format"` // spirv, ptx, amdgcn, llvm-ir or native
	ID             string       `json:"id"`
	LinkOptions    string       `json:"link-options,omitempty"`
	Requirements   Requirements `json:"requirements"`
	Size           int64        `json:"size"`
	Constants      []Constant   `json:"specialization-constants,omitempty"` // by name
	Triple         string       `json:"triple,omitempty"`
	Unknown        []string     `json:"unknown-properties,omitempty"` // keys
}

// Requirements are what an image needs of a device.
type Requirements struct {
	Aspects       []aspect.Named `json:"aspects"`
	JointMatrix   []string       `json:"joint-matrix,omitempty"`
	JointMad      []string       `json:"joint-matrix-mad,omitempty"`
	SubGroupSizes []uint32       `json:"reqd-sub-group-sizes,omitempty"`
	WorkGroupSize []uint64       `json:"reqd-work-group-size,omitempty"` // in the order of SYCL
	WorkGroupDims uint32         `json:"work-group-num-dim,omitempty"`
}

// A Constant is a specialization constant of an image.
type Constant struct {
	DisplayName string         `json:"display-name"` // demangled
	Name        string         `json:"name"`         // symbolic id
	Parts       []ConstantPart `json:"parts"`        // by offset
}

// A ConstantPart is a scalar of a specialization constant.
type ConstantPart struct {
	Default string `json:"default"` // a number, or "bytes:" and hexadecimal digits when the type is not known
	Number  uint32 `json:"number"`  // SpecId in SPIR-V
	Offset  uint32 `json:"offset"`
	Size    uint32 `json:"size"`
	Type    string `json:"type,omitempty"` // as spirv.Scalar has it; absent when no SPIR-V has the scalar
}

// A Kernel is a kernel. Kernels of the same name in several images are one kernel.
type Kernel struct {
	DisplayName string          `json:"display-name"`    // demangled
	Forms       []KernelForm    `json:"forms,omitempty"` // other kernels that are this one, by name
	ID          string          `json:"id"`
	Images      []string        `json:"images"` // ids
	Location    srcloc.Location `json:"location,omitzero"`
	Name        string          `json:"name"`                         // mangled
	Origins     []srcloc.Origin `json:"requirement-origin,omitempty"` // what its own code needs, and where
}

// A KernelForm is a kernel that the compiler or its headers made of a kernel that
// somebody wrote. When the program runs, the runtime library takes one of the forms, or
// several.
type KernelForm struct {
	Kind FormKind `json:"kind"`
	Name string   `json:"name"` // mangled
}

// A FormKind is what a form of a kernel is for.
type FormKind = kernelname.FormKind

const (
	RoundedRange = kernelname.RoundedRange
	Reduction    = kernelname.Reduction
)

// KernelTarget returns the label of the report that a kernel of a merged report is from.
// It is "" for kernels of other reports. See [Merge].
func KernelTarget(k *Kernel) string {
	label, _ := strings.CutSuffix(k.ID, "#"+k.Name)
	if label == k.ID {
		return ""
	}
	return label
}

// Statistics are numbers of cells, devices and kernels, and of cells by verdict.
type Statistics struct {
	Cells         int `json:"cells"`
	Compatible    int `json:"compatible"`
	Devices       int `json:"devices"`
	Incompatible  int `json:"incompatible"`
	Kernels       int `json:"kernels"`
	NotApplicable int `json:"not-applicable"`
	Undetermined  int `json:"undetermined"`
}

// A Target is what a report is about, such as the label of a build target.
type Target struct {
	Label string `json:"label"`
}

// shareTexts makes the lists of a report that has none yet keep their texts together.
func (r *Report) shareTexts() {
	t := new(texts)
	r.Cells.texts, r.Images.texts, r.Kernels.texts = t, t, t
}

// leastVersion returns the lowest schema version that has all members of the report.
func (r *Report) leastVersion() string {
	if slices.ContainsFunc(r.Images.kinds, func(k storedKind) bool { return len(k.Constants) > 0 }) {
		return SchemaVersion
	}
	isNew := func(k storedKind) bool { return len(k.Files) > 0 || k.CompileOptions != "" || k.LinkOptions != "" }
	if slices.ContainsFunc(r.Images.kinds, isNew) || slices.ContainsFunc(r.Kernels.extras, func(e kernelExtra) bool { return len(e.forms) > 0 }) {
		return formsVersion
	}
	return firstVersion
}

// statistics counts the lists of the report.
func (r *Report) statistics() Statistics {
	s := Statistics{Cells: r.Cells.Len(), Devices: len(r.Devices), Kernels: r.Kernels.Len()}
	n := r.Cells.verdicts()
	s.Compatible, s.Incompatible = n[compat.Compatible], n[compat.Incompatible]
	s.Undetermined, s.NotApplicable = n[compat.Undetermined], n[compat.NotApplicable]
	return s
}

// A FormatError is a fault of a file that should be a report.
type FormatError struct {
	File   string // as given to Decode
	Offset int64  // where reading stopped, 0: the fault is not in one place
	Msg    string
}

func (e *FormatError) Error() string {
	msg := safetext.Shorten(e.Msg) // it may quote the file
	if e.Offset > 0 {
		return fmt.Sprintf("%s: offset %d: %s", e.File, e.Offset, msg)
	}
	return fmt.Sprintf("%s: %s", e.File, msg)
}

// BadInput marks the error as caused by an input file.
func (*FormatError) BadInput() {}
