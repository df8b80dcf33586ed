package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// Time limits after a signal. Their sum is less than a second.
var (
	grace   = 400 * time.Millisecond // to finish normally
	tidying = 250 * time.Millisecond // to remove scratch directories
)

// A signalError is the cause of a context that a signal canceled.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string {
	name := e.signal.String()
	switch e.signal {
	case syscall.SIGINT:
		name = "SIGINT"
	case syscall.SIGTERM:
		name = "SIGTERM"
	}
	return "stopped by " + name
}

// IsStopped reports whether a signal canceled the context. Errors of the work are then
// meaningless.
func IsStopped(ctx context.Context) bool {
	var stopped *signalError
	return errors.As(context.Cause(ctx), &stopped)
}

// Main runs the work of the named program and ends the process with the exit code that the work
// returns, or with SIGINT or SIGTERM.
//
// The first such signal cancels the context of the work, and thereby the programs that it runs with
// [Program]. If the work does not finish within 0.4 seconds, for example because it reads a named
// pipe without a writer, or if a second signal arrives, it is abandoned. In both cases the scratch
// directories of package outfile are removed. The program then prints one line on standard error
// and ends with the same signal, so that shells stop a loop or a script and show the exit status
// 128 + signal number: 130 for SIGINT, 143 for SIGTERM.
func Main(name string, work func(ctx context.Context) int) {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) { // programs in the background of a script ignore it
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan int, 1)
	go func() { done <- work(ctx) }()
	select {
	case code := <-done:
		os.Exit(code)
	case s := <-signals:
		why := &signalError{s.(syscall.Signal)}
		cancel(why)
		wait(done, signals)
		atMost(tidying, func() {
			time.Sleep(10 * time.Millisecond) // programs may be killed in this interval, even after a second signal
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, why)
			outfile.RemoveScratch()
		})
		die(why.signal)
	}
}

// wait waits until the work is done, a second signal arrives or the grace period ends.
func wait(done <-chan int, signals <-chan os.Signal) {
	select {
	case <-done:
	case <-signals:
	case <-time.After(grace):
	}
}

// atMost calls f and waits at most limit for it, because even a write to standard error may
// block.
func atMost(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
