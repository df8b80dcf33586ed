package docs

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

//go:embed build/linking.md
var linkingPage string

func TestEveryLinkingProblemHasASection(t *testing.T) {
	_, linking := packagerParts(t)
	var ids []string
	for _, id := range link.IDs() {
		ids = append(ids, string(id))
	}
	if sections := idSections(linking); !slices.Equal(sections, ids) {
		t.Errorf("sections %q, problems %q", sections, ids)
	}
}

// TestLinkingStates compares the table of states with the linker.
func TestLinkingStates(t *testing.T) {
	in, obj, exe := syclbin.Input, syclbin.Object, syclbin.Executable
	inputs := map[string][]syclbin.State{
		"all input": {in, in}, "input and object": {in, obj}, "all object": {obj, obj}, "all executable": {exe, exe},
		"executable and others": {in, obj, exe}, "one without a state": {in, syclbin.NoState},
	}
	columns := []struct {
		needs bool // whether a module needs a symbol of another module
		link.Options
	}{
		{true, link.Options{}}, {false, link.Options{}}, {true, link.Options{State: &in}}, {true, link.Options{State: &obj}},
		{false, link.Options{State: &exe}}, {true, link.Options{AllowUnresolved: true}},
	}
	rows := 0
	for line := range strings.Lines(linkingPage) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		states, ok := inputs[cells[0]]
		if !ok {
			continue
		}
		rows++
		if len(cells) != 1+len(columns) {
			t.Fatalf("%s: %d cells", cells[0], len(cells))
		}
		for i, c := range columns {
			var files []link.Input
			for _, s := range states {
				f := &syclbin.File{State: s, Global: new(propset.Registry)}
				if c.needs {
					f.Modules = needing()
				}
				files = append(files, link.Input{Name: "f", File: f})
			}
			r, err := link.Combine(files, c.Options)
			if err != nil {
				t.Fatal(err)
			}
			got := "refused"
			if r.File != nil {
				got = r.File.State.String()
			}
			if got != cells[1+i] {
				t.Errorf("%s, column %d: the page says %s, the linker %s", cells[0], 1+i, cells[1+i], got)
			}
		}
	}
	if rows != len(inputs) {
		t.Errorf("%d rows of %d", rows, len(inputs))
	}
}

// needing returns a module that needs a symbol of another module, and that other module.
func needing() (list []*syclbin.Module) {
	for _, set := range []string{propset.ImportedSymbols, propset.ExportedSymbols} {
		r := new(propset.Registry)
		r.Add(set).Put("f", propset.Uint(1))
		code := syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(set))
		list = append(list, &syclbin.Module{Metadata: r, IR: []*syclbin.Image{code}})
	}
	return list
}
