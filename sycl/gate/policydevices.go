package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// CheckDevices returns an error for the first device that the policy file requires or supports and
// that a configuration lacks. It ignores patterns.
func (p *Policy) CheckDevices(config *deviceconfig.Config) error {
	for _, name := range slices.Concat(p.Required, p.Supported) {
		at, isWritten := p.locations[name]
		if strings.Contains(name, "*") || !isWritten {
			continue
		}
		if err := CheckDevice(config, name); err != nil {
			return &SyntaxError{File: p.File, Line: at.line, Key: at.key, Msg: err.Error()}
		}
	}
	return nil
}

// CheckDevice returns an error if a configuration lacks a device.
func CheckDevice(config *deviceconfig.Config, name string) error {
	if _, ok := config.Lookup(name); ok {
		return nil
	}
	return fmt.Errorf("unknown device %q; %s", name, suggestDevice(config, name))
}

// suggestDevice returns a question that names the devices of a configuration that an unknown name
// may stand for, and where to find them all.
func suggestDevice(config *deviceconfig.Config, name string) string {
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
