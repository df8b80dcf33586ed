package propset_test

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func ExampleParse() {
	r, err := propset.Parse("kernels_0.prop", []byte("[SYCL/device requirements]\n"+
		"aspects=2|ABAAAAAAAAQAAAAAGAAAAA\n"+
		"reqd_sub_group_size=1|16\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	aspects, _ := r.Set(propset.DeviceRequirements).Get("aspects")
	fmt.Println(aspects.Uint32s())

	r.Add(propset.KernelNames).Put("_ZTS6kernel", propset.Uint(1))
	text, err := r.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", text)
	// Output:
	// [1 6] true
	// [SYCL/device requirements]
	// aspects=2|ABAAAAAAAAQAAAAAGAAAAA
	// reqd_sub_group_size=1|16
	// [SYCL/kernel names]
	// _ZTS6kernel=1|1
}

func ExampleDescribe() {
	mask := propset.Bits([]byte{0b101}, 3)
	d, err := propset.Describe(propset.KernelParamOpt, "_ZTS6kernel", mask)
	fmt.Println(d.Layout, "/", d.Text, err)

	d, err = propset.Describe(propset.SYCLBINGlobal, "state", propset.Uint(7))
	fmt.Println(d.Layout, "/", d.Text)
	fmt.Println(err)
	// Output:
	// bits / 0 2 of 3 <nil>
	// u32 / 7
	// [SYCLBIN/global metadata] state: unknown value 7; expected 0 input, 1 object, 2 executable
}
