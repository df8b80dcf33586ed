package specialize_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// The constants of the images: pod is { int x; float y; bool b; } with padding, and scale a double.
const (
	pod   = "_ZN3app3podE"
	scale = "____ZN3appL5scaleE"
)

var podRecords = []propset.SpecRecord{{ID: 0, Offset: 0, Size: 4}, {ID: 1, Offset: 4, Size: 4}, {ID: 2, Offset: 8, Size: 1}, {ID: propset.SpecPadding, Offset: 9, Size: 3}}

func metadata(list ...propset.SpecConstant) *propset.Registry {
	r := new(propset.Registry)
	r.Add(propset.KernelNames).Put("K", propset.Uint(1))
	propset.PutSpecConstants(r, list)
	return r
}

// podAnd returns the metadata of an image with the constants pod, and scale with the given number.
func podAnd(number uint32) *propset.Registry {
	return metadata(
		propset.SpecConstant{Name: pod, Records: podRecords, Default: []byte{7, 0, 0, 0, 0, 0, 0x20, 0x40, 1, 0, 0, 0}},
		propset.SpecConstant{Name: scale, Records: []propset.SpecRecord{{ID: number, Offset: 0, Size: 8}}, Default: []byte{0, 0, 0, 0, 0, 0, 4, 0x40}},
	)
}

// podConstants returns the constants in the SPIR-V module for podAnd.
func podConstants(number uint32, x uint64, y float32, b uint64, scale float64) []testkit.SPIRVConstant {
	return []testkit.SPIRVConstant{
		{ID: 0, Type: testkit.I32, Bits: x}, {ID: 1, Type: testkit.Float, Bits: uint64(math.Float32bits(y))}, {ID: 2, Type: testkit.I8, Bits: b},
		{ID: number, Type: testkit.Double, Bits: math.Float64bits(scale)}, {ID: 0, Type: testkit.I32, Bits: x},
	}
}

func source(data []byte) offload.Source {
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
}

func image(place string, number uint32) specialize.Image {
	return specialize.Image{Place: place, Metadata: podAnd(number), Code: []offload.Source{source(testkit.SPIRV("K", podConstants(number, 7, 2.5, 1, 2.5)...))}}
}

func read(t testing.TB, s offload.Source) []byte {
	t.Helper()
	data, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
	testkit.NoError(t, err)
	return data
}

func TestSet(t *testing.T) {
	images := []specialize.Image{image("module 0", 3), image("module 1", 9), {Place: "module 2", Metadata: metadata()}}
	before := []*propset.Registry{images[0].Metadata.Clone(), images[1].Metadata.Clone()}
	original := images[0].Metadata
	changes, err := specialize.Set(images, []specialize.Setting{{Name: "app::pod", Value: `{"x": -1, "y": 0.5, "b": false}`}, {Name: scale, Value: "0.1"}}, specialize.Options{})
	testkit.NoError(t, err)
	want := []specialize.Change{
		{Name: pod, DisplayName: "app::pod", Images: []int{0, 1}, Parts: []specialize.ChangedPart{{"i32", "7", "-1 (0xffffffff)"}, {"float", "2.5", "0.5"}, {"i8", "1", "0"}}},
		{Name: scale, DisplayName: "app::scale", Images: []int{0, 1}, Parts: []specialize.ChangedPart{{"double", "2.5", "0.1"}}},
	}
	if !reflect.DeepEqual(changes, want) {
		t.Errorf("got  %+v\nwant %+v", changes, want)
	}
	for i, number := range []uint32{3, 9} {
		if got, want := read(t, images[i].Code[0]), testkit.SPIRV("K", podConstants(number, 0xffffffff, 0.5, 0, 0.1)...); !bytes.Equal(got, want) {
			t.Errorf("image %d: code does not have the values", i)
		}
		all, _ := images[i].Metadata.Set(propset.SpecializationConstantDefaults).Get("all")
		if want := "\xff\xff\xff\xff\x00\x00\x00\x3f\x00\x00\x00\x00\x9a\x99\x99\x99\x99\x99\xb9\x3f"; string(all.Bytes()) != want {
			t.Errorf("image %d: default values %x", i, all.Bytes())
		}
		// Everything else is unchanged.
		images[i].Metadata.Delete(propset.SpecializationConstantDefaults)
		before[i].Delete(propset.SpecializationConstantDefaults)
		if !images[i].Metadata.Equal(before[i]) {
			t.Errorf("image %d: got\n%s\nwant\n%s", i, images[i].Metadata, before[i])
		}
	}
	if all, _ := original.Set(propset.SpecializationConstantDefaults).Get("all"); all.Bytes()[0] != 7 {
		t.Error("property sets of the caller modified")
	}
}

// TestPieces checks that reads of any size return the new values.
func TestPieces(t *testing.T) {
	images := []specialize.Image{image("module 0", 3)}
	if _, err := specialize.Set(images, []specialize.Setting{{Name: scale, Value: "-7"}, {Name: pod, Value: "[1, 2, 3]"}}, specialize.Options{}); err != nil {
		t.Fatal(err)
	}
	want := testkit.SPIRV("K", podConstants(3, 1, 2, 3, -7)...)
	for size := 1; size < 40; size++ {
		var got []byte
		for at := 0; at < len(want); at += size {
			b := make([]byte, min(size, len(want)-at))
			if n, err := images[0].Code[0].ReadAt(b, int64(at)); n != len(b) || err != nil && err != io.EOF {
				t.Fatal(n, err)
			}
			got = append(got, b...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("pieces of %d bytes: content differs", size)
		}
	}
}

// TestWithoutDefaults checks that default values that the property sets of an image lack come from
// its SPIR-V, for constants that are not set.
func TestWithoutDefaults(t *testing.T) {
	images := []specialize.Image{image("module 0", 3)}
	images[0].Metadata.Delete(propset.SpecializationConstantDefaults)
	if _, err := specialize.Set(images, []specialize.Setting{{Name: scale, Value: "1"}}, specialize.Options{}); err != nil {
		t.Fatal(err)
	}
	all, _ := images[0].Metadata.Set(propset.SpecializationConstantDefaults).Get("all")
	if want := "\x07\x00\x00\x00\x00\x00\x20\x40\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f"; string(all.Bytes()) != want {
		t.Errorf("default values %x", all.Bytes())
	}
}

// TestUnused checks constants that kernels do not use, which SPIR-V modules may lack. They can be
// set only as bytes.
func TestUnused(t *testing.T) {
	images := []specialize.Image{image("module 0", 3)}
	images[0].Code = []offload.Source{source(testkit.SPIRV("K", podConstants(3, 7, 2.5, 1, 2.5)[1:4]...))}
	if _, err := specialize.Set(images, []specialize.Setting{{Name: pod, Value: "[1, 2, 3]"}}, specialize.Options{}); err == nil ||
		!strings.Contains(err.Error(), "value 1: its type is unknown, because no SPIR-V module contains it; specify all 12 bytes of the constant, as bytes:00") {
		t.Errorf("got %v", err)
	}
	for _, value := range []string{"bytes:010000000000004003", "bytes:010000000000004003aabbcc"} {
		changes, err := specialize.Set(images, []specialize.Setting{{Name: pod, Value: value}}, specialize.Options{})
		testkit.NoError(t, err)
		if got := changes[0].Parts; got[0].New != "bytes:01000000" || got[0].Type != "" || got[1].New != "2" || got[2].New != "3" {
			t.Errorf("%s: %v", value, got)
		}
		if got, want := read(t, images[0].Code[0]), testkit.SPIRV("K", podConstants(3, 7, 2, 3, 2.5)[1:4]...); !bytes.Equal(got, want) {
			t.Errorf("%s: code has different values", value)
		}
	}
	all, _ := images[0].Metadata.Set(propset.SpecializationConstantDefaults).Get("all")
	if want := "\x01\x00\x00\x00\x00\x00\x00\x40\x03\xaa\xbb\xcc"; string(all.Bytes()[:12]) != want {
		t.Errorf("default values %x", all.Bytes())
	}
}

// TestPadding checks that the padding at the end of a constant is not part of its value. The
// padding differs between images: DPC++ inserts it before the next constant in native code.
func TestPadding(t *testing.T) {
	flag := func(id uint32, padding ...uint32) specialize.Image {
		c := propset.SpecConstant{Name: "flag", Records: []propset.SpecRecord{{ID: id, Offset: 0, Size: 1}}, Default: []byte{1}}
		for _, n := range padding {
			c.Records = append(c.Records, propset.SpecRecord{ID: propset.SpecPadding, Offset: 1, Size: n})
			c.Default = append(c.Default, make([]byte, n)...)
		}
		return specialize.Image{Place: "module", Metadata: metadata(c), Code: []offload.Source{source(testkit.SPIRV("K", testkit.SPIRVConstant{ID: id, Type: testkit.Bool, Bits: 1}))}}
	}
	images := []specialize.Image{flag(0, 3), flag(1), flag(2, 7)}
	if _, err := specialize.Set(images, []specialize.Setting{{Name: "flag", Value: "false"}}, specialize.Options{}); err != nil {
		t.Fatal(err)
	}
	for i, size := range []int{4, 1, 8} {
		if all, _ := images[i].Metadata.Set(propset.SpecializationConstantDefaults).Get("all"); !bytes.Equal(all.Bytes(), make([]byte, size)) {
			t.Errorf("image %d: %x", i, all.Bytes())
		}
	}
}

func TestFixed(t *testing.T) {
	settings := []specialize.Setting{{Name: scale, Value: "1"}}
	images := []specialize.Image{image("module 0", 3), image("module 1", 3)}
	images[1].Fixed = []string{"the native image for intel_gpu_pvc"}
	_, err := specialize.Set(images, settings, specialize.Options{})
	if !errors.Is(err, specialize.ErrFixed) || err.Error() != "module 1: specialization constant 'app::scale': the native image for intel_gpu_pvc: it has the old value compiled in" {
		t.Errorf("got %v", err)
	}
	if all, _ := images[0].Metadata.Set(propset.SpecializationConstantDefaults).Get("all"); all.Bytes()[19] != 0x40 {
		t.Error("image modified despite the error")
	}
	if _, err := specialize.Set(images, settings, specialize.Options{DropFixed: true}); err != nil || images[1].Fixed != nil {
		t.Errorf("got %v, %v", images[1].Fixed, err)
	}
	// Images without the constants are unchanged.
	other := []specialize.Image{image("module 0", 3), {Place: "module 1", Metadata: metadata(), Fixed: []string{"native code"}}}
	if _, err := specialize.Set(other, settings, specialize.Options{DropFixed: true}); err != nil || other[1].Fixed == nil {
		t.Errorf("got %v, %v", other[1].Fixed, err)
	}
}

func TestRequestErrors(t *testing.T) {
	internal := podAnd(3)
	internal.Set(propset.SpecializationConstants).Put("_ZN3app5scaleE", propset.Uint32s(7, 0, 8))
	for _, test := range []struct{ name, value, want string }{
		{"app::scalee", "1", "app::scalee=1: unknown constant; did you mean app::scale?"},
		{"unlike", "1", "unknown constant; there are app::pod, app::scale"},
		{scale, "[1, 2]", "2 values, want 1: double"},
		{pod, "1", "1 values, want 3: i32, float, i8"},
		{pod, "[1, 2, 300]", `value 3: "300" does not fit in 8 bits`},
		{pod, "[1, 2, 3", "unexpected end of value; expected ',' or ']'"},
		{pod, "bytes:00", "1 bytes, want 12"},
		{pod, "bytes:0", "expected pairs of hexadecimal digits after bytes:"},
	} {
		images := []specialize.Image{image("module 0", 3)}
		_, err := specialize.Set(images, []specialize.Setting{{Name: test.name, Value: test.value}}, specialize.Options{})
		var request *specialize.RequestError
		if !errors.As(err, &request) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s: got %v, want %s", test.name, test.value, err, test.want)
		}
	}
	images := []specialize.Image{{Place: "module 0", Metadata: internal}}
	internal.Delete(propset.SpecializationConstantDefaults)
	if _, err := specialize.Set(images, []specialize.Setting{{Name: "app::scale", Value: "1"}}, specialize.Options{}); err == nil ||
		!strings.Contains(err.Error(), "ambiguous name; use one of "+scale+", _ZN3app5scaleE") {
		t.Errorf("ambiguous name: %v", err)
	}
	images = []specialize.Image{image("module 0", 3)}
	if _, err := specialize.Set(images, []specialize.Setting{{Name: "app::scale", Value: "1"}, {Name: scale, Value: "1"}}, specialize.Options{}); err == nil ||
		!strings.Contains(err.Error(), "duplicate setting") {
		t.Errorf("duplicate request: %v", err)
	}
	if _, err := specialize.Set(nil, []specialize.Setting{{Name: "x", Value: "1"}}, specialize.Options{}); err == nil || !strings.Contains(err.Error(), "no specialization constants found") {
		t.Errorf("no images: %v", err)
	}
}

func TestImageErrors(t *testing.T) {
	bools := func(bits uint64) []offload.Source {
		return []offload.Source{source(testkit.SPIRV("K", testkit.SPIRVConstant{ID: 3, Type: testkit.I64, Bits: bits}))}
	}
	huge := metadata()
	huge.Set(propset.SpecializationConstants).Put("huge", propset.Uint32s(0, 0, 4, propset.SpecPadding, 4, 1<<30))
	for _, test := range []struct {
		name, want string
		change     func(images []specialize.Image)
	}{
		{"a different default value", "module 1: the specialization constant 'app::scale' has a different default value than in module 0; build both from the same definition, or set it only for the kernels of one of them",
			func(images []specialize.Image) {
				images[1].Metadata.Set(propset.SpecializationConstantDefaults).Put("all", propset.Bytes(make([]byte, 20)))
			}},
		{"different parts", "module 1: the specialization constant 'app::scale' has different scalars than in module 0",
			func(images []specialize.Image) {
				images[1] = specialize.Image{Place: "module 1", Metadata: metadata(propset.SpecConstant{Name: scale, Records: []propset.SpecRecord{{ID: 3, Offset: 0, Size: 4}}})}
			}},
		{"a different type", "module 1: the part of the specialization constant '____ZN3appL5scaleE' at offset 0 has the type i64, but in module 0 it has the type double",
			func(images []specialize.Image) { images[1].Code = bools(0) }},
		{"a different size", "module 0: constant '_ZN3app3podE': the scalar at offset 0 has 4 bytes in the properties, but the type i64 in the SPIR-V",
			func(images []specialize.Image) {
				images[0].Code = []offload.Source{source(testkit.SPIRV("K", testkit.SPIRVConstant{ID: 0, Type: testkit.I64}))}
			}},
		{"one number for two constants", "module 0: the specialization constants '____ZN3appL5scaleE' and '_ZN3app3podE' have the same number, 1: setting one would also set the other",
			func(images []specialize.Image) { images[0].Metadata, images[0].Code = podAnd(1), nil }},
		{"one number for two parts", "module 0: the parts of the specialization constant '____ZN3appL5scaleE' at offsets 0 and 4 have the same number, 5",
			func(images []specialize.Image) {
				images[0] = specialize.Image{Place: "module 0", Metadata: metadata(propset.SpecConstant{Name: scale, Records: []propset.SpecRecord{{ID: 5, Offset: 0, Size: 4}, {ID: 5, Offset: 4, Size: 4}}})}
			}},
		{"one number with two types", "module 0: the constants with the number 3 have the types double and i64",
			func(images []specialize.Image) { images[0].Code = append(images[0].Code, bools(0)...) }},
		{"no module", "module 0: not a usable SPIR-V module: offset 0: module too short for the header: 3 bytes",
			func(images []specialize.Image) { images[0].Code = []offload.Source{source([]byte("spv"))} }},
		{"an invalid type of a constant", "module 0: not a usable SPIR-V module: offset 152: opcode 50: constant 3 has an unsupported type",
			func(images []specialize.Image) {
				images[0].Code = []offload.Source{source(testkit.SPIRV("K", testkit.SPIRVConstant{ID: 3, Type: testkit.I24}))}
			}},
		{"invalid property sets", "module 1: [SYCL/specialization constants default values] all: the 3 bytes end within",
			func(images []specialize.Image) {
				images[1].Metadata.Set(propset.SpecializationConstantDefaults).Put("all", propset.Bytes(make([]byte, 3)))
			}},
		{"too large without a default value", "module 1: the constant 'huge' has 1073741828 bytes and no default value",
			func(images []specialize.Image) { images[1].Metadata = huge }},
	} {
		t.Run(test.name, func(t *testing.T) {
			images := []specialize.Image{image("module 0", 3), image("module 1", 3)}
			test.change(images)
			_, err := specialize.Set(images, []specialize.Setting{{Name: scale, Value: "1"}}, specialize.Options{})
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	img := image("module 0", 9)
	native := specialize.Image{Place: "module 1", Metadata: podAnd(4)}
	native.Metadata.Set(propset.SpecializationConstants).Put("other", propset.Uint32s(8, 0, 2))
	native.Metadata.Delete(propset.SpecializationConstantDefaults)
	got, err := specialize.Describe(img, native)
	want := [][]specialize.Constant{
		{
			{"app::pod", pod, []specialize.Part{{"7", 0, 0, 4, "i32"}, {"2.5", 1, 4, 4, "float"}, {"1", 2, 8, 1, "i8"}}},
			{"app::scale", scale, []specialize.Part{{"2.5", 9, 0, 8, "double"}}},
		}, {
			{"app::pod", pod, []specialize.Part{{"0", 0, 0, 4, "i32"}, {"0", 1, 4, 4, "float"}, {"0", 2, 8, 1, "i8"}}},
			{"app::scale", scale, []specialize.Part{{"0", 4, 0, 8, "double"}}},
			{"other", "other", []specialize.Part{{"bytes:0000", 8, 0, 2, ""}}},
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	img.Code = []offload.Source{source(nil)}
	if _, err := specialize.Describe(native, img); err == nil || !strings.HasPrefix(err.Error(), "module 0: not a usable SPIR-V module") {
		t.Errorf("empty module: %v", err)
	}
}

func Example() {
	module := testkit.SPIRV("K", testkit.SPIRVConstant{ID: 4, Type: testkit.Float, Bits: 0x40200000})
	sets := new(propset.Registry)
	propset.PutSpecConstants(sets, []propset.SpecConstant{{Name: "_ZL5scale", Records: []propset.SpecRecord{{ID: 4, Size: 4}}, Default: []byte{0, 0, 0x20, 0x40}}})
	images := []specialize.Image{{Place: "k.spv", Metadata: sets, Code: []offload.Source{source(module)}}}
	changes, err := specialize.Set(images, []specialize.Setting{{Name: "scale", Value: "0.5"}}, specialize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(changes[0].DisplayName, changes[0].Parts)
	code := images[0].Code[0]
	constants, _ := spirv.ReadSpecConstants(io.NewSectionReader(code, 0, code.Size()))
	fmt.Printf("%v %x\n", constants[0].Type, constants[0].Default)
	// Output:
	// scale [{float 2.5 0.5}]
	// float 0000003f
}

// FuzzSet checks that Set does not panic for any property sets and SPIR-V, and that the result has
// the value that was set.
func FuzzSet(f *testing.F) {
	text := podAnd(3).String()
	f.Add(text, testkit.SPIRV("K", podConstants(3, 7, 2.5, 1, 2.5)...), pod, "[1, 2, 3]")
	f.Add(text, testkit.SPIRV("K", podConstants(3, 7, 2.5, 1, 2.5)...), scale, "bytes:0000000000000000")
	f.Fuzz(func(t *testing.T, text string, code []byte, name, value string) {
		sets, err := propset.Parse("", []byte(text))
		if err != nil {
			return
		}
		images := []specialize.Image{{Place: "module", Metadata: sets, Code: []offload.Source{source(code)}}}
		changes, err := specialize.Set(images, []specialize.Setting{{Name: name, Value: value}}, specialize.Options{})
		if err != nil {
			return
		}
		shown, err := specialize.Describe(images...)
		testkit.NoError(t, err)
		for _, c := range shown[0] {
			if c.Name != changes[0].Name {
				continue
			}
			for i, p := range c.Parts {
				if p.Default != changes[0].Parts[i].New {
					t.Fatalf("part %d of %q: %s, want %s", i, c.Name, p.Default, changes[0].Parts[i].New)
				}
			}
		}
	})
}
