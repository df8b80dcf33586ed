package icpxflags

import (
	"strings"
	"testing"
)

// Each option is in the table once, with exactly what its taker needs.
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
					t.Errorf("%s is no option", name)
				}
				if strings.Contains(f.Why+f.Command, "{}") && !strings.HasSuffix(name, "=") {
					t.Errorf("%s has no value for %q", name, f.Why+f.Command)
				}
				if f.Taker == Attribute && (f.Means == "") != strings.HasSuffix(name, "=") {
					t.Errorf("%s: its value is %q", name, f.Means)
				}
				if f.Taker == Backend && (f.Native == nil) != f.Next {
					t.Errorf("%s: its options for native images are %q", name, f.Native)
				}
			}
			takers := map[string]bool{
				"Why":       f.Taker == Nothing || f.Taker == Error || f.Taker == Intel || f.Names[0] == "-Xs",
				"Attribute": f.Taker == Attribute,
			}
			for field, value := range map[string]string{"Why": f.Why, "Attribute": f.Attribute} {
				if takers[field] != (value != "") {
					t.Errorf("%s, which is for %s, has the %s %q", f.Names[0], f.Taker, field, value)
				}
			}
			for field, bad := range map[string]bool{
				"Device":  f.Device != nil && f.Taker != Device && f.Taker != Emulation,
				"Host":    f.Host != nil && f.Taker != Both && f.Taker != Host,
				"Native":  f.Native != nil && f.Taker != Backend && f.Taker != Emulation,
				"JIT":     (f.JIT != nil) != (f.Native != nil && f.Taker == Backend),
				"Sets":    f.Sets != "" && f.Taker != Attribute && f.Taker != Error && f.Names[0] != "-fsycl",
				"Command": f.Command != "" && (f.Sets != "" || f.Taker != Error && f.Taker != Intel),
				"Means":   f.Means != "" && f.Taker != Attribute,
			} {
				if bad {
					t.Errorf("%s, which is for %s, has a %s", f.Names[0], f.Taker, field)
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Error("the table is empty")
	}
}
