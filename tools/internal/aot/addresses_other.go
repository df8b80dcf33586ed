//go:build !linux

package aot

func atFixedAddresses(start func() error) error { return start() }
