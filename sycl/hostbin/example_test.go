package hostbin_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
)

func Example() {
	// An ocloc archive with one member.
	archive := "!<arch>\n" + fmt.Sprintf("%-48s%-10d`\n", "64.12.60.7", 4) + "code"
	host, err := hostbin.NewFile(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		log.Fatal(err)
	}
	for _, img := range host.Images {
		fmt.Println(img.Triple, img.Arch, img.Stated, img.Size(), "bytes at", img.Origin)
	}
	// Output: spir64_gen-unknown-unknown intel_gpu_pvc native 4 bytes at member "64.12.60.7", offset 0x44
}
