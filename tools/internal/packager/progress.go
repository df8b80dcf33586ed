package packager

import (
	"io"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// progress is a writer that displays its progress.
type progress struct {
	w              io.Writer
	line           *cli.Progress
	what           string
	total, written int64
}

func newProgress(env *cli.Env, w io.Writer, what string, total int64) *progress {
	return &progress{w: w, line: env.Progress(), what: what, total: total}
}

func (p *progress) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.advance(int64(n))
	return n, err
}

// advance adds n to the written bytes and updates the display.
func (p *progress) advance(n int64) {
	p.written += n
	if p.total > 0 && p.line.Due() {
		p.line.Show("%s: %d of %d MiB, %d%%", p.what, p.written>>20, p.total>>20, min(100, 100*p.written/p.total))
	}
}

// done removes the progress line.
func (p *progress) done() { p.line.Clear() }
