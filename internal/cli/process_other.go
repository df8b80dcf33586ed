//go:build !unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// Program is [exec.CommandContext].
func Program(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// die ends the process.
func die(s syscall.Signal) { os.Exit(128 + int(s)) }
