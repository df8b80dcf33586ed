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

// Bazel's protocol of persistent workers: a JSON object for each action on standard input,
// and one for its result on standard output.
type (
	workRequest struct {
		Arguments []string `json:"arguments"`
		RequestID int      `json:"requestId"`
		Cancel    bool     `json:"cancel"` // the request of that number is not needed any more
	}
	workResponse struct {
		ExitCode     int    `json:"exitCode"`
		Output       string `json:"output"`
		RequestID    int    `json:"requestId"`
		WasCancelled bool   `json:"wasCancelled,omitempty"`
	}
)

// errCancelled is the cause if Bazel cancels an action.
var errCancelled = errors.New("cancelled by Bazel")

// MainWorker runs a tool with the arguments of the process and exits. If Bazel starts the process as a
// worker, MainWorker runs the tool that lasting returns for each request, and calls end when Bazel closes the
// input.
func MainWorker(once *cli.Tool, lasting func(context.Context, *Kept) (tool *cli.Tool, end func())) {
	args, worker := asWorker(os.Args[1:])
	if !worker {
		once.Main()
	}
	cli.Main(once.Name, func(ctx context.Context) int {
		tool, end := lasting(ctx, NewKept(keptLimit))
		defer end()
		return serveWorker(ctx, tool, &cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, args)
	})
}

// asWorker returns the arguments without Bazel's worker flag, and whether they contained it.
func asWorker(args []string) ([]string, bool) {
	const flag = "--persistent_worker"
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == flag })
	return rest, len(rest) < len(args)
}

// serveWorker runs a tool for each request, with the arguments of all requests before its own, and
// answers when it is done: Bazel sends more requests meanwhile. A request to cancel one has no answer
// of its own. It ends with its input, and stops what still runs then, as Bazel is gone.
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
	var stops sync.Map // by the numbers of requests that run
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
		fmt.Fprintf(env.Stderr, "%s: error: as a worker of Bazel: %v\n", tool.Name, err)
		return cli.ExitFailure
	}
	return cli.ExitOK
}

// requests calls a function for each request.
func requests(from io.Reader, yield func(workRequest)) error {
	for decoder := json.NewDecoder(from); ; {
		var request workRequest
		err := decoder.Decode(&request)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("standard input has no request: %w", err)
		}
		yield(request)
	}
}
