package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// The limit of a build in Bazel: the time of both compilers called directly, with one source per
// processor at a time.
const byHand = 1.0

const module = `bazel_dep(name = "rules_cc", version = "0.1.1")
bazel_dep(name = "rules_sycl")
local_path_override(
    module_name = "rules_sycl",
    path = %q,
)
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.dpcpp(version = "2026.2.0")
use_repo(sycl, "sycl_dpcpp", "sycl_toolchains")
register_toolchains("@sycl_toolchains//cc:all")
`

const text = `#include <sycl/sycl.hpp>

void scale%[1]d(sycl::queue &q, float *p) {
  q.parallel_for<class Scale%[1]d>(sycl::range<1>(64), [=](sycl::id<1> i) { p[i] *= %[2]d; }).wait();
}
`

// The options that the rules, and Bazel's C++ toolchain with -c opt, pass to the compilers. Direct
// calls use the same options.
var (
	deviceOptions = []string{"-DNDEBUG", "-Xclang", "-debug-info-kind=line-tables-only", "-Xclang", "-dwarf-version=4", "-fdebug-info-for-profiling"}
	hostOptions   = []string{
		"-DNDEBUG", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=1", "-fstack-protector", "-fno-omit-frame-pointer",
		"-Wall", "-Wunused-but-set-parameter", "-Wno-free-nonheap-object", "-ffunction-sections", "-fdata-sections", "-MD",
	}
)

// A bazelWay is a way to build a program from the sources, in a separate directory.
type bazelWay struct {
	name, build string // text of the BUILD file, "" without Bazel
}

var ways = []bazelWay{
	{"sycl_cc_binary", `load("@rules_sycl//rules:defs.bzl", "sycl_cc_binary")
sycl_cc_binary(name = "program", srcs = glob(["*.cpp"]))
`},
	{"cc_binary with sycl", `load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
cc_binary(name = "program", srcs = glob(["*.cpp"]), features = ["sycl"], deps = ["@sycl_dpcpp//:sycl"])
`},
	{"by hand", ""},
}

// many measures programs with many sources: the first build after the tools are built, and a build
// after an edit of one source.
type many struct {
	compilers
	bazel   []string
	sources int
	seed    int64 // part of each source, so that no cache contains the measured actions
}

func (m *many) directory(w bazelWay) string {
	return filepath.Join(m.b.Dir, strings.ReplaceAll(w.name, " ", "_"))
}

func (m *many) file(w bazelWay, i int) string {
	return filepath.Join(m.directory(w), fmt.Sprintf("source%d.cpp", i))
}

// write writes a source that no earlier run has compiled.
func (m *many) write(w bazelWay, i int) error {
	m.seed++
	content := fmt.Sprintf(text, i, m.seed)
	if i == 0 {
		content += "int main() {}\n"
	}
	return os.WriteFile(m.file(w, i), []byte(content), 0o666)
}

func (m *many) writeAll(w bazelWay) error {
	for i := range m.sources {
		if err := m.write(w, i); err != nil {
			return err
		}
	}
	return nil
}

func (m *many) measure(rules string) (err error) {
	m.deviceFlags, m.hostFlags = deviceOptions, hostOptions
	m.seed = time.Now().Unix()
	files := map[string]string{
		"MODULE.bazel": fmt.Sprintf(module, rules),
		".bazelrc":     "build -c opt --@rules_sycl//rules/settings:cc_toolchain\n",
	}
	for _, w := range ways {
		if err := os.Mkdir(m.directory(w), 0o777); err != nil {
			return err
		}
		if w.build != "" {
			files[filepath.Join(filepath.Base(m.directory(w)), "BUILD.bazel")] = w.build
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(m.b.Dir, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	if err := CountDaemons(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.shutdown()) }()
	var contenders []Contender
	for _, phase := range []string{"all new", "one edited"} {
		for _, w := range ways {
			c := Contender{Name: fmt.Sprintf("%d sources, %s: %s", m.sources, phase, w.name)}
			changed := m.sources
			c.Before = func() error { return m.writeAll(w) }
			if phase == "one edited" {
				changed = 1
				c.Before = func() error { return m.write(w, 0) }
			}
			c.Run = func() error {
				if w.build == "" {
					return m.buildByHand(w, changed)
				}
				return m.run(append(m.bazel, "build", "//"+filepath.Base(m.directory(w))+":program")...)
			}
			contenders = append(contenders, c)
		}
	}
	r, err := m.b.Compete(contenders...)
	if err != nil {
		return err
	}
	for i, c := range contenders {
		if hand := r[i/len(ways)*len(ways)+len(ways)-1]; i%len(ways) != len(ways)-1 {
			m.b.AtMost(c.Name+": time, times that by hand", r[i].Seconds/hand.Seconds, byHand, "")
		}
	}
	return nil
}

// shutdown stops Bazel's server. The server is a child of this process, which therefore has to wait
// for it.
func (m *many) shutdown() error {
	cmd := cli.Program(m.b.Context, m.bazel[0], append(m.bazel[1:], "info", "server_pid")...)
	cmd.Dir = m.b.Dir
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return err
	}
	server, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	go server.Wait()
	return m.run(append(m.bazel, "shutdown")...)
}

// buildByHand compiles the first sources and links the host objects of all. It does not link the
// images.
func (m *many) buildByHand(w bazelWay, changed int) error {
	err := atOnce(changed, func(i int) error {
		c := m.compilers
		c.source, c.out = m.file(w, i), strings.TrimSuffix(m.file(w, i), ".cpp")
		if err := c.device(); err != nil {
			return err
		}
		return c.hostCode()
	})
	if err != nil {
		return err
	}
	objects, err := filepath.Glob(filepath.Join(m.directory(w), "*.host.o"))
	if err != nil {
		return err
	}
	libraries, err := filepath.Glob(filepath.Join(m.dpcpp, "lib/libsycl.so.[0-9]"))
	if err != nil {
		return err
	}
	return m.run(append(append([]string{m.host, "-o", filepath.Join(m.directory(w), "program")}, objects...), libraries...)...)
}
