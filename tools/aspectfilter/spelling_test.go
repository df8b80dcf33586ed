package main

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestSpelling filters tables with the command lines of sycl-aspect-filter.
func TestSpelling(t *testing.T) {
	const all = "[Code|Properties|Symbols]\nplain.bc|plain.prop|a.sym\nfp64.bc|fp64.prop|b.sym\nsg8.bc|sg8.prop|c.sym\nfixed.bc|fixed.prop|d.sym\nnone.bc|none.prop|e.sym\n"
	dg2 := strings.NewReplacer("fp64.bc|fp64.prop|b.sym\n", "", "fixed.bc|fixed.prop|d.sym\n", "").Replace(all)
	for name, test := range map[string]struct {
		args string
		code int
		want string // on standard output, or in the error
		file string // the content of out.table
	}{
		"a device":               {"-target=intel_gpu_dg2 in.table", 0, dg2, ""},
		"an output":              {"-target intel_gpu_dg2 -o out.table in.table", 0, "", dg2},
		"two dashes":             {"--target=intel_gpu_dg2 in.table", 0, dg2, ""},
		"any PTX":                {"-target=ptx64 in.table", 0, all, ""},
		"any SPIR-V":             {"-target=spir64 in.table", 0, all, ""},
		"a configuration":        {"-target=mine -device-config-file=mine.yaml in.table", 0, strings.ReplaceAll(dg2, "sg8.bc|sg8.prop|c.sym\n", "fp64.bc|fp64.prop|b.sym\n"), ""},
		"no column Properties":   {"-target=intel_gpu_dg2 code.table", 0, "[Code]\nk.bc\n", ""},
		"a target without entry": {"-target=mine in.table", cli.ExitUsage, `unknown target "mine"`, ""},
		"no target":              {"in.table", cli.ExitUsage, "--target", ""},
		"no table":               {"-target=spir64", cli.ExitUsage, "expected one file table", ""},
		"an option of ours":      {"-plan in.table", cli.ExitUsage, "unknown flag --plan", ""},
	} {
		t.Run(name, func(t *testing.T) {
			workspace(t)
			testkit.WriteFile(t, "code.table", "[Code]\nk.bc\n")
			testkit.WriteFile(t, "mine.yaml", "mine:\n  aspects: [fp64]\n  sub-group-sizes: [16]\n")
			code, stdout, stderr := testkit.Tool(dpcppTool).Run(t, strings.Fields(test.args)...)
			if code != test.code {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if code != 0 {
				if !strings.Contains(stderr, test.want) {
					t.Errorf("%q is not in\n%s", test.want, stderr)
				}
				return
			}
			if stdout != test.want || test.file != "" && testkit.ReadFile(t, "out.table") != test.file {
				t.Errorf("got\n%s\nwant\n%s", stdout, test.want)
			}
			// The subcommand is equivalent.
			code, stdout, stderr = run(t, append([]string{dpcppName}, strings.Fields(test.args)...)...)
			if code != test.code || stdout != test.want {
				t.Errorf("%s: exit %d, %s\n%s", dpcppName, code, stdout, stderr)
			}
		})
	}
}
