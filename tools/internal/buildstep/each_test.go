package buildstep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for atOnce := range 5 {
		var log strings.Builder
		var now, most atomic.Int32
		err := Each(t.Context(), &log, 20, atOnce, func(_ context.Context, log io.Writer, i int) error {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			fmt.Fprint(log, i, " ")
			return nil
		})
		if want := "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "; err != nil || log.String() != want || int(most.Load()) > max(atOnce, 1) {
			t.Errorf("%d at once: %v, log %q, %d ran at once", atOnce, err, &log, most.Load())
		}
	}
}

// TestEachPanics checks that a panic in a call becomes the error of the call.
func TestEachPanics(t *testing.T) {
	err := Each(t.Context(), io.Discard, 3, 3, func(_ context.Context, _ io.Writer, i int) error {
		if i == 1 {
			panic("a bug")
		}
		return nil
	})
	if err == nil || err.Error() != "internal error: a bug" {
		t.Errorf("got %v", err)
	}
}

// TestEachFails checks that Each returns the error of the call with the lowest number, even if a
// later call fails first, and stops the calls with higher numbers.
func TestEachFails(t *testing.T) {
	failed := make(chan bool)
	var log strings.Builder
	err := Each(t.Context(), &log, 100, 3, func(ctx context.Context, log io.Writer, i int) error {
		fmt.Fprint(log, i, " ")
		switch i {
		case 0:
			<-failed
			if ctx.Err() != nil {
				t.Error("a call with a lower number was stopped")
			}
			return errors.New("the lowest")
		case 1:
			close(failed)
			return errors.New("the first in time")
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || err.Error() != "the lowest" || log.String() != "0 " {
		t.Errorf("%v, log %q", err, &log)
	}
}

// TestEachStops checks that all calls stop when the context is canceled.
func TestEachStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Each(ctx, io.Discard, 2, 2, func(ctx context.Context, _ io.Writer, i int) error {
		if i == 1 {
			cancel()
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
