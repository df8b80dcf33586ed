package command

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var out, errs strings.Builder
	if err := Run(t.Context(), strings.NewReader("in"), &out, &errs, "/bin/sh", "-c", "cat; echo note >&2"); err != nil {
		t.Fatal(err)
	}
	if out.String() != "in" || errs.String() != "note\n" {
		t.Errorf("output %q, %q", out.String(), errs.String())
	}

	errs.Reset()
	err := Run(t.Context(), nil, nil, &errs, "/bin/sh", "-c", "echo first; echo second >&2; exit 245")
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != 245 || err.Error() != "sh failed with exit code 245:\nfirst\nsecond" {
		t.Errorf("got %v", err)
	}
	if errs.Len() > 0 {
		t.Errorf("a failure's output went to stderr too: %q", errs.String())
	}

	if err := Run(t.Context(), nil, nil, &errs, "/nonexistent/compiler"); err == nil || errors.As(err, &failed) || !strings.Contains(err.Error(), "cannot run /nonexistent/compiler") {
		t.Errorf("got %v", err)
	}

	// A child of the program holds its output open, which Run reads.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := Run(ctx, nil, nil, &errs, "/bin/sh", "-c", "sleep 60 & wait"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(begin))
	}

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, nil, nil, &errs, "/bin/sh", "-c", "sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestForEach(t *testing.T) {
	var running, most, done atomic.Int32
	err := ForEach(2, 20, func(i int) error {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		done.Add(1)
		if i%10 == 3 {
			return errors.New("failed at " + string(rune('a'+i/10)))
		}
		return nil
	})
	if done.Load() != 20 || most.Load() > 2 {
		t.Errorf("%d calls, %d at once", done.Load(), most.Load())
	}
	if err == nil || err.Error() != "failed at a\nfailed at b" {
		t.Errorf("got %v", err)
	}
	if err := ForEach(0, 1, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}
