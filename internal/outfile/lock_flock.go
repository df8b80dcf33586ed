//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"cmp"
	"os"
	"slices"
	"syscall"
)

// lockFolders waits until no other program puts outputs into one of the folders. Those on
// file systems without locks are not locked.
func lockFolders(dirs []string) (unlock func()) {
	for {
		locks, ok := tryFolders(dirs)
		unlock := func() {
			for _, f := range locks {
				f.file.Close()
			}
		}
		if ok {
			return unlock
		}
		unlock()
	}
}

// A folder is one that is open, by its identity: it may have several names.
type folder struct {
	file *os.File
	name string
	id   [2]uint64
}

// tryFolders locks folders, all programs in the same order. It fails when one of them was
// replaced while that lasted.
func tryFolders(dirs []string) (locks []folder, ok bool) {
	for _, dir := range dirs {
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		id, ok := identity(f.Stat())
		if !ok || slices.ContainsFunc(locks, func(other folder) bool { return other.id == id }) {
			f.Close()
			continue
		}
		locks = append(locks, folder{f, dir, id})
	}
	slices.SortFunc(locks, func(a, b folder) int { return cmp.Or(cmp.Compare(a.id[0], b.id[0]), cmp.Compare(a.id[1], b.id[1])) })
	for _, f := range locks {
		if !flock(f.file) {
			continue
		}
		if now, ok := identity(os.Stat(f.name)); !ok || now != f.id {
			return locks, false
		}
	}
	return locks, true
}

func identity(info os.FileInfo, err error) (id [2]uint64, ok bool) {
	if err != nil {
		return id, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok {
		id = [2]uint64{uint64(stat.Dev), uint64(stat.Ino)}
	}
	return id, ok
}

// flock waits for a lock. It reports whether there are locks.
func flock(f *os.File) bool {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err == nil
		}
	}
}
