//go:build !unix

package main

import (
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A regularFile is an open file that is neither a folder nor a device.
type regularFile struct {
	*os.File
	name string
	size int64
	info os.FileInfo
}

func openRegular(name string) (*regularFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = cli.BadInput(fmt.Errorf("%s is not a file", name))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &regularFile{f, name, info.Size(), info}, nil
}

// is reports whether this is the file that info is about.
func (f *regularFile) is(info os.FileInfo) bool { return os.SameFile(info, f.info) }
