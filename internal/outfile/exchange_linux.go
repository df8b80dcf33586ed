package outfile

import "golang.org/x/sys/unix"

// exchange makes each of two folders have the name of the other, at once.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
