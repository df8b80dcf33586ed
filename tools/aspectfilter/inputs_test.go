package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	workspace(t)
	testkit.BadInputs(t, tool, []string{
		"--target=spir64 --output=o INPUT", "--plan --output=o INPUT", "--target=spir64 --output=o --device-config-file=INPUT in.table",
		"devices --device-config-file=INPUT", "device-entry --from=INPUT",
	})
}
