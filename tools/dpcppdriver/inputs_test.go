package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	install(t, "dpcpp")
	testkit.WriteFile(t, "k.cpp", "int k;\n")
	testkit.BadInputs(t, tool, []string{
		"compile --library=INPUT --output=o k.cpp --", "compile --library=dpcpp/installation.json --output=o INPUT --",
		"compile --library=dpcpp/installation.json --output=o --unused=u --candidates=INPUT k.cpp --",
		"post-link --library=dpcpp/installation.json --output-dir=o INPUT --",
	}, "compile --library=dpcpp/installation.json --output=o INPUT --", "compile --library=dpcpp/installation.json --output=o --unused=u --candidates=INPUT k.cpp --")
}
