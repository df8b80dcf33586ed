package bench

import (
	"os"
	"syscall"
	"time"
)

// maxRSS returns the most memory that a process has used, in bytes.
func maxRSS(state *os.ProcessState) (int64, error) {
	const kilo = 1024 // Linux counts in these
	return state.SysUsage().(*syscall.Rusage).Maxrss * kilo, nil
}

// ownProcessorTime returns what this process and its children have used.
func ownProcessorTime() (time.Duration, error) {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0, os.NewSyscallError("getrusage", err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum, nil
}
