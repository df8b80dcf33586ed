package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// The tests in this file compare the output of this post-link step with the output of DPC++'s own
// step for the same bitcode: the images, their symbols, and every property. They run if environment
// variables specify DPC++:
//
//	SYCL_JIT_LIBRARY  libsycl-jit.so, next to the libraries that it needs
//	SYCL_JIT_DRIVER   the program //rules/dpcpp:driver
//	SYCL_JIT_RELEASE  the release of the runtime; default: 2026.2
//	SYCL_JIT_DIS      an llvm-dis that reads the library's bitcode
//
// These intended differences are not compared:
//
//   - DPC++ links device libraries to its images before it writes their properties. Therefore there
//     are two images of the bfloat16 library, the removed parameters include parameters of library
//     functions and, before 2026, there is a set "SYCL/devicelib req mask".
//   - Removed parameters, sets of virtual functions and kernels with assertions are in the
//     order of a hash table.
//   - With -fsycl-device-code-split=off, DPC++ keeps kernels with different requirements together,
//     and writes the requirements of one kernel for all. Here the kernels are in separate images.
//   - DPC++ writes an image for a source without kernels, although no program looks it up.
//   - This post-link step lowers specialization constants and writes two property sets. libsycl-jit
//     leaves calls to undefined functions in the images.
//   - Here, a kernel with the property device_has requires these aspects. libsycl-jit only reads
//     the attribute.
var dpcppSplits = []string{"per_kernel", "per_source", "auto"}

// dpcpp holds the paths of DPC++'s compiler, and its release.
type dpcpp struct{ driver, library, release, dis string }

func findDPCPP(t *testing.T) *dpcpp {
	t.Helper()
	d := &dpcpp{os.Getenv("SYCL_JIT_DRIVER"), os.Getenv("SYCL_JIT_LIBRARY"), cmp.Or(os.Getenv("SYCL_JIT_RELEASE"), "2026.2"), os.Getenv("SYCL_JIT_DIS")}
	if d.driver == "" || d.library == "" || d.dis == "" {
		t.Skip("SYCL_JIT_DRIVER, SYCL_JIT_LIBRARY and SYCL_JIT_DIS do not name DPC++'s compiler")
	}
	if !filepath.IsAbs(d.driver) { // under Bazel
		d.driver = filepath.Join(os.Getenv("TEST_SRCDIR"), d.driver)
	}
	return d
}

func (d *dpcpp) run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), d.driver, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(d.library))
	cmd.Dir = filepath.Join("testdata", "dpcpp") // names of sources are relative
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("driver %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// compile returns the bitcode of a source of testdata/dpcpp.
func (d *dpcpp) compile(t *testing.T, source string, options []string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "in.bc")
	args := []string{"compile", "--library", d.library, "--output", out, source, "--", "-w"}
	if d.release != release.Before2026().Name {
		args = append(args, "-O2") // the library of 2025.3 would treat it as a file name
	}
	d.run(t, append(args, options...)...)
	return out
}

// A deviceImage is an image as text to compare. sets maps the names of property sets to their text.
type deviceImage struct {
	symbols []string
	sets    map[string][]string
	order   []string // names of the sets
	all     *propset.Registry
}

// theirs returns DPC++'s images, except for the images of the bfloat16 library.
func (d *dpcpp) theirs(t *testing.T, bitcode, split string, options []string) []deviceImage {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "theirs")
	d.run(t, append([]string{"post-link", "--library", d.library, "--output-dir", dir, bitcode, "--", "-fsycl-device-code-split=" + split}, options...)...)
	return readImages(t, filepath.Join(dir, "images.table"))
}

// ours returns the images of this program, with the sets that DPC++'s driver requests.
func (d *dpcpp) ours(t *testing.T, bitcode, split string, dependencies bool) []deviceImage {
	t.Helper()
	table := filepath.Join(t.TempDir(), "images.table")
	var errs strings.Builder
	args := []string{"--llvm-dis", d.dis, "--split", split, "--runtime", d.release, "--split-esimd", "--emit-program-metadata",
		fmt.Sprintf("--emit-only-kernels-as-entry-points=%v", !dependencies), fmt.Sprintf("--allow-device-image-dependencies=%v", dependencies),
		"--output", table, bitcode}
	if code := tool(nil).Run(context.Background(), &cli.Env{Stdout: new(strings.Builder), Stderr: &errs}, args); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return readImages(t, table)
}

func readImages(t *testing.T, name string) []deviceImage {
	t.Helper()
	text := testkit.Must(os.ReadFile(name))(t)
	table := testkit.Must(filetable.Read(name, bytes.NewReader(text)))(t)
	var list []deviceImage
	for _, row := range table.Rows {
		file := func(column string) []byte {
			path := row[table.Column(column)]
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(name), path)
			}
			data := testkit.Must(os.ReadFile(path))(t)
			return data
		}
		sets := testkit.Must(propset.Parse(name, file(filetable.Properties)))(t)
		if sets.Set(propset.DeviceLibMetadata) == nil {
			list = append(list, newDeviceImage(strings.Fields(string(file(filetable.Symbols))), sets))
		}
	}
	// With one kernel per image, DPC++'s images are in the order of a hash table.
	slices.SortFunc(list, func(a, b deviceImage) int { return slices.Compare(a.symbols, b.symbols) })
	return list
}

func newDeviceImage(symbols []string, sets *propset.Registry) deviceImage {
	image := deviceImage{symbols: symbols, sets: map[string][]string{}, all: sets}
	for _, s := range sets.Sets() {
		if s.Name == "SYCL/devicelib req mask" {
			continue
		}
		lines := []string{}
		for _, p := range s.Properties() {
			if s.Name == propset.KernelParamOpt && strings.Contains(p.Key, "__devicelib_") {
				continue
			}
			value := p.Value.String()
			if names, ok := p.Value.Text(); ok && p.Key == "uses-virtual-functions-set" {
				list := strings.Split(names, ",")
				slices.Sort(list)
				value = strings.Join(list, ",")
			}
			lines = append(lines, p.Key+"="+value)
		}
		if s.Name == propset.KernelParamOpt || s.Name == propset.AssertUsed {
			slices.Sort(lines)
		}
		image.order = append(image.order, s.Name)
		image.sets[s.Name] = lines
	}
	return image
}

// compareImages reports the differences between DPC++'s images and ours.
func compareImages(t *testing.T, theirs, ours []deviceImage) {
	t.Helper()
	if len(theirs) != len(ours) {
		t.Errorf("DPC++ makes %d images, this %d", len(theirs), len(ours))
		return
	}
	for i, want := range theirs {
		got := ours[i]
		if !slices.Equal(got.symbols, want.symbols) {
			t.Errorf("image %d: DPC++ has the symbols\n%s\nthis\n%s", i, strings.Join(want.symbols, "\n"), strings.Join(got.symbols, "\n"))
			continue
		}
		if !slices.Equal(got.order, want.order) {
			t.Errorf("image of %s: DPC++ has the sets %q, this %q", want.symbols[0], want.order, got.order)
		}
		for _, set := range want.order {
			if g, w := got.sets[set], want.sets[set]; !slices.Equal(g, w) {
				t.Errorf("image of %s: [%s] of DPC++ is\n%s\nhere\n%s", want.symbols[0], set, strings.Join(w, "\n"), strings.Join(g, "\n"))
			}
		}
	}
}

// TestDPCPP compares the images of all sources with DPC++'s, and DPC++'s with the expected ones.
func TestDPCPP(t *testing.T) {
	d := findDPCPP(t)
	sources, err := filepath.Glob("testdata/dpcpp/*.cpp")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	facts := make([]string, len(sources))
	t.Run("sources", func(t *testing.T) {
		for i, source := range sources {
			name := filepath.Base(source)
			switch name {
			case "constants.cpp", "nothing.cpp":
				continue // see the intended differences above
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var options []string
				const dependencies = "-fsycl-allow-device-image-dependencies"
				text := testkit.Must(os.ReadFile(source))(t)
				if strings.Contains(string(text), dependencies) {
					options = append(options, dependencies)
				}
				bitcode := d.compile(t, name, options)
				for _, split := range dpcppSplits {
					theirs := d.theirs(t, bitcode, split, options)
					compareImages(t, theirs, d.ours(t, bitcode, split, options != nil))
					if split == "per_source" {
						facts[i] = describeImages(name, theirs)
					}
				}
			})
		}
	})
	if d.release != release.Before2026().Name {
		testkit.Golden(t, "dpcpp/facts.txt", strings.Join(facts, ""))
	}
}

// TestDPCPPConstructs compares the images of IR that DPC++'s compiler may write.
func TestDPCPPConstructs(t *testing.T) {
	d := findDPCPP(t)
	assembler := filepath.Join(filepath.Dir(d.dis), strings.Replace(filepath.Base(d.dis), "llvm-dis", "llvm-as", 1))
	for _, c := range constructs(t) {
		for _, flags := range c.dpcpp {
			t.Run(c.name+" "+flags, func(t *testing.T) {
				bitcode := filepath.Join(t.TempDir(), "in.bc")
				// LLVM 23 rejects required work-group sizes with fewer than three dimensions.
				runProgram(t, assembler, "--disable-verify", "-o", bitcode, c.file)
				split, options := "auto", []string(nil)
				for i, flag := range strings.Fields(flags) {
					switch {
					case flag == "--split":
						split = strings.Fields(flags)[i+1]
					case flag == "--allow-device-image-dependencies":
						options = append(options, "-fsycl"+strings.TrimPrefix(flag, "-"))
					}
				}
				theirs := d.theirs(t, bitcode, split, options)
				compareImages(t, theirs, d.ours(t, bitcode, split, options != nil))
			})
		}
	}
}

// TestDPCPPConstants compares images with specialization constants, without the property sets that
// DPC++'s images lack. The content of those sets is compared with golden text.
func TestDPCPPConstants(t *testing.T) {
	d := findDPCPP(t)
	bitcode := d.compile(t, "constants.cpp", nil)
	var facts strings.Builder
	for _, split := range dpcppSplits {
		ours := d.ours(t, bitcode, split, false)
		for i := range ours {
			if split == "per_kernel" {
				describeConstants(t, &facts, ours[i])
			}
			for _, set := range []string{propset.SpecializationConstants, propset.SpecializationConstantDefaults} {
				delete(ours[i].sets, set)
				ours[i].order = slices.DeleteFunc(ours[i].order, func(name string) bool { return name == set })
			}
		}
		compareImages(t, d.theirs(t, bitcode, split, nil), ours)
	}
	testkit.Golden(t, "dpcpp/constants.txt", facts.String())
}

// describeConstants describes the specialization constants of an image in readable text.
func describeConstants(t *testing.T, b *strings.Builder, image deviceImage) {
	t.Helper()
	fmt.Fprintf(b, "%s\n", truncate(kernelname.Display(image.symbols[0])))
	constants := testkit.Must(propset.ReadSpecConstants(image.all))(t)
	for _, c := range constants {
		fmt.Fprintf(b, "  %s, default % x\n", c.Name, c.Default)
		for _, r := range c.Records {
			fmt.Fprintf(b, "    id %d: %d bytes at %d\n", int32(r.ID), r.Size, r.Offset)
		}
	}
}

// describeImages describes DPC++'s images of a source in readable text: the kernels and functions
// of each image, its requirements, and its imports and exports.
func describeImages(source string, images []deviceImage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", source)
	for _, image := range images {
		var names []string
		for _, s := range image.symbols {
			if name := truncate(kernelname.Display(s)); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		fmt.Fprintf(&b, "  %s\n", strings.Join(names, ", "))
		describeSets(&b, image.all)
	}
	return b.String()
}

// truncate truncates long names.
func truncate(name string) string {
	const most = 100
	if len(name) > most {
		return name[:most] + "..."
	}
	return name
}

// described lists the sets whose keys are part of the description.
var described = []string{propset.ExportedSymbols, propset.ImportedSymbols, propset.DeviceGlobals, propset.AssertUsed, propset.VirtualFunctions, propset.ImplicitLocalArg, propset.WorkGroupDynamicLocalMem}

func describeSets(b *strings.Builder, sets *propset.Registry) {
	needs, err := requirement.FromProperties(release.Newest().Read(sets))
	if err != nil {
		fmt.Fprintf(b, "    %v\n", err)
		return
	}
	if len(needs.Aspects) > 0 {
		fmt.Fprintf(b, "    needs %v\n", needs.Aspects)
	}
	if len(needs.SubGroupSizes)+len(needs.WorkGroupSize) > 0 {
		fmt.Fprintf(b, "    sub-groups of %v, work-groups of %v\n", needs.SubGroupSizes, needs.WorkGroupSize)
	}
	for _, s := range sets.Sets() {
		if !slices.Contains(described, s.Name) {
			continue
		}
		var keys []string
		for _, p := range s.Properties() {
			key := kernelname.Display(p.Key)
			if text, ok := p.Value.Text(); ok && s.Name == propset.VirtualFunctions {
				key += " " + text
			}
			keys = append(keys, key)
		}
		fmt.Fprintf(b, "    %s: %s\n", s.Name, strings.Join(keys, ", "))
	}
}
