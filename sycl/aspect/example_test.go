package aspect_test

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

func ExampleParse() {
	for _, s := range []string{"fp64", "6", "ext_oneapi_ballot_group", "fp46"} {
		a, err := aspect.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(uint32(a), a)
	}
	// Output:
	// 6 fp64
	// 6 fp64
	// 50 ext_oneapi_fragment
	// unknown aspect "fp46"; did you mean fp16?
}
