package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// listing is the subcommand devices.
type listing struct {
	configs cli.Strings
	json    bool
	output  string
}

func (l *listing) setup(fs *flag.FlagSet) cli.Run {
	buildstep.DeviceConfigFiles(fs, &l.configs)
	fs.BoolVar(&l.json, "json", false, "print all data as JSON")
	fs.StringVar(&l.output, "output", "", "write to this `file` (default standard output)")
	return l.run
}

func (l *listing) run(_ context.Context, env *cli.Env, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("unexpected argument %q", args[0])
	}
	config, err := inputs.LoadDevices(env.Stderr, l.configs.Values)
	if err != nil {
		return err
	}
	return env.Output(l.output, func(w io.Writer) error {
		if l.json {
			return printJSON(w, config.Devices())
		}
		return printTable(w, config.Devices())
	})
}

// features are the most requested aspects. The JSON output contains all aspects.
var features = []struct {
	name string
	has  aspect.Aspect
}{{"fp16", aspect.FP16}, {"fp64", aspect.FP64}, {"atomic64", aspect.Atomic64}, {"image", aspect.Image}}

func printTable(w io.Writer, list []*deviceconfig.Device) error {
	width := 0
	for _, d := range list {
		width = max(width, len(d.Name))
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%-*s", width, "TARGET")
	for _, f := range features {
		fmt.Fprintf(b, "  %s", f.name)
	}
	fmt.Fprintf(b, "  %-17s  %s\n", "SUB-GROUP SIZES", "WORK-GROUP")
	for _, d := range list {
		fmt.Fprintf(b, "%-*s", width, d.Name)
		for _, f := range features {
			answer := "no"
			switch {
			case d.Has(f.has):
				answer = "yes"
			case d.MayHaveOtherAspects:
				answer = "?"
			}
			fmt.Fprintf(b, "  %-*s", len(f.name), answer)
		}
		limit := "?"
		if d.MaxWorkGroupSize > 0 {
			limit = strconv.FormatUint(d.MaxWorkGroupSize, 10)
		}
		fmt.Fprintf(b, "  %-17s  %s\n", sizes(d.SubGroupSizes), limit)
	}
	b.WriteString("\nyes: all devices with this name have the aspect; no: none does; ?: known only at run time\n")
	return b.Flush()
}

func sizes(list []uint32) string {
	if len(list) == 0 {
		return "?"
	}
	var s []string
	for _, n := range list {
		s = append(s, strconv.FormatUint(uint64(n), 10))
	}
	return strings.Join(s, " ")
}

type deviceJSON struct {
	Name                string   `json:"name"`
	Aliases             []string `json:"aliases,omitempty"`
	Aspects             []string `json:"aspects"`
	SubGroupSizes       []uint32 `json:"sub-group-sizes"`
	MayHaveOtherAspects bool     `json:"may-support-other-aspects"`
	MaxWorkGroupSize    uint64   `json:"max-work-group-size,omitempty"`
	MaxWorkItemSizes    []uint64 `json:"max-work-item-sizes,omitempty"` // as in the configuration
	LocalMemorySize     uint64   `json:"local-memory-size,omitempty"`
	// MatrixCombinations is empty if joint_matrix does not work, and absent if that is not known.
	MatrixCombinations []string          `json:"matrix-combinations,omitzero"`
	ESIMDIntrinsics    []string          `json:"esimd-intrinsics,omitzero"`   // likewise
	RefusedExtensions  []string          `json:"refused-extensions,omitzero"` // likewise
	AOTToolchain       string            `json:"aot-toolchain,omitempty"`
	OclocDevice        string            `json:"aot-toolchain-ocloc-device,omitempty"`
	AOTOptions         map[string]string `json:"aot-toolchain-keys,omitempty"` // other keys
	Source             string            `json:"source,omitempty"`
}

func printJSON(w io.Writer, list []*deviceconfig.Device) error {
	out := []deviceJSON{}
	for _, d := range list {
		j := deviceJSON{Name: d.Name, Aliases: d.Aliases, Aspects: []string{}, SubGroupSizes: d.SubGroupSizes,
			MayHaveOtherAspects: d.MayHaveOtherAspects, MaxWorkGroupSize: d.MaxWorkGroupSize,
			MaxWorkItemSizes: d.MaxWorkItemSizes, LocalMemorySize: d.LocalMemorySize,
			AOTToolchain: d.AOTToolchain, OclocDevice: d.OclocDevice, Source: d.Source}
		if d.Matrices != nil {
			j.MatrixCombinations = []string{}
		}
		for _, m := range d.Matrices {
			j.MatrixCombinations = append(j.MatrixCombinations, m.String())
		}
		j.ESIMDIntrinsics, j.RefusedExtensions = d.Intrinsics, d.RefusedExtensions
		for key, value := range d.AOTOptions {
			if j.AOTOptions == nil {
				j.AOTOptions = make(map[string]string)
			}
			j.AOTOptions["aot-toolchain-"+key] = value
		}
		for _, a := range d.Aspects {
			j.Aspects = append(j.Aspects, a.String())
		}
		if j.SubGroupSizes == nil {
			j.SubGroupSizes = []uint32{}
		}
		out = append(out, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
