package main

import (
	"bytes"
	"context"
	"errors"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// chooseDevices decides whose data of devices count, and finds those of the base to compare
// with: a device that seems to have more lets kernels pass that do not run on it.
func (a *action) chooseDevices(ctx context.Context, commit string) error {
	if commit == "" {
		return nil // choosePolicy says what that means
	}
	base, err := deviceConfig(a.deviceConfig, func(name string) ([]byte, error) {
		data, err := a.repository.file(ctx, commit, name)
		if errors.Is(err, errNoFile) && a.policyRef != "base" {
			return nil, nil
		}
		return data, err
	})
	switch {
	case err == nil:
		a.options.SetBaseDevices(base)
	case a.policyRef != "base" && errors.Is(err, errNoCommit):
		a.notCompared("%s", noCommit(commit))
	case a.policyRef != "base":
		a.notCompared("device-config of the base commit %.12s: %v", commit, err)
	case errors.Is(err, errNoCommit):
		return cli.Usagef("input policy-ref: %s", noCommit(commit))
	case errors.Is(err, errNoFile):
		return cli.Usagef("input device-config: the base commit %.12s does not have one of the files; policy-ref: base holds from the change on that comes after the one that adds it", commit)
	default:
		return cli.Usagef("input device-config: %v", err)
	}
	if a.policyRef != "base" {
		return nil
	}
	a.devicesOfBase = base
	next, err := deviceConfig(a.deviceConfig, readHere)
	if err != nil {
		a.notCompared("device-config of the change cannot be read: %v", err)
		return nil
	}
	a.options.SetNextDevices(next)
	return nil
}

// deviceConfig returns the devices that the program knows, with those of files over them.
func deviceConfig(names []string, read func(name string) ([]byte, error)) (*deviceconfig.Config, error) {
	config := deviceconfig.Default()
	for _, name := range names {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		own, err := deviceconfig.Read(name, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		config.Merge(own)
	}
	return config, nil
}
