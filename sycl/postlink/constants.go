package postlink

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/constants"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A SpecConstantMode selects how calls that read specialization constants are lowered.
type SpecConstantMode = constants.Mode

// The modes, named as in the options of DPC++'s post-link tool.
const (
	// SpecConstantsNative lowers calls to SPIR-V specialization constants, which the driver sets when
	// it compiles an image.
	SpecConstantsNative = constants.Native
	// SpecConstantsEmulation lowers calls to loads from a buffer that the runtime fills, for images
	// that are compiled ahead of time.
	SpecConstantsEmulation = constants.Emulation
)

// SpecConstantModes lists the modes.
var SpecConstantModes = []SpecConstantMode{SpecConstantsNative, SpecConstantsEmulation}

// modeOf returns the mode that DPC++'s driver selects for the target triple: native for SPIR-V that
// is compiled at run time.
func modeOf(triple string) SpecConstantMode {
	arch, _, _ := strings.Cut(triple, "-")
	if arch == "" || arch == "spir" || arch == "spir64" || strings.HasPrefix(arch, "spirv") {
		return SpecConstantsNative
	}
	return SpecConstantsEmulation
}

// imageConstants holds the specialization constants of an image. The code of the image is generated
// on demand, and dropped after it was written.
type imageConstants struct {
	constants.Options

	lock   sync.Mutex
	module *llvmir.Module // lowered; nil before and after
	list   []propset.SpecConstant
	known  bool // whether list is known
	before bool // the code was already lowered in the input
}

// lowerConstants prepares the images that read specialization constants, and adds the images with
// default values.
func lowerConstants(m *llvmir.Module, images []*Image, o Options) ([]*Image, []Diagnostic, error) {
	lowered, err := constants.LoweredConstants(m)
	if err != nil {
		return nil, nil, err
	}
	reads := slices.IndexFunc(m.Functions(), readsConstants)
	switch {
	case reads >= 0 && len(lowered) > 0:
		return nil, nil, &constants.Error{Msg: fmt.Sprintf("the specialization constant '%s' is already lowered, but calls of '%s' are not; link all modules before you run post-link",
			safetext.Printable(lowered[0].Name), kernelname.Display(m.Functions()[reads].Name()))}
	case len(lowered) > 0:
		keepConstants(m, images, lowered)
		return images, nil, nil
	case reads < 0:
		return images, nil, nil
	}
	options := constants.Options{Mode: o.SpecConstants, TextOrder: o.AsDPCPP && o.FromText && o.Split.Whole, AsDPCPP: o.AsDPCPP}
	if options.Mode == "" {
		options.Mode = modeOf(m.Triple())
	}
	used := map[llvmir.Symbol]bool{}
	for _, image := range images {
		if !slices.ContainsFunc(image.define, func(s llvmir.Symbol) bool { f, ok := s.(*llvmir.Function); return ok && readsConstants(f) }) {
			continue
		}
		image.constants = &imageConstants{Options: options}
		for _, s := range image.define {
			used[s] = true
		}
	}
	warnings, err := constants.Check(m, options, func(f *llvmir.Function) bool { return used[f] })
	if err != nil {
		return nil, nil, err
	}
	if o.DefaultValueImages {
		images = withDefaultValues(images)
	}
	return images, warnings, nil
}

// keepConstants adds to images the constants that were already lowered in the input. An image has
// the constants whose numbers occur in it; constants loaded from a buffer are in every image.
func keepConstants(m *llvmir.Module, images []*Image, lowered []propset.SpecConstant) {
	numbers, native := constants.Numbers(m)
	for _, image := range images {
		has := map[uint32]bool{}
		for _, s := range image.define {
			for _, n := range numbers[s.Name()] {
				has[n] = true
			}
		}
		list := slices.DeleteFunc(slices.Clone(lowered), func(c propset.SpecConstant) bool {
			return native && !slices.ContainsFunc(c.Scalars(), func(r propset.SpecRecord) bool { return has[r.ID] })
		})
		if len(list) > 0 {
			image.constants = &imageConstants{list: list, known: true, before: true}
		}
	}
}

func readsConstants(f *llvmir.Function) bool {
	return !f.Defined() && constants.ReadsConstant(f.Name())
}

// withDefaultValues adds a copy of each image that reads constants, in which the constants have
// their default values. The copy's number follows the number of the image or of its group.
func withDefaultValues(images []*Image) []*Image {
	var list []*Image
	for first := 0; first < len(images); {
		last := first
		for last < len(images) && images[last].Number == images[first].Number {
			last++
		}
		number := 0
		if len(list) > 0 {
			number = list[len(list)-1].Number + 1
		}
		group := images[first:last]
		var copies []*Image
		for _, image := range group {
			if image.constants != nil {
				c := *image
				c.Number, c.constants = number+1, &imageConstants{Options: image.constants.Options}
				c.constants.Mode = constants.Defaults
				copies = append(copies, &c)
			}
		}
		for _, image := range group {
			image.Number = number
		}
		list = append(append(list, group...), copies...)
		first = last
	}
	return list
}

// lowered returns the image's module with its constants lowered.
func (image *Image) lowered() (*llvmir.Module, error) {
	var text bytes.Buffer
	if err := image.writeUnlowered(&text); err != nil {
		return nil, err
	}
	m, err := llvmir.Parse("a device image", text.String())
	if err != nil {
		return nil, err
	}
	c := image.constants
	if c.list, err = constants.Lower(m, c.Options); err != nil {
		return nil, err
	}
	c.known = true
	return m, nil
}

// writeLowered writes the image's code with its constants lowered.
func (image *Image) writeLowered(w io.Writer) error {
	c := image.constants
	c.lock.Lock()
	m := c.module
	c.module = nil
	var err error
	if m == nil {
		m, err = image.lowered()
	}
	c.lock.Unlock()
	if err != nil {
		return err
	}
	_, err = m.WriteTo(w)
	return err
}

// specConstants returns the constants of the image, or nil if it has none.
func (image *Image) specConstants() ([]propset.SpecConstant, error) {
	c := image.constants
	if c == nil || c.Mode == constants.Defaults {
		return nil, nil
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.known {
		m, err := image.lowered()
		if err != nil {
			return nil, err
		}
		c.module = m // which the caller writes next
	}
	return c.list, nil
}
