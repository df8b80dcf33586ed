package aot

import (
	"runtime"
	"syscall"
)

// atFixedAddresses calls start, which starts a process, with address space randomization disabled
// if the system allows it. With random addresses, the symbols in images with debug information
// differ from run to run.
func atFixedAddresses(start func() error) error {
	const (
		current   = 0xffffffff
		notRandom = 0x0040000 // ADDR_NO_RANDOMIZE
	)
	// Processes inherit the setting from the thread that starts them.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, _, failed := syscall.Syscall(syscall.SYS_PERSONALITY, current, 0, 0)
	if failed == 0 {
		syscall.Syscall(syscall.SYS_PERSONALITY, before|notRandom, 0, 0)
		defer syscall.Syscall(syscall.SYS_PERSONALITY, before, 0, 0)
	}
	return start()
}
