package compat_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// A source is a file of testdata/ from which modules are generated. Its first comments define
// them:
//
//	for NAME: A B C    makes a module for each value of the macro NAME, or the
//	                   text ${NAME} in assembly; "-" leaves it undefined
//	clang: OPTIONS     adds options for clang, instead of -O2
//	spirv: OPTIONS     adds options for the translator
//
// Several lines of the first kind define a module for each combination.
type source struct {
	name  string // of the file, without directory and extension
	lang  string // extension
	text  string
	loops []loop
	clang []string
	spirv []string
}

type loop struct {
	name   string
	values []string
}

// A module is one SPIR-V module of the corpus.
type module struct {
	source *source
	name   string // source and values: "arithmetic T=double SG=16"
	values map[string]string
	file   string // with the code, once compiled
}

// readSources returns the files of testdata/ that modules are generated from.
func readSources(t *testing.T) []*source {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	testkit.NoError(t, err)
	var list []*source
	for _, e := range entries {
		lang := filepath.Ext(e.Name())
		if !slices.Contains([]string{".cl", ".clcpp", ".cpp", ".ll", ".spvasm"}, lang) {
			continue
		}
		data, err := os.ReadFile(filepath.Join("testdata", e.Name()))
		testkit.NoError(t, err)
		s := &source{name: strings.TrimSuffix(e.Name(), lang), lang: lang, text: string(data)}
		s.readHead()
		list = append(list, s)
	}
	return list
}

func (s *source) readHead() {
	for line := range strings.Lines(s.text) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			if comment, ok = strings.CutPrefix(line, ";"); !ok {
				break
			}
		}
		key, value, ok := strings.Cut(strings.TrimSpace(comment), ": ")
		if !ok {
			continue
		}
		switch words := strings.Fields(value); {
		case key == "clang":
			s.clang = words
		case key == "spirv":
			s.spirv = words
		case strings.HasPrefix(key, "for ") && strings.Count(key, " ") == 1:
			s.loops = append(s.loops, loop{strings.TrimPrefix(key, "for "), words})
		}
	}
}

// modules returns the modules of the source, in the order of its lines.
func (s *source) modules() []*module {
	list := []*module{{source: s, name: s.name, values: map[string]string{}}}
	for _, l := range s.loops {
		var next []*module
		for _, m := range list {
			for _, v := range l.values {
				n := &module{source: s, name: m.name, values: map[string]string{}}
				maps.Copy(n.values, m.values)
				if v != "-" {
					n.name += " " + l.name + "=" + v
					n.values[l.name] = v
				}
				next = append(next, n)
			}
		}
		list = next
	}
	return list
}

// compilers are the programs that build modules.
type compilers struct {
	clang, translator, assembler string
}

func findCompilers(t *testing.T) compilers {
	t.Helper()
	if testing.Short() {
		t.Skip("ocloc needs minutes")
	}
	return compilers{
		clang:      testkit.Program(t, "clang"),
		translator: testkit.Program(t, "llvm-spirv"),
		assembler:  testkit.Program(t, "spirv-as"),
	}
}

// compile writes the code of the module to a file of dir.
func (c compilers) compile(ctx context.Context, m *module, dir, base string) error {
	s := m.source
	file := filepath.Join(dir, base+".spv")
	text := s.text
	if s.lang == ".spvasm" || s.lang == ".ll" {
		text = os.Expand(s.text, func(name string) string { return m.values[name] })
	}
	if s.lang == ".spvasm" {
		if err := run(ctx, text, c.assembler, "--target-env", "spv1.4", "-o", file, "-"); err != nil {
			return err
		}
	} else {
		args := []string{"-c", "-emit-llvm", "--target=spirv64-unknown-unknown"}
		switch s.lang {
		case ".cl":
			args = append(args, "-x", "cl", "-cl-std=CL3.0")
		case ".clcpp":
			args = append(args, "-x", "clcpp", "-cl-std=CLC++2021")
		case ".cpp":
			args = []string{"-c", "-x", "c++", "-std=c++20", "-fsycl", "-fsycl-device-only", "-fno-math-errno"}
		case ".ll":
			args = append(args, "-x", "ir")
		}
		if s.clang == nil {
			args = append(args, "-O2")
		}
		args = append(args, s.clang...)
		for _, l := range s.loops {
			if v, ok := m.values[l.name]; ok {
				args = append(args, "-D"+l.name+"="+v)
			}
		}
		bitcode := filepath.Join(dir, base+".bc")
		if strings.HasPrefix(s.lang, ".cl") {
			text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#line 1\n" + text
		}
		if err := run(ctx, text, c.clang, append(args, "-o", bitcode, "-")...); err != nil {
			return err
		}
		args = append([]string{"--spirv-max-version=1.4"}, s.spirv...)
		if err := run(ctx, "", c.translator, append(args, bitcode, "-o", file)...); err != nil {
			return err
		}
		if err := os.Remove(bitcode); err != nil {
			return err
		}
	}
	m.file = file
	return nil
}

func run(ctx context.Context, stdin, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out.Bytes())
	}
	return nil
}

// inParallel calls work for 0 to n-1, with one call per available processor at a time.
func inParallel(n int, work func(int)) {
	todo := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range todo {
				work(i)
			}
		})
	}
	for i := range n {
		todo <- i
	}
	close(todo)
	workers.Wait()
}
