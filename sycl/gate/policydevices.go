package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// CheckDevices returns an error for the first device that the file of the policy requires or supports and
// that a configuration does not have. Patterns name no device.
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

// CheckDevice returns an error if a configuration does not have a device.
func CheckDevice(config *deviceconfig.Config, name string) error {
	if _, ok := config.Lookup(name); ok {
		return nil
	}
	near, _ := deviceconfig.TargetsNamed(name) // of a product or a family
	near = slices.DeleteFunc(near, func(target string) bool { _, ok := config.Lookup(target); return !ok })
	if len(near) == 0 {
		near = config.Nearest(name)
	}
	if len(near) > 0 {
		return fmt.Errorf("unknown device %q; did you mean %s? ('compat devices' lists all)", name, strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown device %q; 'compat devices' lists the known ones", name)
}
