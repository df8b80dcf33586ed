package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// CheckDevices returns an error for the first device that the policy requires or supports and that
// a configuration does not have. Patterns name no device.
func (p *Policy) CheckDevices(config *deviceconfig.Config) error {
	for _, name := range slices.Concat(p.Required, p.Supported) {
		if strings.Contains(name, "*") {
			continue
		}
		if err := CheckDevice(config, name); err != nil {
			at := p.locations[name]
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
	if near := config.Nearest(name); len(near) > 0 {
		return fmt.Errorf("unknown device %q; did you mean %s? ('compat devices' lists all)", name, strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown device %q; 'compat devices' lists the known ones", name)
}
