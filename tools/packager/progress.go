package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

// progress is a writer that shows on a terminal how much was written, once that
// takes longer than people like to wait.
type progress struct {
	w              io.Writer
	show           io.Writer // nil when there is no terminal
	what           string
	total, written int64
	next           time.Time // when to show it
	shown          bool
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

func newProgress(env *cli.Env, w io.Writer, what string, total int64) *progress {
	p := &progress{w: w, what: what, total: total, next: time.Now().Add(progressAfter)}
	if f, ok := env.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.show = f
	}
	return p
}

func (p *progress) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.advance(int64(n))
	return n, err
}

// ReadFrom lets the kernel copy from file to file, in steps that can be shown.
func (p *progress) ReadFrom(r io.Reader) (total int64, err error) {
	const step = 64 << 20
	whole, ok := r.(*io.LimitedReader)
	if !ok {
		whole = &io.LimitedReader{R: r, N: math.MaxInt64}
	}
	for whole.N > 0 {
		// Nothing may be between the reader and this one, or the kernel is not asked.
		part := &io.LimitedReader{R: whole.R, N: min(step, whole.N)}
		n, err := io.Copy(p.w, part)
		p.advance(n)
		total += n
		whole.N -= n
		if err != nil || part.N > 0 {
			return total, err
		}
	}
	return total, nil
}

// advance counts bytes and shows how many they are.
func (p *progress) advance(n int64) {
	p.written += n
	if p.show != nil && p.total > 0 {
		if now := time.Now(); now.After(p.next) {
			p.next = now.Add(progressEvery)
			p.shown = true
			fmt.Fprintf(p.show, "\r\x1b[K%s: %d of %d MiB, %d%%", printable(p.what), p.written>>20, p.total>>20, min(100, 100*p.written/p.total))
		}
	}
}

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.show, "\r\x1b[K")
	}
}
