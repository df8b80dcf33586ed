package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/badinputs"
	"github.com/rules-sycl/rules_sycl/internal/testfile"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	install(t, "dpcpp")
	testfile.Write(t, "k.cpp", "int k;\n")
	badinputs.Check(t, tool, []string{
		"compile --library=INPUT --output=o k.cpp --", "compile --library=dpcpp/installation.json --output=o INPUT --",
		"compile --library=dpcpp/installation.json --output=o --unused=u --candidates=INPUT k.cpp --",
		"post-link --library=dpcpp/installation.json --output-dir=o INPUT --",
	}, "compile --library=dpcpp/installation.json --output=o INPUT --", "compile --library=dpcpp/installation.json --output=o --unused=u --candidates=INPUT k.cpp --")
}
