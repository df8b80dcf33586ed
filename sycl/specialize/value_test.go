package specialize

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

var (
	boolean  = spirv.Scalar{Kind: spirv.Bool, Bits: 8}
	i8       = spirv.Scalar{Kind: spirv.Int, Bits: 8}
	i16      = spirv.Scalar{Kind: spirv.Int, Bits: 16}
	i32      = spirv.Scalar{Kind: spirv.Int, Bits: 32}
	s32      = spirv.Scalar{Kind: spirv.Int, Bits: 32, Signed: true}
	i64      = spirv.Scalar{Kind: spirv.Int, Bits: 64}
	half     = spirv.Scalar{Kind: spirv.Float, Bits: 16}
	float    = spirv.Scalar{Kind: spirv.Float, Bits: 32}
	double   = spirv.Scalar{Kind: spirv.Float, Bits: 64}
	bfloat16 = spirv.Scalar{Kind: spirv.BFloat16, Bits: 16}
	fp8      = spirv.Scalar{Kind: spirv.OtherFloat, Bits: 8, Encoding: 4214}
)

// TestEncode has values with their bytes in hexadecimal, or with a part of an error after "!". If
// formatting returns a different text, it comes next.
func TestEncode(t *testing.T) {
	for _, test := range []struct {
		typ               spirv.Scalar
		text, want, shown string
	}{
		{boolean, "true", "01", ""}, {boolean, "0", "00", "false"}, {boolean, "2", `!expected true or false, got "2"`, ""}, {boolean, "yes", "!expected true or false", ""},
		{i8, "true", "01", "1"}, {i8, "255", "ff", "-1 (0xff)"}, {i8, "-128", "80", "-128 (0x80)"}, {i8, "256", `!"256" does not fit in 8 bits`, ""}, {i8, "-129", "!does not fit", ""},
		{i16, "0x1234", "3412", "4660"}, {i16, "65536", "!does not fit in 16 bits", ""}, {i16, "true", `!"true" is not an integer`, ""},
		{i32, "-7", "f9ffffff", "-7 (0xfffffff9)"}, {i32, "4294967295", "ffffffff", "-1 (0xffffffff)"}, {i32, "2.5", `!"2.5" is not an integer`, ""}, {i32, "1e3", "!is not an integer", ""},
		{i32, "010", "!starts with 0, which could mean octal; omit the 0, or write 0o10", ""}, {i32, "0", "00000000", ""},
		{i32, "00", `!"00" starts with 0, which could mean octal; write 0`, ""}, {i32, "-000", "!could mean octal; write 0", ""},
		{i32, "+5", "05000000", "5"}, {i64, "+18446744073709551615", "ffffffffffffffff", "-1 (0xffffffffffffffff)"}, {i32, "+0x10", "10000000", "16"},
		{i32, "+4294967296", `!"+4294967296" does not fit in 32 bits`, ""}, {i32, "++5", "!is not an integer", ""}, {i32, "+-5", "!is not an integer", ""}, {i32, "+", "!is not an integer", ""},
		{s32, "-1", "ffffffff", ""}, {s32, "2147483648", "!does not fit in 32 bits", ""},
		{i64, "18446744073709551615", "ffffffffffffffff", "-1 (0xffffffffffffffff)"}, {i64, "-9223372036854775808", "0000000000000080", "-9223372036854775808 (0x8000000000000000)"},
		{i64, "18446744073709551616", "!does not fit in 64 bits", ""}, {i64, "-9223372036854775809", "!does not fit in 64 bits", ""},
		{half, "1.5", "003e", ""}, {half, "-0", "0080", ""}, {half, "65504", "ff7b", ""}, {half, "65519", "ff7b", "65504"}, {half, "65520", "!does not fit in a half", ""},
		{half, "6e-8", "0100", "5.9604645e-08"}, {half, "2e-8", "0000", "0"}, {half, "0.1", "662e", "0.099975586"}, {half, "2049", "0068", "2048"}, {half, "2051", "0268", "2052"}, {half, "inf", "007c", "+Inf"},
		{half, "0.00006103515625", "0004", "6.1035156e-05"}, {half, "-nan", `!"-nan" is not a number`, ""}, {half, "nan", "007e", "NaN"},
		{bfloat16, "1", "803f", ""}, {bfloat16, "3.14159", "4940", "3.140625"}, {bfloat16, "3.4e38", "!does not fit in a bfloat16", ""}, {bfloat16, "3.3e38", "787f", "3.2964854e+38"},
		{float, "0.1", "cdcccc3d", ""}, {float, "1e39", "!does not fit in a float", ""}, {float, "-Inf", "000080ff", ""}, {float, "0x1p-2", "0000803e", "0.25"}, {float, "3", "00004040", ""},
		{double, "0.1", "9a9999999999b93f", ""}, {double, "1e309", "!does not fit in a double", ""}, {double, "three", `!"three" is not a number`, ""},
		{fp8, "1", "!can only be specified by its bytes", ""},
	} {
		got, err := encode(test.typ, test.text)
		if want, isError := strings.CutPrefix(test.want, "!"); isError {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v %s: got %x, %v, want %s", test.typ, test.text, got, err, want)
			}
			continue
		}
		if err != nil || hex.EncodeToString(got) != test.want {
			t.Errorf("%v %s: got %x, %v, want %s", test.typ, test.text, got, err, test.want)
			continue
		}
		shown := test.shown
		if shown == "" {
			shown = test.text
		}
		if s := formatted(test.typ, got); s != shown {
			t.Errorf("%v %s: formatted as %s, want %s", test.typ, test.text, s, shown)
		}
	}
	if s := formatted(fp8, []byte{0x3c}); s != "bytes:3c" {
		t.Errorf("unknown encoding formatted as %s", s)
	}
}

func TestScalars(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, test := range []struct {
		value, want string // "!" before a part of an error
	}{
		{"7", "7"}, {" -2.5 ", "-2.5"}, {"[1, 2,[3,[true]] ]", "1 2 3 true"}, {`{"x": 1, y : [2, 3], "z": {w: 4}}`, "1 2 3 4"}, {"[]", ""}, {"{}", ""},
		{"", "!unexpected end of value; expected a value"}, {"[1,", "!unexpected end of value; expected a value"}, {"[1", "!unexpected end of value; expected ',' or ']'"}, {"[1 2]", `!unexpected "2]"; expected ',' or ']'`},
		{"1 2", `!"2" after the value`}, {"[1]]", "!after the value"}, {"{1}", `!unexpected "}"; expected ':'`}, {"{:1}", "!expected the name of a member"},
		{`{"x: 1}`, `!unterminated '"'`}, {`{x: 1, "x": 2}`, `!duplicate name "x"`}, {"[1,,2]", "!expected a value"}, {deep, "!nested deeper than 32"},
	} {
		got, err := scalars(test.value)
		if want, isError := strings.CutPrefix(test.want, "!"); isError {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q, %v, want %s", test.value, got, err, want)
			}
		} else if err != nil || !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: got %q, %v, want %s", test.value, got, err, test.want)
		}
	}
}

func FuzzScalars(f *testing.F) {
	f.Add(`{"x": 1, y : [2, 3], "z": {w: 4}}`)
	f.Add("[0x7, 1e400, -nan]")
	f.Fuzz(func(t *testing.T, value string) {
		list, err := scalars(value)
		if err != nil {
			return
		}
		for _, text := range list {
			for _, typ := range []spirv.Scalar{boolean, i8, s32, i64, half, float, double, bfloat16} {
				b, err := encode(typ, text)
				if err == nil && len(b) != typ.Size() {
					t.Fatalf("%v %q: %d bytes", typ, text, len(b))
				}
			}
		}
	})
}
