//go:build !unix

package testkit

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
