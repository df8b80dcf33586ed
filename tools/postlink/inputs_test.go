package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/badinputs"
	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	badinputs.Check(t, func() *cli.Tool { return tool(nil) }, []string{"--output=o.table INPUT", "--output=o.table --device-config-file=INPUT in.ll"})
}
