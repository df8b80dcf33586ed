package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/badinputs"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	badinputs.Check(t, tool, []string{"--output=o.table INPUT", "--output=o.table --device-config-file=INPUT in.ll"})
}
