package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
)

func targetsCommand() *cli.Command {
	return &cli.Command{
		Name:    "targets",
		Short:   "write the names of the built-in devices as Starlark",
		Example: "generate targets --output rules/private/generated/targets.bzl",
		Setup: func(fs *flag.FlagSet) cli.Run {
			output := fs.String("output", "", "`file` to write (default standard output)")
			return func(_ context.Context, env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected argument '%s'", args[0])
				}
				return env.Output(*output, writeTargets)
			}
		},
	}
}

func writeTargets(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, `"""The built-in targets. Written by //tools/generate; do not edit."""

# Canonical name -> (LLVM triple, compiler, the compiler's name of the device).
# No compiler: the target's images are SPIR-V.
TARGETS = {
`)
	aliases := map[string]string{}
	devices := deviceconfig.Default().Devices()
	slices.SortFunc(devices, func(a, b *deviceconfig.Device) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	for _, d := range devices {
		triple, ok := deviceconfig.Triple(d.Name)
		if !ok {
			return fmt.Errorf("the built-in target %s has no triple", d.Name)
		}
		compiler, device := compilerOf(d, triple)
		fmt.Fprintf(w, "    %q: (%q, %q, %q),\n", d.Name, triple, compiler, device)
		for _, alias := range d.Aliases {
			aliases[alias] = d.Name
		}
	}
	fmt.Fprint(w, "}\n\n# Aliases of the built-in targets.\nALIASES = {\n")
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		fmt.Fprintf(w, "    %q: %q,\n", alias, aliases[alias])
	}
	fmt.Fprint(w, `}

# ocloc's name of a device -> its family. The images for the devices of a family differ only in
# a note, so one action compiles for all of them.
FAMILIES = {
`)
	families := aot.Families()
	for _, device := range slices.Sorted(maps.Keys(families)) {
		fmt.Fprintf(w, "    %q: %q,\n", device, families[device])
	}
	fmt.Fprint(w, "}\n")
	return w.Flush()
}

// compilerOf returns the compiler of native images for a target, and its name for the
// device.
func compilerOf(d *deviceconfig.Device, triple string) (compiler, device string) {
	if device, ok := strings.CutPrefix(d.Name, "nvidia_gpu_"); ok {
		return "llvm", device
	}
	if device, ok := strings.CutPrefix(d.Name, "amd_gpu_"); ok {
		return "llvm", device
	}
	switch {
	case strings.HasPrefix(triple, "nvptx64-"):
		return "the name of a GPU, such as nvidia_gpu_sm_80", ""
	case d.Name == "spir64" || d.AOTToolchain != "":
		return d.AOTToolchain, d.OclocDevice
	case strings.HasPrefix(triple, "spir64_x86_64-"):
		return "opencl-aot, which only Intel's oneAPI contains and which rules_sycl does not run", ""
	}
	return "a compiler for " + triple + ", which rules_sycl does not run", ""
}
