package show

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

func TestGPUs(t *testing.T) {
	many := []string{"intel_gpu_acm_g10", "intel_gpu_acm_g11", "intel_gpu_acm_g12", "intel_gpu_pvc", "intel_gpu_dg1", "intel_gpu_rkl", "intel_gpu_lnl_m", "intel_gpu_wcl"}
	for _, test := range []struct {
		targets []string
		want    string
	}{
		{nil, ""},
		{[]string{"spir64", "intel_gpu_dg2", "nvidia_gpu_sm_90", "<b>"}, ""},
		{[]string{"spir64", "intel_gpu_acm_g10", "intel_gpu_12_60_7"}, "GPUs: `intel_gpu_acm_g10` (Arc A770), `intel_gpu_12_60_7` (Data Center GPU Max 1550)"},
		{append(many, "intel_gpu_cri"), ""},
	} {
		if got := GPUs(test.targets, safetext.CodeSpan); got != test.want {
			t.Errorf("%q: %q, want %q", test.targets, got, test.want)
		}
	}
	if got := GPUs(many, safetext.CodeSpan); strings.Count(got, "`") != 2*len(many) {
		t.Errorf("legend for %d GPUs: %q", len(many), got)
	}
}

// TestNeed checks that every rule about a requirement has words.
func TestNeed(t *testing.T) {
	for _, rule := range []compat.Rule{
		compat.MissingAspect, compat.UnsupportedJointMatrix, compat.UnsupportedWorkGroupDims, compat.UnsupportedWorkGroupSize,
		compat.UnsupportedSubGroupSize, compat.FixedTargetMismatch, compat.CompileTargetMismatch, compat.UnsupportedAssembly,
		compat.UnsupportedExtension, compat.UnsupportedIntrinsic, compat.MissingSPIRVExtension, compat.UnsupportedParameterSize,
		compat.UnsupportedLocalMemory, compat.UnreadableRequirement, compat.NoImage, report.NotReported,
	} {
		if ruleWords[rule].need == "" || ruleWords[rule].brief == "" {
			t.Errorf("missing description of the rule %s", rule)
		}
	}
	for _, test := range []struct {
		rule    compat.Rule
		kernels int
		want    string
	}{
		{compat.MissingAspect, 1, "requires aspect X"},
		{compat.UnsupportedWorkGroupDims, 2, "require X work-group dimensions"},
		{compat.UnsupportedLocalMemory, 1, "uses X bytes of local memory"},
		{compat.UnsupportedExtension, 2, "use extension X"},
	} {
		if got := Verb(test.rule, test.kernels) + " " + Need(test.rule, "X"); got != test.want || !IsRequirement(test.rule) {
			t.Errorf("%s: %q, want %q", test.rule, got, test.want)
		}
	}
	for value, want := range map[string]string{
		"3008": "3008 bytes of parameters", "3848 in registers": "3848 bytes of parameters in registers",
		"`3848 in registers`": "`3848` bytes of parameters in registers",
	} {
		if got := Need(compat.UnsupportedParameterSize, value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	if IsRequirement(compat.NoImage) || IsRequirement("unknown") {
		t.Error("IsRequirement(NoImage or an unknown rule) = true")
	}
}

func TestWriteTable(t *testing.T) {
	var b bytes.Buffer
	rows := [][]string{{"Device", "Runs"}, {"gpu", "10 of 20"}, {"日本", "-"}}
	const want = "DEVICE      RUNS\ngpu     10 of 20\n日本           -\n"
	if err := WriteTable(&b, rows); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, &b)
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"two kernels fail": "Two kernels fail.", "fp64 is missing": "fp64 is missing.", "really?": "really?", "done.": "done.",
		"target, //x: gone": "Target, //x: gone.",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSome(t *testing.T) {
	list := strings.Split("abcdefgh", "")
	for n, want := range map[int]string{1: "a", 2: "a and b", 6: "a, b, c, d, e and f", 7: "a, b, c, d, e, f and 1 more letter", 8: "a, b, c, d, e, f and 2 more letters"} {
		if got := List(list[:n], "letters"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
