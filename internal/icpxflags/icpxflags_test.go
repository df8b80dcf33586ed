package icpxflags

import (
	"strings"
	"testing"
)

// TestTable checks that no option is listed twice, and that each entry has exactly the fields that
// its destination requires.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, section := range Table() {
		for _, f := range section.Flags {
			for _, name := range f.Names {
				if seen[name] {
					t.Errorf("duplicate %s", name)
				}
				seen[name] = true
				if !strings.HasPrefix(name, "-") {
					t.Errorf("%s is not an option", name)
				}
				if strings.Contains(f.Why+f.Command, "{}") && !strings.HasSuffix(name, "=") {
					t.Errorf("%s has no value for %q", name, f.Why+f.Command)
				}
				if f.Destination == Attribute && (f.Means == "") != strings.HasSuffix(name, "=") {
					t.Errorf("%s: unexpected value %q in Means", name, f.Means)
				}
				if f.Destination == Backend && (f.Native == nil) != f.Next {
					t.Errorf("%s: unexpected options %q in Native", name, f.Native)
				}
			}
			destinations := map[string]bool{
				"Why":       f.Destination == Nothing || f.Destination == Error || f.Destination == Intel || f.Names[0] == "-Xs",
				"Attribute": f.Destination == Attribute,
			}
			for field, value := range map[string]string{"Why": f.Why, "Attribute": f.Attribute} {
				if destinations[field] != (value != "") {
					t.Errorf("%s with destination %s: unexpected value %q in %s", f.Names[0], f.Destination, value, field)
				}
			}
			for field, bad := range map[string]bool{
				"Device":     f.Device != nil && f.Destination != Device && f.Destination != Both && f.Destination != Emulation,
				"Host":       f.Host != nil && f.Destination != Both && f.Destination != Host,
				"Native":     f.Native != nil && f.Destination != Backend && f.Destination != Emulation,
				"JIT":        (f.JIT != nil) != (f.Native != nil && f.Destination == Backend),
				"Sets":       f.Sets != "" && f.Destination != Attribute && f.Destination != Error && f.Names[0] != "-fsycl" && f.Sets != Preview && f.Sets != NoPreview && f.Sets != OneMKL,
				"Command":    f.Command != "" && (f.Sets != "" || f.Destination != Error && f.Destination != Intel),
				"Equivalent": f.Equivalent != nil && (f.Destination != Intel || f.Command != ""),
				"Means":      f.Means != "" && f.Destination != Attribute,
			} {
				if bad {
					t.Errorf("%s with destination %s: field %s must be empty", f.Names[0], f.Destination, field)
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Error("the table is empty")
	}
}
