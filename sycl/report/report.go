// Package report defines compatibility reports: which kernels of programs run on which devices, the
// reasons why other kernels do not, and the kind of code available for each device. The package
// builds reports from device images, and reads and writes them as JSON. Package render presents
// them.
//
// A report is a table with a row per kernel and a column per device. Large programs have thousands
// of kernels but few distinct outcomes. So each distinct outcome and each distinct row of outcomes
// is stored once; a kernel refers to its row.
//
// The schema docs/schema/compat-report.schema.json describes the JSON of a report. A report depends
// only on the inputs: lists have a fixed order, and there are no times, hosts or paths that the
// user did not specify. Reports may come from untrusted builds, so [Decode] is strict: it rejects
// input that two readers could interpret differently.
package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Schema identifies the format of reports. A tool reads the reports of one schema.
const (
	anySchema = "https://rules-sycl.github.io/schema/compat-report/v"
	Schema    = anySchema + "2"

	schemaVersion = 2
)

// The fields of the following types are sorted by JSON name, because this is the order of the
// members in the output, after the schema. Element numbers start at 0.

// A Report describes which kernels run on which devices.
type Report struct {
	Schema     string      `json:"schema"`
	Devices    []Device    `json:"devices"` // the columns
	Files      []File      `json:"files,omitempty"`
	Generator  Generator   `json:"generator"`
	ImageKinds []ImageKind `json:"image-kinds"`
	Images     []Image     `json:"images"`
	Kernels    []Kernel    `json:"kernels"`
	Outcomes   []Outcome   `json:"outcomes"`
	Rows       [][]int32   `json:"rows"` // outcome numbers, one per device
	Source     Source      `json:"source,omitzero"`
	Statistics Statistics  `json:"statistics"`
	Targets    []string    `json:"targets"` // labels of the subjects, such as build targets
}

// MaxSize is the maximum number of kernels times devices in a report.
const MaxSize = 20_000_000

// Outcome returns the outcome of a kernel on a device, both given by number.
func (r *Report) Outcome(kernel, device int) *Outcome {
	return &r.Outcomes[r.Rows[r.Kernels[kernel].Row][device]]
}

// Label returns the label of the only target of a report, or "" if it has several targets.
func (r *Report) Label() string {
	if len(r.Targets) == 1 {
		return r.Targets[0]
	}
	return ""
}

// SetLabel sets the label of a report's target if the target has no label.
func (r *Report) SetLabel(label string) {
	if len(r.Targets) == 1 && r.Targets[0] == "" {
		r.Targets[0] = label
	}
}

// Target returns the label of a kernel's target if the report has several targets, or else "".
func (r *Report) Target(k *Kernel) string {
	if len(r.Targets) == 1 {
		return ""
	}
	return r.Targets[k.Target]
}

// An Outcome is the result for kernels on devices.
type Outcome struct {
	Code    Code          `json:"holds"` // available for the device
	Reasons []Reason      `json:"reasons,omitempty"`
	Scope   Scope         `json:"scope"`
	Status  compat.Status `json:"status"`
}

// A Code is the kind of code available for a device.
type Code string

const (
	Native Code = "native" // code compiled for the device
	IR     Code = "ir"     // code that is compiled at run time
	NoCode Code = "none"

	// NativeOrIR means that one module provides native code and another provides IR. The 2026 runtime
	// builds both and uses either of them, which can vary between runs.
	NativeOrIR Code = "native-or-ir"
)

// A Scope specifies whether an outcome is based only on the requirements of the kernel or on the
// requirements of its device image. A device image records the combined requirements of all its
// kernels, and the runtime applies them to each kernel.
type Scope string

const (
	ScopeKernel Scope = "kernel"
	ScopeImage  Scope = "image"
)

// A Reason is one reason why a kernel does not run on a device.
type Reason = compat.Reason

// A Device describes a device as used for the outcomes.
type Device struct {
	Architecture     string         `json:"architecture,omitempty"` // as named by an ahead-of-time compiler
	Aspects          []aspect.Named `json:"aspects"`
	Backend          string         `json:"backend"`                       // spirv, ptx or amdgcn
	LocalMemorySize  uint64         `json:"local-memory-size,omitempty"`   // absent if unknown
	Matrices         []string       `json:"matrix-combinations,omitzero"`  // empty if none; absent if unknown
	MaxWorkGroupSize uint64         `json:"max-work-group-size,omitempty"` // absent if unknown
	MaxWorkItemSizes []uint64       `json:"max-work-item-sizes,omitempty"` // per dimension, in the order of a SYCL range
	Name             string         `json:"name"`
	OpenWorld        bool           `json:"open-world"` // may have unlisted aspects
	SubGroupSizes    []uint32       `json:"sub-group-sizes"`
}

// IsGeneric reports whether a device is a target for devices that are known only at run time. See
// [deviceconfig.Device.IsGeneric].
func (d *Device) IsGeneric() bool {
	return d.OpenWorld && len(d.Aspects) == 0 && len(d.SubGroupSizes) == 0
}

// A File is an input file of the report.
type File struct {
	Digest string `json:"digest,omitempty"` // SHA-256 in hexadecimal
	Name   string `json:"name"`             // as named by the user
}

// A Generator is the program that generated a report.
type Generator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Source is the revision of the sources that the files were built from, as given by the user.
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

// Compare orders digests by their bytes.
func (d Digest) Compare(o Digest) int { return bytes.Compare(d[:], o[:]) }

// MarshalText implements [encoding.TextMarshaler]. It returns hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	isDigit := func(c rune) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
	if len(text) != 2*len(d) || bytes.ContainsFunc(text, func(c rune) bool { return !isDigit(c) }) {
		return fmt.Errorf("expected %d hexadecimal digits", 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// An ImageKind holds the properties that images share if they differ only in their bytes.
type ImageKind struct {
	Architecture   string       `json:"architecture,omitempty"`    // for native code
	CompileOptions string       `json:"compile-options,omitempty"` // for the runtime's compiler
	CompileTarget  string       `json:"compile-target,omitempty"`
	ESIMD          bool         `json:"esimd,omitempty"`
	Files          []int32      `json:"files,omitempty"` // numbers of the files that contain the images
	FixedTargets   []string     `json:"fixed-targets,omitempty"`
	Format         string       `json:"format"` // spirv, ptx, amdgcn, llvm-ir or native
	LinkOptions    string       `json:"link-options,omitempty"`
	Requirements   Requirements `json:"requirements,omitzero"`
	Constants      []Constant   `json:"specialization-constants,omitempty"` // by name
	Triple         string       `json:"triple,omitempty"`
	Unknown        []string     `json:"unknown-properties,omitempty"` // keys
}

// Requirements are the device requirements of an image.
type Requirements struct {
	Aspects       []aspect.Named `json:"aspects,omitempty"`
	JointMatrix   []string       `json:"joint-matrix,omitempty"`
	JointMad      []string       `json:"joint-matrix-mad,omitempty"`
	SubGroupSizes []uint32       `json:"reqd-sub-group-sizes,omitempty"`
	WorkGroupSize []uint64       `json:"reqd-work-group-size,omitempty"` // in SYCL order
	WorkGroupDims uint32         `json:"work-group-num-dim,omitempty"`
}

// IsZero reports whether an image has no requirements, so it runs on any device.
func (r Requirements) IsZero() bool {
	return len(r.Aspects)+len(r.JointMatrix)+len(r.JointMad)+len(r.SubGroupSizes)+len(r.WorkGroupSize) == 0 && r.WorkGroupDims == 0
}

// A Constant is a specialization constant of an image.
type Constant = specialize.Constant

// A ConstantPart is a scalar of a specialization constant.
type ConstantPart = specialize.Part

// A Kernel describes a kernel. Kernels with the same name in several images are the same kernel.
type Kernel struct {
	DisplayName string          `json:"display-name"`    // demangled
	Forms       *Forms          `json:"forms,omitempty"` // other kernels merged into this one
	Images      []int32         `json:"images"`          // numbers
	Location    srcloc.Location `json:"location,omitzero"`
	Name        string          `json:"name"`                         // mangled
	Origins     []srcloc.Origin `json:"requirement-origin,omitempty"` // requirements that the kernel's code causes, with locations
	Row         int32           `json:"row"`                          // number
	Target      int32           `json:"target,omitempty"`             // number
}

// Forms are the mangled names of kernels that the compiler or its headers generated from a kernel
// in the source. At run time, the runtime library selects one or several of the forms.
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

// Statistics are the numbers of kernel-device pairs by status: 2 kernels and 3 devices have 6
// pairs.
type Statistics struct {
	Compatible    int `json:"compatible"`
	Incompatible  int `json:"incompatible"`
	NotApplicable int `json:"not-applicable"`
	Undetermined  int `json:"undetermined"`
}

// statistics returns the numbers of outcomes of the report by status.
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

// A FormatError is returned for an invalid report file.
type FormatError struct {
	File   string // as given to Decode
	Offset int64  // offset at which reading stopped, or 0 if there is no single location
	Msg    string
}

func (e *FormatError) Error() string {
	msg := safetext.Shorten(e.Msg) // the message may quote the file
	if e.Offset > 0 {
		return fmt.Sprintf("%s: offset %d: %s", e.File, e.Offset, msg)
	}
	return fmt.Sprintf("%s: %s", e.File, msg)
}

// BadInput marks the error as caused by an input file.
func (*FormatError) BadInput() {}
