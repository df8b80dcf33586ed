package buildstep

import (
	"errors"
	"io"
	"strings"
)

// RenameError replaces the names of scratch files in an error. names alternates names and their
// replacements.
func RenameError(err error, names ...string) error {
	if err == nil {
		return nil
	}
	replacer := strings.NewReplacer(names...)
	var failed *Error
	if errors.As(err, &failed) {
		failed.Output = replacer.Replace(failed.Output)
	}
	return &renamedError{err, replacer.Replace(err.Error())}
}

type renamedError struct {
	error
	text string
}

func (e *renamedError) Error() string { return e.text }
func (e *renamedError) Unwrap() error { return e.error }

// RenameOutput returns a writer that replaces names in each write, as [RenameError] does.
func RenameOutput(log io.Writer, names ...string) io.Writer {
	return renamer{log, strings.NewReplacer(names...)}
}

type renamer struct {
	log   io.Writer
	names *strings.Replacer
}

func (r renamer) Write(text []byte) (int, error) {
	_, err := r.names.WriteString(r.log, string(text))
	return len(text), err
}
