package llvmir

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestCompilerOutput reads the output of clang, and the output of each LLVM release for it.
func TestCompilerOutput(t *testing.T) {
	clang, opt := testkit.Program(t, "clang++"), testkit.Program(t, "opt")
	for _, name := range []string{"host.cpp", "device.cpp"} {
		for _, flags := range []string{"-O0", "-O2", "-g -O0", "-g -O2"} {
			args := append(strings.Fields(flags), "-std=c++20", "-S", "-emit-llvm", "-o", "-")
			if name == "device.cpp" {
				args = append(args, "-fsycl", "-fsycl-device-only")
			}
			data := output(t, nil, clang, append(args, filepath.Join("testdata", name))...)
			t.Run(name+" "+flags, func(t *testing.T) { checkPrinted(t, opt, name, data) })
			if flags != "-g -O2" {
				continue
			}
			for _, release := range []string{"22", "23"} {
				t.Run(name+" "+flags+" LLVM "+release, func(t *testing.T) {
					opt := testkit.ProgramOf(t, release, "opt")
					checkPrinted(t, opt, name, output(t, data, opt, "-passes=verify", "-S"))
				})
			}
		}
	}
}

// output returns the output of a program.
func output(t *testing.T, stdin []byte, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), new(strings.Builder)
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, cmd.Stderr)
	}
	return data
}

// checkPrinted reads a module printed by a release of opt, writes it in many ways, and checks that
// opt accepts the results.
func checkPrinted(t *testing.T, opt, name string, data []byte) {
	verify := func(t *testing.T, what string, text []byte) {
		t.Helper()
		cmd := exec.Command(opt, "-passes=verify", "-disable-output")
		cmd.Stdin = bytes.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
	}
	m, err := Parse(name, string(data))
	testkit.NoError(t, err)
	if text(t, m) != string(data) {
		t.Error("text not preserved")
	}
	m.edited = true
	if text(t, m) != string(data) {
		t.Error("text not preserved when written by entity")
	}
	m.edited = false
	for _, f := range m.Functions() {
		for in := range f.Body() {
			if in.Type() == nil {
				t.Errorf("%s: unknown type of %s", f.Name(), in.Text())
			}
			for _, o := range in.Operands() {
				if o.Type == nil && in.Op() != "extractvalue" && in.Op() != "insertvalue" && in.Op() != "cleanupret" {
					t.Errorf("%s: unknown type of %s in %s", f.Name(), o.Text, in.Text())
				}
			}
			if id, ok := in.Metadata("dbg"); ok {
				if l, ok := in.DebugLoc(); !ok || l.Path == "" {
					t.Errorf("%s: !%d has no location", f.Name(), id)
				}
			}
		}
		if !f.Defined() {
			continue
		}
		for what, s := range map[string]Subset{
			"alone":            {Define: []Symbol{f}},
			"with its callees": {Define: m.Closure(f), Internal: func(s Symbol) bool { return s != f }},
		} {
			var b bytes.Buffer
			testkit.NoError(t, m.WriteSubset(&b, s))
			verify(t, f.Name()+" "+what, b.Bytes())
			canonical := canonicalOf(t, name, b.String())
			verify(t, f.Name()+" "+what+" in canonical form", []byte(canonical))
			if canonicalOf(t, name, canonical) != canonical {
				t.Errorf("%s %s: WriteCanonical is not idempotent", f.Name(), what)
			}
		}
	}
	for _, f := range m.Functions() {
		if f.Defined() {
			f.SetAttribute("sycl-module-id", name)
			f.removeAttribute("nounwind")
			f.SetMetadata("reqd_work_group_size", m.AddNode("i32 8, i32 1, i32 1"))
		} else {
			f.SetMetadata("note", m.AddNode("i32 1"))
		}
	}
	verify(t, "the edited module", []byte(text(t, m)))
}
