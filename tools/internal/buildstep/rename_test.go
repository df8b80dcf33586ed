package buildstep

import (
	"errors"
	"fmt"
	"testing"
)

func TestRenameError(t *testing.T) {
	failed := &Error{Output: "/tmp/x.bc: bad\n"}
	cause := errors.New("/tmp/x.bc: truncated")
	for _, test := range []struct {
		err  error
		want string
	}{
		{cause, "prog: truncated"},
		{fmt.Errorf("/tmp/x.bc: %w", failed), "prog: " + (&Error{Output: "prog: bad\n"}).Error()},
	} {
		got := RenameError(test.err, "/tmp/x.bc", "prog")
		if got.Error() != test.want || !errors.Is(got, test.err) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if failed.Output != "prog: bad\n" {
		t.Errorf("output: %q", failed.Output)
	}
	if err := RenameError(nil, "/tmp/x.bc", "prog"); err != nil {
		t.Error(err)
	}
}
