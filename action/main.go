// Command action is the program of the GitHub Action. It checks the compatibility reports of a job
// against a policy, sets outputs, and shows the result in the pull request. Outside of GitHub
// Actions it prints the result.
//
// The files run in this order: inputs.go and event.go read what the runner passes, place.go finds
// the directories, git.go and base.go read the base commit, policy.go chooses the rules, load.go
// reads the reports, [gate.Evaluate] decides, and deliver.go, comment.go and failure.go send the
// result. Only runner.go talks to the runner and, through client.go, to GitHub.
package main

import (
	"context"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	cli.Main("action", func(ctx context.Context) int {
		return run(ctx, environment{args: os.Args[1:], getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr})
	})
}
