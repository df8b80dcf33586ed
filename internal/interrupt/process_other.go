//go:build !unix

package interrupt

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// Command is [exec.CommandContext].
func Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// die ends the process.
func die(s syscall.Signal) { os.Exit(128 + int(s)) }
