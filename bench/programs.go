package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The limits for one source, as multiples of the time of both compilers, called directly and in
// parallel.
const (
	processorTime = 1.05
	wallTime      = 1.10
)

// kernelsSource returns a source with n kernels of one line.
func kernelsSource(n int) string {
	var s strings.Builder
	s.WriteString("#include <sycl/sycl.hpp>\n")
	for i := range n {
		fmt.Fprintf(&s, `
void scale%[1]d(sycl::queue &q, float *p, float by) {
  q.parallel_for<class Scale%[1]d>(sycl::range<1>(64), [=](sycl::id<1> i) { p[i] *= by + %[1]d; });
}
`, i)
	}
	return s.String()
}

// setupPrograms measures syclc++ against the programs that it calls: DPC++'s compiler library, and
// the host compiler.
//
//	go run ./bench programs --dir /var/tmp --dpcpp "$VIRTUAL_ENV" [SOURCE...]
//
// With --sources N it measures Bazel instead, for programs of N sources.
func setupPrograms(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write files below this `directory` (required)")
	dpcpp := b.Flags.String("dpcpp", "", "the `directory` of DPC++, as a Python environment (required)")
	binary := b.Flags.String("syclcxx", "", "measure this `binary` instead of building syclc++ with 'go build'")
	own := b.Flags.String("driver", "", "measure this `binary` instead of building rules/dpcpp/driver.cpp with c++")
	host := b.Flags.String("host", "g++", "host `compiler`")
	kernels := b.Flags.Int("kernels", 1, "compile a source with this `number` of kernels if no SOURCE is given")
	sources := b.Flags.Int("sources", 0, "measure builds in Bazel of programs with this `number` of sources instead of syclc++")
	bazel := b.Flags.String("bazel", "bazel", "the `command` that runs Bazel, with startup options; a name without a slash is in PATH")
	return func() error {
		if *dpcpp == "" {
			return errors.New("--dpcpp is missing: the directory of DPC++")
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		driver, err := b.Driver(*own)
		if err != nil {
			return err
		}
		c := compilers{b: b, host: *host, dpcpp: *dpcpp, driver: driver, out: filepath.Join(b.Dir, "one"), hostFlags: []string{"-w"}}
		if strings.Contains(filepath.Base(*host), "clang") {
			c.hostFlags = append(c.hostFlags, "-stdlib=libstdc++") // libsycl uses it; Clang from pip uses libc++ by default
		}
		if *sources > 0 {
			here, err := os.Getwd()
			if err != nil {
				return err
			}
			m := many{compilers: c, bazel: strings.Fields(*bazel), sources: *sources}
			return errors.Join(b.NoArguments(), m.measure(here))
		}
		syclcxx, err := b.Tool("syclcxx", *binary)
		if err != nil {
			return err
		}
		headers, err := filepath.Abs("rules/dpcpp/host")
		if err != nil {
			return err
		}
		files := b.Flags.Args()
		if len(files) == 0 {
			files = []string{filepath.Join(b.Dir, fmt.Sprintf("%d-kernels.cpp", *kernels))}
			if err := os.WriteFile(files[0], []byte(kernelsSource(*kernels)), 0o666); err != nil {
				return err
			}
		}
		for _, file := range files {
			if c.source, err = filepath.Abs(file); err != nil {
				return err
			}
			err := c.measure(syclcxx, "--dpcpp="+*dpcpp, "--driver="+driver, "--host-headers="+headers, "-fsycl-host-compiler="+*host)
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// compilers calls the compilers directly. It puts the host source between DPC++'s integration
// header and footer, like DPC++'s driver for other host compilers.
type compilers struct {
	b                                *Bench
	host, dpcpp, driver, source, out string // prefix of the output names
	deviceFlags, hostFlags           []string
}

func (c *compilers) run(argv ...string) error { return c.b.call(c.b.Dir, argv...) }

func (c *compilers) device() error {
	argv := []string{c.driver, "build", "--library", filepath.Join(c.dpcpp, "lib/libsycl-jit.so"), "--output-dir", c.out + ".images",
		"--header", c.out + ".header.h", "--footer", c.out + ".footer.h", c.source, "--", "-std=c++17", "-O2", "-U__INTEL_LLVM_COMPILER", "-fno-sycl-unnamed-lambda"}
	return c.run(append(argv, c.deviceFlags...)...)
}

func (c *compilers) hostCode() error {
	argv := []string{c.host, "-std=c++17", "-O2", "-isystem", filepath.Join(c.dpcpp, "include"), "-include", c.out + ".header.h", "-c", "-o", c.out + ".host.o", c.source}
	return c.run(append(argv, c.hostFlags...)...)
}

func (c *compilers) measure(syclcxx string, options ...string) error {
	name := filepath.Base(c.source)
	if err := c.device(); err != nil { // the header
		return err
	}
	argv := append([]string{syclcxx, "-std=c++17", "-O2", "-c", "-o", "both.o", c.source}, options...)
	r, err := c.b.Compete(
		Contender{Name: name + ": syclc++", Args: argv},
		Contender{Name: name + ": both compilers by hand", Run: func() error {
			device := make(chan error)
			go func() { device <- c.device() }()
			return errors.Join(c.hostCode(), <-device)
		}},
	)
	if err != nil {
		return err
	}
	c.b.AtMost(name+": processor time, times by hand", r[0].CPU/r[1].CPU, processorTime, "")
	c.b.AtMost(name+": time, times by hand", r[0].Seconds/r[1].Seconds, wallTime, "")
	return nil
}
