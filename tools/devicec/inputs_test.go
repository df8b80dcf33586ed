package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.BadInputs(t, func() *cli.Tool { return tool(nil) }, []string{
		"import --llvm-spirv=x --llvm-dis=x --llvm-link=x --output=o INPUT",
		"link --llvm-dis=x --llvm-link=x --output=o a.cpp=INPUT",
		"images --driver=x --library=x --code-dir=c --properties-dir=p --table=t INPUT",
		"translate --llvm-spirv=x --spirv-val=x --code-dir=c --properties-dir=p --table=t INPUT",
		"specialize --set=a=1 --code-dir=c --properties-dir=p --table=t INPUT",
		"gpu --opt=x --llc=x --device=sm_90 --code-dir=c --output=o INPUT",
	})
}
