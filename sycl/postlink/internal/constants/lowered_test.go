package constants

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestLowered(t *testing.T) {
	// This is the output of llvm-link for two modules that share a constant.
	m := parse(t, `!sycl.specialization-constants = !{!0, !1, !0}
!sycl.specialization-constants-default-values = !{!2, !3, !4, !2}
!0 = !{!"a", i32 0, i32 0, i32 4, i32 -1, i32 4, i32 2}
!1 = !{!"b", i32 1, i32 0, i32 1}
!2 = !{{ i32, i16 } { i32 5, i16 undef }}
!3 = !{[0 x i8] zeroinitializer}
!4 = !{i8 7}
`)
	if _, err := LoweredConstants(m); err == nil || !strings.Contains(err.Error(), "is in the module twice") {
		t.Errorf("error %v", err) // the struct has 8 bytes, its records only 6
	}
	list, err := LoweredConstants(parse(t, strings.Replace(testkit.Text(t, m), "i32 4, i32 2}", "i32 4, i32 4}", 1)))
	if err != nil || describe(list) != "; a: 0@0+4 -1@4+4 = 05 00 00 00 00 00 00 00\n; b: 1@0+1 = 07\n" {
		t.Errorf("%v: %s", err, describe(list))
	}
}

func TestLoweredErrors(t *testing.T) {
	const module = "!sycl.specialization-constants = !{!0, !1}\n!sycl.specialization-constants-default-values = !{!2}\n!0 = !{%s}\n!1 = !{%s}\n!2 = !{%s}\n"
	const good, more, values = `!"a", i32 0, i32 0, i32 4`, `!"b", i32 1, i32 0, i32 4`, "[8 x i8] zeroinitializer"
	for name, test := range map[string]struct{ first, second, values, want string }{
		"a number of two constants":  {good, `!"b", i32 1, i32 0, i32 2, i32 0, i32 2, i32 2`, values, "the specialization constants 'a' and 'b' both have the number 0. The modules that have them were lowered before they were linked"},
		"a constant of two defaults": {good, good, "[8 x i8] c\"abcdefgh\"", "the specialization constant 'a' is in the module twice"},
		"a constant of two numbers":  {good, `!"a", i32 1, i32 0, i32 4`, values, "is in the module twice"},
		"too few default values":     {good, more, "i32 5", "the default values end within the specialization constant 'b'"},
		"default values of no size":  {good, more, "void 5", "default-values: !2"},
		"an invalid default value":   {good, more, "!0", "default-values: '!0' is not a type and a value"},
		"two default values":         {good, more, "i32 5, i32 6", "!2 is not one default value"},
		"no name":                    {good, `i32 1, i32 0, i32 4`, values, "is not a name and three numbers"},
		"a name of two lines":        {good, `!"a\0Ab", i32 1, i32 0, i32 4`, values, "is not a name and three numbers"},
		"no numbers":                 {good, `!"b"`, values, "is not a name and three numbers"},
		"four numbers":               {good, more + ", i32 8", values, "is not a name and three numbers"},
		"a text for a number":        {good, `!"b", i32 1, !"x", i32 4`, values, "is not a name and three numbers"},
		"a number of 64 bits":        {good, `!"b", i64 4294967296, i32 0, i32 4`, values, "is not a name and three numbers"},
		"parts that overlap":         {good, `!"b", i32 1, i32 0, i32 4, i32 2, i32 2, i32 4`, values, "is not a name and three numbers"},
		"a part of no size":          {good, `!"b", i32 1, i32 0, i32 0`, values, "is not a name and three numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoweredConstants(parse(t, fmt.Sprintf(module, test.first, test.second, test.values)))
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestLoweredTotal checks the limit on default values with many references to a node with a large
// value.
func TestLoweredTotal(t *testing.T) {
	_, err := LoweredConstants(parse(t, "!sycl.specialization-constants = !{}\n!sycl.specialization-constants-default-values = !{"+strings.Repeat("!0, ", 64)+"!0}\n!0 = !{[1048576 x i8] undef}\n"))
	if want := "the default values are too large (limit 67108864 bytes)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
