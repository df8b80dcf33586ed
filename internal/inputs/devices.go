package inputs

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// LoadDevices returns the built-in devices, overridden by the devices in files. Later files
// override earlier ones. It warns about duplicate entries.
func LoadDevices(log io.Writer, files []string) (*deviceconfig.Config, error) {
	config := deviceconfig.Default()
	for _, name := range files {
		own, err := read(name)
		if err != nil {
			return nil, err
		}
		for _, w := range own.Warnings {
			place := w.File
			if w.Line > 0 {
				place += ":" + strconv.Itoa(w.Line)
			}
			cli.Warnf(log, place, "%s: %s", w.Target, w.Msg)
		}
		config.Merge(own)
	}
	return config, nil
}

func read(name string) (*deviceconfig.Config, error) {
	data, err := cli.ReadInput(name, "a device configuration", 64<<20)
	if err != nil {
		return nil, fmt.Errorf("device configuration: %w", err)
	}
	return deviceconfig.Read(name, bytes.NewReader(data))
}

// FindDevice returns the device of a target, or an error that names similar ones.
func FindDevice(config *deviceconfig.Config, target string) (*deviceconfig.Device, error) {
	if d, ok := config.Lookup(target); ok {
		return d, nil
	}
	msg := fmt.Sprintf("unknown target %q; ", target)
	near, _ := deviceconfig.TargetsNamed(target) // a product or a family
	near = slices.DeleteFunc(near, func(name string) bool { _, ok := config.Lookup(name); return !ok })
	if len(near) == 0 || len(near) > 3 {
		near = config.Nearest(target)
	}
	if len(near) > 0 {
		msg += "did you mean " + strings.Join(near, " or ") + "?"
	} else {
		msg += "'compat devices' lists the known devices, and a device configuration file can add more"
	}
	return nil, cli.Usagef("%s", msg)
}

// ChooseDevices returns the devices that a user names: targets, members of a family or release of Intel
// GPUs (bmg, xe-hpg), products (arc-a770, B580) and PCI device IDs (0x56a0). The error lists all names
// that are unknown or ambiguous.
func ChooseDevices(config *deviceconfig.Config, names []string) ([]*deviceconfig.Device, error) {
	var list []*deviceconfig.Device
	var msgs []string
	for _, name := range names {
		found, err := chosenDevices(config, name)
		if err != nil {
			msgs = append(msgs, err.Error())
		}
		list = append(list, found...)
	}
	if msgs != nil {
		return nil, cli.Usagef("%s", strings.Join(msgs, "; "))
	}
	return list, nil
}

// ChooseDevice returns the one device that a user names, as [ChooseDevices] does.
func ChooseDevice(config *deviceconfig.Config, name string) (*deviceconfig.Device, error) {
	list, err := chosenDevices(config, name)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 1:
		return nil, cli.Usagef("%q matches %d devices: %s; use one of these names", name, len(list), deviceNames(list))
	}
	return list[0], nil
}

func chosenDevices(config *deviceconfig.Config, name string) ([]*deviceconfig.Device, error) {
	if d, ok := config.Lookup(name); ok {
		return []*deviceconfig.Device{d}, nil
	}
	targets, kind := deviceconfig.TargetsNamed(name)
	var list []*deviceconfig.Device
	for _, t := range targets {
		if d, ok := config.Lookup(t); ok {
			list = append(list, d)
		}
	}
	switch {
	case len(list) == 0:
		_, err := FindDevice(config, name)
		return nil, err
	case len(list) > 1 && kind == deviceconfig.ProductName:
		return nil, cli.Usagef("ambiguous device %q; did you mean %s?", name, deviceNames(list))
	}
	return list, nil
}

func deviceNames(list []*deviceconfig.Device) string {
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// DevicePatterns returns patterns of devices in which the names that [ChooseDevices] accepts are replaced
// by their targets. Patterns with "*" and unknown names are unchanged.
func DevicePatterns(config *deviceconfig.Config, patterns []string) ([]string, error) {
	var list []string
	for _, p := range patterns {
		if _, known := config.Lookup(p); known || strings.Contains(p, "*") {
			list = append(list, p)
			continue
		}
		if targets, _ := deviceconfig.TargetsNamed(p); targets == nil {
			list = append(list, p)
			continue
		}
		devices, err := chosenDevices(config, p)
		if err != nil {
			return nil, err
		}
		for _, d := range devices {
			list = append(list, d.Name)
		}
	}
	return list, nil
}

// FindDevices calls [FindDevice] for each target and reports all unknown targets.
func FindDevices(config *deviceconfig.Config, targets []string) ([]*deviceconfig.Device, error) {
	var list []*deviceconfig.Device
	var msgs []string
	for _, t := range targets {
		d, err := FindDevice(config, t)
		if err != nil {
			msgs = append(msgs, err.Error())
		}
		list = append(list, d)
	}
	if msgs != nil {
		return nil, cli.Usagef("%s", strings.Join(msgs, "; "))
	}
	return list, nil
}
