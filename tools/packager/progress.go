package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
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

// advance counts bytes and shows how many they are.
func (p *progress) advance(n int64) {
	p.written += n
	if p.show != nil && p.total > 0 {
		if now := time.Now(); now.After(p.next) {
			p.next = now.Add(progressEvery)
			p.shown = true
			fmt.Fprintf(p.show, "\r\x1b[K%s: %d of %d MiB, %d%%", safetext.Printable(p.what), p.written>>20, p.total>>20, min(100, 100*p.written/p.total))
		}
	}
}

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.show, "\r\x1b[K")
	}
}
