package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// familyTimes are the limits for aot, relative to one call of ocloc for each GPU, by the number of
// GPUs.
var familyTimes = map[int]float64{11: 0.35, 24: 0.65}

// setupFamilies measures aot, which shares compilations between the GPUs of a family, against one
// call of ocloc for each GPU.
//
//	go run ./bench families --dir /var/tmp MODULE.spv...
func setupFamilies(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write files below this `directory` (required)")
	devices := b.Flags.String("devices", "acm-g10,acm-g11,acm-g12,bmg-g21,bmg-g31,lnl-m,ptl-h,ptl-u,wcl,nvl-s,nvl-u", "ocloc's `names` of devices, with commas between")
	binary := b.Flags.String("aot", "", "measure this `binary` instead of building aot with 'go build'")
	return func() error {
		if b.Flags.NArg() == 0 {
			return errors.New("no modules; add files with SPIR-V")
		}
		ocloc, err := exec.LookPath("ocloc")
		if err != nil {
			return fmt.Errorf("%w: it is needed for this benchmark", err)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		aot, err := b.Tool("aot", *binary)
		if err != nil {
			return err
		}
		for _, module := range b.Flags.Args() {
			if err := measureFamilies(b, ocloc, aot, module, strings.Split(*devices, ",")); err != nil {
				return err
			}
		}
		return nil
	}
}

func measureFamilies(b *Bench, ocloc, aot, module string, devices []string) error {
	module, err := filepath.Abs(module)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.Dir, "in.table"), []byte("[Code]\n"+module+"\n"), 0o666); err != nil {
		return err
	}
	all := []string{aot, "--ocloc", ocloc, "--code-dir", "code"}
	for _, device := range devices {
		all = append(all, "--device", device, "--output", device+".table", "in.table")
	}
	name := fmt.Sprintf("%s, %d GPUs: ", filepath.Base(module), len(devices))
	r, err := b.Compete(
		Contender{Name: name + "aot", Run: func() error { return b.call(b.Dir, all...) }},
		Contender{Name: name + "ocloc for each GPU", Run: func() error {
			for _, device := range devices {
				if err := b.call(b.Dir, ocloc, "compile", "-q", "-spirv_input", "-device", device, "-file", module, "-o", "image"); err != nil {
					return err
				}
			}
			return nil
		}},
	)
	if limit, ok := familyTimes[len(devices)]; ok && err == nil {
		b.AtMost(name+"processor time, relative to ocloc for each GPU", r[0].CPU/r[1].CPU, limit, "")
	}
	return err
}
