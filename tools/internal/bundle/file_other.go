//go:build !unix

package bundle

import (
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A regularFile is an open file that is neither a directory nor a device.
type regularFile struct {
	*os.File
	name string
	size int64
	info os.FileInfo
}

func openRegular(name string) (*regularFile, error) {
	f, err := cli.OpenInput(name, "")
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &regularFile{f.File, name, f.Size, info}, nil
}

// is reports whether info describes this file.
func (f *regularFile) is(info os.FileInfo) bool { return os.SameFile(info, f.info) }
