package buildstep

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Each calls do for the numbers from 0 to n-1, with at most atOnce concurrent calls. It writes the
// logs of the calls to log in the order of the numbers. If a call fails, Each waits for calls with
// lower numbers, cancels calls with higher numbers, and returns the error with the lowest number.
// Messages are therefore deterministic.
func Each(ctx context.Context, log io.Writer, n, atOnce int, do func(ctx context.Context, log io.Writer, i int) error) error {
	e := each{failed: n, errs: make([]error, n), stops: make([]context.CancelFunc, n)}
	logs := make([]bytes.Buffer, n)
	slots := make(chan struct{}, max(atOnce, 1))
	var running sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		own, stop := context.WithCancel(ctx)
		if !e.begin(i, stop) {
			stop()
			break
		}
		running.Go(func() {
			e.end(i, func() (err error) {
				defer cli.Recover(&err)
				return do(own, &logs[i], i)
			}())
			stop()
			<-slots
		})
	}
	running.Wait()
	for i := range min(e.failed+1, n) {
		if _, err := logs[i].WriteTo(log); err != nil {
			return err
		}
	}
	if e.failed < n {
		return e.errs[e.failed]
	}
	return nil
}

// each is the state of [Each].
type each struct {
	mu     sync.Mutex
	failed int // lowest number of a failed call
	errs   []error
	stops  []context.CancelFunc // cancel the calls that have begun
}

// begin registers a call, and reports whether it should start.
func (e *each) begin(i int, stop context.CancelFunc) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stops[i] = stop
	return i < e.failed
}

// end records the result of a call.
func (e *each) end(i int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errs[i] = err
	if err == nil || i > e.failed {
		return
	}
	e.failed = i
	for _, stop := range e.stops[i+1:] {
		if stop != nil {
			stop()
		}
	}
}
