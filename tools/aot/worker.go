package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Bazel's protocol of persistent workers: a JSON object for each action on standard input,
// and one for its result on standard output.
type (
	workRequest struct {
		Arguments []string `json:"arguments"`
		RequestID int      `json:"requestId"`
	}
	workResponse struct {
		ExitCode  int    `json:"exitCode"`
		Output    string `json:"output"`
		RequestID int    `json:"requestId"`
	}
)

// asWorker returns the arguments without Bazel's flag, and whether it was among them.
func asWorker(args []string) ([]string, bool) {
	const flag = "--persistent_worker"
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == flag })
	return rest, len(rest) < len(args)
}

// work runs a tool for each request, with the arguments of all requests before its own.
// It ends with its input.
func work(ctx context.Context, tool *cli.Tool, env *cli.Env, args []string) int {
	requests, responses := json.NewDecoder(env.Stdin), json.NewEncoder(env.Stdout)
	for {
		var request workRequest
		err := requests.Decode(&request)
		if errors.Is(err, io.EOF) {
			return cli.ExitOK
		}
		if err != nil {
			fmt.Fprintf(env.Stderr, "%s: error: standard input has no request of Bazel: %v\n", tool.Name, err)
			return cli.ExitFailure
		}
		var output bytes.Buffer
		code := tool.Run(ctx, &cli.Env{Stdin: strings.NewReader(""), Stdout: &output, Stderr: &output}, slices.Concat(args, request.Arguments))
		if ctx.Err() != nil {
			return cli.ExitFailure
		}
		if err := responses.Encode(workResponse{ExitCode: code, Output: output.String(), RequestID: request.RequestID}); err != nil {
			fmt.Fprintf(env.Stderr, "%s: error: standard output: %v\n", tool.Name, err)
			return cli.ExitFailure
		}
	}
}
