package hostbin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// gpuTriple is the triple of native code for Intel GPUs.
const gpuTriple = "spir64_gen-unknown-unknown"

// maxWarnings is the maximum number of warnings per file.
const maxWarnings = 20

// warnf adds a warning about a member of an archive.
func (s *scanner) warnf(in *input, format string, args ...any) {
	s.warnAt("member "+safetext.Quote(in.member), format, args...)
}

// warnAt adds a warning about the code at a location.
func (s *scanner) warnAt(location, format string, args ...any) {
	switch n := len(s.file.Warnings); {
	case n < maxWarnings:
		s.file.Warnings = append(s.file.Warnings, location+": "+fmt.Sprintf(format, args...))
	case n == maxWarnings:
		s.file.Warnings = append(s.file.Warnings, "more warnings about images are not shown")
	}
}

// addGPUCode adds native code for Intel GPUs. It is a file, or a member of an ocloc archive that is
// named for a version or family.
func (s *scanner) addGPUCode(in input, triple, label string) error {
	img := &Image{Origin: Origin{Offset: in.base}, Model: "sycl", Triple: triple, Stated: offload.Native, Source: in.section(0, in.size)}
	format := offload.Detect(img, img.Size())
	if format == offload.Archive {
		s.warnf(&in, "an archive inside an archive of ocloc; its code is omitted")
		return nil
	}
	var config uint32
	if format == offload.Zebin {
		var err error
		if config, err = offload.ProductConfig(img, img.Size()); err != nil {
			return in.imageError(err)
		}
	}
	switch {
	case label != "":
		var known bool
		if img.Arch, known = deviceconfig.CodeTarget(label); !known {
			s.warnf(&in, "unknown GPU %q; no target has this name", label)
		}
		img.CompileTarget = img.Arch
		if why := mislabeled(img.Arch, config); why != "" {
			s.warnf(&in, "%s", why)
		}
	case config != 0:
		img.Arch, _ = deviceconfig.CodeTarget(deviceconfig.ConfigVersion(config))
	}
	return s.add(&in, img)
}

// mislabeled returns a warning if no GPU runs code with a product config under the name of a
// target, or "".
func mislabeled(target string, config uint32) string {
	built := configTarget(config)
	if built == "" || built == target || slices.Contains(deviceconfig.FamilyMembers(target), built) ||
		slices.Contains(deviceconfig.FamilyMembers(deviceconfig.FamilyOfCode(built)), target) {
		return ""
	}
	return fmt.Sprintf("named for %s, but its code is for %s (%s); no device runs it; rename or rebuild it",
		target, built, deviceconfig.ConfigVersion(config))
}

// configTarget returns the target for a product config, or "" if it is unknown.
func configTarget(config uint32) string {
	if target, known := deviceconfig.CodeTarget(deviceconfig.ConfigVersion(config)); known {
		return target
	}
	return ""
}

// BuiltTarget returns the target that native code for Intel GPUs was compiled for according to its
// notes, or "" if it is unknown. The driver rejects the code on other GPUs, regardless of the name
// of the image.
func BuiltTarget(code offload.Source) string {
	if offload.Detect(code, code.Size()) != offload.Zebin {
		return ""
	}
	config, err := offload.ProductConfig(code, code.Size())
	if err != nil { // the name is all that is known
		return ""
	}
	return configTarget(config)
}

// warnIfMislabeled adds a warning if no GPU would run an image under the name that its file states.
func (s *scanner) warnIfMislabeled(img *Image) {
	if img.CompileTarget != "" || !img.IsSYCL() {
		return // addGPUCode checks members of archives
	}
	if why := Mislabeled(img.Arch, img.Triple, img); why != "" {
		s.warnAt(img.Origin.String(), "%s", why)
	}
}

// Mislabeled returns a warning if no GPU runs native code for Intel GPUs under the name of an
// architecture or, if that is "", the name in a triple. Otherwise it returns "".
func Mislabeled(name, triple string, code offload.Source) string {
	if system, _, _ := strings.Cut(triple, "-"); name == "" && strings.HasPrefix(system, "intel_gpu_") {
		name = system
	}
	if name == "" || offload.Detect(code, code.Size()) != offload.Zebin {
		return ""
	}
	target := deviceconfig.Canonical(name)
	if !strings.Contains(target, "gpu") { // ocloc's name
		target, _ = deviceconfig.CodeTarget(target)
	}
	if _, kind := deviceconfig.TargetsNamed(target); kind == deviceconfig.UnknownName {
		return "" // a device of the user can be any GPU
	}
	config, err := offload.ProductConfig(code, code.Size())
	if err != nil { // the name is all that is known
		return ""
	}
	return mislabeled(target, config)
}

// imageError converts an error in native code to an error in the input.
func (in *input) imageError(err error) error {
	if formatErr := (*offload.FormatError)(nil); errors.As(err, &formatErr) {
		return in.errorf(formatErr.Offset, "%s", formatErr.Msg)
	}
	return err
}

// resolveGPUCode replaces images that are ocloc archives with their members, and sets the target
// of images that are ELF files for Intel GPUs.
func (s *scanner) resolveGPUCode() error {
	var list []*Image
	for _, img := range s.file.Images {
		images := []*Image{img}
		if img.Arch == "" && isGPUCode(img) {
			var err error
			if images, err = s.gpuCode(img); err != nil {
				return &ImageError{img.Origin, err}
			}
		}
		s.warnIfMislabeled(img)
		if len(list)+len(images) > maxImages {
			return &FormatError{Msg: fmt.Sprintf("too many device images (limit %d)", maxImages), Fix: "split the file"}
		}
		list = append(list, images...)
	}
	s.file.Images = list
	return nil
}

// GPUCode returns the images in native code for Intel GPUs without a known architecture: the
// members of an ocloc archive, or the code itself with the target from its notes. Other code is
// returned without an architecture. It also returns warnings about the images. Errors in the
// content are of type [*ImageError].
func GPUCode(code offload.Source, triple string) (images []*Image, warnings []string, err error) {
	img := &Image{Model: "sycl", Triple: triple, Stated: offload.Native, Properties: new(propset.Registry), Source: code}
	if !isGPUCode(img) {
		return []*Image{img}, nil, nil
	}
	s := &scanner{file: new(File)}
	if images, err = s.gpuCode(img); err != nil {
		return nil, nil, &ImageError{img.Origin, err}
	}
	return images, s.file.Warnings, nil
}

// isGPUCode reports whether an image is SYCL code compiled ahead of time for Intel GPUs.
func isGPUCode(img *Image) bool {
	system, _, _ := strings.Cut(img.Triple, "-")
	return img.IsSYCL() && (system == "spir64_gen" || system == "spir_gen")
}

// gpuCode returns the images in an Intel GPU image without an architecture.
func (s *scanner) gpuCode(img *Image) ([]*Image, error) {
	inner := &scanner{file: new(File), members: s.members, text: s.text, inImage: true}
	in := input{r: img.Source, size: img.Size(), member: img.Origin.Member}
	switch offload.Detect(img, img.Size()) {
	case offload.Archive:
		if err := inner.archive(in); err != nil {
			return nil, err
		}
	case offload.Zebin:
		config, err := offload.ProductConfig(img, img.Size())
		if err != nil {
			return nil, in.imageError(err)
		}
		if config == 0 {
			return []*Image{img}, nil
		}
		named := *img
		named.Arch, _ = deviceconfig.CodeTarget(deviceconfig.ConfigVersion(config))
		return []*Image{&named}, nil
	case offload.Bitcode:
		s.warnAt(img.Origin.String(), "LLVM bitcode for %s without a GPU; no device runs it until it is linked; pass the linked program", safetext.Quote(img.Triple))
		return []*Image{img}, nil
	case offload.UnknownFormat:
		if img.Size() > 0 && img.Stated != offload.Text { // which Collect reports
			s.warnAt(img.Origin.String(), "image for %s in an unknown format; no device runs it; rebuild the file", safetext.Quote(img.Triple))
		}
		return []*Image{img}, nil
	default:
		return []*Image{img}, nil
	}
	s.members, s.text = inner.members, inner.text
	s.file.Warnings = append(s.file.Warnings, inner.file.Warnings...)
	if len(inner.file.Images) == 0 {
		return nil, in.errorf(0, "the ocloc archive contains no GPU code")
	}
	for _, member := range inner.file.Images {
		origin := img.Origin
		origin.Member = member.Origin.Member
		member.Origin, member.Triple, member.Entries, member.Properties = origin, img.Triple, img.Entries, img.Properties
		member.CompileOptions, member.LinkOptions = img.CompileOptions, img.LinkOptions
	}
	return inner.file.Images, nil
}

// dropRepeatedMembers drops each image of an archive, whose images begin at index start, if an
// earlier member is for the same target. It adds a warning if their code differs. ocloc writes a
// member for each name in -device.
func (s *scanner) dropRepeatedMembers(start int) error {
	type memberTarget struct{ archive, target string }
	first := map[memberTarget]*Image{}
	list := s.file.Images[:start]
	for _, img := range s.file.Images[start:] {
		at := memberTarget{unit(img), img.CompileTarget}
		before, ok := first[at]
		if !ok || img.CompileTarget == "" {
			first[at] = img
			list = append(list, img)
			continue
		}
		same, err := equalImages(before, img)
		if err != nil {
			return err
		}
		if !same {
			s.warnf(&input{member: img.Origin.Member}, "second code for %s; the driver uses the first, %s", img.CompileTarget, safetext.Quote(before.Origin.Member))
		}
	}
	s.file.Images = list
	return nil
}

func equalImages(a, b *Image) (bool, error) {
	if a.Size() != b.Size() {
		return false, nil
	}
	var sums [2][sha256.Size]byte
	for i, img := range []*Image{a, b} {
		h := sha256.New()
		if _, err := io.Copy(h, img.Open()); err != nil {
			return false, err
		}
		copy(sums[i][:], h.Sum(nil))
	}
	return sums[0] == sums[1], nil
}
