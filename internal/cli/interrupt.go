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

// Times that a program has after a signal. Together they are below a second.
var (
	grace   = 400 * time.Millisecond // to end by itself
	tidying = 250 * time.Millisecond // to remove what it leaves
)

// A signalError is why a context ended.
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

// Stopped reports whether a signal ended the context. What the work says then is of
// no use: it was asked to end.
func Stopped(ctx context.Context) bool {
	var stopped *signalError
	return errors.As(context.Cause(ctx), &stopped)
}

// Main runs the work of a program of that name and ends the process with the exit code
// that it returns, or by SIGINT or SIGTERM.
//
// The first such signal ends the context of the work, and with it the programs that the
// work runs by [Program]. Work that is not done 0.4 seconds later, such as a read of a
// named pipe that has no writer, is left. A second signal leaves it at once. In both cases
// the scratch folders of package outfile are removed. The program then prints one line on
// standard error and ends by the same signal, so that shells stop a loop or a script and
// show the exit status 128 + number of the signal: 130 for SIGINT, 143 for SIGTERM.
func Main(name string, work func(ctx context.Context) int) {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as it is for programs in the background of a script
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
			time.Sleep(10 * time.Millisecond) // in which programs are killed, also after two signals in a row
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, why)
			outfile.RemoveScratch()
		})
		die(why.signal)
	}
}

// wait waits until the work is done, and not for long.
func wait(done <-chan int, signals <-chan os.Signal) {
	select {
	case <-done:
	case <-signals:
	case <-time.After(grace):
	}
}

// atMost calls f and waits for it that long: even a write to standard error may take
// forever.
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
