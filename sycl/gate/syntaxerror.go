package gate

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A SyntaxError is a fault of a policy, a baseline or a result, and its place.
type SyntaxError struct {
	File string
	Line int    // from 1, 0 when it is not known
	Key  string // path of keys, may be ""
	Msg  string
}

func (e *SyntaxError) Error() string {
	s := e.File + ": "
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	}
	if e.Key != "" {
		s += e.Key + ": "
	}
	return s + safetext.Shorten(e.Msg) // it may quote the file
}

// BadInput marks the error as caused by a file.
func (*SyntaxError) BadInput() {}
