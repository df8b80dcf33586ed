package buildstep

import "testing"

func TestSourcePath(t *testing.T) {
	for arg, want := range map[string]struct{ source, path string }{
		"a.cpp=out/a.cpp.bc":     {"a.cpp", "out/a.cpp.bc"},
		"a.cpp=x=y/lib=1/a.bc":   {"a.cpp", "x=y/lib=1/a.bc"},
		"x%3Dy/a%3Db.cpp=o/a=b":  {"x=y/a=b.cpp", "o/a=b"},
		"50%25%3D%.cpp=o":        {"50%=%.cpp", "o"},
		"a of //p:lib%253D=o/bc": {"a of //p:lib%3D", "o/bc"},
	} {
		if source, path, ok := SourcePath(arg); !ok || source != want.source || path != want.path {
			t.Errorf("%s: %q, %q, %v", arg, source, path, ok)
		}
	}
	for _, arg := range []string{"", "a.cpp", "=o", "a.cpp="} {
		if source, path, ok := SourcePath(arg); ok {
			t.Errorf("%s: %q, %q", arg, source, path)
		}
	}
}
