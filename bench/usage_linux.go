package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxRSS returns the maximum memory usage of a process, in bytes.
func maxRSS(state *os.ProcessState) (int64, error) {
	const kilo = 1024 // the unit on Linux
	return state.SysUsage().(*syscall.Rusage).Maxrss * kilo, nil
}

// ProcessorTime returns the processor time of this process and its descendants. For running
// processes, the resolution is a hundredth of a second.
func ProcessorTime() (time.Duration, error) {
	sum, err := runningProcessorTime()
	if err != nil {
		return 0, err
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0, os.NewSyscallError("getrusage", err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum, nil
}

// runningProcessorTime returns the processor time of the running descendants of this process.
func runningProcessorTime() (sum time.Duration, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	children := map[string][]string{}
	used := map[string]time.Duration{}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid := filepath.Base(filepath.Dir(file))
		var parent string
		if parent, used[pid], err = parseStat(string(stat)); err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		children[parent] = append(children[parent], pid)
	}
	for parents := []string{strconv.Itoa(os.Getpid())}; len(parents) > 0; parents = parents[1:] {
		for _, child := range children[parents[0]] {
			sum += used[child]
			parents = append(parents, child)
		}
	}
	return sum, nil
}

// parseStat parses a file /proc/PID/stat: the parent's process ID, and the processor time of the
// process and of its terminated children.
func parseStat(stat string) (parent string, used time.Duration, err error) {
	const tick = time.Second / 100 // Linux' unit for processor time
	// PID (NAME) STATE PARENT ...; fields 14 to 17 are times
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return "", 0, fmt.Errorf("only %d fields after the name", len(fields))
	}
	for _, field := range fields[11:15] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return "", 0, err
		}
		used += time.Duration(ticks) * tick
	}
	return fields[1], used, nil
}

// CountDaemons makes [ProcessorTime] include daemons that programs of this process start, such as
// Bazel's server. They become children of this process.
func CountDaemons() error {
	const subreaper = 36 // PR_SET_CHILD_SUBREAPER
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0); errno != 0 {
		return os.NewSyscallError("prctl", errno)
	}
	return nil
}
