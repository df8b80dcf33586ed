//go:build !linux

package bench

import (
	"errors"
	"os"
	"time"
)

var errLinux = errors.New("the benchmarks measure memory and processor time on Linux only")

func maxRSS(*os.ProcessState) (int64, error) { return 0, errLinux }

func ownProcessorTime() (time.Duration, error) { return 0, errLinux }
