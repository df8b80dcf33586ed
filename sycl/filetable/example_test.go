package filetable_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

func ExampleRead() {
	t, err := filetable.Read("linked.table", strings.NewReader("[Code|Properties]\nlinked_0.bc|linked_0.prop\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range t.Rows {
		row[t.Column(filetable.Code)] = "linked_0.spv"
	}
	if err := t.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [Code|Properties]
	// linked_0.spv|linked_0.prop
}

func ExampleReader() {
	r := filetable.NewReader("linked.table", strings.NewReader("[Code|Properties]\na.spv|a.prop\nb.spv\n"))
	for {
		row, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row)
	}
	// Output:
	// [a.spv a.prop]
	// linked.table:3: the row has 1 cell, but the table has 2 columns
}
