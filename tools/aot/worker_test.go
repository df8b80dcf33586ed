package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
)

// echo is a tool that prints its arguments, and refuses the argument "bad".
func echo() *cli.Tool {
	return &cli.Tool{Name: "echo", Commands: []*cli.Command{{Setup: func(*flag.FlagSet) cli.Run {
		return func(_ context.Context, env *cli.Env, args []string) error {
			fmt.Fprintf(env.Stdout, "%q", args)
			if args[0] == "bad" {
				return cli.BadInput(fmt.Errorf("refused"))
			}
			return nil
		}
	}}}}
}

func TestWork(t *testing.T) {
	for name, test := range map[string]struct {
		in, out string
		args    []string
		code    int
	}{
		"nothing": {in: "", out: ""},
		"actions, one of which fails": {
			in: `{"arguments":["a","b"],"inputs":[{"path":"x","digest":"00"}],"requestId":0,"verbosity":1}
{"arguments":["bad"]}` + "\n" + `{"arguments":["c\u00e9"],"requestId":3,"sandboxDir":""}`,
			out: `{"exitCode":0,"output":"[\"a\" \"b\"]","requestId":0}
{"exitCode":3,"output":"[\"bad\"]echo: error: refused\n","requestId":0}
{"exitCode":0,"output":"[\"cé\"]","requestId":3}
`,
		},
		"arguments of the worker": {in: `{"arguments":["b"]}`, args: []string{"a"}, out: `{"exitCode":0,"output":"[\"a\" \"b\"]","requestId":0}` + "\n"},
		"no protocol":             {in: "a b", out: "", code: cli.ExitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs strings.Builder
			code := work(t.Context(), echo(), &cli.Env{Stdin: strings.NewReader(test.in), Stdout: &out, Stderr: &errs}, test.args)
			if code != test.code || out.String() != test.out || (errs.Len() > 0) != (code != 0) {
				t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
			}
		})
	}
}

func TestAsWorker(t *testing.T) {
	if rest, worker := asWorker([]string{"a", "--persistent_worker", "b"}); !worker || strings.Join(rest, " ") != "a b" {
		t.Errorf("%q, %v", rest, worker)
	}
	if rest, worker := asWorker([]string{"a"}); worker || strings.Join(rest, " ") != "a" {
		t.Errorf("%q, %v", rest, worker)
	}
}

// TestWorkerCompiles: a worker does what the program does.
func TestWorkerCompiles(t *testing.T) {
	t.Chdir(t.TempDir())
	testfile.Write(t, "ocloc", "#!/bin/sh\nfor last; do :; done\necho native > \"$last\"\n")
	if err := os.Chmod("ocloc", 0o755); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, "k.spv", "spirv")
	testfile.Write(t, "k.table", "[Code]\nk.spv\n")
	testfile.Write(t, "odd.table", "[Properties]\nk.prop\n")
	ocloc, err := filepath.Abs("ocloc")
	if err != nil {
		t.Fatal(err)
	}
	const request = `{"arguments":["--ocloc",%q,"--device","pvc","--code-dir","bin","--output","out.table",%q],"requestId":0}`
	in := fmt.Sprintf(request+"\n"+request, ocloc, "odd.table", ocloc, "k.table")
	servers := aot.NewServers(t.Context(), 1)
	defer servers.Close()
	var out, errs strings.Builder
	code := work(t.Context(), tool(servers), &cli.Env{Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs}, nil)
	lines := strings.Split(out.String(), "\n")
	if code != 0 || errs.Len() > 0 || len(lines) != 3 || !strings.Contains(lines[0], `"exitCode":3`) || lines[1] != `{"exitCode":0,"output":"","requestId":0}` {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
	if got := testfile.Read(t, "bin/k.bin") + testfile.Read(t, "out.table"); got != "native\n[Code]\nbin/k.bin\n" {
		t.Errorf("image and table %q", got)
	}
}
