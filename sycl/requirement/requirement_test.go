package requirement

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func registry(props ...propset.Property) *propset.Registry {
	var r propset.Registry
	s := r.Add(propset.DeviceRequirements)
	for _, p := range props {
		s.Put(p.Key, p.Value)
	}
	return &r
}

func prop(key string, v propset.Value) propset.Property { return propset.Property{Key: key, Value: v} }

func TestFromProperties(t *testing.T) {
	tests := []struct {
		name string
		in   []propset.Property
		want Requirements
	}{
		{"an empty set", nil, Requirements{}},
		{"empty aspects", []propset.Property{prop("aspects", propset.Uint32s())}, Requirements{}},
		{"unsorted and duplicate aspects", []propset.Property{prop("aspects", propset.Uint32s(9, 6, 9, 5))},
			Requirements{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64, aspect.Image}}},
		{"an aspect without a name", []propset.Property{prop("aspects", propset.Uint32s(12345))},
			Requirements{Aspects: []aspect.Aspect{12345}}},
		{"the alternative spelling of aspects", []propset.Property{prop("aspect", propset.Uint32s(6))},
			Requirements{Aspects: []aspect.Aspect{aspect.FP64}}},
		{"both spellings", []propset.Property{prop("aspect", propset.Uint32s(6)), prop("aspects", propset.Uint32s(5))},
			Requirements{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64}}},
		{"a sub-group size as a number", []propset.Property{prop("reqd_sub_group_size", propset.Uint(32))},
			Requirements{SubGroupSizes: []uint32{32}}},
		{"a sub-group size as a byte array", []propset.Property{prop("reqd_sub_group_size", propset.Uint32s(16))},
			Requirements{SubGroupSizes: []uint32{16}}},
		{"several sub-group sizes", []propset.Property{prop("reqd_sub_group_size", propset.Uint32s(32, 8, 32))},
			Requirements{SubGroupSizes: []uint32{8, 32}}},
		{"a work-group size in its order", []propset.Property{prop("reqd_work_group_size_uint64_t", propset.Uint64s(8, 4, 2))},
			Requirements{WorkGroupSize: []uint64{8, 4, 2}}},
		{"a work-group size above 32 bits", []propset.Property{prop("reqd_work_group_size_uint64_t", propset.Uint64s(1<<32+1))},
			Requirements{WorkGroupSize: []uint64{1<<32 + 1}}},
		{"the former work-group size with its count", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(3, 8, 4, 2))},
			Requirements{WorkGroupSize: []uint64{8, 4, 2}}},
		{"the former work-group size without a count", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(8, 4, 2))},
			Requirements{WorkGroupSize: []uint64{8, 4, 2}}},
		{"an ambiguous former work-group size", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(1, 8))},
			Requirements{WorkGroupSize: []uint64{8}}},
		{"the former work-group size of one dimension", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(64))},
			Requirements{WorkGroupSize: []uint64{64}}},
		{"an empty former work-group size, as in DPC++ 2023", []propset.Property{prop("reqd_work_group_size", propset.Uint32s())},
			Requirements{}},
		{"both work-group sizes", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(2, 8, 4)), prop("reqd_work_group_size_uint64_t", propset.Uint64s(8, 4))},
			Requirements{WorkGroupSize: []uint64{8, 4}}},
		{"a dimensionality as a number", []propset.Property{prop("work_group_num_dim", propset.Uint(2))}, Requirements{WorkGroupDims: 2}},
		{"a dimensionality as a byte array", []propset.Property{prop("work_group_num_dim", propset.Uint32s(3))}, Requirements{WorkGroupDims: 3}},
		{"several dimensionalities", []propset.Property{prop("work_group_num_dim", propset.Uint32s(1, 2, 1))}, Requirements{WorkGroupDims: 2}},
		{"a size and its dimensionality", []propset.Property{prop("reqd_work_group_size_uint64_t", propset.Uint64s(32, 1)), prop("work_group_num_dim", propset.Uint(2))},
			Requirements{WorkGroupSize: []uint64{32, 1}, WorkGroupDims: 2}},
		{"fixed targets by name", []propset.Property{prop("fixed_target", propset.String("intel_gpu_pvc,intel_gpu_dg2"))},
			Requirements{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_dg2", "intel_gpu_pvc"}}},
		{"a fixed target whose name is as long as a number", []propset.Property{prop("fixed_target", propset.String("sm80"))},
			Requirements{HasFixedTargets: true, FixedTargets: []string{"sm80"}}},
		{"fixed targets by aspect", []propset.Property{prop("fixed_target", propset.Uint32s(2, 1))},
			Requirements{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.CPU, aspect.GPU}}},
		{"an empty list of fixed targets", []propset.Property{prop("fixed_target", propset.String(""))}, Requirements{HasFixedTargets: true}},
		{"texts", []propset.Property{
			prop("compile_target", propset.String("intel_gpu_pvc")),
			prop("joint_matrix", propset.String("matrix_type::fp64,use::a,16,16")),
			prop("joint_matrix_mad", propset.String("a,b,c,d,1,2,3")),
		}, Requirements{CompileTarget: "intel_gpu_pvc", JointMatrix: "matrix_type::fp64,use::a,16,16", JointMatrixMad: "a,b,c,d,1,2,3"}},
		{"unknown keys", []propset.Property{prop("zz", propset.Uint(1)), prop("a", propset.String("x"))},
			Requirements{Unknown: []propset.Property{prop("zz", propset.Uint(1)), prop("a", propset.String("x"))}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromProperties(registry(tt.in...))
			if err != nil {
				t.Fatal(err)
			}
			if !same(got, &tt.want) {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
			r := registry(prop("left over", propset.Uint(1)))
			got.Put(r)
			again, err := FromProperties(r)
			if err != nil || !same(again, &tt.want) {
				t.Errorf("after writing and reading: %+v, %v, want %+v", again, err, tt.want)
			}
		})
	}
	t.Run("no set", func(t *testing.T) {
		got, err := FromProperties(&propset.Registry{})
		if err != nil || !same(got, &Requirements{}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// same compares requirements, treating nil and empty slices as equal.
func same(a, b *Requirements) bool {
	x, y := *a, *b
	for _, q := range []*Requirements{&x, &y} {
		q.Aspects, q.FixedTargetAspects = append([]aspect.Aspect{}, q.Aspects...), append([]aspect.Aspect{}, q.FixedTargetAspects...)
		q.SubGroupSizes, q.WorkGroupSize = append([]uint32{}, q.SubGroupSizes...), append([]uint64{}, q.WorkGroupSize...)
		q.FixedTargets = append([]string{}, q.FixedTargets...)
		unknown := make(map[string]propset.Value)
		for _, p := range q.Unknown {
			unknown[p.Key] = p.Value
		}
		if len(unknown) != len(q.Unknown) {
			return false
		}
		q.Unknown = nil
		for _, key := range []string{"zz", "a"} {
			if v, ok := unknown[key]; ok {
				q.Unknown = append(q.Unknown, prop(key, v))
			}
		}
	}
	return reflect.DeepEqual(x, y)
}

func TestFromPropertiesErrors(t *testing.T) {
	tests := []struct {
		name string
		in   []propset.Property
		want string
	}{
		{"aspects as a number", []propset.Property{prop("aspects", propset.Uint(6))}, "[SYCL/device requirements] aspects: the number 6 is not a byte array of 32-bit numbers"},
		{"aspects with an invalid length", []propset.Property{prop("aspects", propset.String("abcde"))}, "[SYCL/device requirements] aspects: the byte array 6162636465 of 40 bits is not a byte array of 32-bit numbers"},
		{"no sub-group size", []propset.Property{prop("reqd_sub_group_size", propset.Uint32s())}, "[SYCL/device requirements] reqd_sub_group_size: the byte array  of 0 bits is neither a number nor a byte array of 32-bit numbers"},
		{"a sub-group size of two bytes", []propset.Property{prop("reqd_sub_group_size", propset.Bytes([]byte{16, 0}))}, "[SYCL/device requirements] reqd_sub_group_size: the byte array 1000 of 16 bits is neither a number nor a byte array of 32-bit numbers"},
		{"a work-group size as a number", []propset.Property{prop("reqd_work_group_size_uint64_t", propset.Uint(64))}, "[SYCL/device requirements] reqd_work_group_size_uint64_t: the number 64 is not a byte array of 1 to 3 64-bit numbers"},
		{"a work-group size of four dimensions", []propset.Property{prop("reqd_work_group_size_uint64_t", propset.Uint64s(1, 1, 1, 1))}, "[SYCL/device requirements] reqd_work_group_size_uint64_t: the byte array 0100000000000000010000000000000001000000000000000100000000000000 of 256 bits is not a byte array of 1 to 3 64-bit numbers"},
		{"a former work-group size with a wrong count", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(2, 8, 4, 2))}, "[SYCL/device requirements] reqd_work_group_size: the byte array 02000000080000000400000002000000 of 128 bits is not a byte array of 1 to 3 32-bit numbers, with or without their count before them"},
		{"different work-group sizes", []propset.Property{prop("reqd_work_group_size", propset.Uint32s(2, 8, 4)), prop("reqd_work_group_size_uint64_t", propset.Uint64s(8))}, "[SYCL/device requirements] reqd_work_group_size: the work-group size [8 4] differs from [8] under reqd_work_group_size_uint64_t"},
		{"four dimensions", []propset.Property{prop("work_group_num_dim", propset.Uint(4))}, "[SYCL/device requirements] work_group_num_dim: the number 4 is not a number of dimensions from 1 to 3"},
		{"no dimension", []propset.Property{prop("work_group_num_dim", propset.Uint(0))}, "[SYCL/device requirements] work_group_num_dim: the number 0 is not a number of dimensions from 1 to 3"},
		{"a fixed target as a number", []propset.Property{prop("fixed_target", propset.Uint(1))}, "[SYCL/device requirements] fixed_target: the number 1 is neither names of targets nor numbers of aspects"},
		{"a fixed target without a name", []propset.Property{prop("fixed_target", propset.String("a,,b"))}, `[SYCL/device requirements] fixed_target: the list of targets "a,,b" has an empty name`},
		{"fixed targets that are not text", []propset.Property{prop("fixed_target", propset.Uint32s(0xffffffff))}, "[SYCL/device requirements] fixed_target: the byte array ffffffff of 32 bits is neither names of targets nor numbers of aspects"},
		{"a compile target with NUL", []propset.Property{prop("compile_target", propset.String("pvc\x00"))}, "[SYCL/device requirements] compile_target: the byte array 70766300 of 32 bits is not text"},
		{"matrices as a number", []propset.Property{prop("joint_matrix", propset.Uint(1))}, "[SYCL/device requirements] joint_matrix: the number 1 is not text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := FromProperties(registry(tt.in...))
			var e *propset.SyntaxError
			if !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			// Readable returns the other requirements.
			q := Readable(registry(append(tt.in, prop("reqd_sub_group_size", propset.Uint32s(7)))...))
			if len(q.Unreadable) != 1 && tt.in[0].Key != "reqd_sub_group_size" || q.HasFixedTargets || !slices.Contains(q.SubGroupSizes, 7) {
				t.Errorf("readable part: %+v", q)
			}
		})
	}
	t.Run("error with its line", func(t *testing.T) {
		r, err := propset.Parse("", []byte("[SYCL/device requirements]\nwork_group_num_dim=1|9\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = FromProperties(r); err == nil || err.Error() != "line 2: [SYCL/device requirements] work_group_num_dim: the number 9 is not a number of dimensions from 1 to 3" {
			t.Errorf("got %v", err)
		}
	})
}

// TestPut compares the output with DPC++'s text for the same requirements, except for the names of
// fixed targets and for several sub-group sizes.
func TestPut(t *testing.T) {
	tests := []struct {
		name string
		q    Requirements
		want string
	}{
		{"no requirements", Requirements{}, "aspects=2|AAAAAAAAAAA\n"},
		{"aspects", Requirements{Aspects: []aspect.Aspect{0, 9, 12}}, "aspects=2|gBAAAAAAAAAAAAAAJAAAAwAAAAA\n"},
		{"unsorted aspects", Requirements{Aspects: []aspect.Aspect{12, 0, 9, 0}}, "aspects=2|gBAAAAAAAAAAAAAAJAAAAwAAAAA\n"},
		{"a sub-group size", Requirements{SubGroupSizes: []uint32{32}}, "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|32\n"},
		{"several sub-group sizes", Requirements{SubGroupSizes: []uint32{1, 6}}, "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=2|ABAAAAAAAAQAAAAAGAAAAA\n"},
		{"a work-group size", Requirements{WorkGroupSize: []uint64{8, 4, 2}}, "aspects=2|AAAAAAAAAAA\nreqd_work_group_size_uint64_t=2|ADAAAAAAAAACAAAAAAAAAQAAAAAAAAAACAAAAAAAAAA\n"},
		{"a dimensionality", Requirements{WorkGroupDims: 2}, "aspects=2|AAAAAAAAAAA\nwork_group_num_dim=1|2\n"},
		{"a matrix", Requirements{JointMatrix: "matrix_type::fp64,use::a,16,16"}, "aspects=2|AAAAAAAAAAA\njoint_matrix=2|wDAAAAAAAAQbhRncph3X0lHclpjOmBnN0wSdzVmO6EGLxYDLxYD\n"},
		{"a compile target", Requirements{CompileTarget: "intel_gpu_pvc"}, "aspects=2|AAAAAAAAAAA\ncompile_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y\n"},
		{"a fixed target by name", Requirements{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_pvc"}}, "aspects=2|AAAAAAAAAAA\nfixed_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y\n"},
		{"a fixed target by aspect", Requirements{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{1}}, "aspects=2|AAAAAAAAAAA\nfixed_target=2|gAAAAAAAAAQAAAAA\n"},
		{"an empty list of fixed targets", Requirements{HasFixedTargets: true}, "aspects=2|AAAAAAAAAAA\nfixed_target=2|AAAAAAAAAAA\n"},
		{"an unknown key in its place", Requirements{Unknown: []propset.Property{prop("zz", propset.Uint(1)), prop("b", propset.Uint(2))}}, "aspects=2|AAAAAAAAAAA\nb=1|2\nzz=1|1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := registry(prop("work_group_num_dim", propset.Uint(1)))
			tt.q.Put(r)
			if got, want := r.String(), "[SYCL/device requirements]\n"+tt.want; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want Requirements
	}{
		{"empty requirements", Requirements{}, Requirements{}, Requirements{}},
		{"aspects and sizes are combined",
			Requirements{Aspects: []aspect.Aspect{5, 9}, SubGroupSizes: []uint32{32}},
			Requirements{Aspects: []aspect.Aspect{5, 6}, SubGroupSizes: []uint32{16}},
			Requirements{Aspects: []aspect.Aspect{5, 6, 9}, SubGroupSizes: []uint32{16, 32}}},
		{"one work-group size", Requirements{}, Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSize: []uint64{8}}},
		{"equal work-group sizes", Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSize: []uint64{8}}},
		{"different work-group sizes", Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSize: []uint64{8, 1}}, Requirements{WorkGroupSizesDiffer: true}},
		{"a work-group size after different ones", Requirements{WorkGroupSizesDiffer: true}, Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSizesDiffer: true}},
		{"a work-group size before different ones", Requirements{WorkGroupSize: []uint64{8}}, Requirements{WorkGroupSizesDiffer: true}, Requirements{WorkGroupSizesDiffer: true}},
		{"the larger dimensionality", Requirements{WorkGroupDims: 2}, Requirements{WorkGroupDims: 1}, Requirements{WorkGroupDims: 2}},
		{"fixed targets in one image", Requirements{}, Requirements{HasFixedTargets: true, FixedTargets: []string{"a"}}, Requirements{HasFixedTargets: true, FixedTargets: []string{"a"}}},
		{"fixed targets in both images", Requirements{HasFixedTargets: true, FixedTargets: []string{"a", "b"}}, Requirements{HasFixedTargets: true, FixedTargets: []string{"b", "c"}}, Requirements{HasFixedTargets: true, FixedTargets: []string{"b"}}},
		{"disjoint fixed targets", Requirements{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{1}}, Requirements{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{2}}, Requirements{HasFixedTargets: true}},
		{"fixed targets and an empty list", Requirements{HasFixedTargets: true, FixedTargets: []string{"a"}}, Requirements{HasFixedTargets: true}, Requirements{HasFixedTargets: true}},
		{"a compile target", Requirements{}, Requirements{CompileTarget: "pvc"}, Requirements{CompileTarget: "pvc"}},
		{"matrices", Requirements{JointMatrix: "a;b", JointMatrixMad: "x"}, Requirements{JointMatrix: "c;a;", JointMatrixMad: ""}, Requirements{JointMatrix: "a;b;c", JointMatrixMad: "x"}},
		{"unknown keys", Requirements{Unknown: []propset.Property{prop("a", propset.Uint(1))}}, Requirements{Unknown: []propset.Property{prop("zz", propset.Uint(2)), prop("a", propset.Uint(1))}},
			Requirements{Unknown: []propset.Property{prop("a", propset.Uint(1)), prop("zz", propset.Uint(2))}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.a
			if err := got.Merge(&tt.b); err != nil {
				t.Fatal(err)
			}
			if !same(&got, &tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestMergeErrors(t *testing.T) {
	tests := []struct {
		name string
		a, b Requirements
		want string
	}{
		{"compile targets", Requirements{CompileTarget: "pvc"}, Requirements{CompileTarget: "dg2", Aspects: []aspect.Aspect{6}}, "cannot merge images compiled for pvc and for dg2"},
		{"two kinds of fixed targets", Requirements{HasFixedTargets: true, FixedTargets: []string{"a"}}, Requirements{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{6}}, "cannot merge fixed targets that are names (a) with fixed targets that are aspects (fp64)"},
		{"unknown properties", Requirements{Unknown: []propset.Property{prop("a", propset.Uint(1))}}, Requirements{Unknown: []propset.Property{prop("a", propset.Uint(2))}}, "cannot merge images: property a is 1|1 in one and 1|2 in another"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.a
			if err := got.Merge(&tt.b); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if !same(&got, &tt.a) {
				t.Errorf("result of a failed merge: %+v", got)
			}
		})
	}
}

func FuzzFromProperties(f *testing.F) {
	for _, key := range []string{"aspects", "fixed_target", "reqd_sub_group_size", "reqd_work_group_size", "reqd_work_group_size_uint64_t", "compile_target", "work_group_num_dim", "other"} {
		f.Add(key, []byte("\x02\x00\x00\x00\x08\x00\x00\x00\x04\x00\x00\x00"), uint32(2))
		f.Add(key, []byte("intel_gpu_pvc,intel_gpu_dg2"), uint32(0))
	}
	f.Fuzz(func(t *testing.T, key string, b []byte, n uint32) {
		for _, v := range []propset.Value{propset.Bytes(b), propset.Uint(n)} {
			q, err := FromProperties(registry(prop(key, v)))
			if err != nil {
				continue
			}
			var r propset.Registry
			q.Put(&r)
			again, err := FromProperties(&r)
			if err != nil {
				t.Fatalf("cannot read the written properties: %v", err)
			}
			var r2 propset.Registry
			again.Put(&r2)
			if !r.Equal(&r2) {
				t.Fatalf("%+v is read as %+v", q, again)
			}
			if err := again.Merge(q); err != nil {
				t.Fatalf("%+v cannot be merged with itself: %v", q, err)
			}
		}
	})
}

// TestExtensionSet checks that requirements for which DPC++ does not define a key are in a separate
// set.
func TestExtensionSet(t *testing.T) {
	q := Requirements{Intrinsics: []string{"llvm.genx.nbarrier", "llvm.genx.dpas2"}, Extensions: []string{"SPV_B", "SPV_A"}}
	r := new(propset.Registry)
	q.Put(r)
	want := "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[rules_sycl/device requirements]\nextensions=" + propset.String("SPV_A,SPV_B").String() + "\nintrinsics=" + propset.String("llvm.genx.dpas2,llvm.genx.nbarrier").String() + "\n"
	if r.String() != want {
		t.Errorf("got\n%swant\n%s", r, want)
	}
	got, err := FromProperties(r)
	if err != nil || !same(got, &Requirements{Intrinsics: []string{"llvm.genx.dpas2", "llvm.genx.nbarrier"}, Extensions: []string{"SPV_A", "SPV_B"}}) {
		t.Errorf("read: %+v, %v", got, err)
	}
	more := Requirements{Intrinsics: []string{"llvm.genx.lsc.load.slm", "llvm.genx.dpas2"}, Extensions: []string{"SPV_C"}}
	if err := got.Merge(&more); err != nil || len(got.Intrinsics) != 3 || len(got.Extensions) != 3 {
		t.Errorf("merged: %q, %q, %v", got.Intrinsics, got.Extensions, err)
	}
	new(Requirements).Put(r)
	if r.Set(ExtensionSet) != nil {
		t.Errorf("empty set remains:\n%s", r)
	}
	for name, v := range map[string]propset.Value{
		"a number": propset.Uint(1), "an empty name": propset.String("a,,b"), "no name": propset.String(""), "a control character": propset.String("a\x1b"),
	} {
		for _, key := range []string{"intrinsics", "extensions"} {
			r := new(propset.Registry)
			r.Add(ExtensionSet).Put(key, v)
			var e *propset.SyntaxError
			if _, err := FromProperties(r); !errors.As(err, &e) || e.Set != ExtensionSet || e.Key != key {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestNeedLimits checks that sizes that every device supports are not required, and that the
// maximum of several kernels is.
func TestNeedLimits(t *testing.T) {
	var q Requirements
	q.NeedParameters(1024, 2048)
	q.NeedLocalMemory(32 << 10)
	if q.ParameterSize != 0 || q.ParameterRegisters != 0 || q.LocalMemory != 0 {
		t.Errorf("sizes that every device supports are required: %+v", q)
	}
	for _, n := range []uint64{2, 3, 1} {
		q.NeedParameters(1024+n, 2048+n)
		q.NeedLocalMemory(32<<10 + n)
	}
	if q.ParameterSize != 1027 || q.ParameterRegisters != 2051 || q.LocalMemory != 32<<10+3 {
		t.Errorf("got %d bytes of parameters, %d of registers and %d of local memory", q.ParameterSize, q.ParameterRegisters, q.LocalMemory)
	}
}
