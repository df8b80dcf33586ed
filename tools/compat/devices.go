package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A devicesCommand implements the subcommand devices.
type devicesCommand struct{ deviceConfig cli.Strings }

const devicesLong = `
Lists the devices that reports can cover and policies can name, with the product names
of Intel GPUs. Arguments select devices: targets, patterns with *, families (bmg),
products (arc-a770, B580) and PCI device IDs (0x56a0).`

func (c *devicesCommand) setup(fs *flag.FlagSet) cli.Run {
	fs.Var(&c.deviceConfig, "device-config", "device configuration `file`, which overrides built-in devices with the same names; may be repeated")
	return c.run
}

func (c *devicesCommand) run(_ context.Context, env *cli.Env, args []string) error {
	config, err := inputs.LoadDevices(env.Stderr, c.deviceConfig.Values)
	if err != nil {
		return err
	}
	list := config.Devices()
	if len(args) > 0 {
		if list, err = selectDevices(config, args); err != nil {
			return err
		}
	}
	width := 0
	for _, d := range list {
		width = max(width, len(safetext.Printable(d.Name)))
	}
	for _, d := range list {
		line := fmt.Sprintf("%-*s  %s", width, safetext.Printable(d.Name), productName(d.Name))
		fmt.Fprintln(env.Stdout, strings.TrimRight(line, " "))
	}
	return nil
}

// selectDevices returns the devices that match names and patterns, without duplicates, in the
// order of the configuration.
func selectDevices(config *deviceconfig.Config, args []string) (list []*deviceconfig.Device, err error) {
	chosen := map[string]bool{}
	for _, arg := range args {
		if strings.Contains(arg, "*") {
			found := false
			for _, d := range config.Devices() {
				if kernelname.Match(arg, d.Name) {
					chosen[d.Name], found = true, true
				}
			}
			if !found {
				return nil, cli.Usagef("no device matches %q", arg)
			}
			continue
		}
		devices, err := inputs.ChooseDevices(config, []string{arg})
		if err != nil {
			return nil, err
		}
		for _, d := range devices {
			chosen[d.Name] = true
		}
	}
	for _, d := range config.Devices() {
		if chosen[d.Name] {
			list = append(list, d)
		}
	}
	return list, nil
}

// productName returns the product name of a target's GPUs, or "" if it is unknown.
func productName(target string) string {
	name := deviceconfig.DisplayName(target)
	if name == target {
		return ""
	}
	return name[:strings.LastIndex(name, " (")]
}
