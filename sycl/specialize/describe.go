package specialize

import (
	"encoding/hex"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// A Constant describes a specialization constant of an image.
type Constant struct {
	DisplayName string `json:"display-name"` // demangled
	Name        string `json:"name"`         // symbolic id
	Parts       []Part `json:"parts"`        // by offset
}

// A Part is a scalar of a constant.
type Part struct {
	Default string `json:"default"` // a number, or "bytes:" and hexadecimal digits if the type is unknown
	Number  uint32 `json:"number"`  // SpecId in the SPIR-V
	Offset  uint32 `json:"offset"`  // in bytes from the start of the constant
	Size    uint32 `json:"size"`
	Type    string `json:"type,omitempty"` // as in spirv.Scalar; "" if no SPIR-V has the scalar
}

// A scalarName identifies a scalar of a constant in any image.
type scalarName struct {
	constant     string
	offset, size uint32
}

// Describe returns the specialization constants of each image, in the order of their set. The types
// for an image without SPIR-V come from the constants of the same names in other images.
func Describe(images ...Image) ([][]Constant, error) {
	types := map[scalarName]spirv.Scalar{}
	read := make([]*imageConstants, len(images))
	for i := range images {
		c, err := readImage(&images[i])
		if err != nil {
			return nil, &ImageError{images[i].Place, err}
		}
		read[i] = c
		for _, constant := range c.list {
			for _, r := range constant.Scalars() {
				if t, ok := c.types[r.ID]; ok {
					types[scalarName{constant.Name, r.Offset, r.Size}] = t
				}
			}
		}
	}
	shown := make([][]Constant, len(images))
	for i, c := range read {
		for n := range c.list {
			shown[i] = append(shown[i], c.describe(&c.list[n], types))
		}
	}
	return shown, nil
}

// describe returns the description of a constant. The types that the image lacks come from types.
func (c *imageConstants) describe(constant *propset.SpecConstant, types map[scalarName]spirv.Scalar) Constant {
	shown := Constant{Name: constant.Name, DisplayName: kernelname.Constant(constant.Name), Parts: []Part{}}
	for _, r := range constant.Scalars() {
		value := constant.Default[r.Offset:][:r.Size]
		part := Part{Number: r.ID, Offset: r.Offset, Size: r.Size, Default: rawBytes + hex.EncodeToString(value)}
		t, ok := c.types[r.ID]
		if !ok {
			t, ok = types[scalarName{constant.Name, r.Offset, r.Size}]
		}
		if ok {
			part.Type, part.Default = t.String(), formatted(t, value)
		}
		shown.Parts = append(shown.Parts, part)
	}
	return shown
}

// HasDefaultsOnly reports whether an image is a copy of another image with default values instead
// of the constants. DPC++'s runtime uses such an image as long as a program does not set any
// constant.
func HasDefaultsOnly(metadata *propset.Registry) bool {
	v, _ := metadata.Set(propset.MiscProperties).Get("specConstsReplacedWithDefault")
	n, _ := v.Uint()
	return n != 0
}
