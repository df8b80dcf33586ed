package deviceconfig

import (
	"strings"
	"testing"
)

func TestFeatureSupport(t *testing.T) {
	for _, test := range []struct {
		target, feature string
		want            Support
	}{
		{"intel_gpu_pvc", Images, Refused},
		{"intel_gpu_cri", Images, Accepted},
		{"intel_gpu_adl_n", "SPV_KHR_integer_dot_product", Refused},
		{"intel_gpu_adl_p", "SPV_KHR_integer_dot_product", Accepted},
		{"intel_gpu_bmg", "SPV_INTEL_2d_block_io", Accepted},
		{"intel_gpu_dg2", "SPV_INTEL_2d_block_io", Refused},
		{"intel_gpu_pvc", "TokenTypeINTEL", NotMeasured},
		{"intel_gpu_dg2", "joint_matrix_a_col_major", Refused},
		{"intel_gpu_bmg", "joint_matrix_a_col_major", Accepted},
		{"intel_gpu_pvc", "joint_matrix_checked", Accepted},
		{"intel_gpu_arl_h", "joint_matrix_checked", Refused},
		{"intel_gpu_pvc", "joint_matrix_layout", Refused},
		{"intel_gpu_skl", Images, NotInTable},
		{"intel_gpu_pvc", "SPV_OTHER", NotInTable},
		{"intel_gpu_pvc", "SPV_INTEL_split_barrier", Accepted},
		{"x86_64", "SPV_INTEL_split_barrier", Refused},
		{"spir64_x86_64", "SPV_INTEL_bindless_images", Refused},
		{"intel_cpu_spr", "DotProductInputAll", Refused},
		{"x86_64", "SPV_KHR_integer_dot_product", Accepted},
		{"x86_64", Images, Accepted},
		{"x86_64", "SPV_INTEL_vector_compute", Accepted},
	} {
		if got, _ := FeatureSupport(test.target, test.feature); got != test.want {
			t.Errorf("%s on %s: %d, want %d", test.feature, test.target, got, test.want)
		}
	}
}

// TestMessageOfMergedCapabilities checks that an extension always has the message of the first of
// its capabilities.
func TestMessageOfMergedCapabilities(t *testing.T) {
	const first = "unsupported capability 6228"
	for range 20 {
		table, err := readFeatures(spirvTSV)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.rows["SPV_INTEL_2d_block_io"].cpuMessage; !strings.Contains(got, first) {
			t.Fatalf("got %q, want %q", got, first)
		}
	}
}

func TestFeatureOf(t *testing.T) {
	for capability, want := range map[uint32]string{13: Images, 6528: "SPV_INTEL_bindless_images", 6022: "SPV_KHR_cooperative_matrix", 6228: "SPV_INTEL_2d_block_io",
		18: "", 10: "", 6141: "SPV_INTEL_split_barrier", 6016: "DotProductInputAll", 50: "ImageQuery", 5617: "", 4294967295: ""} {
		if got, ok := FeatureOf(capability); got != want || ok != (want != "") {
			t.Errorf("capability %d: %q, %t; want %q", capability, got, ok, want)
		}
	}
}

func TestReadFeaturesErrors(t *testing.T) {
	const head = "# with ocloc 1.2 and Intel's CPU device 3: y\nname\tcapability\textension\tpvc\tx86_64\tmessage\tmessage\n"
	for text, want := range map[string]string{
		"":                        "",
		head + "a\t1\t\ty\ty":     "spirv.tsv:3: 5 columns",
		head + "a\t1\t\tx\ty\t\t": "spirv.tsv:3: cells",
		head + "a\tb\t\ty\ty\t\t": "spirv.tsv:3: capability",
		head + "a\t1\t\ty\ty\t\t\na\t1\t\t\ty\tno\t\n":     "spirv.tsv:4: cells",
		"#\nname\tcapability\textension\tpvc\tcri\ta\tb\n": "spirv.tsv:2: 7 columns, expected columns for GPUs and x86_64",
		"#\na\tb\n": "spirv.tsv:2: 2 columns",
	} {
		_, err := readFeatures(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
