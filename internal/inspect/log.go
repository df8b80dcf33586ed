package inspect

import (
	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// maxLines is the maximum number of printed lines of a kind.
const maxLines = 20

// A log prints messages about the files that were read. It prints the first lines of each kind, and
// the number of omitted lines.
type log struct {
	env   *cli.Env
	lines map[string]int // by kind
	kinds []string
	line  *cli.Progress
}

// progress shows the number of files read so far.
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

// write prints complete warnings.
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

// count counts a line of a kind, and reports whether to print it.
func (l *log) count(kind string) bool {
	if l.lines[kind] == 0 {
		l.kinds = append(l.kinds, kind)
	}
	l.lines[kind]++
	return l.lines[kind] <= maxLines
}

// omitted prints that images of a file are omitted.
func (l *log) omitted(place string, images omitted) {
	if !l.count(images.reason) {
		return
	}
	if images.count > 1 {
		l.note(place, "%s (%d images)", images.reason, images.count)
	} else {
		l.note(place, "%s", images.reason)
	}
}

// unreadable prints that a file cannot be read.
func (l *log) unreadable(err error) {
	if l.count("the file cannot be read and is omitted") {
		l.line.Clear()
		l.env.Warnf("", "%v; the file is omitted", err)
	}
}

// unread warns about device images that are missing in the report.
func (l *log) unread(err error) {
	if l.count("device images were not read and are missing in the report") {
		l.line.Clear()
		l.env.Warnf("", "%v; these images are missing in the report", err)
	}
}

// done prints the numbers of omitted lines.
func (l *log) done() {
	l.line.Clear()
	for _, kind := range l.kinds {
		if more := l.lines[kind] - maxLines; more > 0 {
			l.note("", "%d more: %s", more, kind)
		}
	}
}
