package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, test := range []struct{ name, linked, module, want string }{
		{"release", "1.2.3", "v1.2.4", "1.2.3"},
		{"go install", "", "v1.2.3", "1.2.3"},
		{"go build in a clone", "", "v0.0.0-20261128000000-0123456789ab+dirty", "0.0.0-20261128000000-0123456789ab+dirty"},
		{"go test", "", "(devel)", "devel"},
		{"no build information", "", "", "devel"},
	} {
		got := version(test.linked, func() (*debug.BuildInfo, bool) {
			return &debug.BuildInfo{Main: debug.Module{Version: test.module}}, test.module != ""
		})
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
