package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Terminal returns the terminal behind a writer, including standard output of a tool, or
// nil if there is none.
func Terminal(w io.Writer) *os.File {
	if s, isStdout := w.(*stdout); isStdout {
		w = s.w
	}
	if f, isFile := w.(*os.File); isFile && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// A Progress is a progress line at the bottom of a terminal. If standard error is not a
// terminal, it does nothing.
type Progress struct {
	terminal *os.File
	next     time.Time // when to show it
	shown    bool
}

const (
	progressAfter = time.Second // longer waits need feedback
	progressEvery = 200 * time.Millisecond
)

// Progress returns the progress line of a command that starts now.
func (e *Env) Progress() *Progress {
	return &Progress{terminal: Terminal(e.Stderr), next: time.Now().Add(progressAfter)}
}

// Due reports whether it is time for an update.
func (p *Progress) Due() bool {
	if p.terminal == nil {
		return false
	}
	now := time.Now()
	if now.Before(p.next) {
		return false
	}
	p.next = now.Add(progressEvery)
	return true
}

// Show replaces the progress line.
func (p *Progress) Show(format string, args ...any) {
	if p.terminal != nil {
		p.shown = true
		fmt.Fprintf(p.terminal, "\r\x1b[K%s", safetext.Printable(fmt.Sprintf(format, args...)))
	}
}

// Clear removes the progress line.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.terminal, "\r\x1b[K")
		p.shown = false
	}
}

// A ProgressWriter is a writer that shows on a progress line how much it has written.
type ProgressWriter struct {
	w              io.Writer
	line           *Progress
	what           string
	total, written int64
}

// ProgressWriter returns a writer of total bytes to w.
func (e *Env) ProgressWriter(w io.Writer, what string, total int64) *ProgressWriter {
	return &ProgressWriter{w: w, line: e.Progress(), what: what, total: total}
}

// Write implements [io.Writer].
func (p *ProgressWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.Advance(int64(n))
	return n, err
}

// Advance adds n to the written bytes and updates the display.
func (p *ProgressWriter) Advance(n int64) {
	p.written += n
	if p.total > 0 && p.line.Due() {
		p.line.Show("%s: %d of %d MiB, %d%%", p.what, p.written>>20, p.total>>20, min(100, 100*p.written/p.total))
	}
}

// Done removes the progress line.
func (p *ProgressWriter) Done() { p.line.Clear() }
