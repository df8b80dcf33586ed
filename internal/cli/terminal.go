package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Terminal returns the terminal that a writer is, be it as standard output of a tool, and
// nil when it is none.
func Terminal(w io.Writer) *os.File {
	if s, isStdout := w.(*stdout); isStdout {
		w = s.w
	}
	if f, isFile := w.(*os.File); isFile && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// A Progress is the last line of a terminal, which says how far a command is. Where
// standard error is no terminal, there is no line.
type Progress struct {
	terminal *os.File
	next     time.Time // when to show it
	shown    bool
}

const (
	progressAfter = time.Second // people do not like to wait longer
	progressEvery = 200 * time.Millisecond
)

// Progress returns the progress of a command that begins.
func (e *Env) Progress() *Progress {
	return &Progress{terminal: Terminal(e.Stderr), next: time.Now().Add(progressAfter)}
}

// Due reports whether it is time to show how far the command is.
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

// Show shows a line in place of the one before.
func (p *Progress) Show(format string, args ...any) {
	if p.terminal != nil {
		p.shown = true
		fmt.Fprintf(p.terminal, "\r\x1b[K%s", safetext.Printable(fmt.Sprintf(format, args...)))
	}
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.terminal, "\r\x1b[K")
		p.shown = false
	}
}
