package buildstep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// The messages of Bazel's protocol for persistent workers: one JSON object per action on standard
// input, and one per result on standard output.
type (
	workRequest struct {
		Arguments []string `json:"arguments"`
		RequestID int      `json:"requestId"`
		Cancel    bool     `json:"cancel"` // cancels the request with this number
	}
	workResponse struct {
		ExitCode     int    `json:"exitCode"`
		Output       string `json:"output"`
		RequestID    int    `json:"requestId"`
		WasCancelled bool   `json:"wasCancelled,omitempty"`
	}
)

// errCancelled is the cancellation cause if Bazel cancels an action.
var errCancelled = errors.New("cancelled by Bazel")

// MainWorker runs the tool once with the arguments of the process and exits. If Bazel starts the
// process as a persistent worker, MainWorker instead runs the tool that lasting returns for each
// request, and calls end when Bazel closes standard input.
func MainWorker(once *cli.Tool, lasting func(context.Context, *Cache) (tool *cli.Tool, end func())) {
	args, worker := asWorker(os.Args[1:])
	if !worker {
		once.Main()
	}
	cli.Main(once.Name, func(ctx context.Context) int {
		tool, end := lasting(ctx, NewCache(keptLimit))
		defer end()
		return serveWorker(ctx, tool, &cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, args)
	})
}

// asWorker removes Bazel's worker flag from args, and reports whether it was present.
func asWorker(args []string) ([]string, bool) {
	const flag = "--persistent_worker"
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == flag })
	return rest, len(rest) < len(args)
}

// serveWorker runs a tool for each request, with args followed by the arguments of the request. It
// serves requests concurrently and responds to each when it is done. A cancel request gets no
// separate response. When standard input ends, serveWorker cancels all running requests and
// returns.
func serveWorker(ctx context.Context, tool *cli.Tool, env *cli.Env, args []string) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	responses := make(chan workResponse)
	written := make(chan error, 1)
	go func() {
		var err error
		encoder := json.NewEncoder(env.Stdout)
		for response := range responses {
			if err == nil {
				err = encoder.Encode(response)
			}
		}
		written <- err
	}()
	var running sync.WaitGroup
	var stops sync.Map // cancel functions by the numbers of running requests
	err := requests(env.Stdin, func(request workRequest) {
		if request.Cancel {
			if stop, ok := stops.Load(request.RequestID); ok {
				stop.(context.CancelCauseFunc)(errCancelled)
			}
			return
		}
		ctx, stop := context.WithCancelCause(ctx)
		stops.Store(request.RequestID, stop)
		running.Go(func() {
			defer stop(nil)
			var output bytes.Buffer
			code := tool.Run(ctx, &cli.Env{Stdin: strings.NewReader(""), Stdout: &output, Stderr: &output}, slices.Concat(args, request.Arguments))
			stops.Delete(request.RequestID)
			responses <- workResponse{code, output.String(), request.RequestID, context.Cause(ctx) == errCancelled}
		})
	})
	cancel()
	running.Wait()
	close(responses)
	if err = errors.Join(err, <-written); err != nil {
		fmt.Fprintf(env.Stderr, "%s: error: persistent worker: %v\n", tool.Name, err)
		return cli.ExitFailure
	}
	return cli.ExitOK
}

// requests reads requests and calls yield for each.
func requests(from io.Reader, yield func(workRequest)) error {
	for decoder := json.NewDecoder(from); ; {
		var request workRequest
		err := decoder.Decode(&request)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read the work request: %w", err)
		}
		yield(request)
	}
}
