package aspects

import (
	"errors"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// numbered is a module with aspects everywhere that aspects can be. Nodes occur both before and
// after the nodes that they refer to.
const numbered = `
%A = type { i32 }
define spir_kernel void @k() "sycl-device-has"="6,ATOMIC" !sycl_used_aspects !0 !sycl_declared_aspects !1 !sycl_fixed_targets !2 !sycl_conditionally_used_aspects !3 {
  call void @g(), !sycl_used_aspects !7
  ret void
}
declare void @g() !sycl_used_aspects !0
!0 = !{!94, !{!"atomic64", i32 ATOMIC}, i32 6}
!1 = !{i32 ATOMIC, i32 -3, i32 1000}
!2 = !{!"intel_gpu_pvc", i32 ATOMIC}
!3 = !{!4}
!4 = !{!5, !6}
!5 = !{i32 ATOMIC}
!6 = distinct !{i32 ATOMIC}
!7 = !{i32 ATOMIC}
!8 = !{!"A", i32 ATOMIC, i32 6}
!sycl_types_that_use_aspects = !{!8}
!sycl_aspects = !{!92, !94, !95, !96}
!92 = !{!"fp64", i32 6}
!94 = !{!"atomic64", i32 ATOMIC}
!95 = !{!"__own", i32 -3}
!96 = !{!"not_yet_known", i32 1000}
`

func TestRenumber(t *testing.T) {
	with := func(number string) string { return strings.ReplaceAll(numbered, "ATOMIC", number) }
	m := parse(t, with("28"))
	for range 2 { // a second run changes nothing
		if err := Renumber(m); err != nil {
			t.Fatal(err)
		}
		// Conditions are numbers of architectures, not of aspects.
		want := strings.Replace(with("27"), "!5 = !{i32 27}", "!5 = !{i32 28}", 1)
		if got := testkit.Text(t, m); got != testkit.Text(t, parse(t, want)) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	for name, text := range map[string]string{
		"numbers of today": with("27"),
		"no enumeration":   "define spir_kernel void @k() !sycl_used_aspects !0 {\n  ret void\n}\n!0 = !{i32 28}\n",
	} {
		m := parse(t, text)
		before := testkit.Text(t, m)
		if err := Renumber(m); err != nil || testkit.Text(t, m) != before {
			t.Errorf("%s: %v, the module changed to\n%s", name, err, testkit.Text(t, m))
		}
	}
	var bad *devicecode.MetadataError
	if err := Renumber(parse(t, "!sycl_aspects = !{!0}\n!0 = !{i32 1}\n")); !errors.As(err, &bad) {
		t.Errorf("an enumeration without names: %v", err)
	}
}
