package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
)

// A jsonFormat is a JSON file format that this package reads and writes.
type jsonFormat struct {
	noun            string // what messages call the file
	schema, version string // expected values of the members "schema" and "schema-version"
	most            int    // maximum size in MiB, which bounds memory use
}

// A jsonFile is the destination of a decoded file.
type jsonFile interface {
	// head returns the values of "schema" and "schema-version".
	head() (schema, version string)
}

// read decodes a file strictly.
func (f *jsonFormat) read(name string, r io.Reader, to jsonFile) (data []byte, err error) {
	data, err = io.ReadAll(io.LimitReader(r, int64(f.most)<<20+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > f.most<<20 {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("the %s is too large (limit %d MiB)", f.noun, f.most)}
	}
	if line := strict.ConflictLine(data); line > 0 {
		fix := "resolve the conflict"
		if f.noun == "baseline" {
			fix = "take either side, and run 'compat baseline update'"
		}
		return nil, &SyntaxError{File: name, Line: line, Msg: "merge conflict marker; " + fix}
	}
	other := &SyntaxError{File: name, Msg: fmt.Sprintf("not a %s: \"schema\" must be %q", f.noun, f.schema)}
	if err := strict.JSON(bytes.NewReader(data), to); err != nil {
		// Errors quote a file only if it is of this format, because other files may contain
		// secrets.
		anyVersion := f.schema[:strings.LastIndexByte(f.schema, '/')+1]
		var syntaxErr *strict.Error
		isSyntax, line := errors.As(err, &syntaxErr), 0
		if isSyntax && syntaxErr.QuotesFile() && !bytes.Contains(data, []byte(anyVersion)) {
			return nil, other
		}
		if isSyntax && syntaxErr.Offset > 0 {
			line = lineAt(data, int(syntaxErr.Offset))
		}
		return nil, &SyntaxError{File: name, Line: line, Msg: err.Error()}
	}
	switch schema, version := to.head(); {
	case schema != f.schema:
		return nil, other
	case version != f.version:
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("unsupported version %q; expected %s: recreate the file, or use the tool that wrote it", version, f.version)}
	}
	return data, nil
}

// lineAt returns the line of a byte offset, counting from 1.
func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }
