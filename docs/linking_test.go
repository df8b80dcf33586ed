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

//go:embed linking.md
var linkingPage string

func TestEveryLinkingProblemHasASection(t *testing.T) {
	_, problems, _ := strings.Cut(linkingPage, "\n## Problems\n")
	problems, _, _ = strings.Cut(problems, "\n### Exit codes\n")
	var sections []link.ID
	for line := range strings.Lines(problems) {
		if id, ok := strings.CutPrefix(line, "### "); ok {
			sections = append(sections, link.ID(strings.TrimSpace(id)))
		}
	}
	if !slices.Equal(sections, link.IDs()) {
		t.Errorf("sections %q, problems %q", sections, link.IDs())
	}
}

// The table of states is what the linker does.
func TestLinkingStates(t *testing.T) {
	in, obj, exe := syclbin.Input, syclbin.Object, syclbin.Executable
	inputs := map[string][]syclbin.State{
		"all input": {in, in}, "input and object": {in, obj}, "all object": {obj, obj}, "all executable": {exe, exe},
		"executable and others": {in, obj, exe}, "one without a state": {in, syclbin.NoState},
	}
	options := []link.Options{{}, {State: &in}, {State: &obj}, {State: &exe}, {AllowUnresolved: true}}
	rows := 0
	for line := range strings.Lines(linkingPage) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		states, ok := inputs[cells[0]]
		if !ok {
			continue
		}
		rows++
		for i, o := range options {
			var files []link.Input
			for _, s := range states {
				files = append(files, link.Input{Name: "f", File: &syclbin.File{State: s, Global: new(propset.Registry)}})
			}
			r, err := link.Combine(files, o)
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
