package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// oneMKL describes which libraries of oneMKL a program is linked with.
type oneMKL struct {
	Option  string   // the option that links oneMKL, as written; "" if none does
	ILP64   bool     // whether integers have 64 bits
	Threads string   // how functions on the CPU run in parallel: tbb_thread or sequential
	SYCL    []string // the libraries with SYCL functions; nil for all
}

// syclLibraries are the libraries with SYCL functions: libmkl_sycl_blas and so on.
var syclLibraries = []string{"blas", "lapack", "sparse", "dft", "vm", "rng", "stats", "data_fitting"}

// oneMKL handles -qmkl, -qmkl-ilp64 and -qmkl-sycl-impl. As with icpx, SYCL programs use 64-bit
// integers.
func (p *parser) oneMKL(o *option) error {
	l := &p.line
	if o.name == "-qmkl-sycl-impl=" {
		l.MKL.SYCL = strings.Split(o.value, ",")
		for _, library := range l.MKL.SYCL {
			if !slices.Contains(syclLibraries, library) {
				return cli.Usagef("%s: unknown library %s; %s", o.text(), safetext.Quote(library), safetext.Suggest(library, syclLibraries))
			}
		}
		return nil
	}
	layers := map[string]string{"": "tbb_thread", "parallel": "tbb_thread", "sequential": "sequential"}
	l.MKL.Option, l.MKL.Threads = o.text(), layers[o.value]
	l.MKL.ILP64 = l.SYCL || strings.HasPrefix(o.name, "-qmkl-ilp64")
	switch {
	case o.value == "cluster":
		return cli.Usagef("%s: link the libraries for clusters and MPI by their names, such as -lmkl_scalapack_ilp64", o.text())
	case l.MKL.Threads == "":
		return cli.Usagef("%s: unknown value; %s", o.text(), safetext.Suggest(o.value, []string{"parallel", "sequential"}))
	}
	return nil
}

// checkOneMKL finishes the options for oneMKL.
func (p *parser) checkOneMKL() error {
	switch l := &p.line; {
	case l.MKL.SYCL != nil && l.MKL.Option == "":
		return cli.Usagef("-qmkl-sycl-impl=%s: add -qmkl", strings.Join(l.MKL.SYCL, ","))
	case l.MKL.ILP64:
		p.addOptions(forHost|forDevice, "-DMKL_ILP64")
	}
	return nil
}

// findOneMKL returns the directory of oneMKL's libraries: below oneAPI's MKLROOT, or next to
// DPC++'s libraries if pip installed them. It adds the headers of MKLROOT to the compiles. It
// returns an error if oneMKL is needed but not installed.
func (c *compiler) findOneMKL() (string, error) {
	option := c.line.MKL.Option
	if option == "" {
		return "", nil
	}
	var dirs []string
	root, err := os.Getenv("MKLROOT"), error(nil)
	if root != "" {
		if root, err = filepath.Abs(root); err != nil {
			return "", err
		}
		dirs = []string{filepath.Join(root, "lib"), filepath.Join(root, "lib/intel64")}
		if include := filepath.Join(root, "include"); !slices.Contains(c.line.Host, include) {
			c.line.Host = append(c.line.Host, "-isystem", include)
			c.line.Device = append(c.line.Device, "-isystem", include)
		}
	} else if d, err := c.installed(); err == nil {
		dirs = []string{filepath.Join(d.dir, "lib")}
	}
	for _, dir := range dirs {
		if sharedLibrary(dir, "mkl_core") != "" {
			return dir, nil
		}
	}
	switch {
	case root != "":
		return "", cli.BadInput(fmt.Errorf("%s: cannot find oneMKL in %s; correct MKLROOT, or unset it to use oneMKL from pip (mkl-devel-dpcpp)", option, strings.Join(dirs, " or ")))
	case dirs == nil:
		return "", cli.BadInput(fmt.Errorf("%s: cannot find oneMKL; set MKLROOT, or run 'pip install mkl-devel-dpcpp' in the environment of DPC++", option))
	}
	return "", cli.BadInput(fmt.Errorf("%s: cannot find oneMKL in %s; run 'pip install mkl-devel-dpcpp', or set MKLROOT", option, dirs[0]))
}

// oneMKLOptions returns the options that link oneMKL.
func (c *compiler) oneMKLOptions() ([]string, error) {
	dir, err := c.findOneMKL()
	if dir == "" {
		return nil, err
	}
	m := c.line.MKL
	if slices.ContainsFunc(c.line.Link, isStatic) {
		return nil, cli.Usagef("%s: links shared libraries; remove -static", m.Option)
	}
	integers := "mkl_intel_lp64"
	if m.ILP64 {
		integers = "mkl_intel_ilp64"
	}
	names := []string{integers, "mkl_" + m.Threads, "mkl_core"}
	if c.line.SYCL {
		all := m.SYCL
		if all == nil {
			all = syclLibraries
		}
		for i, library := range all {
			names = slices.Insert(names, i, "mkl_sycl_"+library)
		}
	}
	// The libraries for SYCL use functions of the others without listing them as needed.
	options := []string{"-L" + dir, "-Wl,--push-state,--no-as-needed"}
	for _, name := range names {
		file := sharedLibrary(dir, name)
		if file == "" {
			return nil, cli.BadInput(fmt.Errorf("%s: %s has no lib%s.so; install all of oneMKL (pip install mkl-devel-dpcpp)", m.Option, dir, name))
		}
		options = append(options, file)
	}
	options = append(options, "-Wl,--pop-state", "-Wl,-rpath,"+dir)
	if m.Threads == "tbb_thread" {
		options = append(options, "-ltbb")
	}
	return append(options, "-lpthread", "-lm", "-ldl"), nil
}

// sharedLibrary returns the path of a shared library in a directory, or "". Wheels have only the
// file with a version, such as libmkl_core.so.3, which -lmkl_core does not find.
func sharedLibrary(dir, name string) string {
	path := filepath.Join(dir, "lib"+name+".so")
	if exists(path) {
		return path
	}
	files, _ := os.ReadDir(dir)
	newest := -1
	for _, file := range files {
		version, ok := strings.CutPrefix(file.Name(), filepath.Base(path)+".")
		if number, err := strconv.Atoi(version); ok && err == nil {
			newest = max(newest, number)
		}
	}
	if newest < 0 {
		return ""
	}
	return path + "." + strconv.Itoa(newest)
}
