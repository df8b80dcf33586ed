package aspect

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestNamesAndNumbers(t *testing.T) {
	for name, value := range map[string]Aspect{
		"host": 0, "cpu": 1, "gpu": 2, "fp16": 5, "fp64": 6, "image": 9,
		"usm_system_allocations": 17, "atomic64": 27, "ext_intel_esimd": 49,
		"ext_oneapi_fragment": 50, "ext_intel_matrix": 53, "ext_oneapi_ipc_event": 99,
		"ext_intel_mem_channel": Retired + 25,
	} {
		got, err := Parse(name)
		if err != nil || got != value {
			t.Errorf("Parse(%q) = %d, %v, want %d", name, got, err, value)
		}
		if value.String() != name || !value.IsKnown() {
			t.Errorf("%d has the name %q, want %q", value, value, name)
		}
	}
	if FP16 != 5 || FP64 != 6 || Atomic64 != 27 || Image != 9 || USMDeviceAllocations != 13 {
		t.Error("a constant has the wrong value")
	}
}

func TestEveryNumberFromZeroHasAName(t *testing.T) {
	var all []Aspect
	for _, e := range names {
		all = append(all, e.value)
	}
	for i, a := range slices.Compact(all) {
		if int(a) != i && a <= Retired {
			t.Fatalf("names.go: %v has number %d, want %d, because DPC++ numbers aspects without gaps", a, a, i)
		}
		if got, err := Parse(a.String()); err != nil || got != a {
			t.Errorf("Parse(%q) = %d, %v, want %d", a, got, err, a)
		}
	}
}

func TestEveryConstantHasAName(t *testing.T) {
	source := testkit.ReadFile(t, "names.go")
	constants := regexp.MustCompile(`(?m)^\t(\w+) +Aspect = `).FindAllStringSubmatch(source, -1)
	if len(constants) < 100 {
		t.Fatalf("names.go: %d constants", len(constants))
	}
	for _, c := range constants {
		if !strings.Contains(source, "{"+c[1]+", \"") {
			t.Errorf("names.go: missing name for %s", c[1])
		}
	}
}

func TestNamesInUseComeFirst(t *testing.T) {
	if !slices.IsSortedFunc(names, func(a, b entry) int {
		if a.value != b.value {
			return int(a.value) - int(b.value)
		}
		return int(a.status) - int(b.status)
	}) {
		t.Error("names.go: names are not sorted by value and status")
	}
	seen := make(map[string]bool)
	for _, e := range names {
		if seen[e.name] {
			t.Errorf("names.go: duplicate name %q", e.name)
		}
		seen[e.name] = true
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]Aspect{
		"aspect::fp64": FP64, "sycl::aspect::fp64": FP64, "6": FP64, "12345": 12345, "4294967295": 4294967295,
	} {
		if got, err := Parse(in); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	if got := Aspect(12345).String(); got != "aspect 12345" || Aspect(12345).IsKnown() {
		t.Errorf("unknown value: %q", got)
	}
	if got := (Retired + 120).String(); got != "aspect 120 of releases before 2026" {
		t.Errorf("unknown value of older releases: %q", got)
	}
	for in, want := range map[string]string{
		"":                       `unknown aspect ""; expected a name of enum class aspect or a number`,
		"-1":                     `unknown aspect "-1"; expected a name of enum class aspect or a number`,
		"4294967296":             `aspect number 4294967296 does not fit in 32 bits`,
		"fp46":                   `unknown aspect "fp46"; did you mean fp16?`,
		"usm_device_allocation":  `unknown aspect "usm_device_allocation"; did you mean usm_device_allocations?`,
		"warp":                   `unknown aspect "warp"; expected a name of enum class aspect or a number`,
		"FP64":                   `unknown aspect "FP64"; did you mean fp64?`,
		strings.Repeat("x", 101): `unknown aspect "` + strings.Repeat("x", 101) + `"; expected a name of enum class aspect or a number`,
	} {
		if _, err := Parse(in); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", in, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range names {
		f.Add(e.name)
	}
	f.Add("12345")
	f.Add("sycl::aspect::fp16")
	f.Fuzz(func(t *testing.T, in string) {
		a, err := Parse(in)
		if err != nil || strings.Contains(a.String(), " of releases ") {
			return
		}
		if again, err := Parse(strings.TrimPrefix(a.String(), "aspect ")); err != nil || again != a {
			t.Fatalf("%q is %d with name %q, which is %d, %v", in, a, a, again, err)
		}
	})
}
