// Command link measures 'packager link' on many inputs with many symbols, against
// cat of the same files, and with large images against small ones.
//
//	go run ./bench/link --dir /var/tmp
//
// It writes about 2 GiB below the folder and removes them at the end.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func main() { bench.Main(bench.Program{Name: "link", Runs: 5, Limits: true, Setup: setup}) }

// What the design asks for.
const (
	linkSeconds = 2
	memoryMiB   = 8 // more for large images than for small ones
)

// Folders with the inputs.
const (
	smallFolder = "small"
	largeFolder = "large"
)

// smallImage is the size of small images in bytes.
const smallImage = 64

func setup(b *bench.Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `folder` (required)")
	packager := b.Flags.String("packager", "", "measure this `binary` instead of building the packager of this module with 'go build'")
	inputs := b.Flags.Int("inputs", 1000, "`number` of files to link")
	symbols := b.Flags.Int("symbols", 100, "`number` of symbols that each exports, and that it imports from another")
	size := b.Flags.Int("image-kib", 1024, "size of large images in `KiB`")
	generate := b.Flags.Bool("generate", false, "only write the files to measure with into the folder, and keep them")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(*inputs, *symbols, *size) < 1:
			return errors.New("numbers and sizes have to be positive")
		case *generate && *dir != "":
			return writeInputs(*dir, *inputs, *symbols, *size<<10)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		tool, err := b.Tool("packager", *packager)
		if err != nil {
			return err
		}
		// The memory of this process counts as that of its children until they have
		// started, so another one writes the files.
		self, err := os.Executable()
		if err != nil {
			return err
		}
		fmt.Fprintln(b.Progress, "writing files")
		_, err = b.Measure(bench.Contender{Name: "generate", Args: []string{
			self, "--generate", "--dir=.", fmt.Sprint("--inputs=", *inputs), fmt.Sprint("--symbols=", *symbols), fmt.Sprint("--image-kib=", *size),
		}})
		if err != nil {
			return err
		}
		return measure(b, tool, *inputs, *size<<10)
	}
}

func measure(b *bench.Bench, tool string, inputs, size int) error {
	var contenders []bench.Contender
	for _, set := range []struct {
		name, folder string
		size         int
	}{{"small images", smallFolder, smallImage}, {"large images", largeFolder, size}} {
		var names []string
		for i := range inputs {
			names = append(names, inputName(set.folder, i))
		}
		bytes := int64(inputs) * int64(set.size)
		contenders = append(contenders,
			bench.Contender{Name: "packager link, " + set.name, Bytes: bytes, Args: append([]string{tool, "link", "--output", bench.Out}, names...)},
			bench.Contender{Name: "cat, " + set.name, Bytes: bytes, Args: append([]string{"cat"}, names...), Output: bench.Out})
	}
	r, err := b.Compete(contenders...)
	if err != nil {
		return err
	}
	b.AtMost("time of linking small images", r[0].Seconds, linkSeconds, "s")
	b.AtMost("memory for large images beyond that for small ones", float64(r[2].MaxRSS-r[0].MaxRSS)/bench.MiB, memoryMiB, "MiB")
	return nil
}

func inputName(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("%06d.syclbin", i))
}

// writeInputs writes files that each import what the next one exports, the last
// one from the first.
func writeInputs(dir string, inputs, symbols, size int) error {
	random := rand.NewChaCha8([32]byte{})
	for folder, size := range map[string]int{smallFolder: smallImage, largeFolder: size} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			return err
		}
		image := make([]byte, size)
		for i := range inputs {
			random.Read(image)
			copy(image, "\x03\x02\x23\x07\x00\x00\x01\x00") // SPIR-V, by its start
			f := &syclbin.File{Version: 1, State: syclbin.Object, Modules: []*syclbin.Module{{
				Metadata: metadata(i, (i+1)%inputs, symbols),
				IR:       []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(image))},
			}}}
			if err := write(filepath.Join(dir, inputName(folder, i)), f); err != nil {
				return err
			}
		}
	}
	return nil
}

func metadata(file, next, symbols int) *propset.Registry {
	r := new(propset.Registry)
	new(requirement.Requirements).Put(r)
	r.Add(propset.KernelNames).Put(fmt.Sprintf("__sycl_kernel__ZTS12Kernel%06d", file), propset.Uint(1))
	for i := range symbols {
		name := func(file int) string { return fmt.Sprintf("_Z16function%05d%03df", file, i) }
		r.Add(propset.ExportedSymbols).Put(name(file), propset.Uint(1))
		r.Add(propset.ImportedSymbols).Put(name(next), propset.Uint(1))
	}
	return r
}

func write(name string, f *syclbin.File) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return syclbin.Write(io.Writer(out), f, syclbin.Options{})
}
