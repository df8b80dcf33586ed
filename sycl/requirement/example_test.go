package requirement_test

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func ExampleFromProperties() {
	r, err := propset.Parse("kernels_0.prop", []byte("[SYCL/device requirements]\n"+
		"aspects=2|ABAAAAAAAAQAAAAAGAAAAA\n"+
		"reqd_sub_group_size=1|16\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := requirement.FromProperties(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Aspects, q.SubGroupSizes)

	more := &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP16}}
	if err := q.Merge(more); err != nil {
		fmt.Println(err)
		return
	}
	q.Put(r)
	fmt.Printf("%s", r)
	// Output:
	// [cpu fp64] [16]
	// [SYCL/device requirements]
	// aspects=2|gBAAAAAAAAQAAAAAFAAAAYAAAAA
	// reqd_sub_group_size=1|16
}
