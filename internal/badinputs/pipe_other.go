//go:build !unix

package badinputs

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
