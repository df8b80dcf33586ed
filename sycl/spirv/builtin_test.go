package spirv

import "testing"

func TestBuiltin(t *testing.T) {
	for name, want := range map[string]bool{
		"_Z22__spirv_ControlBarrierjjj": true,
		"__builtin_IB_test":             true,
		"llvm.trap":                     true,
		"_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt": true,
		"_Z5intelv": false,
	} {
		if got := builtin(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
