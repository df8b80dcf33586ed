//go:build unix

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// keepOwner sets the owner and the group of a file to another file's, if permitted.
func keepOwner(name string, old os.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	info, err := os.Lstat(name)
	if err != nil {
		return
	}
	if now, ok := info.Sys().(*syscall.Stat_t); ok && (now.Uid != was.Uid || now.Gid != was.Gid) {
		if os.Lchown(name, int(was.Uid), int(was.Gid)) != nil {
			os.Lchown(name, -1, int(was.Gid))
		}
	}
}

// sameDisk reports whether files can be renamed from one directory to another.
func sameDisk(dir string, other os.FileInfo) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	a, okA := info.Sys().(*syscall.Stat_t)
	b, okB := other.Sys().(*syscall.Stat_t)
	return okA && okB && a.Dev == b.Dev
}

// isMount reports whether a rename failed because the file is a mount point.
func isMount(err error) bool { return errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EBUSY) }
