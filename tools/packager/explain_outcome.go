package main

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// The values of outcome.Outcome.
const (
	runs    = "runs"
	mayRun  = "may-run" // depends on unknown properties of the device
	isThrow = "throws"
)

type (
	jsonExplanation struct {
		Device  string    `json:"device"`
		Runtime string    `json:"runtime"`
		Kernels []outcome `json:"kernels"`
	}
	outcome struct {
		Kernel      string         `json:"kernel"` // mangled
		DisplayName string         `json:"display_name"`
		Outcome     string         `json:"outcome"`
		Image       *pickedImage   `json:"image,omitempty"` // the image that the runtime selects
		Or          *pickedImage   `json:"or,omitempty"`    // the image that it may select instead
		Exception   *jsonException `json:"exception,omitempty"`
		Reasons     []jsonReason   `json:"reasons"` // in the order of the runtime's checks

		compatible bool // whether the device supports the module
	}
	pickedImage struct {
		Kind   string `json:"kind"` // native or ir
		Triple string `json:"triple"`
		Arch   string `json:"arch,omitempty"`
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`

		Constants []jsonSpecConstant `json:"specialization_constants,omitempty"` // with their default values
	}
	jsonException struct {
		Code string `json:"errc"`
		What string `json:"what"`
	}
	jsonReason struct {
		Rule string `json:"rule"`
		Sure bool   `json:"sure"` // false if it depends on the individual device
		Text string `json:"text"`
	}
)

// Messages of the runtime for files that a program loads.
const (
	notFound  = "kernel '%s' not found in kernel_bundle"
	noKernels = "'ext_oneapi_get_kernel' is only available in kernel_bundles created from SYCLBIN files and kernel_bundles successfully built from kernel_bundle<bundle_state::ext_oneapi_source>."
)

// The code and the message of the exception that is thrown if the device's compiler rejects the IR.
// The build log follows the message.
const (
	buildError  = "build"
	buildFailed = "The program was built for 1 devices"
)

// Rules of reasons that do not depend on the features of the device.
const (
	containerRule = "runtime-container"
	prefixRule    = "kernel-name-prefix"
	nativeOnly    = "native-only"
)

// An explainer predicts the behavior of a runtime for a file and a device.
type explainer struct {
	file     *syclbin.File
	warnings []string // about native code
	release  *release.Release
	embedded bool
	report   *report.Report
	chosen   []int                            // for each kernel, the index of the selected image or -1
	images   map[report.Digest]*syclbin.Image // images of the file
	findable map[string]bool                  // kernels that ext_oneapi_get_kernel can find
	crashes  bool                             // linking the bundle crashes, see linkCrash
}

// linkCrash describes a bug in sycl::link of 2025.3, which ends with a segmentation fault
// for bundles with native images for the device.
const linkCrash = "sycl::link of 2025.3 crashed with files that have native images for the device"

func newExplainer(f *syclbin.File, device *deviceconfig.Device, config *deviceconfig.Config, r *release.Release, embedded bool) (*explainer, error) {
	modules, err := report.FromSYCLBIN(f)
	if err != nil {
		return nil, err
	}
	x := &explainer{file: f, release: r, embedded: embedded, images: map[report.Digest]*syclbin.Image{}, findable: map[string]bool{}}
	for _, m := range modules {
		x.warnings = append(x.warnings, m.Warnings...)
	}
	build := func() {
		b := report.NewBuilder(config)
		x.chosen = nil
		b.Chosen = func(_, _, image int) { x.chosen = append(x.chosen, image) } // on one device
		for i := range modules {
			b.Add(&modules[i])
		}
		x.report, err = b.Report([]*deviceconfig.Device{device}, report.Generator{Name: "packager", Version: cli.Version}, "")
	}
	build()
	// The runtime ignores native images of bundles that are not yet built or linked, but 2025.3
	// uses native images of files in input state.
	if err == nil && !embedded && f.State != syclbin.Executable && (r != release.Before2026() || f.State == syclbin.Object) {
		for _, o := range x.report.Outcomes {
			if r == release.Before2026() && o.Status == compat.Compatible && (o.Code == report.Native || o.Code == report.NativeOrIR) {
				x.crashes = true
			}
		}
		for i := range modules {
			modules[i].Images = slices.DeleteFunc(modules[i].Images, func(i report.ModuleImage) bool { return i.Native })
		}
		build()
	}
	if err != nil {
		return nil, err
	}
	for _, m := range f.Modules {
		for _, img := range m.Images() {
			digest, err := img.Digest()
			if err != nil {
				return nil, err
			}
			x.images[report.Digest(digest[:16])] = img
		}
		for _, name := range m.Kernels() {
			if strings.HasPrefix(name, kernelname.Prefix) {
				x.findable[kernelname.Base(name)] = true
			}
		}
	}
	return x, nil
}

// kernels returns the outcome for the named kernel, or for all kernels if name is "".
func (x *explainer) kernels(name string) ([]outcome, error) {
	list := []outcome{}
	for i := range x.report.Kernels {
		list = append(list, x.outcome(i))
	}
	if !x.embedded {
		x.loaded(list)
	}
	if name == "" {
		return list, nil
	}
	base := kernelname.Base(name)
	list = slices.DeleteFunc(list, func(o outcome) bool { return base != o.Kernel && name != o.DisplayName })
	if len(list) == 0 {
		msg := fmt.Sprintf("no kernel '%s' in the file", safetext.Printable(name))
		if near := x.report.Nearest(base); len(near) > 0 {
			msg += "; did you mean " + safetext.Printable(strings.Join(near, " or ")) + "?"
		}
		return nil, cli.Usagef("%s", msg)
	}
	return list, nil
}

// outcome returns the outcome for a kernel whose image is part of the program.
func (x *explainer) outcome(kernel int) outcome {
	k, c := &x.report.Kernels[kernel], x.report.Outcome(kernel, 0)
	o := outcome{Kernel: k.Name, DisplayName: k.DisplayName, Outcome: runs, Reasons: []jsonReason{}}
	o.Image, o.Or = x.selection(kernel)
	for _, reason := range c.Reasons {
		own := jsonReason{string(reason.Rule), reason.Status != compat.Undetermined, reason.Text}
		// The runtime checks for a missing image first.
		if reason.Rule == compat.NoImage {
			own.Text = x.noImage(k)
			o.Reasons = append([]jsonReason{own}, o.Reasons...)
		} else {
			o.Reasons = append(o.Reasons, own)
		}
	}
	var build *jsonException // the exception that is thrown after all checks
	for _, reason := range o.Reasons {
		code := errorCode(reason.Rule)
		switch {
		case reason.Sure && code == buildError:
			build = &jsonException{code, buildFailed}
		case reason.Sure:
			o.Outcome, o.Exception = isThrow, &jsonException{code, reason.Text}
			return o
		}
		o.Outcome = mayRun
	}
	if build != nil {
		o.Outcome, o.Exception = isThrow, build
		return o
	}
	o.compatible = true
	return o
}

// selection returns the image that the runtime selects, and another one if it may select either.
// The runtime of 2025.3 prefers native code.
func (x *explainer) selection(kernel int) (image, or *pickedImage) {
	code := x.report.Outcome(kernel, 0).Code
	if code == report.NoCode {
		return nil, nil
	}
	if code == report.NativeOrIR {
		code = report.Native
		if !x.embedded && x.release != release.Before2026() {
			or = x.ir(&x.report.Kernels[kernel])
		}
	}
	return x.picked(code, x.chosen[kernel]), or
}

// ir returns the IR image of a kernel, or nil.
func (x *explainer) ir(k *report.Kernel) *pickedImage {
	for _, n := range k.Images {
		if x.kind(n).Format != "native" {
			return x.picked(report.IR, int(n))
		}
	}
	return nil
}

// kind returns the kind of an image in the report.
func (x *explainer) kind(image int32) *report.ImageKind {
	return &x.report.ImageKinds[x.report.Images[image].Kind]
}

func (x *explainer) picked(code report.Code, image int) *pickedImage {
	kind, img := x.kind(int32(image)), x.images[x.report.Images[image].Digest]
	digest, _ := img.Digest() // computed before, so there is no error
	return &pickedImage{Kind: string(code), Triple: kind.Triple, Arch: kind.Architecture, Size: img.Size(), SHA256: hex.EncodeToString(digest[:]),
		Constants: newJSONSpecConstants(kind.Constants)}
}

// noImage returns the runtime's message for a kernel without an image for the device. The message
// of the 2026 runtime lists the targets of the existing images. For a file that a program loads,
// there is no message.
func (x *explainer) noImage(k *report.Kernel) string {
	switch {
	case !x.embedded:
		return "the file has no image with the kernel for the device"
	case x.release == release.Before2026():
		return fmt.Sprintf("No kernel named %s was found", k.Name)
	}
	var targets []string
	for _, n := range k.Images {
		target, _, _ := strings.Cut(x.kind(n).Triple, "-")
		if target != "" && !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	return fmt.Sprintf("Kernel %s has no image for the selected device. Its available images target: [%s].", k.Name, strings.Join(targets, ", "))
}

// loaded updates outcomes for a file that a program loads, in contrast to images that are part of
// the program.
func (x *explainer) loaded(list []outcome) {
	f := x.file
	if words := x.release.RejectReason(f.Version, f.Container, f.ImageKind, f.GlobalRange.Size); words != "" {
		reason := jsonReason{containerRule, true, fmt.Sprintf("the runtime of %s does not read this container; convert it with packager convert --runtime %s", x.release, x.release)}
		for i := range list {
			list[i].throw(jsonException{"invalid", words}, reason)
		}
		return
	}
	x.find(list)
	if x.crashes {
		for i := range list {
			o := &list[i]
			o.Reasons = append(o.Reasons, jsonReason{nativeOnly, false, linkCrash})
			if o.Outcome == runs {
				o.Outcome = mayRun
			}
		}
	}
	explainImports(f, list) // an import in any kernel makes the whole file fail to load
}

// find updates the outcomes of kernels that the runtime does not find in the file.
func (x *explainer) find(list []outcome) {
	native := slices.ContainsFunc(list, func(o outcome) bool { return o.compatible && o.Image != nil && o.Image.Kind == string(report.Native) })
	isEmpty := true // whether the runtime selects no image at all
	for i := range list {
		o := &list[i]
		invalid := jsonException{"invalid", fmt.Sprintf(notFound, o.Kernel)}
		switch {
		case !o.compatible:
			switch o.Exception.Code {
			case "nd_range", "runtime": // thrown only when the kernel is submitted
				if o.Image == nil {
					o.Exception = &invalid
				}
			case buildError: // of the bundle
			default:
				o.Exception = &invalid
			}
		case x.release == release.Before2026() && native && o.Image.Kind != string(report.Native):
			o.throw(invalid, jsonReason{nativeOnly, true, "the kernel has only IR, and the runtime of 2025.3 ignores IR in a file that has native code for the device"})
		case !x.findable[o.Kernel]:
			isEmpty = false
			o.throw(invalid, jsonReason{prefixRule, true, "the runtime finds only kernels whose symbols start with " + kernelname.Prefix})
		default:
			isEmpty = false
		}
	}
	if !isEmpty {
		return
	}
	for i := range list {
		if o := &list[i]; o.Exception != nil && o.Exception.Code == "invalid" {
			o.Exception.What = noKernels
		}
	}
}

// throw changes the outcome to an exception and inserts the reason before all others.
func (o *outcome) throw(e jsonException, reason jsonReason) {
	o.Outcome, o.Exception, o.Or = isThrow, &e, nil
	o.Reasons = append([]jsonReason{reason}, o.Reasons...)
}

// errorCode returns the sycl::errc of the exception for a rule.
func errorCode(rule string) string {
	switch compat.Rule(rule) {
	case compat.NoImage, compat.UnsupportedLocalMemory:
		return "runtime"
	case compat.UnsupportedWorkGroupDims:
		return "nd_range"
	}
	if reason := (compat.Reason{Rule: compat.Rule(rule)}); reason.IsCompilerLimit() {
		return buildError
	}
	return "kernel_not_supported"
}
