//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Program is like [exec.CommandContext], but when the context ends, it also kills all programs that
// the program has started.
func Program(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	return cmd
}

// die ends the process by a signal.
func die(s syscall.Signal) {
	if os.Getpid() != 1 { // the kernel does not let the first process of a container die this way
		signal.Reset(s)
		syscall.Kill(os.Getpid(), s)
		time.Sleep(time.Second)
	}
	os.Exit(128 + int(s))
}
