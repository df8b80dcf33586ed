//go:build !unix

package outfile

import "os"

func keepOwner(string, os.FileInfo) {}

func sameDisk(string, os.FileInfo) bool { return true }

func isMount(error) bool { return false }
