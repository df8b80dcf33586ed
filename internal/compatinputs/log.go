package compatinputs

import (
	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// maxLines is how many lines of one kind are printed.
const maxLines = 20

// A log prints what people should know about the files that were read. Of lines of one
// kind it prints the first ones, and how many there are more.
type log struct {
	env   *cli.Env
	lines map[string]int // by kind
	kinds []string
	line  *cli.Progress
}

func newLog(env *cli.Env) *log {
	return &log{env: env, lines: map[string]int{}, line: env.Progress()}
}

// progress shows how many files were read.
func (l *log) progress(files, parts int, name string) {
	if !l.line.Due() {
		return
	}
	const most = 60
	if name = safetext.Printable(name); len(name) > most {
		name = "…" + name[len(name)-most:]
	}
	l.line.Show("%d files read, %d with device code: %s", files, parts, name)
}

// write prints warnings that are ready.
func (l *log) write(lines []byte) {
	if len(lines) > 0 {
		l.line.Clear()
		l.env.Stderr.Write(lines)
	}
}

func (l *log) note(place, format string, args ...any) {
	l.line.Clear()
	l.env.Notef(place, format, args...)
}

// of counts a line of a kind, and reports whether to print it.
func (l *log) of(kind string) bool {
	if l.lines[kind] == 0 {
		l.kinds = append(l.kinds, kind)
	}
	l.lines[kind]++
	return l.lines[kind] <= maxLines
}

// leftOut says that images of a file are left out.
func (l *log) leftOut(place string, images leftOut) {
	if !l.of(images.reason) {
		return
	}
	if images.count > 1 {
		l.note(place, "%s (%d images)", images.reason, images.count)
	} else {
		l.note(place, "%s", images.reason)
	}
}

// unreadable says that a file cannot be read.
func (l *log) unreadable(err error) {
	if l.of("the file cannot be read and is left out") {
		l.line.Clear()
		l.env.Warnf("", "%v; the file is left out", err)
	}
}

// unread warns of device images that are missing in the report.
func (l *log) unread(err error) {
	if l.of("device images were not read and are missing in the report") {
		l.line.Clear()
		l.env.Warnf("", "%v; these images are missing in the report", err)
	}
}

// done says how many lines were not printed.
func (l *log) done() {
	l.line.Clear()
	for _, kind := range l.kinds {
		if more := l.lines[kind] - maxLines; more > 0 {
			l.note("", "%d more: %s", more, kind)
		}
	}
}
