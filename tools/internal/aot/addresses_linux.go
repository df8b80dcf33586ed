package aot

import (
	"runtime"
	"syscall"
)

// atFixedAddresses runs a function that starts a process with a deterministic memory layout. With
// random addresses, ocloc writes different symbols for each image with debug information. If the
// system does not allow it, addresses are random.
func atFixedAddresses(start func() error) error {
	const (
		current   = 0xffffffff
		notRandom = 0x0040000 // ADDR_NO_RANDOMIZE
	)
	// Processes inherit this from the thread that starts them.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, _, failed := syscall.Syscall(syscall.SYS_PERSONALITY, current, 0, 0)
	if failed == 0 {
		syscall.Syscall(syscall.SYS_PERSONALITY, before|notRandom, 0, 0)
		defer syscall.Syscall(syscall.SYS_PERSONALITY, before, 0, 0)
	}
	return start()
}
