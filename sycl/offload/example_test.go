package offload_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

func Example() {
	var file bytes.Buffer
	err := offload.Write(&file, []offload.Image{{
		ImageKind:   offload.PTX,
		OffloadKind: offload.SYCL,
		Strings:     []offload.String{{Key: "triple", Value: "nvptx64-nvidia-cuda"}, {Key: "arch", Value: "sm_80"}},
		Content:     strings.NewReader(".version 8.0"),
	}}, offload.Options{Version: 2})
	if err != nil {
		log.Fatal(err)
	}

	containers, err := offload.ReadAll(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range containers[0].Entries {
		arch, _ := e.String("arch")
		fmt.Println(e.ImageKind, arch, e.Size(), "bytes")
	}
	// Output: ptx sm_80 12 bytes
}
