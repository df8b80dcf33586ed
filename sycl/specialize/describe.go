package specialize

import (
	"encoding/hex"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// A Constant is a specialization constant of an image, to be shown.
type Constant struct {
	Name        string // symbolic id
	DisplayName string
	Parts       []Part
}

// A Part is a scalar of a constant.
type Part struct {
	ID      uint32 // number in the SPIR-V
	Offset  uint32 // in bytes from the start of the constant
	Size    uint32
	Type    string // "" when no SPIR-V says it
	Default string // as [Format] has it, or "bytes:" and hexadecimal digits when the type is not known
}

// Describe returns the specialization constants of an image with SPIR-V modules, or with none.
func Describe(metadata *propset.Registry, code []offload.Source) ([]Constant, error) {
	c, err := readImage(&Image{Metadata: metadata, Code: code})
	if err != nil {
		return nil, err
	}
	var list []Constant
	for i := range c.list {
		constant := &c.list[i]
		shown := Constant{Name: constant.Name, DisplayName: kernelname.Constant(constant.Name)}
		for _, r := range constant.Scalars() {
			value := constant.Default[r.Offset:][:r.Size]
			part := Part{ID: r.ID, Offset: r.Offset, Size: r.Size, Default: rawBytes + hex.EncodeToString(value)}
			if t, ok := c.types[r.ID]; ok {
				part.Type, part.Default = t.String(), Format(t, value)
			}
			shown.Parts = append(shown.Parts, part)
		}
		list = append(list, shown)
	}
	return list, nil
}

// HasDefaultsOnly reports whether an image is the copy of another one in which the default
// values are in place of the constants. DPC++'s runtime takes it while a program sets none.
func HasDefaultsOnly(metadata *propset.Registry) bool {
	v, _ := metadata.Set(propset.MiscProperties).Get("specConstsReplacedWithDefault")
	n, _ := v.Uint()
	return n != 0
}
