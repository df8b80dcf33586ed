package gate

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A SyntaxError is an error in a policy, a baseline or a result, with its location.
type SyntaxError struct {
	File string
	Line int    // from 1; 0 if unknown
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
	return s + safetext.Shorten(e.Msg) // the message may quote the file
}

// BadInput marks the error as caused by a file.
func (*SyntaxError) BadInput() {}
