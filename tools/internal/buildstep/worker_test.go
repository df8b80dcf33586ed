package buildstep

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// echo returns a tool that prints its arguments and rejects the argument "bad".
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

// bazel sends requests, and closes the input after the same number of responses.
type bazel struct {
	strings.Builder
	answers int
	in      *io.PipeWriter
}

func (b *bazel) Write(p []byte) (int, error) {
	n, err := b.Builder.Write(p)
	if strings.Count(b.String(), "\n") == b.answers {
		b.in.Close()
	}
	return n, err
}

// workFor runs a tool as a persistent worker.
func workFor(t *testing.T, tool *cli.Tool, requests string, args ...string) (code int, answers, errs string) {
	t.Helper()
	in, out := io.Pipe()
	b := &bazel{answers: strings.Count(requests, `"arguments"`), in: out}
	go func() {
		io.WriteString(out, requests)
		if b.answers == 0 {
			out.Close()
		}
	}()
	var log strings.Builder
	code = serveWorker(t.Context(), tool, &cli.Env{Stdin: in, Stdout: b, Stderr: &log}, args)
	return code, b.String(), log.String()
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
			code, out, errs := workFor(t, echo(), test.in, test.args...)
			// Responses may be in any order.
			lines := slices.Sorted(strings.Lines(out))
			if want := slices.Sorted(strings.Lines(test.out)); code != test.code || !slices.Equal(lines, want) || (errs != "") != (code != 0) {
				t.Errorf("exit %d, %s%s", code, out, errs)
			}
		})
	}
}

// TestWorkAtOnce checks that an action can start and end while another action is running.
func TestWorkAtOnce(t *testing.T) {
	second := make(chan bool)
	tool := &cli.Tool{Name: "wait", Commands: []*cli.Command{{Setup: func(*flag.FlagSet) cli.Run {
		return func(_ context.Context, _ *cli.Env, args []string) error {
			if args[0] == "first" {
				<-second
			} else {
				close(second)
			}
			return nil
		}
	}}}}
	code, out, errs := workFor(t, tool, `{"arguments":["first"],"requestId":1}{"arguments":["second"],"requestId":2}`)
	if code != 0 || errs != "" || strings.Count(out, `"exitCode":0`) != 2 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// TestWorkEnds checks that running actions are stopped when Bazel closes standard input.
func TestWorkEnds(t *testing.T) {
	tool := &cli.Tool{Name: "wait", Commands: []*cli.Command{{Setup: func(*flag.FlagSet) cli.Run {
		return func(ctx context.Context, _ *cli.Env, _ []string) error {
			<-ctx.Done()
			return ctx.Err()
		}
	}}}}
	var out strings.Builder
	in := strings.NewReader(`{"arguments":["x"]}`)
	if code := serveWorker(t.Context(), tool, &cli.Env{Stdin: in, Stdout: &out, Stderr: &out}, nil); code != 0 || !strings.Contains(out.String(), "context canceled") {
		t.Errorf("exit %d, %s", code, &out)
	}
}

// TestWorkCancelled checks that an action stops when Bazel cancels it, and that other actions
// continue. Cancel requests for an action that has ended or does not exist have no effect.
func TestWorkCancelled(t *testing.T) {
	stopped := make(chan bool)
	tool := &cli.Tool{Name: "wait", Commands: []*cli.Command{{Setup: func(*flag.FlagSet) cli.Run {
		return func(ctx context.Context, _ *cli.Env, args []string) error {
			if len(args) == 0 {
				t.Error("a request to cancel was run")
			} else if args[0] == "endless" {
				defer close(stopped)
				<-ctx.Done()
				return ctx.Err()
			}
			<-stopped
			return nil
		}
	}}}}
	code, out, errs := workFor(t, tool, `{"arguments":["endless"],"requestId":1}{"arguments":["x"],"requestId":2}`+
		`{"cancel":true,"requestId":7}{"cancel":true,"requestId":1}{"cancel":true,"requestId":1}`)
	for _, want := range []string{`"requestId":1,"wasCancelled":true}`, `{"exitCode":0,"output":"","requestId":2}`} {
		if code != 0 || errs != "" || strings.Count(out, "\n") != 2 || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s%s, without %s", code, out, errs, want)
		}
	}
}

// FuzzWork checks that a worker exits for any standard input, and responds to each request once.
func FuzzWork(f *testing.F) {
	for _, seed := range []string{
		`{"arguments":["a"],"inputs":[{"path":"x","digest":"00"}],"requestId":1,"verbosity":1,"sandboxDir":"s"}{"cancel":true,"requestId":1}`,
		`{"arguments":["bad"]}` + "\n" + `{"arguments":[]}`, `{"arguments":null,"requestId":-1}{`, `{"requestId":1e9}`, `{"requestId":1.5}`, `[]`, "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := map[int]int{}
		err := requests(bytes.NewReader(in), func(r workRequest) {
			if !r.Cancel {
				want[r.RequestID]++
			}
		})
		var out, errs strings.Builder
		code := serveWorker(t.Context(), echo(), &cli.Env{Stdin: bytes.NewReader(in), Stdout: &out, Stderr: &errs}, []string{"first"})
		if (code == cli.ExitFailure) != (err != nil) || (code == cli.ExitOK) != (err == nil) || (errs.Len() > 0) != (err != nil) {
			t.Errorf("exit %d, %v, %s", code, err, &errs)
		}
		for line := range strings.Lines(out.String()) {
			var r workResponse
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			want[r.RequestID]--
		}
		for id, n := range want {
			if n != 0 {
				t.Errorf("%d answers of request %d are missing", n, id)
			}
		}
	})
}

func TestAsWorker(t *testing.T) {
	if rest, worker := asWorker([]string{"a", "--persistent_worker", "b"}); !worker || strings.Join(rest, " ") != "a b" {
		t.Errorf("%q, %v", rest, worker)
	}
	if rest, worker := asWorker([]string{"a"}); worker || strings.Join(rest, " ") != "a" {
		t.Errorf("%q, %v", rest, worker)
	}
}
