//go:build !linux

package main

import (
	"errors"
	"os"
	"time"
)

var errLinux = errors.New("the benchmarks measure memory and processor time on Linux only")

func maxRSS(*os.ProcessState) (int64, error) { return 0, errLinux }

// ProcessorTime returns an error.
func ProcessorTime() (time.Duration, error) { return 0, errLinux }

// CountDaemons returns an error.
func CountDaemons() error { return errLinux }
