package inputs

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// LoadDevices returns the devices that the project knows, with those of the files over
// them, later files over earlier ones. It warns of entries that are there twice.
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
	msg := fmt.Sprintf("unknown target %q", target)
	if near := config.Nearest(target); len(near) > 0 {
		msg += ": did you mean " + strings.Join(near, " or ") + "?"
	} else {
		msg += "; 'aspectfilter devices' lists the known ones, and a device configuration file can add others"
	}
	return nil, cli.Usagef("%s", msg)
}

// FindDevices is FindDevice for each target, and reports all that are unknown.
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
