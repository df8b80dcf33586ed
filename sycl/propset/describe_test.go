package propset

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestDescribe compares the descriptions of testdata/NAME.prop with testdata/NAME.golden.
func TestDescribe(t *testing.T) {
	d := Describer{AspectName: func(n uint32) string { return map[uint32]string{1: "cpu", 6: "fp64"}[n] }}
	seen := make(map[string]bool)
	for _, name := range []string{"keys", "variants"} {
		t.Run(name, func(t *testing.T) {
			in := testkit.Must(os.ReadFile("testdata/" + name + ".prop"))(t)
			r := testkit.Must(Parse(name+".prop", in))(t)
			var got strings.Builder
			for _, s := range r.Sets() {
				fmt.Fprintf(&got, "[%s]\n", s.Name)
				for _, p := range s.Properties() {
					typed, err := d.Describe(s.Name, p.Key, p.Value)
					data, jsonErr := json.Marshal(typed.Data)
					if jsonErr != nil {
						t.Fatal(jsonErr)
					}
					status := string(typed.Status)
					switch {
					case !typed.Known:
						status = "unknown"
					case !typed.Written:
						status += ", not written so"
					}
					fmt.Fprintf(&got, "%s: %s (%s)\n  %s\n  %s\n", p.Key, typed.Layout, status, typed.Text, data)
					var layout *SyntaxError
					switch {
					case errors.As(err, &layout) && layout.Set == s.Name && layout.Key == p.Key:
						fmt.Fprintf(&got, "  error: %s\n", layout.Msg)
					case err != nil:
						t.Errorf("error for %s: %v", p.Key, err)
					}
					if rule, ok := find(s.Name, p.Key); ok {
						seen[rule.set+"="+rule.key] = true
					}
				}
			}
			testkit.Golden(t, name+".golden", got.String())
		})
	}
	for _, r := range schema {
		if !seen[r.set+"="+r.key] {
			t.Errorf("missing test for [%s] %s", r.set, r.key)
		}
	}
}
