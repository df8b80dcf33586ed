// Package report is the model of a compatibility report: which kernels of programs run
// on which devices, the reasons where they do not, and the kind of code that there is for
// each device. The package builds reports from device images, and reads and writes them
// as JSON. Package render shows them to people.
//
// A report is a table with a line for each kernel and a column for each device. Large
// programs have thousands of kernels and few things to say about them. So each outcome
// is in the report once, and so is each row of outcomes; a kernel names its row.
//
// The schema docs/schema/compat-report.schema.json describes the JSON of a report. It
// depends on the inputs alone: lists are in a fixed order, and there are no times, hosts
// or paths that nobody gave. Reports come from builds that may not be trusted, so
// [Decode] is strict: it refuses what two readers could understand differently.
package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Schema says what the JSON of a report means. A tool reads the reports of one schema.
const (
	anySchema = "https://rules-sycl.github.io/schema/compat-report/v"
	Schema    = anySchema + "2"

	schemaVersion = 2
)

// Fields of the following types are in the alphabetical order of their JSON names, and
// so are the members of the output, after the schema. Numbers of elements of lists count from 0.

// A Report says which kernels run on which devices.
type Report struct {
	Schema     string      `json:"schema"`
	Devices    []Device    `json:"devices"` // the columns
	Files      []File      `json:"files,omitempty"`
	Generator  Generator   `json:"generator"`
	ImageKinds []ImageKind `json:"image-kinds"`
	Images     []Image     `json:"images"`
	Kernels    []Kernel    `json:"kernels"`
	Outcomes   []Outcome   `json:"outcomes"`
	Rows       [][]int32   `json:"rows"` // numbers of outcomes, one for each device
	Source     Source      `json:"source,omitzero"`
	Statistics Statistics  `json:"statistics"`
	Targets    []string    `json:"targets"` // labels of what the report is about, such as build targets
}

// MaxSize is how many kernels times devices a report has at most.
const MaxSize = 20_000_000

// Outcome returns what the report says about a kernel and a device, given by number.
func (r *Report) Outcome(kernel, device int) *Outcome {
	return &r.Outcomes[r.Rows[r.Kernels[kernel].Row][device]]
}

// Label returns the label of the only target of a report, "" for one of several.
func (r *Report) Label() string {
	if len(r.Targets) == 1 {
		return r.Targets[0]
	}
	return ""
}

// Name gives the target of a report a label if it has none.
func (r *Report) Name(label string) {
	if len(r.Targets) == 1 && r.Targets[0] == "" {
		r.Targets[0] = label
	}
}

// Target returns the label of the target of a kernel in a report of several targets. It is ""
// in other reports.
func (r *Report) Target(k *Kernel) string {
	if len(r.Targets) == 1 {
		return ""
	}
	return r.Targets[k.Target]
}

// An Outcome is what a report says about kernels and devices.
type Outcome struct {
	Code    Code          `json:"holds"` // that there is for the device
	Reasons []Reason      `json:"reasons,omitempty"`
	Scope   Scope         `json:"scope"`
	Status  compat.Status `json:"status"`
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

// A Scope says whose needs an outcome is about: those of the kernel alone, or those of
// its device image. Device images record needs for all their kernels together, and the
// runtime applies them to each of the kernels.
type Scope string

const (
	ScopeKernel Scope = "kernel"
	ScopeImage  Scope = "image"
)

// A Reason is one thing that keeps a kernel from running on a device.
type Reason struct {
	Available string        `json:"available,omitempty"` // what the device has instead
	Property  string        `json:"property,omitempty"`  // key in "SYCL/device requirements"
	Required  string        `json:"required"`            // what the kernel needs
	Rule      string        `json:"rule"`                // a compat.Rule
	Status    compat.Status `json:"status"`              // what this reason alone amounts to
	Text      string        `json:"text"`
}

// A Device is a device as the outcomes take it to be.
type Device struct {
	Architecture     string         `json:"architecture,omitempty"` // its name for an ahead-of-time compiler
	Aspects          []aspect.Named `json:"aspects"`
	Backend          string         `json:"backend"`                       // spirv, ptx or amdgcn
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

// A File is a file that the report was made from.
type File struct {
	Digest string `json:"digest,omitempty"` // SHA-256, in hexadecimal
	Name   string `json:"name"`             // as the user named it
}

// A Generator is the program that made a report.
type Generator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Source is the state of the sources that the files were built from, as the user gave it.
type Source struct {
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"` // 2006-01-02
}

// An Image is a device image.
type Image struct {
	Digest Digest `json:"digest"`
	Kind   int32  `json:"kind"` // number of its kind
}

// A Digest is the first half of the SHA-256 of the bytes of an image.
type Digest [16]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Compare orders digests.
func (d Digest) Compare(o Digest) int { return bytes.Compare(d[:], o[:]) }

// MarshalText returns hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	isDigit := func(c rune) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
	if len(text) != 2*len(d) || bytes.ContainsFunc(text, func(c rune) bool { return !isDigit(c) }) {
		return fmt.Errorf("%d hexadecimal digits are needed", 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// An ImageKind is what images have in common that differ in nothing but their bytes.
type ImageKind struct {
	Architecture   string       `json:"architecture,omitempty"`    // of native code
	CompileOptions string       `json:"compile-options,omitempty"` // for the runtime's compiler
	CompileTarget  string       `json:"compile-target,omitempty"`
	ESIMD          bool         `json:"esimd,omitempty"`
	Files          []int32      `json:"files,omitempty"` // numbers of the files that hold them
	FixedTargets   []string     `json:"fixed-targets,omitempty"`
	Format         string       `json:"format"` // spirv, ptx, amdgcn, llvm-ir or native
	LinkOptions    string       `json:"link-options,omitempty"`
	Requirements   Requirements `json:"requirements,omitzero"`
	Constants      []Constant   `json:"specialization-constants,omitempty"` // by name
	Triple         string       `json:"triple,omitempty"`
	Unknown        []string     `json:"unknown-properties,omitempty"` // keys
}

// Requirements are what an image needs of a device.
type Requirements struct {
	Aspects       []aspect.Named `json:"aspects,omitempty"`
	JointMatrix   []string       `json:"joint-matrix,omitempty"`
	JointMad      []string       `json:"joint-matrix-mad,omitempty"`
	SubGroupSizes []uint32       `json:"reqd-sub-group-sizes,omitempty"`
	WorkGroupSize []uint64       `json:"reqd-work-group-size,omitempty"` // in the order of SYCL
	WorkGroupDims uint32         `json:"work-group-num-dim,omitempty"`
}

// IsZero reports whether an image runs on any device.
func (r Requirements) IsZero() bool {
	return len(r.Aspects)+len(r.JointMatrix)+len(r.JointMad)+len(r.SubGroupSizes)+len(r.WorkGroupSize) == 0 && r.WorkGroupDims == 0
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
	Forms       *Forms          `json:"forms,omitempty"` // other kernels that are this one
	Images      []int32         `json:"images"`          // numbers
	Location    srcloc.Location `json:"location,omitzero"`
	Name        string          `json:"name"`                         // mangled
	Origins     []srcloc.Origin `json:"requirement-origin,omitempty"` // what its own code needs, and where
	Row         int32           `json:"row"`                          // number
	Target      int32           `json:"target,omitempty"`             // number
}

// Forms are kernels that the compiler or its headers made of a kernel that somebody
// wrote, by mangled names. When the program runs, the runtime library takes one of the
// forms, or several.
type Forms struct {
	Reduction    []string `json:"reduction,omitempty"`     // see package kernelname
	RoundedRange []string `json:"rounded-range,omitempty"` // see package kernelname
}

// FormNames returns the mangled names of the forms of a kernel.
func (k *Kernel) FormNames() []string {
	if k.Forms == nil {
		return nil
	}
	return slices.Concat(k.Forms.Reduction, k.Forms.RoundedRange)
}

// Statistics are numbers of kernels and devices by status: 2 kernels and 3 devices are 6.
type Statistics struct {
	Compatible    int `json:"compatible"`
	Incompatible  int `json:"incompatible"`
	NotApplicable int `json:"not-applicable"`
	Undetermined  int `json:"undetermined"`
}

// statistics counts the outcomes of the report.
func (r *Report) statistics() (s Statistics) {
	kernels := make([]int, len(r.Rows))
	for i := range r.Kernels {
		kernels[r.Kernels[i].Row]++
	}
	for row, n := range kernels {
		for _, o := range r.Rows[row] {
			switch r.Outcomes[o].Status {
			case compat.Compatible:
				s.Compatible += n
			case compat.Incompatible:
				s.Incompatible += n
			case compat.NotApplicable:
				s.NotApplicable += n
			case compat.Undetermined:
				s.Undetermined += n
			}
		}
	}
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
