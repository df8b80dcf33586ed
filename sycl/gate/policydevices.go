package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// CheckDevices returns an error for the first device, or pattern of devices, that the policy file
// requires or supports and that a configuration lacks.
func (p *Policy) CheckDevices(config *deviceconfig.Config) error {
	for _, name := range slices.Concat(p.Required, p.Supported) {
		at, isWritten := p.locations[name]
		if !isWritten {
			continue
		}
		if err := CheckDevice(config, name); err != nil {
			return &SyntaxError{File: p.File, Line: at.line, Key: at.key, Msg: err.Error()}
		}
	}
	return nil
}

// CheckDevice returns an error if a configuration lacks a device, or if none of its devices matches
// a pattern.
func CheckDevice(config *deviceconfig.Config, name string) error {
	switch {
	case isKnown(config, name):
		return nil
	case strings.Contains(name, "*"):
		return fmt.Errorf("no device matches %q; %s", name, suggestDevice(config, name))
	}
	return fmt.Errorf("unknown device %q; %s", name, suggestDevice(config, name))
}

// isKnown reports whether a configuration has a device, or one that a pattern matches.
func isKnown(config *deviceconfig.Config, pattern string) bool {
	if strings.Contains(pattern, "*") {
		return slices.ContainsFunc(config.Devices(), func(d *deviceconfig.Device) bool {
			return slices.ContainsFunc(append([]string{d.Name}, d.Aliases...), func(name string) bool { return kernelname.Match(pattern, name) })
		})
	}
	_, ok := config.Lookup(pattern)
	return ok
}

// suggestDevice returns a suggestion with the devices of a configuration that an unknown name may
// stand for, and where to find all of them.
func suggestDevice(config *deviceconfig.Config, name string) string {
	name = strings.Trim(name, "*_")
	near, _ := deviceconfig.TargetsNamed(name) // a product or a family
	near = slices.DeleteFunc(near, func(target string) bool { _, ok := config.Lookup(target); return !ok })
	if len(near) == 0 {
		near = config.Nearest(name)
	}
	if len(near) == 0 {
		return "'compat devices' lists the built-in devices"
	}
	return fmt.Sprintf("did you mean %s? ('compat devices' lists all)", strings.Join(near, " or "))
}
