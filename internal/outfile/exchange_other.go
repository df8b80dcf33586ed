//go:build !linux

package outfile

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
