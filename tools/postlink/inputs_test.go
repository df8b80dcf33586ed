package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.BadInputs(t, func() *cli.Tool { return tool(nil) }, []string{"--output=o.table INPUT", "--output=o.table --device-config-file=INPUT in.ll"})
}
