package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/tools/internal/hostkernels"
)

// readsLayouts is a program that reads the table as the headers of rules/dpcpp/host do.
const readsLayouts = `#include <cstdio>
struct Move { int host, device, size; };
struct Layout { const char *kernel; int host, device; const Move *moves; int count; };
extern "C" __attribute__((visibility("hidden"))) const Layout table[];
int main() {
  for (const Layout *l = table; l->kernel; l++) {
    std::printf("%s %d %d", l->kernel, l->host, l->device);
    for (int i = 0; i < l->count; i++) std::printf(" %d>%d+%d", l->moves[i].host, l->moves[i].device, l->moves[i].size);
    std::puts("");
  }
}
`

// layout returns a layout whose moves have three numbers each.
func layout(host, device int64, moves ...int64) *hostkernels.Layout {
	l := &hostkernels.Layout{Host: host, Device: device}
	for ; len(moves) > 0; moves = moves[3:] {
		l.Moves = append(l.Moves, struct{ Host, Device, Size int64 }{moves[0], moves[1], moves[2]})
	}
	return l
}

func TestWriteLayouts(t *testing.T) {
	cxx := testkit.Program(t, "c++")
	t.Chdir(t.TempDir())
	testkit.NoError(t, os.WriteFile("main.cpp", []byte(readsLayouts), 0o644))
	for _, c := range []struct {
		name    string
		layouts map[string]*hostkernels.Layout
		options string
		want    string
	}{
		{"none", nil, "", ""},
		{"several, at any address", map[string]*hostkernels.Layout{"_ZTSB": layout(24, 16, 8, 0, 4, 16, 8, 8), "_ZTSA": layout(8, 1)}, "-fPIE -pie", "_ZTSA 8 1\n_ZTSB 24 16 8>0+4 16>8+8\n"},
		{"at a fixed address", map[string]*hostkernels.Layout{"_ZTSZ4mainEUlvE_": layout(1<<20, 4, 4, 0, 4)}, "-no-pie", "_ZTSZ4mainEUlvE_ 1048576 4 4>0+4\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			testkit.NoError(t, writeLayouts(&b, "table", c.layouts))
			testkit.NoError(t, os.WriteFile("table.s", []byte(b.String()), 0o644))
			command := append([]string{"-Wl,-z,defs", "-o", "main", "main.cpp", "table.s"}, strings.Fields(c.options)...)
			if out, err := exec.Command(cxx, command...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%v: %s\n%s", err, out, &b)
			}
			out, err := exec.Command("./main").Output()
			if err != nil || string(out) != c.want {
				t.Errorf("%v: got\n%swant\n%s", err, out, c.want)
			}
		})
	}
}
